package survey

import (
	"errors"
	"fmt"

	"firebreak/internal/config"
	"firebreak/pipeline/record"
	"firebreak/policy"
	"firebreak/routing"
)

// Proposal is a configuration for the log of a sample.
type Proposal struct {
	Fleet config.Fleet // what YAML says
	YAML  []byte       // the file, see config.Parse
	// Decide is the one line that a person must decide; nil where the log tells all.
	Decide *Mark
	Checks []Mark // guesses, by line
	Format string // as people say it
	Lines  int    // of the sample that are to be records
	Read   int    // of them that the proposal reads
	// Whole says that nothing would ever be judged in a log of this span with the default windows, or that it has no time:
	// it is to be replayed as one window.
	Whole bool
	// Busy says of a sample that is as short, while its log goes on, that this is no reason for --whole; else empty.
	Busy string
	// Fewer says where the sample has fewer lines than were asked for, because they are long; else empty.
	Fewer string

	sample  *Sample
	form    form
	chooser *chooser
	preset  *preset
	words   []opWord
	seen    [roles]*column // identities as they are read
	reasons map[record.Reason][]int
	oneIn   *column // a column that holds N where a rate would be 1/N
}

// Mark is a marked line of the file.
type Mark struct {
	Line  int    // from 1
	Entry string // what stands there
	Text  string // what is to be decided or checked
}

// defaultShards is the number of shards that stands in a proposal until a person says another.
const defaultShards = 16

// Propose proposes the configuration of one fleet for the log of a sample. An error says in words what is missing: a
// format, a record, or anything that could be a key, a tenant or a shard.
func Propose(s *Sample, fleet string) (*Proposal, error) {
	f, err := s.find()
	if err != nil {
		return nil, err
	}
	p := &Proposal{sample: s, form: f, Lines: s.size()}
	if (f.format == formatCSV || f.format == formatTSV) && !f.noHeader {
		if p.Lines -= len(s.parts); p.Lines == 0 {
			return nil, fmt.Errorf("a header and no record: columns cannot be judged by their names alone")
		}
	}
	if err := p.read(); err != nil {
		return nil, err
	}
	best, err := p.with(p.fitting(), fleet)
	if err != nil {
		return nil, err
	}
	if best.preset != nil && float64(best.Read) < mostlyOne*float64(best.Lines) {
		// The names are a preset's, the values are not.
		if own, err := p.with(nil, fleet); err == nil && own.Read > best.Read {
			best = own
		}
	}
	if best.Read == 0 {
		return nil, fmt.Errorf("no line can be read as a record: %s", best.refusals())
	}
	best.write()
	parsed, err := config.Parse("proposal", best.YAML)
	if err != nil {
		return nil, fmt.Errorf("the proposal is not a valid configuration, which is a fault of firebreak: %w", err)
	}
	best.Fleet = parsed.Fleets[0]
	return best, nil
}

// read reads the columns.
func (p *Proposal) read() error {
	lexicon, err := newLexicon()
	if err != nil {
		return err
	}
	p.chooser = &chooser{form: &p.form, dict: newDictionary(), lexicon: lexicon, lines: p.Lines, moments: map[*column]moment{}}
	found := p.sample.columnNames(&p.form)
	p.chooser.names = found
	for _, path := range found.paths {
		c, err := p.sample.column(&p.form, path)
		if err != nil {
			return err
		}
		p.chooser.columns = append(p.chooser.columns, c)
		if c.present == 0 {
			continue
		}
		if p.chooser.moments[c], err = p.sample.moment(&p.form, c); err != nil {
			return err
		}
	}
	return nil
}

// fitting is the preset that the log has; nil = none.
func (p *Proposal) fitting() *preset {
	for _, preset := range presets() {
		if preset.fits(&p.form, p.chooser.columns) {
			return &preset
		}
	}
	return nil
}

// with makes a proposal on a preset, or without one.
func (p *Proposal) with(on *preset, fleet string) (*Proposal, error) {
	out := *p
	fresh := *p.chooser
	fresh.taken, fresh.chosen, fresh.arrival = map[*column]role{}, [roles]*choice{}, nil
	out.chooser, out.preset = &fresh, on
	if on != nil {
		fresh.adopt(on)
	}
	fresh.requestLine()
	fresh.choose()
	if fresh.chosen[roleKey] == nil && fresh.chosen[roleTenant] == nil && fresh.chosen[roleShard] == nil {
		return nil, errors.New("no column can be a key, a tenant or a shard: " + fresh.described())
	}
	out.Fleet = config.DefaultFleet()
	out.Fleet.Name = fleet
	out.record()
	out.place()
	if rate := fresh.chosen[roleRate]; rate != nil && rate.column.min == 1 {
		out.Fleet.Sampling = policy.SamplingNone // every line carries the rate 1
	}
	if out.oneIn != nil && byTrace(out.oneIn) {
		out.Fleet.Sampling = policy.SamplingByTrace
	}
	if err := out.facts(); err != nil {
		return nil, err
	}
	return &out, nil
}

// place proposes where keys live: where the log names the shard it is asked, else a hash of the key.
func (p *Proposal) place() {
	chosen := &p.chooser.chosen
	switch {
	case chosen[roleShard] != nil:
		p.Fleet.Placement = config.Placement{Map: routing.Explicit}
		return
	case chosen[roleKey] != nil:
		p.Fleet.Placement = config.Placement{Bytes: "key", Function: routing.XXH64}
	default:
		p.Fleet.Placement = config.Placement{Bytes: "tenant", Function: routing.XXH64}
	}
	p.Fleet.Shards = config.Shards{N: defaultShards}
}

// facts reads the sample with the proposal itself: how many lines give a record, and what the identities are.
func (p *Proposal) facts() error {
	p.reasons = map[record.Reason][]int{}
	for _, r := range []role{roleTenant, roleKey, roleShard, roleCaller} {
		if p.chooser.chosen[r] != nil {
			p.seen[r] = &column{counts: map[string]int{}}
		}
	}
	return p.sample.decode(p.Fleet.Record, func(_ int, l *line, rec *record.Record, reason record.Reason) bool {
		if reason != record.ReasonNone {
			p.reasons[reason] = append(p.reasons[reason], l.number)
			return true
		}
		p.Read++
		for r, b := range map[role][]byte{roleTenant: rec.FullTenant, roleKey: rec.FullKey, roleShard: rec.Shard, roleCaller: rec.Caller} {
			if p.seen[r] != nil && len(b) > 0 {
				p.seen[r].take(string(b))
			}
		}
		return true
	})
}

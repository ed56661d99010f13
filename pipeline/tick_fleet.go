package pipeline

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"firebreak/pipeline/record"
	"firebreak/sketch"
)

// tickFleet is one fleet's part of a Tick.
type tickFleet struct {
	live    *LiveFleet
	print   uint64
	places  places
	tally   tally
	decoder *record.Decoder
	headers bool
	size    sketch.Config
	base    int   // shards that the log knew
	room    int64 // the highest pane that may have traffic
	past    int64 // panes up to it have left the window
	open    []*openPane
	idle    []*openPane

	line    record.Message // the record at hand and what is left of its message
	rest    []byte
	rec     record.Record
	reason  record.Reason
	refused []uint64 // by reason, of all ticks
}

// openPane is a pane that is being counted.
type openPane struct {
	number  int64
	facts   paneFacts
	summary *sketch.Summary
	pieces  *sketch.Summary // nil without salts
}

const (
	// mostOpen is how many panes a delta has; the records of another one wait for the next.
	mostOpen = 4
	// mostForced is how many it may have where records that were held back need more.
	mostForced = 8
	// loadBytes is what a vshard's sums take at most, as a rule.
	loadBytes = 28
)

func newTickFleet(live *LiveFleet, seed uint64) (*tickFleet, error) {
	f := &tickFleet{live: live, print: live.fingerprint(), room: 1<<63 - 1, past: -1 << 62, refused: make([]uint64, len(record.Reasons())+1)}
	var err error
	if f.decoder, err = record.NewDecoder(live.Record); err != nil {
		return nil, err
	}
	f.headers = f.decoder.ReadsHeaders()
	if f.size, err = live.Counting(seed); err != nil {
		return nil, err
	}
	return f, f.resetPlaces()
}

// resetPlaces begins with the shards of the configuration.
func (f *tickFleet) resetPlaces() error {
	f.places = places{}
	if err := f.places.init(&f.live.Config); err != nil {
		return err
	}
	f.base = len(f.places.shards)
	stats := f.tally.stats
	f.tally = tally{cfg: &f.live.Config, places: &f.places, stats: stats}
	return nil
}

// sync takes over the shards that the log has named, as far as nothing that is counted depends on others.
func (f *tickFleet) sync(v *FleetView, dirty bool) {
	f.room, f.past = v.Room, v.Past
	if !f.places.explicit || dirty && len(f.places.shards) > f.base {
		return
	}
	known := min(len(v.Shards), len(f.places.shards))
	for i := range known {
		if f.places.shards[i].Name != v.Shards[i] {
			if f.resetPlaces() != nil {
				return
			}
			break
		}
	}
	for _, name := range v.Shards[min(len(f.places.shards), len(v.Shards)):] {
		if _, ok := f.places.learn(name); !ok {
			return
		}
	}
	f.base = max(f.base, len(v.Shards))
}

func (f *tickFleet) reads(topic string) bool { return slices.Contains(f.live.Topics, topic) }

// read decodes the first record of a message.
func (f *tickFleet) read(m *record.Message) {
	f.line, f.rest = *m, m.Value
	f.next()
}

// next decodes the next record of the message.
func (f *tickFleet) next() {
	f.line.Value, f.rest = f.decoder.First(f.rest)
	f.reason = f.decoder.DecodeMessage(&f.line, &f.rec)
	if f.reason == record.ReasonNone && f.rec.Time == record.NoTime {
		f.rec.Time = f.line.Time
		f.tally.stats.Untimed++
	}
}

// observe takes the records of the message that was read, or refuses them.
func (f *tickFleet) observe(g *gate, horizon int64, refuse Refuse) {
	for {
		f.tally.stats.Records++
		f.refused[f.reason]++
		switch {
		case f.reason == record.ReasonNone && f.rec.Time > horizon+g.skew:
			f.tally.stats.Future++
		case f.reason == record.ReasonNone:
			g.observe(0, f.rec.Time, &f.rec)
		case f.reason.Refusal() && refuse != nil:
			refuse(f.live.Fleet, f.reason, &f.line)
		}
		if len(f.rest) == 0 {
			return
		}
		f.next()
	}
}

// fits tells whether the record that was read can be counted in this tick. horizon is now.
func (f *tickFleet) fits(g *gate, horizon int64) Offered {
	at := f.rec.Time
	if f.reason != record.ReasonNone || at > horizon+g.skew || !g.started || at > g.front+g.skew {
		return Taken // refused, or held back
	}
	pane := floorDiv(at, int64(f.live.Pane))
	switch {
	case pane <= f.past:
		return Taken
	case pane > f.room:
		return Ahead
	case f.find(pane) != nil:
		return Taken
	case len(f.open) >= mostOpen || f.loose() > looseDelta:
		return Full
	}
	return Taken
}

// loose is about how many bytes of the delta cannot be left out.
func (f *tickFleet) loose() (bytes int) {
	for _, p := range f.open {
		bytes += loadBytes * min(int(p.summary.Events()), f.size.VShards)
	}
	return bytes
}

func (f *tickFleet) find(pane int64) *openPane {
	for _, p := range f.open {
		if p.number == pane {
			return p
		}
	}
	return nil
}

// pane finds an open pane or opens it; nil if there is no room.
func (f *tickFleet) pane(number int64) *openPane {
	if p := f.find(number); p != nil {
		return p
	}
	if len(f.open) >= mostForced {
		return nil
	}
	p := &openPane{}
	if n := len(f.idle); n > 0 {
		p, f.idle = f.idle[n-1], f.idle[:n-1]
	} else {
		p.summary = sketch.NewSummary(f.size)
		if f.places.folds {
			p.pieces = sketch.NewSummary(salted(f.size))
		}
	}
	p.number, p.facts = number, paneFacts{}
	f.open = append(f.open, p)
	return p
}

// take counts a record whose time is accepted.
func (f *tickFleet) take(p *Part, at int64, rec *record.Record) {
	if p.time == record.NoTime || at > p.time {
		p.time = at
	}
	if p.first == record.NoTime {
		p.first = at
	}
	number := floorDiv(at, int64(f.live.Pane))
	if number <= f.past {
		f.tally.stats.Late++
		return
	}
	pane := f.pane(number)
	if pane == nil {
		f.tally.stats.Crowded++
		return
	}
	f.tally.keep = 1 / float64(int(1)<<p.thin)
	if !f.tally.count(rec, number, &pane.facts) {
		return
	}
	pane.summary.Add(&f.tally.event)
	if len(f.tally.piece.Key) > 0 && pane.pieces != nil {
		pane.pieces.Add(&f.tally.piece)
	}
}

func (f *tickFleet) turnAway(late bool) {
	if late {
		f.tally.stats.Late++
	} else {
		f.tally.stats.Future++
	}
}

// empty drops what was counted.
func (f *tickFleet) empty() {
	for _, p := range f.open {
		p.summary.Reset()
		if p.pieces != nil {
			p.pieces.Reset()
		}
	}
	f.idle = append(f.idle, f.open...)
	f.open = f.open[:0]
	f.base = len(f.places.shards)
}

// sealFleets adds what was counted of the fleets.
func (t *Tick) sealFleets(d *delta, reads map[*tickFleet]bool) error {
	size := 0
	for _, f := range t.fleets {
		if !reads[f] {
			continue
		}
		fd := fleetDelta{name: f.live.Fleet, print: f.print, says: f.tally.stats.Says, base: f.base}
		for _, s := range f.places.shards[f.base:] {
			fd.shards = append(fd.shards, s.Name)
		}
		slices.SortFunc(f.open, func(a, b *openPane) int { return cmp.Compare(a.number, b.number) })
		for _, p := range f.open {
			pd := paneDelta{number: p.number, facts: p.facts}
			var err error
			if pd.part, err = t.form(p.summary, sketch.MaxPart); err != nil {
				return err
			}
			if p.pieces != nil && p.pieces.Events() > 0 {
				if pd.pieces, err = t.form(p.pieces, sketch.MaxPart/4); err != nil {
					return err
				}
			}
			size += len(pd.part) + len(pd.pieces)
			fd.panes = append(fd.panes, pd)
		}
		d.fleets = append(d.fleets, fd)
	}
	if size <= MaxDelta {
		return nil
	}
	return t.shrink(d, size)
}

// form is the wire form of a Summary.
func (t *Tick) form(s *sketch.Summary, limit int) ([]byte, error) {
	s.Part(&t.part)
	out, err := t.part.Append(nil, limit)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrTooLarge, err)
	}
	return out, nil
}

// shrink leaves out names until all parts are small enough, each in proportion.
func (t *Tick) shrink(d *delta, size int) error {
	for i := range d.fleets {
		for j := range d.fleets[i].panes {
			pd := &d.fleets[i].panes[j]
			for _, form := range []*[]byte{&pd.part, &pd.pieces} {
				if len(*form) == 0 {
					continue
				}
				limit := len(*form) * MaxDelta / size
				if err := t.part.Decode(*form, t.fleets[0].size.Seed); err != nil {
					return err
				}
				out, err := t.part.Append(nil, limit)
				if err != nil {
					return fmt.Errorf("%w: %w", ErrTooLarge, err)
				}
				*form = out
			}
		}
	}
	return nil
}

func sortedParts(parts map[Partition]*Part) []*Part {
	return slices.SortedFunc(maps.Values(parts), func(a, b *Part) int {
		return cmp.Or(slices.Compare(a.Topic[:], b.Topic[:]), cmp.Compare(a.Number, b.Number))
	})
}

package scenario

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"firebreak/pipeline/record"
)

// logLine is a line of the log on its way to the decoders of all fleets.
type logLine struct {
	at        time.Duration // of its coming, since the start of the story
	partition int
	text      []byte
	match     *match // nil = the line is any fleet's
}

// match says whose records log lines are: those of the fleet of that name, picked by the value of a member.
type match struct{ member, value string }

// canonical is the decoder's configuration for log lines in the canonical JSON form.
func canonical(m *match) record.Config {
	c := record.Default()
	c.Preset, c.Format = "canonical", "json"
	if m != nil {
		c.Match = []record.Match{{Field: m.member, Equals: m.value}}
	}
	return c
}

// parseLines queues log lines. A fleet takes a line if match names its own name under the member that the line has.
func (p *Player) parseLines(a *args, input string) error {
	if len(p.fleets) == 0 {
		return errors.New("lines: there is no story yet")
	}
	at, every := a.duration("at", p.clock), a.duration("every", time.Second)
	times, partition := a.integer("times", 1), a.integer("partition", 0)
	var m *match
	if member := a.word("match", ""); member != "" {
		m = &match{member: member}
	}
	if err := a.done(); err != nil {
		return err
	}
	if at < p.clock {
		return fmt.Errorf("lines: at %s: that was before now, %s", at, p.clock)
	}
	for n := range times {
		for line := range strings.SplitSeq(input, "\n") {
			came := at + time.Duration(n)*every
			text, err := stamped(line, time.Duration(n)*every)
			if err != nil {
				return err
			}
			p.queue = append(p.queue, logLine{at: came, partition: partition, text: text, match: m})
		}
	}
	slices.SortStableFunc(p.queue, func(a, b logLine) int { return cmp.Compare(a.at, b.at) })
	return nil
}

// stamped replaces each "@3m" of a line by that time of the story in ms since 1970, later by some time, and each "\xff" by
// that byte, which JSON cannot write.
func stamped(line string, later time.Duration) ([]byte, error) {
	var out bytes.Buffer
	for line != "" {
		i := strings.IndexAny(line, `@\`)
		if i < 0 {
			i = len(line)
		}
		out.WriteString(line[:i])
		line = line[i:]
		switch {
		case line == "":
		case strings.HasPrefix(line, `\x`) && len(line) >= 4:
			b, err := strconv.ParseUint(line[2:4], 16, 8)
			if err != nil {
				return nil, fmt.Errorf("lines: %.4s: %w", line, err)
			}
			out.WriteByte(byte(b))
			line = line[4:]
		case line[0] == '\\':
			out.WriteString(line[:min(2, len(line))])
			line = line[min(2, len(line)):]
		default:
			n := 1 + strings.IndexFunc(line[1:]+"|", func(r rune) bool { return !strings.ContainsRune("0123456789.hmsµun-", r) })
			d, err := time.ParseDuration(line[1:n])
			if err != nil {
				return nil, fmt.Errorf("lines: @: %w", err)
			}
			out.WriteString(strconv.FormatInt(start().Add(d+later).UnixMilli(), 10))
			line = line[n:]
		}
	}
	return out.Bytes(), nil
}

// lines feeds the queued lines that have come by a moment.
func (p *Player) lines(until time.Duration) {
	for len(p.queue) > 0 && p.queue[0].at <= until && p.err == nil {
		next := p.queue[0]
		p.queue = p.queue[1:]
		for _, f := range p.fleets {
			d, err := f.decode(next.match)
			if err != nil {
				p.err = err
				return
			}
			var rec record.Record
			if reason := d.Decode(next.text, &rec); reason != record.ReasonNone {
				f.refused[reason]++
				continue
			}
			f.core.Observe(next.partition, &rec)
			p.advance(f)
		}
	}
}

// decode is the decoder that picks the fleet's records out of lines with that member.
func (f *fleet) decode(m *match) (*record.Decoder, error) {
	if m == nil {
		return f.decoder, nil
	}
	if d, ok := f.match[m]; ok {
		return d, nil
	}
	d, err := record.NewDecoder(canonical(&match{m.member, f.setup.name}))
	if err == nil {
		f.match[m] = d
	}
	return d, err
}

// stats says what became of the records of each fleet.
func (p *Player) stats() string {
	var out strings.Builder
	for _, f := range p.fleets {
		s := f.core.Stats()
		fmt.Fprintf(&out, "%s: records %d, counted %d, late %d, future %d", f.setup.name, s.Records, s.Counted, s.Late, s.Future)
		if s.Rated > 0 && s.Unrated > 0 {
			fmt.Fprintf(&out, ", without a rate %d", s.Unrated)
		}
		if s.Unplaced > 0 {
			fmt.Fprintf(&out, ", on no shard %d", s.Unplaced)
		}
		for _, r := range record.Reasons() {
			if f.refused[r] > 0 {
				fmt.Fprintf(&out, ", %s %d", r, f.refused[r])
			}
		}
		out.WriteString("\n")
	}
	return out.String()
}

package pipeline

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"firebreak/sketch"
)

// ErrTooLarge says that a delta would be larger than an entry of the log may be. All that it counted must be discarded; the
// Tick seals earlier from then on, so that counting it again will do.
var ErrTooLarge = errors.New("delta too large")

const (
	// MaxDelta is the most bytes that a delta has, or a checkpoint: less than a kafka.Log takes, see kafka.MaxEntry.
	MaxDelta = 900 << 10
	// looseDelta is how much of it may be taken by what cannot be left out before a tick is sealed early.
	looseDelta = 600 << 10
	// leastLoose is the least of that: with so little no more than a message is in a delta.
	leastLoose = 64
)

// Sealed is a delta that is to be appended to the log.
type Sealed struct {
	Number uint64
	Entry  []byte
	Ranges []Range
}

// Seal settles what was held back, and gives the delta of all assigned partitions; the Tick is empty again and counts on
// from there. end gives the end of a partition's log, -1 if it is not known.
func (t *Tick) Seal(end func(Partition) int64) (Sealed, error) {
	parts := sortedParts(t.parts)
	for _, p := range parts {
		for i := range p.gates {
			p.gates[i].settle(t.horizon + p.gates[i].skew)
		}
	}
	t.number++
	d := &delta{by: t.by, number: t.number, seed: t.print}
	reads := map[*tickFleet]bool{}
	for _, p := range parts {
		of := p.topic
		if len(d.topics) == 0 || d.topics[len(d.topics)-1].ID != of.ID {
			d.topics = append(d.topics, of.Topic)
		}
		d.ranges = append(d.ranges, p.seal(end(p.Partition)))
		for _, f := range of.fleets {
			reads[f] = true
		}
	}
	s, err := t.seal(d, reads)
	t.empty()
	if err != nil {
		t.loose = max(t.loose/2, leastLoose)
		return Sealed{}, err
	}
	if len(s.Entry) < MaxDelta/2 {
		t.loose = min(t.loose+t.loose/16+1, looseDelta)
	}
	return s, nil
}

// seal gives the wire form of a delta with what was counted of fleets.
func (t *Tick) seal(d *delta, reads map[*tickFleet]bool) (Sealed, error) {
	var forms []*form
	for _, f := range t.fleets {
		if !reads[f] {
			continue
		}
		fd := fleetDelta{name: f.live.Fleet, print: f.print, says: f.tally.stats.Says}
		taken, lost := f.heard()
		fd.taken, fd.lost = taken-f.taken, lost-f.lost
		if f.places.explicit {
			fd.base = f.base
			for _, s := range f.places.shards[f.base:] {
				fd.shards = append(fd.shards, s.Name)
			}
		}
		slices.SortFunc(f.open, func(a, b *openPane) int { return cmp.Compare(a.number, b.number) })
		for _, p := range f.open {
			fd.panes = append(fd.panes, paneDelta{number: p.number, facts: p.facts})
		}
		d.fleets = append(d.fleets, fd)
		panes := d.fleets[len(d.fleets)-1].panes
		for i, p := range f.open {
			forms = append(forms, &form{to: &panes[i].part, of: p.summary, limit: sketch.MaxPart})
			if p.pieces != nil && p.pieces.Events() > 0 {
				forms = append(forms, &form{to: &panes[i].pieces, of: p.pieces, limit: sketch.MaxPart / 4})
			}
		}
	}
	const lengths = 16 // of the bytes of a pane's parts
	budget := MaxDelta - len(d.entry()) - lengths*len(forms)
	if err := t.fit(forms, budget); err != nil {
		return Sealed{}, err
	}
	s := Sealed{Number: t.number, Entry: d.entry(), Ranges: d.ranges}
	if len(s.Entry) > MaxDelta {
		return Sealed{}, fmt.Errorf("%w: %d bytes", ErrTooLarge, len(s.Entry))
	}
	return s, nil
}

// form is the wire form of a Summary, and where it belongs.
type form struct {
	to    *[]byte
	of    *sketch.Summary
	limit int
	least bool // nothing more of it can be left out
}

// fit writes the forms in at most budget bytes. Names are left out of all of them in proportion; what cannot be left out of
// one is taken from the others.
func (t *Tick) fit(forms []*form, budget int) error {
	size := 0
	for _, f := range forms {
		f.of.Part(&t.part)
		if err := t.form(f); err != nil {
			return err
		}
		size += len(*f.to)
	}
	for size > budget {
		fixed, rest := 0, 0
		for _, f := range forms {
			if f.least {
				fixed += len(*f.to)
			} else {
				rest += len(*f.to)
			}
		}
		if rest == 0 || fixed > budget {
			return fmt.Errorf("%w: %d bytes, of which none can be left out", ErrTooLarge, size)
		}
		size = fixed
		for _, f := range forms {
			if f.least {
				continue
			}
			f.limit = len(*f.to) * (budget - fixed) / rest
			if err := t.part.Decode(*f.to, t.seed); err != nil {
				return err
			}
			if err := t.form(f); err != nil {
				return err
			}
			size += len(*f.to)
		}
	}
	return nil
}

// form writes a form of t.part that is as large as its limit, or as small as it can be.
func (t *Tick) form(f *form) error {
	for {
		out, err := t.part.Append(nil, f.limit)
		if err == nil {
			*f.to = out
			return nil
		}
		if f.limit > MaxDelta {
			return fmt.Errorf("%w: %w", ErrTooLarge, err)
		}
		f.limit, f.least = f.limit+f.limit/8+1024, true
	}
}

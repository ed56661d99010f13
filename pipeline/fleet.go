package pipeline

import (
	"fmt"
	"time"

	"firebreak/pipeline/record"
	"firebreak/routing"
)

// Fleet is the loop core of one fleet: records in, closed panes and snapshots out. NewFleet makes it.
type Fleet struct {
	window

	tally    tally
	gate     gate
	parts    []partition
	earliest int64 // of the counted records
	latest   int64
	begun    bool
	timed    bool   // a record had a time, or it is settled that none has
	early    []kept // records without a time before the first that has one
	last     int64  // the latest pane with a record
	due      int64  // no pane can be complete before time is here
	ended    bool
}

// partition is one partition of the log, or one file.
type partition struct {
	seen  bool
	ended bool
	time  int64 // latest accepted event time
}

// maxWholePanes is how many panes a whole window has at most before pairs of them are merged.
const maxWholePanes = 60

// NewFleet makes a fleet that counts into counter; a Config with Whole needs a Coarsener. pieces counts the pieces of
// salted keys and is used only where the document has salts and the log shows what shards served; nil = they are not
// told apart. Errors name the field.
func NewFleet(cfg Config, counter, pieces Counter) (*Fleet, error) {
	if err := cfg.Validate(); err != nil {
		return nil, fmt.Errorf("fleet %s: %w", routing.Escape(cfg.Fleet), err)
	}
	if _, ok := counter.(Coarsener); cfg.Whole && !ok {
		return nil, fmt.Errorf("fleet %s: whole: this counter's panes cannot be made longer", routing.Escape(cfg.Fleet))
	}
	w, err := newWindow(cfg, counter, pieces)
	if err != nil {
		return nil, err
	}
	f := &Fleet{window: w}
	f.tally = tally{cfg: &f.cfg, places: &f.places}
	f.gate = gate{skew: int64(cfg.Skew), window: int64(cfg.Window), longest: int64(cfg.Window), accept: f.take, refuse: f.turnAway}
	return f, nil
}

// Observe takes the next record of a partition, numbered from 0. The record is not kept.
func (f *Fleet) Observe(p int, rec *record.Record) {
	for len(f.parts) <= p {
		f.parts = append(f.parts, partition{})
	}
	f.tally.stats.Records++
	if !f.timed && f.holdEarly(p, rec) {
		return
	}
	if f.timeless {
		f.take(p, 0, rec)
		return
	}
	t := rec.Time
	if t == record.NoTime {
		// A line without a time among others that have one came when they did.
		f.tally.stats.Untimed++
		if t = f.parts[p].time; !f.parts[p].seen {
			t = f.gate.front
		}
	}
	f.gate.observe(p, t, rec)
}

// maxEarly is how many records without a time are held until one has a time;
// a log in which this many begin without is one without time.
const maxEarly = 1024

// holdEarly keeps a record without a time back as long as nobody knows whether
// the log has a time at all. It reports whether it took the record.
func (f *Fleet) holdEarly(p int, rec *record.Record) bool {
	if rec.Time == record.NoTime && len(f.early) < maxEarly {
		f.early = append(f.early, kept{})
		k := &f.early[len(f.early)-1]
		k.set(rec)
		k.partition = p
		return true
	}
	f.settle(p, rec.Time)
	return false
}

// settle decides whether the log has a time, and counts what was held: at the
// first time there is, or as a log without time.
func (f *Fleet) settle(p int, t int64) {
	f.timed, f.timeless = true, t == record.NoTime
	for i := range f.early {
		k := &f.early[i]
		for len(f.parts) <= max(p, k.partition) {
			f.parts = append(f.parts, partition{})
		}
		if f.timeless {
			f.take(k.partition, 0, &k.rec)
			continue
		}
		f.tally.stats.Untimed++
		f.gate.observe(k.partition, t, &k.rec)
	}
	f.early = nil
}

// turnAway counts a record that the gate refused.
func (f *Fleet) turnAway(h *held, late bool) {
	if late {
		f.tally.stats.Late++
		return
	}
	f.tally.stats.Future++
	if f.tally.stats.FirstFuture.IsZero() {
		f.tally.stats.FirstFuture = time.Unix(0, h.time).UTC()
	}
}

// take counts a record whose time is accepted, or finds it late.
func (f *Fleet) take(p int, t int64, rec *record.Record) {
	part := &f.parts[p]
	if !part.seen || t > part.time {
		part.seen, part.time = true, t
	}
	pane := floorDiv(t, f.paneLen)
	if f.begun && pane < f.first && !f.extend(pane, t, part.time) {
		f.tally.stats.Late++
		return
	}
	if f.closing && pane <= f.closed-int64(f.cfg.LongPanes()) {
		f.tally.stats.Late++
		return
	}
	if !f.begun {
		f.begun, f.first, f.last = true, pane, pane
	}
	f.last = max(f.last, pane)
	if !f.closing {
		f.due = (f.first+1)*f.paneLen + int64(f.cfg.Disorder)
	}
	for f.cfg.Whole && f.last-f.first >= maxWholePanes {
		f.coarsen()
		pane = floorDiv(t, f.paneLen)
	}
	if f.add(rec, pane); f.tally.stats.Counted == 1 {
		f.earliest, f.latest = t, t
	}
	f.earliest, f.latest = min(f.earliest, t), max(f.latest, t)
}

// add counts a record in its pane.
func (f *Fleet) add(rec *record.Record, pane int64) {
	if !f.tally.count(rec, pane, f.facts(pane)) {
		return
	}
	f.counter.Add(&f.tally.event)
	if len(f.tally.piece.Key) > 0 && f.pieces != nil {
		f.pieces.Add(&f.tally.piece)
	}
}

// extend lets the window begin earlier for a record before its first pane: a log in disorder, not a stray date.
func (f *Fleet) extend(pane, t, partitionTime int64) bool {
	if t < partitionTime-int64(f.cfg.Window) {
		return false
	}
	f.first = pane
	return true
}

// coarsen doubles the length of the panes.
func (f *Fleet) coarsen() {
	for _, counter := range []Counter{f.counter, f.pieces} {
		if c, ok := counter.(Coarsener); ok {
			c.Coarsen()
		}
	}
	f.paneLen *= 2
	f.first >>= 1
	f.last >>= 1
	old := f.panes
	f.panes = map[int64]*paneFacts{}
	for pane, facts := range old {
		into := f.facts(pane >> 1)
		into.plus(facts)
	}
}

// floorDiv divides and rounds down, for b > 0.
func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

package pipeline

import (
	"cmp"
	"slices"
	"time"

	"firebreak/pipeline/record"
)

const (
	// confirming is how many records in a row must be ahead before time follows them.
	confirming = 3
	// maxHeld bounds the records held back; the oldest is refused beyond it.
	maxHeld = 256
	// patience is how many skews a record may be ahead of a later one of its own partition and still wait for time to
	// arrive: a log in disorder after a gap, not a stray date.
	patience = 2
	// strayPast is how far behind the first records of a log one of them may be.
	strayPast = int64(24 * time.Hour)
)

// gate decides by event time alone which records are accepted, in which order. See rules 2 and 3 of the package.
type gate struct {
	skew    int64
	window  int64 // the long one
	longest int64 // longest gap that was confirmed, at least the long window
	started bool
	front   int64 // latest accepted time
	held    []*held
	spare   []*held
	accept  func(partition int, t int64, rec *record.Record)
	refuse  func(h *held, late bool) // held back, and now refused: as late, or as future
}

// held is a record that is ahead of everything else.
type held struct {
	kept

	time  int64
	inRow bool // nothing was accepted since it came
}

// observe accepts, holds or refuses a record and whatever it decides about those held before.
func (g *gate) observe(partition int, t int64, rec *record.Record) {
	near := g.started && t <= g.front+g.skew
	if near && len(g.held) == 0 {
		g.pass(partition, t, rec)
		return
	}
	g.refute(partition, t)
	if near {
		g.pass(partition, t, rec)
		g.release()
		return
	}
	g.hold(partition, t, rec)
	if row := g.row(); len(row) >= confirming {
		g.confirm(row)
	}
}

// pass accepts a record and lets it move time.
func (g *gate) pass(partition int, t int64, rec *record.Record) {
	if !g.started || t > g.front {
		g.started, g.front = true, t
	}
	for _, h := range g.held {
		h.inRow = false
	}
	g.accept(partition, t, rec)
}

// refute refuses the held records of a partition that t shows to have been ahead of their own log. A t that is itself
// late shows nothing, and before time has started nobody knows which of two is wrong: see confirm.
func (g *gate) refute(partition int, t int64) {
	if !g.started || t < g.front-g.window {
		return
	}
	g.drop(func(h *held) bool { return h.partition == partition && h.time > t+patience*g.skew }, func(h *held) { g.refuse(h, false) })
}

// hold keeps a copy of a record that is ahead.
func (g *gate) hold(partition int, t int64, rec *record.Record) {
	if len(g.held) == maxHeld {
		oldest := g.held[0]
		g.drop(func(h *held) bool { return h == oldest }, func(h *held) { g.refuse(h, false) })
	}
	h := &held{}
	if n := len(g.spare); n > 0 {
		h, g.spare = g.spare[n-1], g.spare[:n-1]
	}
	h.set(rec)
	h.partition, h.time, h.inRow = partition, t, true
	g.held = append(g.held, h)
}

// row lists the times of the records that were held since the last accepted one, ascending.
func (g *gate) row() []int64 {
	var times []int64
	for _, h := range g.held {
		if h.inRow {
			times = append(times, h.time)
		}
	}
	slices.Sort(times)
	return times
}

// confirm lets time follow a row of records that are all ahead: up to their median and the skew beyond it.
func (g *gate) confirm(row []int64) {
	median := row[(len(row)-1)/2]
	if !g.started {
		g.drop(func(h *held) bool { return h.time < median-strayPast }, func(h *held) { g.refuse(h, true) })
	}
	g.admit(median + g.skew)
	g.release()
}

// release accepts what time has arrived at.
func (g *gate) release() {
	for before := -1; len(g.held) != before && len(g.held) > 0; {
		before = len(g.held)
		g.admit(g.front + g.skew)
	}
}

// admit accepts, in the order of arrival, the held records up to a time.
func (g *gate) admit(until int64) {
	g.drop(func(h *held) bool { return h.time <= until }, func(h *held) {
		if g.started {
			g.longest = max(g.longest, h.time-g.front)
		}
		g.pass(h.partition, h.time, &h.rec)
	})
}

// finish decides about what is held when the input ends.
func (g *gate) finish() {
	slices.SortStableFunc(g.held, func(a, b *held) int { return cmp.Compare(a.time, b.time) })
	for len(g.held) > 0 {
		first := g.held[0]
		near := !g.started || first.time-g.front <= g.longest
		g.drop(func(h *held) bool { return h == first }, func(h *held) {
			if near {
				g.pass(h.partition, h.time, &h.rec)
				return
			}
			g.refuse(h, false)
		})
	}
}

// settle decides about all that is held, in the order of their times: what is not later than horizon is accepted.
func (g *gate) settle(horizon int64) {
	slices.SortStableFunc(g.held, func(a, b *held) int { return cmp.Compare(a.time, b.time) })
	g.admit(horizon)
	g.drop(func(*held) bool { return true }, func(h *held) { g.refuse(h, false) })
}

// drop takes the matching records out of those held and hands them to do.
func (g *gate) drop(match func(*held) bool, do func(*held)) {
	var out []*held
	g.held = slices.DeleteFunc(g.held, func(h *held) bool {
		if match(h) {
			out = append(out, h)
			return true
		}
		return false
	})
	for _, h := range out {
		do(h)
		g.spare = append(g.spare, h)
	}
}

package pipeline

import (
	"math"
	"time"

	"firebreak/pipeline/record"
)

// End says that a partition has no more records; it stops no pane any more.
func (f *Fleet) End(p int) {
	for len(f.parts) <= p {
		f.parts = append(f.parts, partition{})
	}
	f.parts[p].ended = true
}

// Close says that the whole input is over. Advance then closes all panes up to the last one with a record.
func (f *Fleet) Close() {
	if !f.ended {
		if !f.timed && len(f.early) > 0 {
			f.settle(0, record.NoTime)
		}
		f.gate.finish()
	}
	f.ended = true
}

// Advance closes the next pane if it is complete. It returns false if none is. Call Snapshot after each true.
func (f *Fleet) Advance() bool {
	switch {
	case !f.begun || !f.ended && f.gate.front < f.due:
		return false
	case f.cfg.Whole || f.timeless:
		if !f.ended || f.closing {
			return false
		}
		f.slide(f.last)
		return true
	}
	next := f.next()
	if next > f.last || !f.ended && (next+1)*f.paneLen > f.watermark() {
		return false
	}
	f.slide(next)
	return true
}

// next is the pane to close next: the one after the newest, or, with nothing left in the window, the last one before
// traffic comes back.
func (f *Fleet) next() int64 {
	if !f.closing {
		return f.first
	}
	next := f.closed + 1
	comesBack := int64(math.MaxInt64)
	for pane := range f.panes {
		if pane <= f.closed {
			return next
		}
		comesBack = min(comesBack, pane)
	}
	if comesBack == math.MaxInt64 {
		return next
	}
	return max(next, comesBack-1)
}

func (f *Fleet) slide(pane int64) {
	f.says = f.tally.stats.Says
	f.due = (pane+2)*f.paneLen + int64(f.cfg.Disorder)
	f.window.slide(pane)
}

// watermark is the time up to which nothing more is expected.
func (f *Fleet) watermark() int64 {
	mark := f.gate.front
	for i := range f.parts {
		p := &f.parts[i]
		if p.seen && !p.ended && p.time >= f.gate.front-int64(f.cfg.Idle) {
			mark = min(mark, p.time)
		}
	}
	return mark - int64(f.cfg.Disorder)
}

// Now is the time of the tick at which the newest complete pane is judged: its end and the allowed disorder.
func (f *Fleet) Now() time.Time {
	return f.start(f.closed + 1).Add(f.cfg.Disorder)
}

// Stats is what was seen so far.
func (f *Fleet) Stats() Stats {
	s := f.tally.stats
	if c, ok := f.counter.(interface{ Refused() uint64 }); ok {
		s.Crowded = c.Refused()
		s.Counted -= s.Crowded
	}
	return s
}

// Timeless says that the log has no time: all of it is one window.
func (f *Fleet) Timeless() bool { return f.timeless }

// First and Last are the times of the earliest and the latest record counted.
func (f *Fleet) First() time.Time { return time.Unix(0, f.earliest).UTC() }

// Last is the time of the latest record counted.
func (f *Fleet) Last() time.Time { return time.Unix(0, f.latest).UTC() }

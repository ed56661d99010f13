package closedloop_test

import (
	"slices"
	"testing"
	"time"

	"firebreak/actuator/operation"
	"firebreak/internal/closedloop"
	"firebreak/policy"
	"firebreak/routing"
	"firebreak/routing/control"
)

const (
	dips    = 6
	dip     = 4 * time.Minute                   // at a twentieth
	between = 10 * time.Minute                  // at all
	window  = 5*time.Minute + 2*closedloop.Pane // until all that is judged is of after the last dip
	grace   = 24 * time.Hour
)

// TestDipsUndoNothing is S03: what an operation moved falls to a twentieth for four minutes and is whole again for ten, six times. Nothing is
// proposed to be taken back. Then all stays low, and is proposed: once it was low for the whole undo delay and the grace is over, whichever is
// later, and within a window of it. What a split moved stays where it is.
func TestDipsUndoNothing(t *testing.T) {
	if testing.Short() {
		t.Skip("a virtual day, three times")
	}
	for name, c := range map[string]struct {
		fix   policy.Fix
		from  uint64        // the seed from which a fleet is looked for that is cooled by it alone
		delay time.Duration // of low demand
		never bool
	}{
		"split":                      {policy.FixSplit, 42, 2 * time.Hour, true},
		"spare, the grace is later":  {policy.FixScaleOut, 106, 2 * time.Hour, false},
		"salt, the grace is later":   {policy.FixSalt, 8, 2 * time.Hour, false},
		"tenant, the delay is later": {policy.FixIsolate, 172, 25 * time.Hour, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := dipped(t, c.from, c.fix, c.delay)
			d.until(d.low)
			if len(d.Undos) > 0 {
				t.Fatalf("proposed %s after the first dip began: %+v", d.Undos[0].At-d.first, d.Undos[0].Plan)
			}
			due := d.low + c.delay
			if !c.never {
				due = max(due, d.settled+grace)
			}
			d.until(due + window)
			switch {
			case c.never && len(d.Undos) > 0:
				t.Errorf("proposed: %+v", d.Undos[0])
			case !c.never && len(d.Undos) == 0:
				t.Errorf("nothing is proposed %s after it was low, %s after it settled", d.Since()-d.low, d.Since()-d.settled)
			case !c.never && d.Undos[0].At < due:
				t.Errorf("proposed %s after it was low, %s after it settled: %+v", d.Undos[0].At-d.low, d.Undos[0].At-d.settled, d.Undos[0].Plan)
			}
		})
	}
}

// dipping is a fleet whose operations are done, and what they moved.
type dipping struct {
	*closedloop.Loop

	t          *testing.T
	moved      map[int]bool  // streams
	settled    time.Duration // the last operation
	first, low time.Duration // the dips begin, and are over: then it stays low
}

// dipped finds a fleet that is cooled by a fix alone, and lets it be.
func dipped(t *testing.T, from uint64, fix policy.Fix, delay time.Duration) *dipping {
	t.Helper()
	for seed := from; seed < from+200; seed++ {
		f, err := closedloop.Draw(seed)
		if err != nil {
			t.Fatal(err)
		}
		d := &dipping{t: t}
		d.Loop, err = closedloop.New(f, closedloop.Options{Onset: onset, Factor: d.factor, Config: func(c *policy.Config) { c.UndoDelay = delay }})
		if err != nil {
			t.Fatal(err)
		}
		d.until(onset + time.Hour)
		if d.cooled(fix) {
			d.moved = d.streams(f)
			for i := range d.Ended {
				d.settled = max(d.settled, closedloop.After(d.Ended[i].Settled))
			}
			d.first, d.low = d.Since(), d.Since()+dips*(dip+between)
			return d
		}
	}
	t.Fatal("no fleet is cooled by it alone")
	return nil
}

// cooled says whether the fix alone was carried out, with effect.
func (d *dipping) cooled(fix policy.Fix) bool {
	return len(d.Began) > 0 && len(d.Began) == len(d.Ended) && !d.Open() && !slices.ContainsFunc(d.Ended, func(o control.Operation) bool {
		return o.Fix != fix.String() || o.Outcome != operation.Effective
	})
}

// streams are those that lie elsewhere, or on more pieces, by what was done.
func (d *dipping) streams(f *closedloop.Fleet) map[int]bool {
	changed := map[routing.Entry]bool{}
	for i := range d.Began {
		for _, e := range d.Began[i].Entries() {
			changed[e] = true
		}
	}
	out := map[int]bool{}
	for i, s := range f.Streams {
		out[i] = changed[routing.VShardEntry(s.VShard)] || s.Name != "" && (changed[routing.SaltEntry("", s.Name)] || changed[routing.TenantEntry(s.Name)])
	}
	return out
}

// factor is what is asked for of a stream, of its load.
func (d *dipping) factor(since time.Duration, stream int) float64 {
	switch at := since - d.first; {
	case d.low > 0 && since >= d.low:
		return 0.05
	case d.moved[stream] && at%(dip+between) < dip:
		return 0.05
	}
	return 1
}

func (d *dipping) until(end time.Duration) {
	d.t.Helper()
	for d.Since() < end {
		if err := d.Step(); err != nil {
			d.t.Fatal(err)
		}
	}
}

package crash

import (
	"fmt"
	"maps"
	"slices"
	"time"
)

// Sum is what a pane holds: how many records, and the sum of the numbers that they carry as their weight.
type Sum struct{ Records, Numbers uint64 }

// Tally is how much was written, by the number of the pane of its event time. NewTally makes it; it belongs to one goroutine.
type Tally struct {
	pane  time.Duration
	panes map[int64]Sum
}

// NewTally makes the tally of a log in panes of that length.
func NewTally(pane time.Duration) *Tally { return &Tally{pane: pane, panes: map[int64]Sum{}} }

// Add takes one record: its event time, and its number.
func (t *Tally) Add(at time.Time, number uint64) {
	n := paneOf(at, t.pane)
	s := t.panes[n]
	t.panes[n] = Sum{s.Records + 1, s.Numbers + number}
}

// Records is how many records were written.
func (t *Tally) Records() (n uint64) {
	for _, s := range t.panes {
		n += s.Records
	}
	return n
}

// Last is the latest pane with a record.
func (t *Tally) Last() int64 {
	if len(t.panes) == 0 {
		return 0
	}
	return slices.Max(slices.Collect(maps.Keys(t.panes)))
}

// Since is what was written in the panes from first on.
func (t *Tally) Since(first int64) (s Sum) {
	for n, p := range t.panes {
		if n >= first {
			s = Sum{s.Records + p.Records, s.Numbers + p.Numbers}
		}
	}
	return s
}

// differences says how what was counted differs from the tally in the panes from first on, pane by pane, and in all.
func (t *Tally) differences(counted map[int64]Sum, first int64) (found []string) {
	const most = 10
	all := maps.Clone(counted)
	for n := range t.panes {
		all[n] = counted[n]
	}
	var written, got Sum
	panes := 0
	for _, n := range slices.Sorted(maps.Keys(all)) {
		if n < first {
			continue
		}
		want, is := t.panes[n], all[n]
		written = Sum{written.Records + want.Records, written.Numbers + want.Numbers}
		got = Sum{got.Records + is.Records, got.Numbers + is.Numbers}
		if want == is {
			continue
		}
		if panes++; panes <= most {
			found = append(found, fmt.Sprintf("pane %v: %d records with the sum %d were written, %d with the sum %d counted",
				time.Unix(0, n*int64(t.pane)).UTC().Format(time.TimeOnly), want.Records, want.Numbers, is.Records, is.Numbers))
		}
	}
	if panes > 0 || written != got {
		found = append(found, fmt.Sprintf("%d panes differ; in all %d records with the sum %d were written, %d with the sum %d counted",
			panes, written.Records, written.Numbers, got.Records, got.Numbers))
	}
	return found
}

// paneOf is the pane that a moment lies in.
func paneOf(at time.Time, pane time.Duration) int64 {
	ns := at.UnixNano()
	n := ns / int64(pane)
	if ns%int64(pane) < 0 {
		n--
	}
	return n
}

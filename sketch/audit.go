package sketch

import (
	"cmp"
	"math"
	"slices"
)

// Audit counts twice, in a Sliding and exactly, answers with the Sliding's window and measures how far it is from the
// truth. Its memory grows with the names of the log. NewAudit makes one.
type Audit struct {
	*Sliding

	exact *Exact
	error Error
}

// Error is how far a Sliding was from the truth over all windows that were asked for.
type Error struct {
	Windows int     // asked for
	Keys    int     // of the heaviest auditedKeys of each, summed
	Found   int     // and listed
	Mean    float64 // relative error of those that were, on average
	Worst   float64 // and the largest
	Broken  int     // listed names whose truth lies outside their bounds: a defect
}

// auditedKeys is how many of the heaviest keys of a window are compared.
const auditedKeys = 100

// NewAudit audits a Sliding that has counted nothing yet.
func NewAudit(s *Sliding) *Audit { return &Audit{Sliding: s, exact: NewExact(s.cfg.Panes)} }

// Add counts one event twice.
func (a *Audit) Add(e *Event) {
	a.Sliding.Add(e)
	a.exact.Add(e)
}

// Slide slides both windows.
func (a *Audit) Slide(newest int64) {
	a.Sliding.Slide(newest)
	a.exact.Slide(newest)
}

// Coarsen coarsens both.
func (a *Audit) Coarsen() {
	a.Sliding.Coarsen()
	a.exact.Coarsen()
}

// Window gives the Sliding's window, after it was compared.
func (a *Audit) Window(n int) Window {
	got := a.Sliding.Window(n)
	a.compare(&got)
	return got
}

// Error is what was measured so far.
func (a *Audit) Error() Error {
	e := a.error
	if e.Found > 0 {
		e.Mean /= float64(e.Found)
	}
	return e
}

func (a *Audit) compare(got *Window) {
	a.error.Windows++
	truth := make(map[string]uint64, len(a.exact.keys.index))
	type heavy struct {
		key  string
		cost uint64
	}
	var all []heavy
	for key, slot := range a.exact.keys.index {
		if cost := a.exact.keys.long[slot]; cost > 0 {
			truth[key] = cost
			all = append(all, heavy{key, cost})
		}
	}
	slices.SortFunc(all, func(a, b heavy) int { return cmp.Or(cmp.Compare(b.cost, a.cost), cmp.Compare(a.key, b.key)) })
	listed := make(map[string]uint64, len(got.Keys))
	for i := range got.Keys {
		l := &got.Keys[i]
		listed[l.Name] = l.Cost()
		if low, high := l.Bounds(); truth[l.Name] < low || truth[l.Name] > high {
			a.error.Broken++
		}
	}
	for _, h := range all[:min(len(all), auditedKeys)] {
		a.error.Keys++
		cost, ok := listed[h.key]
		if !ok {
			continue
		}
		off := math.Abs(float64(cost)-float64(h.cost)) / float64(h.cost)
		a.error.Found++
		a.error.Mean += off
		a.error.Worst = max(a.error.Worst, off)
	}
}

// Cost is the name's estimate over its cells.
func (l *Listed) Cost() uint64 {
	var sum uint64
	for i := range l.Cells {
		sum = plus(sum, l.Cells[i].Sums.Cost)
	}
	return sum
}

// Bounds are Low and High, or the estimate where that is exact.
func (l *Listed) Bounds() (low, high uint64) {
	if l.Low == 0 && l.High == 0 {
		return l.Cost(), l.Cost()
	}
	return l.Low, l.High
}

package sketch

import "math"

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
	keys := &a.exact.keys
	truth := func(key string) uint64 {
		if slot, ok := keys.index[key]; ok {
			return keys.long[slot]
		}
		return 0
	}
	listed := make(map[string]uint64, len(got.Keys))
	for i := range got.Keys {
		l := &got.Keys[i]
		listed[l.Name] = l.Cost()
		if low, high := l.Bounds(); truth(l.Name) < low || truth(l.Name) > high {
			a.error.Broken++
		}
	}
	heavy := list(keys, auditedKeys, a.exact.span, func(k string) string { return k })
	for i := range heavy[:min(len(heavy), auditedKeys)] {
		want := truth(heavy[i].Name)
		if want == 0 {
			continue
		}
		a.error.Keys++
		cost, ok := listed[heavy[i].Name]
		if !ok {
			continue
		}
		off := math.Abs(float64(cost)-float64(want)) / float64(want)
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

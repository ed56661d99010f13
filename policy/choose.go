package policy

import "slices"

// choice is the fix that is shown for a finding.
type choice struct {
	fix    Fix
	layout *layout        // nil for none
	why    map[Fix]string // of those that were tried and failed
}

// choose tries the fixes in their order, each first at the strict level of
// sizing, then at the other.
func choose(e *evidence, f *finding) choice {
	fixes := order(e, f)
	c := choice{why: map[Fix]string{}}
	for _, fix := range fixes {
		for _, alpha := range []float64{sizeLevel, e.fallback} {
			l, why := attempt(e, f, fix, alpha)
			if l != nil {
				return choice{fix: fix, layout: l, why: c.why}
			}
			c.why[fix] = why
		}
	}
	return c
}

// agreedFix is the fix that every branch of the evidence shares.
func agreedFix(e *evidence, b *branches) choice {
	if d := e.v.s.Inputs.Disagree; d > e.v.cfg.Disagree {
		return choice{why: map[Fix]string{}} // projections on a table that is not obeyed prove nothing
	}
	if slices.Contains(b.open, hotWithoutIt) {
		return choice{why: map[Fix]string{}}
	}
	point := choose(e, &b.point)
	for i := range b.all[1:] {
		if other := choose(e, &b.all[i+1]); other.fix != point.fix {
			return choice{why: point.why}
		}
	}
	return point
}

// unknownOps says whether a finding's fix hangs on ops that the log does not name.
func unknownOps(f *finding) bool {
	return slices.ContainsFunc(f.contributors, func(i item) bool { return i.key != nil && i.unknown > 0.5 })
}

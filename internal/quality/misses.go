package quality

import (
	"fmt"
	"io"
	"strings"

	"firebreak/policy"
)

// WriteMisses prints one line for each hot event whose cause or fix is not right, for those who tune: what was true, what
// was told and the worst plan that was shown.
func WriteMisses(out io.Writer, results []*Result) error {
	w := &strings.Builder{}
	for _, r := range results {
		for i := range r.Events {
			if e := &r.Events[i]; e.missed() {
				fmt.Fprintf(w, "fleet %d (%s, %s) ", r.Seed, r.Kind, r.Placement)
				e.miss(w)
			}
		}
	}
	_, err := io.WriteString(out, w.String())
	return err
}

// missed says whether something false was said of a hot event, or too little.
func (e *Event) missed() bool {
	cause, fix := e.CauseOutcome(), e.FixOutcome()
	return e.hot() && (cause == CauseWrong || cause == CauseUnsure || fix == FixWrong || fix == FixFutile || fix == FixAbstained)
}

// miss prints one event on one line.
func (e *Event) miss(w *strings.Builder) {
	fmt.Fprintf(w, "shard %d: %.2f x, %.0f samples/min, truth %s %s, margin %.0f %%, admissible %s: cause %s, fix %s;",
		e.Shard, e.Ratio, e.Effective, e.Cause, objects(e.Contributors), 100*e.Margin, e.Admissible.String(), e.CauseOutcome(), e.FixOutcome())
	for _, l := range e.Lines {
		if l.Phase == policy.PhaseFiring {
			fmt.Fprintf(w, " %.0fs %s %s", (l.At - e.Onset).Seconds(), l.Cause, l.Fix)
		}
	}
	bad, worst := 0, Proposal{}
	for _, p := range e.Proposals {
		if p.Meets {
			continue
		}
		if bad++; p.Worst > worst.Worst || p.Broken != "" {
			worst = p
		}
	}
	if bad > 0 {
		fmt.Fprintf(w, "; %d of %d plans fail, worst %s at %.0fs: %.3f T on %s %s",
			bad, len(e.Proposals), worst.Fix, (worst.At - e.Onset).Seconds(), worst.Worst, worst.Where, worst.Broken)
	}
	w.WriteByte('\n')
}

package quality

import (
	"fmt"
	"io"
	"strings"

	"firebreak/policy"
)

// Explain prints one fleet: what was drawn, what is true of its scored shards, what was said of them and what each plan
// would do to the exact rates.
func Explain(w io.Writer, seed uint64) error {
	f, err := Draw(seed)
	if err != nil {
		return err
	}
	r := Run(f)
	e, out := f.Exact(), &strings.Builder{}
	fmt.Fprintf(out, "fleet %d: %s, %d shards, %s, %d keys, Zipf %.2f over keys and %.2f over tenants\n",
		f.Seed, f.Kind, f.Shards, f.Placement, len(f.Keys), f.ZipfKeys, f.ZipfTenants)
	fmt.Fprintf(out, "  sampled 1:%.3g, %.3g records/s a shard, clumps of %d (by trace %v), design effect %.2f, reads %.0f %%\n",
		1/f.Rate, f.Samples, f.Clump, f.ByTrace, f.DesignEffect(), 100*f.Reads)
	fmt.Fprintf(out, "  line %.4g/s, target %.4g/s, capacity %.4g/s, onset %s, caller %q %.0f %%, %d verdicts on cool shards\n",
		e.Line, e.Target, f.Capacity, f.Onset, f.Caller, 100*f.CallerShare, r.False)
	for i := range r.Events {
		r.Events[i].explain(out)
	}
	_, err = io.WriteString(w, out.String())
	return err
}

// explain prints one event. Of plans in a row that are alike the first is shown.
func (e *Event) explain(out *strings.Builder) {
	fmt.Fprintf(out, "shard %d: %.2f x its line (%.4g/s), %.0f effective samples/min, a window promises %.2f and found it %d times of %d\n",
		e.Shard, e.Ratio, e.Load, e.Effective, e.Promised, e.Found, e.Windows)
	fmt.Fprintf(out, "  truth: %s", e.Cause)
	for i, c := range e.Contributors {
		fmt.Fprintf(out, " %s %q of %q (%.2f T, reads %.0f %%, called %.0f %%)", c.Cause, c.Key, c.Tenant,
			e.removed[i].load/e.Target, 100*e.removed[i].reads, 100*e.removed[i].called)
	}
	fmt.Fprintf(out, "; %.0f %% from a boundary; admissible:", 100*e.Margin)
	for _, fix := range policy.Fixes() {
		if e.Admissible[fix] {
			fmt.Fprintf(out, " %s", fix)
		}
	}
	fmt.Fprintf(out, "\n  cause %s, fix %s\n", e.CauseOutcome(), e.FixOutcome())
	for _, l := range e.Lines {
		fmt.Fprintf(out, "  %6.1f s after its onset: %s %s %s key %q tenant %q fix %s\n",
			(l.At - e.Onset).Seconds(), l.Phase, l.Severity, l.Cause, l.Key, l.Tenant, l.Fix)
	}
	for i, p := range e.Proposals {
		if i > 0 && p.Fix == e.Proposals[i-1].Fix && p.Meets == e.Proposals[i-1].Meets && p.At-e.Proposals[i-1].At <= Pane {
			continue
		}
		fmt.Fprintf(out, "  %6.1f s: plan %s leaves the shard at %.3f T, worst %.3f T on %s %s\n",
			(p.At - e.Onset).Seconds(), p.Fix, p.Shard/e.Target, p.Worst, p.Where, p.Broken)
	}
}

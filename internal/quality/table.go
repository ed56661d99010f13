package quality

import (
	"fmt"
	"io"
	"math"
	"strings"
	"text/tabwriter"

	"firebreak/policy"
)

// stratum is a half-open range [low, high).
type stratum struct{ low, high float64 }

func (s stratum) holds(x float64) bool { return x >= s.low && x < s.high }

func (s stratum) String() string {
	switch {
	case s.low <= 0:
		return fmt.Sprintf("<%g", s.high)
	case math.IsInf(s.high, 1):
		return fmt.Sprintf(">=%g", s.low)
	default:
		return fmt.Sprintf("%g-%g", s.low, s.high)
	}
}

func strata(bounds ...float64) []stratum {
	var out []stratum
	for i := 1; i < len(bounds); i++ {
		out = append(out, stratum{bounds[i-1], bounds[i]})
	}
	return out
}

// ratioStrata are those of load / line.
func ratioStrata() []stratum { return strata(0.7, 0.9, 1, 1.2, 1.5, 2, 3, math.Inf(1)) }

// sampleStrata are those of effective samples a minute on the shard.
func sampleStrata() []stratum { return strata(0, 30, 100, 300, 1000, math.Inf(1)) }

// powerStrata are those of promised power.
func powerStrata() []stratum { return strata(0, 0.05, 0.25, 0.5, 0.75, 0.95, 1.01) }

// WriteTable prints the strata, the kinds, the baselines and the power of a window.
func WriteTable(out io.Writer, results []*Result) error {
	w := &strings.Builder{}
	writeFleets(w, results)
	const head = "events\tdetected\tright\twrong\tunknown\t| right fix\twrong\tat once\tabstained\tfutile\t| p50\tp99\t"
	fmt.Fprintf(w, "\nload/line\tsamples/min\t%s\n", head)
	for _, r := range ratioStrata() {
		for _, n := range sampleStrata() {
			t := tally(results, func(e *Event) bool { return r.holds(e.Ratio) && n.holds(e.Effective) })
			if t.Events > 0 {
				fmt.Fprintf(w, "%s\t%s\t%s\n", r, n, t.row())
			}
		}
	}
	hot := tally(results, (*Event).hot)
	clearOnes := tally(results, (*Event).clear)
	fmt.Fprintf(w, "hot\tall\t%s\nclear\tall\t%s\n", hot.row(), clearOnes.row())
	fmt.Fprintf(w, "\ncause\t\t%s\n", head)
	for _, cause := range policy.Causes()[1:] {
		t := tally(results, func(e *Event) bool { return e.hot() && e.Cause == cause })
		fmt.Fprintf(w, "%s\t\t%s\n", cause, t.row())
	}
	fmt.Fprintf(w, "\nplacement\t\t%s\n", head)
	for _, name := range placements() {
		t := tally(placedBy(results, name), (*Event).hot)
		fmt.Fprintf(w, "%s\t\t%s\n", name, t.row())
	}
	writeBaselines(w, results)
	writePower(w, results)
	return aligned(out, w.String(), tabwriter.AlignRight)
}

// placedBy keeps the fleets whose placement hashes these bytes, whatever the function, or is explicit.
func placedBy(results []*Result, name string) []*Result {
	var out []*Result
	for _, r := range results {
		if first, _, _ := strings.Cut(r.Placement, " "); first == name {
			out = append(out, r)
		}
	}
	return out
}

// aligned writes text with its tabs turned into columns.
func aligned(out io.Writer, text string, flags uint) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', flags)
	if _, err := io.WriteString(w, text); err != nil {
		return err
	}
	return w.Flush()
}

// row is one line of the table. Causes and fixes are of events at or over the line.
func (t *Tally) row() string {
	return fmt.Sprintf("%d\t%d\t%d\t%d\t%d\t| %d\t%d\t%d\t%d\t%d\t| %s\t%s\t", t.Events, t.Detected, t.Right, t.Wrong, t.Unknown,
		t.Fixed, t.Misfixed, t.MisfixedFirst, t.Abstain, t.Futile, seconds(t, 0.5), seconds(t, 0.99))
}

func seconds(t *Tally, p float64) string {
	if len(t.Delays) == 0 {
		return "-"
	}
	return fmt.Sprintf("%.0f", t.Delay(p).Seconds())
}

func writeFleets(w *strings.Builder, results []*Result) {
	var events, between, falseFleets, falseLines, critical int
	for _, r := range results {
		for i := range r.Events {
			events++
			if x := r.Events[i].Ratio; x >= 0.7 && x < 2 {
				between++
			}
		}
		if r.False > 0 {
			falseFleets++
		}
		falseLines += r.False
		critical += r.FalseCritical
	}
	fmt.Fprintf(w, "%d fleets, %d scored shards, %.0f %% of them between 0.7 and 2 x the line\n",
		len(results), events, percent(between, events))
	fmt.Fprintf(w, "%d verdicts under 0.9 x the line in %d fleets; %d critical ones in calm fleets\n", falseLines, falseFleets, critical)
}

func percent(n, of int) float64 {
	if of == 0 {
		return 0
	}
	return 100 * float64(n) / float64(of)
}

// baselineTally counts what one baseline said of hot events.
type baselineTally struct{ events, called, right, wrong, fixed, misfixed int }

func countBaseline(results []*Result, which int, pass func(*Event) bool) baselineTally {
	var t baselineTally
	for _, r := range results {
		for i := range r.Events {
			e := &r.Events[i]
			if !pass(e) || which >= len(e.Baselines) {
				continue
			}
			t.events++
			b := &e.Baselines[which]
			if !b.Hot {
				continue
			}
			t.called++
			if b.Right {
				t.right++
			} else {
				t.wrong++
			}
			switch {
			case b.Meets:
				t.fixed++
			case e.Admissible.Any():
				t.misfixed++
			}
		}
	}
	return t
}

func writeBaselines(w *strings.Builder, results []*Result) {
	fmt.Fprintf(w, "\nbaseline\tevents\tdetected\tright\twrong\tright fix\twrong fix\tof clear: right\tright fix\twrong fix\t\n")
	line := func(name string, all, clearOnes baselineTally) {
		fmt.Fprintf(w, "%s\t%d\t%d\t%.1f%%\t%.1f%%\t%.1f%%\t%.1f%%\t%.1f%%\t%.1f%%\t%.1f%%\t\n", name, all.events, all.called,
			percent(all.right, all.called), percent(all.wrong, all.called), percent(all.fixed, all.called), percent(all.misfixed, all.called),
			percent(clearOnes.right, clearOnes.called), percent(clearOnes.fixed, clearOnes.called), percent(clearOnes.misfixed, clearOnes.called))
	}
	ours := func(pass func(*Event) bool) baselineTally {
		t := tally(results, pass)
		return baselineTally{t.Events, t.Detected, t.Right, t.Wrong, t.Fixed, t.Misfixed}
	}
	line("firebreak", ours((*Event).hot), ours((*Event).clear))
	for i, name := range BaselineNames() {
		line(name, countBaseline(results, i, (*Event).hot), countBaseline(results, i, (*Event).clear))
	}
}

func writePower(w *strings.Builder, results []*Result) {
	fmt.Fprintf(w, "\npower of 1 min\tevents\tpromised\tmeasured\t\n")
	for _, s := range append(powerStrata(), stratum{0, 2}) {
		t := tally(results, func(e *Event) bool { return e.Windows > 0 && s.holds(e.Promised) })
		if t.Measured > 0 {
			name := s.String()
			if s.high == 2 {
				name = "all"
			}
			fmt.Fprintf(w, "%s\t%d\t%.3f\t%.3f\t\n", name, t.Measured, t.Promised/float64(t.Measured), t.Found/float64(t.Measured))
		}
	}
}

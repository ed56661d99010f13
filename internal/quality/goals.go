package quality

import (
	"fmt"
	"io"
	"math"
	"strings"
)

// Goal is one promise of the table with what was measured.
type Goal struct {
	Name     string
	Want     string
	Measured string
	Of       int // events (or fleets) that it rests on; 0 = nothing to measure
	Met      bool
}

// Goals measures every goal.
func Goals(results []*Result) []Goal {
	clearRich := func(e *Event) bool { return e.Ratio >= 2 && e.Effective >= 300 }
	clearOnes, rich, hot := tally(results, (*Event).clear), tally(results, clearRich), tally(results, (*Event).hot)
	far := tally(results, func(e *Event) bool { return e.clear() && e.Margin >= 0.15 })
	slight := tally(results, func(e *Event) bool { return e.Ratio >= 1.15 && e.Ratio < 1.3 && e.Effective >= 1000 })
	sure := tally(results, func(e *Event) bool { return e.hot() && e.Promised >= 0.95 })
	big := tally(results, func(e *Event) bool { return e.Ratio >= 2 && e.Effective >= 1000 })
	goals := []Goal{
		atMost("wrong fix, clear and >= 300 samples/min", rich.Misfixed, rich.Detected, 0),
		atMost("wrong fix, all", hot.Misfixed, hot.Detected, 0.5),
		atLeast("right cause, clear and 15 % from a boundary", far.Right, far.Detected, 99.5),
		atLeast("right cause, clear", clearOnes.Right, clearOnes.Detected, 98),
		atLeast("right fix, clear", clearOnes.Fixed, clearOnes.Detected, 99),
		atMost("abstained, clear", clearOnes.Abstain, clearOnes.Detected, 1),
		atMost("abstained, 1.15-1.3 x and >= 1000 samples/min", slight.Abstain, slight.Detected, 5),
		delayGoal("detection p99 where a window promises 95 %", &sure, 0.99, 95),
		delayGoal("detection p50, >= 2 x and >= 1000 samples/min", &big, 0.50, 35),
		delayGoal("detection p99, >= 2 x and >= 1000 samples/min", &big, 0.99, 60),
	}
	goals = append(goals, falseGoals(results)...)
	return append(goals, powerGoals(results)...)
}

func atMost(name string, n, of int, limit float64) Goal {
	p := percent(n, of)
	return Goal{name, fmt.Sprintf("<= %g %%", limit), fmt.Sprintf("%.2f %% (%d)", p, n), of, p <= limit}
}

func atLeast(name string, n, of int, limit float64) Goal {
	p := percent(n, of)
	return Goal{name, fmt.Sprintf(">= %g %%", limit), fmt.Sprintf("%.2f %% (%d missed)", p, of-n), of, p >= limit}
}

func delayGoal(name string, t *Tally, p, limit float64) Goal {
	d := t.Delay(p).Seconds()
	return Goal{name, fmt.Sprintf("<= %g s", limit), fmt.Sprintf("%.0f s", d), len(t.Delays), d <= limit}
}

func falseGoals(results []*Result) []Goal {
	quiet, critical := 0, 0
	for _, r := range results {
		if r.False == 0 {
			quiet++
		}
		critical += r.FalseCritical
	}
	return []Goal{
		atLeast("fleets without a verdict under 0.9 x the line", quiet, len(results), 99.9),
		{"critical verdicts in calm fleets", "0", fmt.Sprint(critical), len(results), critical == 0},
	}
}

// leastBin is how many events a bin of promised power needs to be judged.
const leastBin = 50

func powerGoals(results []*Result) []Goal {
	worst, bins := 0.0, 0
	for _, s := range powerStrata() {
		t := tally(results, func(e *Event) bool { return e.Windows > 0 && s.holds(e.Promised) })
		if t.Measured >= leastBin {
			worst = max(worst, math.Abs(t.Promised-t.Found)/float64(t.Measured))
			bins++
		}
	}
	all := tally(results, func(e *Event) bool { return e.Windows > 0 })
	apart := 0.0
	if all.Measured > 0 {
		apart = math.Abs(all.Promised-all.Found) / float64(all.Measured)
	}
	return []Goal{
		{"promised less measured power, overall", "<= 5 points", fmt.Sprintf("%.1f", 100*apart), all.Measured, apart <= 0.05},
		{"promised less measured power, worst bin", "<= 5 points", fmt.Sprintf("%.1f", 100*worst), bins, worst <= 0.05},
	}
}

// WriteGoals prints the goals.
func WriteGoals(out io.Writer, goals []Goal) error {
	w := &strings.Builder{}
	w.WriteString("\ngoal\twant\tmeasured\tof\t\n")
	for _, g := range goals {
		verdict := "met"
		switch {
		case g.Of == 0:
			verdict = "nothing to measure"
		case !g.Met:
			verdict = "MISSED"
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%d\t%s\n", g.Name, g.Want, g.Measured, g.Of, verdict)
	}
	return aligned(out, w.String(), 0)
}

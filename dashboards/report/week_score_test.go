package report

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"firebreak/actuator"
	"firebreak/internal/line"
	"firebreak/policy"
	"firebreak/routing/control"
)

// TestScorecard: of each fix how often it was proposed, approved, carried out and held, and how often it would have cooled what nobody
// cooled.
func TestScorecard(t *testing.T) {
	c := actedWeek(t)
	said := map[string]string{"salt": "", "cache": "bob is none of the fleet's approvers"} // of the first plan of each fix; the second word is refused
	for i := range len(c.journal) {
		e := &c.journal[i]
		if e.Kind != actuator.KindPlan {
			continue
		}
		p, err := actuator.Read[line.Plan](e)
		if err != nil {
			t.Fatal(err)
		}
		refused, ok := said[p.Projection.Fix]
		if !ok {
			continue
		}
		delete(said, p.Projection.Fix)
		word := &control.Note{ID: fmt.Sprint("word-", i), At: e.At.Add(time.Second), Do: control.DoApprove, By: "ann", Plan: string(p.ID), Hotspot: e.Hotspot, Refused: refused}
		entry, err := actuator.NewRouted(c.name, word, false, nil)
		if err != nil {
			t.Fatal(err)
		}
		c.journal = append(c.journal, entry)
	}
	if len(said) > 0 {
		t.Fatalf("no plan of %v was told", said)
	}
	f := c.week(0, 122)
	run := &Run{Fleets: []Fleet{f}}
	page, root := rendered(t, run)
	if len(page) == 0 || !strings.Contains(reading(root), "Scorecard of the fixes") {
		t.Error("the page has no scorecard")
	}
	var text, data bytes.Buffer
	if err := Markdown(&text, run); err != nil {
		t.Fatal(err)
	}
	_, after, _ := strings.Cut(text.String(), "### Scorecard of the fixes\n")
	table, _, _ := strings.Cut(after, "### ")
	golden(t, "week-score.md", table)
	if err := JSON(&data, run); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(data.String(), `"would_have_cooled"`) {
		t.Errorf("no scorecard in %s", data.String())
	}
	for _, s := range f.Week.scores() {
		if s.proposed != s.carried+s.left || s.effective > s.carried || s.cooled > s.left || s.held > s.left || s.approved > s.proposed || (s.held > 0) != (s.reason != "") {
			t.Errorf("it does not add up: %+v", s)
		}
	}
}

// TestWouldCool: what the plan promised of the load that was told is applied to the highest that was measured; a quota lets through what it
// says, whatever comes.
func TestWouldCool(t *testing.T) {
	for _, c := range []struct {
		fix                         policy.Fix
		load, peak, promise, target float64
		want                        bool
	}{
		{policy.FixSplit, 1000, 1000, 500, 650, true},
		{policy.FixSplit, 1000, 1200, 500, 650, true},
		{policy.FixSplit, 1000, 1400, 500, 650, false}, // it grew, and what is left with it
		{policy.FixQuota, 1000, 1400, 500, 650, true},
		{policy.FixSplit, 1000, 900, 700, 650, false},
		{policy.FixSplit, 1000, 0, 650, 650, true},
		{policy.FixSplit, 0, 0, 0, 650, false}, // nothing is known
	} {
		plan := &line.Plan{}
		plan.Projection.Shard = line.Number(c.promise)
		h := &heard{told: policy.Verdict{Fix: c.fix, Load: c.load, Target: c.target}, peak: c.peak, plan: plan}
		if got := h.wouldCool(); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}

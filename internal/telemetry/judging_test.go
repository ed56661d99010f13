package telemetry

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
	"pgregory.net/rapid"

	"firebreak/policy"
	"firebreak/routing"
)

// some drops what is 0, and the fleet that all else has in common.
func some(series map[string]float64, fleet string) map[string]float64 {
	out := map[string]float64{}
	for labels, v := range series {
		if before, after, found := strings.Cut(","+labels+",", ","+fleet+","); found && v != 0 {
			out[strings.Trim(before+","+after, ",")] = v
		}
	}
	return out
}

// TestJudged: one tick with everything in it.
func TestJudged(t *testing.T) {
	m, reg := newTest(t, testConfig())
	f := m.Fleet("orders")
	s, d, st := judgement()
	f.Judged(s, d, st)
	all := gather(t, reg)
	for metric, want := range map[string]map[string]float64{ // labels in the order of their names
		"hotspots":                        {"hot_key,critical": 1, "volume,warning": 2},
		"verdicts_total":                  {"hot_key,firing": 1, "volume,revised": 1, "whale_tenant,resolved": 1},
		"detection_delay_seconds":         {"": 1},
		"holds":                           {"observe_mode": 2, "pinned": 1},
		"holds_total":                     {"observe_mode": 2, "pinned": 1},
		"advice":                          {"storage": 2, "not_traffic": 1},
		"blind":                           {},
		"coverage_ratio":                  {"": 0.97},
		"missing_partitions":              {"": 1},
		"window_panes":                    {"": 30},
		"window_warm":                     {"": 1},
		"window_lag_seconds":              {"": 2},
		"last_traffic_timestamp_seconds":  {"": 1767226200},
		"sketch_heaviest_key_error_ratio": {"": 0.25},
	} {
		if diff := cmp.Diff(want, some(all["firebreak_"+metric], "orders")); diff != "" {
			t.Errorf("%s: want (-), got (+):\n%s", metric, diff)
		}
	}
	if got := delays(t, reg, "orders").GetSampleSum(); got != 55 {
		t.Errorf("the delay is %v s, want 55 from onset to verdict", got)
	}
}

// TestSilence: the time of the newest record stays while the window empties and after it; an instance that begins with an empty window
// takes it from what detection remembers, and one that knows of no record says so.
func TestSilence(t *testing.T) {
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	window := func(traffic ...int) *policy.Snapshot {
		s := &policy.Snapshot{Pane: 10 * time.Second, Panes: make([]policy.Pane, 30)}
		for i := range s.Panes {
			s.Panes[i].Start = start.Add(time.Duration(i) * s.Pane)
		}
		for _, i := range traffic {
			s.Panes[i].VShards = []policy.VShardSums{{Sums: policy.Sums{Load: 1, Records: 1}}}
		}
		return s
	}
	st := &policy.State{Detection: policy.Detection{Newest: start.Add(200 * time.Second)}}
	for _, tc := range []struct {
		name    string
		windows []*policy.Snapshot
		state   *policy.State
		want    float64 // s after start
	}{
		{"traffic", []*policy.Snapshot{window(3, 17)}, st, 180},
		{"it empties", []*policy.Snapshot{window(3), window()}, st, 40},
		{"it begins empty", []*policy.Snapshot{window(), window()}, st, 200},
		{"it comes back", []*policy.Snapshot{window(), window(29)}, st, 300},
		{"never any", []*policy.Snapshot{window()}, &policy.State{}, math.NaN()},
	} {
		m, reg := newTest(t, testConfig())
		for _, s := range tc.windows {
			m.Fleet("orders").Judged(s, &policy.Decision{}, tc.state)
		}
		got := gather(t, reg)["firebreak_last_traffic_timestamp_seconds"]["orders"] - float64(start.Unix())
		if got != tc.want && !(math.IsNaN(got) && math.IsNaN(tc.want)) {
			t.Errorf("%s: %v, want %v", tc.name, got, tc.want)
		}
	}
}

// TestBlindKeepsHotspots: input that cannot be judged lists no open hotspot; the gauges keep them.
func TestBlindKeepsHotspots(t *testing.T) {
	m, reg := newTest(t, testConfig())
	f := m.Fleet("orders")
	s, d, st := judgement()
	f.Judged(s, d, st)
	f.Judged(s, &policy.Decision{Blind: true, Holds: []policy.Hold{{Reason: policy.HoldWarmingUp}}}, st)
	all := gather(t, reg)
	if diff := cmp.Diff(map[string]float64{"hot_key,critical": 1, "volume,warning": 2}, some(all["firebreak_hotspots"], "orders")); diff != "" {
		t.Errorf("hotspots: want (-), got (+):\n%s", diff)
	}
	if blind, warm := all["firebreak_blind"]["orders"], all["firebreak_window_warm"]["orders"]; blind != 1 || warm != 0 {
		t.Errorf("blind %v, warm %v; want 1, 0", blind, warm)
	}
	if diff := cmp.Diff(map[string]float64{"warming_up": 1}, some(all["firebreak_holds"], "orders")); diff != "" {
		t.Errorf("holds: want (-), got (+):\n%s", diff)
	}
}

// TestClockAhead: an onset after the verdict is a delay of 0.
func TestClockAhead(t *testing.T) {
	m, reg := newTest(t, testConfig())
	s, d, st := judgement()
	d.Verdicts[0].Onset = d.Verdicts[0].Time.Add(time.Hour)
	m.Fleet("orders").Judged(s, d, st)
	if got := delays(t, reg, "orders"); got.GetSampleCount() != 1 || got.GetSampleSum() != 0 {
		t.Errorf("%d delays, sum %v; want 1 of 0", got.GetSampleCount(), got.GetSampleSum())
	}
}

// TestHolds: the gauge is what is in force, the counter what began, whatever comes and goes.
func TestHolds(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		var d definer
		vecs := defineJudging(&d)
		judged, reg := vecs.of("orders"), prometheus.NewRegistry()
		reg.MustRegister(vecs.holds, vecs.begun)
		before, began := map[string]bool{}, map[string]float64{}
		for range rapid.IntRange(1, 6).Draw(rt, "ticks") {
			now, force := map[string]bool{}, map[string]float64{}
			var holds []policy.Hold
			for range rapid.IntRange(0, 8).Draw(rt, "holds") {
				h := policy.Hold{
					Hotspot: rapid.SampledFrom([]string{"", "a", "b"}).Draw(rt, "hotspot"),
					Reason:  rapid.SampledFrom(policy.HoldReasons()).Draw(rt, "reason"),
				}
				holds = append(holds, h)
				id := h.Hotspot + "/" + h.Reason.String()
				if !now[id] {
					force[h.Reason.String()]++
					if !before[id] {
						began[h.Reason.String()]++
					}
				}
				now[id] = true
			}
			judged.refused(holds)
			before = now
			all := gather(t, reg)
			if diff := cmp.Diff(force, some(all["firebreak_holds"], "orders")); diff != "" {
				rt.Fatalf("in force: want (-), got (+):\n%s", diff)
			}
			if diff := cmp.Diff(began, some(all["firebreak_holds_total"], "orders")); diff != "" {
				rt.Fatalf("begun: want (-), got (+):\n%s", diff)
			}
		}
	})
}

// TestEvaluate: over the life of a hotspot as policy judges it, restart included, it fires once and has one delay.
func TestEvaluate(t *testing.T) {
	const hotFrom, hotUntil, panes = 20, 40, 70
	doc, err := routing.Adopt("orders", routing.Placement{Bytes: "key", Function: routing.XXH64, Map: routing.ModN}, routing.NumberedShards(8))
	if err != nil {
		t.Fatal(err)
	}
	table, err := routing.NewTable(doc)
	if err != nil {
		t.Fatal(err)
	}
	cfg := policy.Default()
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	m, reg := newTest(t, testConfig())
	var st policy.State
	var window []policy.Pane
	fired := 0.0
	for p := range panes {
		pane := policy.Pane{Start: start.Add(time.Duration(p) * 10 * time.Second)}
		for v := range 64 {
			load := 100.0
			if v%8 == 3 && p >= hotFrom && p < hotUntil {
				load = 500
			}
			pane.VShards = append(pane.VShards, policy.VShardSums{VShard: routing.VShard(v), Sums: policy.Sums{Load: load, Variance: load, Records: load, Writes: load}})
		}
		window = append(window, pane)
		window = window[max(0, len(window)-cfg.LongPanes):]
		s := &policy.Snapshot{
			Fleet: "orders", Table: table, Pane: 10 * time.Second, Panes: window,
			Inputs: policy.Inputs{Coverage: 1, Sampling: policy.SamplingNone, Keys: true, Ops: true},
		}
		var d policy.Decision
		d, st = policy.Evaluate(s, &cfg, st, pane.Start.Add(15*time.Second))
		if p == hotFrom+10 { // another instance takes over, with the state of the checkpoint
			fired = gather(t, reg)["firebreak_detection_delay_seconds"]["orders"]
			m, reg = newTest(t, testConfig())
		}
		m.Fleet("orders").Judged(s, &d, &st)
		open := 0.0
		for _, n := range some(gather(t, reg)["firebreak_hotspots"], "orders") {
			open += n
		}
		listed := map[string]bool{} // what fired at this very tick is among the verdicts only
		for _, v := range append(d.Open, d.Verdicts...) {
			listed[v.Hotspot] = listed[v.Hotspot] || v.Phase != policy.PhaseResolved
		}
		for id, firing := range listed {
			if !firing {
				delete(listed, id)
			}
		}
		if want := float64(len(listed)); open != want {
			t.Fatalf("pane %d: %v hotspots open, policy says %v", p, open, want)
		}
	}
	all := gather(t, reg)
	if after := all["firebreak_detection_delay_seconds"]["orders"]; fired != 1 || after != 0 {
		t.Errorf("%v delays before the restart and %v after it, want 1 and 0", fired, after)
	}
	resolved := 0.0
	for labels, n := range some(all["firebreak_verdicts_total"], "orders") {
		if strings.HasSuffix(labels, "resolved") {
			resolved += n
		}
	}
	if resolved != 1 {
		t.Errorf("%v resolved, want 1: %v", resolved, some(all["firebreak_verdicts_total"], "orders"))
	}
}

// TestClosedSets: every value of an enumeration has a name and a series; the one behind the last has none.
func TestClosedSets(t *testing.T) {
	for what, sets := range map[string]struct {
		last, beyond fmt.Stringer
	}{
		"severity":  {policy.Severity(len(severities()) - 1), policy.Severity(len(severities()))},
		"cause":     {policy.Cause(len(policy.Causes()) - 1), policy.Cause(len(policy.Causes()))},
		"topic":     {policy.Topic(len(topics())), policy.Topic(len(topics()) + 1)},
		"hold":      {policy.HoldReason(len(policy.HoldReasons())), policy.HoldReason(len(policy.HoldReasons()) + 1)},
		"refusal":   {refusals - 1, refusals},
		"lack":      {lacks - 1, lacks},
		"skip":      {skips - 1, skips},
		"rejection": {rejections - 1, rejections},
		"phase":     {verdictPhases - 1, verdictPhases},
	} {
		if strings.HasPrefix(sets.last.String(), "invalid") || !strings.HasPrefix(sets.beyond.String(), "invalid") {
			t.Errorf("%s: the last is %v and the next %v", what, sets.last, sets.beyond)
		}
	}
}

// delays is the histogram of one fleet.
func delays(t *testing.T, reg interface {
	Gather() ([]*dto.MetricFamily, error)
}, fleet string,
) *dto.Histogram {
	t.Helper()
	families, err := reg.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		if f.GetName() != "firebreak_detection_delay_seconds" {
			continue
		}
		for _, m := range f.GetMetric() {
			if values(m) == fleet {
				return m.GetHistogram()
			}
		}
	}
	t.Fatal("no such histogram")
	return nil
}

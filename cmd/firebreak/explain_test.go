package main

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"firebreak/actuator"
	"firebreak/internal/history"
	"firebreak/policy"
	"firebreak/routing"
)

// hotSnapshot is a fleet of 4 shards and one key that is heavier than its shard bears from pane 12 on, as it is after so many panes.
func hotSnapshot(t *testing.T, panes int, reads float64) *policy.Snapshot {
	t.Helper()
	doc, err := routing.Adopt("orders", routing.Placement{Bytes: "key", Function: routing.XXH64, Map: routing.ModN}, routing.NumberedShards(4))
	if err != nil {
		t.Fatal(err)
	}
	table, err := routing.NewTable(doc)
	if err != nil {
		t.Fatal(err)
	}
	first := max(0, panes-30)
	begin := time.Now().UTC().Truncate(time.Hour).Add(-time.Hour) // the logs are read by time
	s := &policy.Snapshot{
		Fleet: "orders", Table: table, Pane: 10 * time.Second, Panes: make([]policy.Pane, panes-first),
		Inputs: policy.Inputs{Coverage: 1, Sampling: policy.SamplingNone, Ops: true, Keys: true},
	}
	for p := range s.Panes {
		s.Panes[p].Start = begin.Add(time.Duration(first+p) * s.Pane)
	}
	for i := range 80 {
		key, rate := fmt.Sprint("item:", i), 25.0
		if i == 0 {
			key = "cart:42"
		}
		c := policy.Contributor{Key: key, VShard: table.VShard(nil, []byte(key)), Panes: make([]policy.Sums, len(s.Panes))}
		for p := range s.Panes {
			load := 10 * rate
			if i == 0 && first+p >= 12 {
				load = 9000
			}
			sums := policy.Sums{Load: load, Variance: load, Records: load, Reads: load * reads, Writes: load * (1 - reads)}
			c.Panes[p] = sums
			s.Panes[p].VShards = append(s.Panes[p].VShards, policy.VShardSums{VShard: c.VShard, Sums: sums})
		}
		s.Keys = append(s.Keys, c)
	}
	return s
}

// judgedRig is a group whose logs have a hotspot that fired, and perhaps more. change is made to evidence before it is written.
func judgedRig(t *testing.T, reads float64, redact string, change func(*history.Evidence)) (r *logsRig, hotspot string) {
	t.Helper()
	r = newLogsRig(t, "journal: {redact: "+redact+"}\nhistory: {keep_evidence: true}\n")
	hide, err := actuator.ParseRedact(redact)
	if err != nil {
		t.Fatal(err)
	}
	cfg, st, told, w := policy.Default(), policy.State{}, actuator.Told{}, history.NewWriter()
	cfg.Capacity.Total = 1000
	for panes := 6; panes < 40; panes++ {
		s := hotSnapshot(t, panes, reads)
		now := s.Panes[len(s.Panes)-1].Start.Add(s.Pane + 5*time.Second)
		d, after := policy.Evaluate(s, &cfg, st, now)
		entries, next, err := actuator.Scribe{Redact: hide}.Write(&actuator.Tick{Fleet: "orders", Now: now, Pane: now.Add(-5 * time.Second), Table: s.Table, Decision: &d, State: &after}, told)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			e.Epoch, e.Instance = 1, "i"
			r.entry(e)
		}
		if len(d.Verdicts) > 0 {
			hotspot = d.Verdicts[0].Hotspot
			e, err := history.NewEvidence(&history.Tick{Snapshot: s, Config: &cfg, Before: &st, Now: now, Decision: &d, After: &after}, "v0.9")
			if err != nil {
				t.Fatal(err)
			}
			if change != nil {
				change(e)
			}
			w.AddEvidence(e)
		}
		st, told = after, next
	}
	if hotspot == "" {
		t.Fatal("nothing fired")
	}
	if err := w.Flush(t.Context(), r.logs.history); err != nil {
		t.Fatal(err)
	}
	return r, hotspot
}

// explain runs the command with JSON.
func (r *logsRig) explain(args ...string) (x explanation) {
	r.t.Helper()
	out, err := r.firebreak(append([]string{"explain", "--output", "json"}, args...)...)
	if err == nil {
		err = json.Unmarshal([]byte(out), &x)
	}
	if err != nil {
		r.t.Fatalf("%v\n%s", err, out)
	}
	return x
}

// TestExplain: stored inputs are judged to the same bytes, what the journal told is the same in every value, and each number of the verdict is
// what its arithmetic gives.
func TestExplain(t *testing.T) {
	for _, reads := range []float64{0, 0.3, 0.95} {
		r, id := judgedRig(t, reads, "off", nil)
		x := r.explain(id[:8], "--fail-on", "difference")
		if !x.Same || len(x.Differences) > 0 || x.Told < 3 || x.Build != "v0.9" || x.Verdict == nil || string(x.Verdict.Key) != "cart:42" || x.Plan == nil || len(x.Digest) != 64 {
			t.Fatalf("reads %v: %+v", reads, x)
		}
		told := map[string]float64{"load": float64(x.Verdict.Load), "mean": float64(x.Verdict.Mean), "line": 700, "target": 650}
		forms := 0
		for _, s := range x.Sums {
			want, exact := told[s.What]
			switch {
			case exact:
				delete(told, s.What)
			case s.What == "imbalance" || strings.HasPrefix(s.What, "share of "):
				want = float64(s.Told)
			default: // a closed form, on a fleet whose rest is nearly even
				forms++
				if got := float64(s.Value) / float64(s.Told); got < 0.5 || got > 2 {
					t.Errorf("reads %v: %s: %s gives %v, the projection says %v", reads, s.What, s.Form, s.Value, s.Told)
				}
				continue
			}
			if math.Abs(float64(s.Value)-want) > 1e-4*want || math.Abs(float64(s.Told)-want) > 1e-4*want {
				t.Errorf("reads %v: %s: %s gives %v, told %v, want %v", reads, s.What, s.Form, s.Value, s.Told, want)
			}
		}
		if len(told) > 0 || forms < 4 {
			t.Errorf("reads %v: no arithmetic of %v, %d closed forms", reads, told, forms)
		}
		out, err := r.firebreak("explain", id)
		if err != nil {
			t.Fatal(err)
		}
		for _, part := range []string{"the same decision and state, to the byte", "the same in every value", "FIRING", "ARITHMETIC", "f*L: what stays on one shard at any shard count", "1. "} {
			if !strings.Contains(out, part) {
				t.Errorf("no %q in\n%s", part, out)
			}
		}
	}
}

// TestExplainDiffers: another policy than that of then is told line by line: stored evidence that somebody edited, and the policy of the file of
// today.
func TestExplainDiffers(t *testing.T) {
	r, id := judgedRig(t, 0, "off", func(e *history.Evidence) { e.Config.Lines.Warning, e.Config.Lines.Target = 0.60, 0.50 })
	x := r.explain(id)
	at := map[string]difference{}
	for _, d := range x.Differences {
		at[d.At] = d
	}
	if x.Same || at["verdict.line"] != (difference{"verdict.line", "700", "600"}) || at["verdict.target"] != (difference{"verdict.target", "650", "500"}) {
		t.Errorf("%+v", x.Differences)
	}
	out, err := r.firebreak("explain", id, "--fail-on", "difference")
	if exitCode(err) != exitFailOn || !strings.Contains(out, "ANOTHER decision or state") || !strings.Contains(out, "verdict.line\n      then 700\n      now  600\n") {
		t.Errorf("%v\n%s", err, out)
	}
	r, id = judgedRig(t, 0, "off", nil)
	if x := r.explain(id, "--as-configured"); !x.Same || !x.AsConfigured {
		t.Errorf("by the same policy: %+v", x.Differences)
	}
	edit(t, r.path, "capacity: {total: 1000}", "capacity: {total: 5000}")
	x = r.explain(id, "--as-configured")
	if x.Same || x.Verdict != nil || len(x.Differences) == 0 || x.Differences[0] != (difference{"verdict", "was told", ""}) {
		t.Errorf("by five times the capacity: %+v, %+v", x.Verdict, x.Differences)
	}
	if out, err := r.firebreak("explain", id, "--as-configured"); err != nil || !strings.Contains(out, "Nothing is said of it now.") {
		t.Errorf("%v\n%s", err, out)
	}
}

// edit changes a file.
func edit(t *testing.T, path, from, to string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Clean(path))
	if err != nil || !strings.Contains(string(text), from) {
		t.Fatal(err, string(text))
	}
	if err := os.WriteFile(path, []byte(strings.Replace(string(text), from, to, 1)), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestExplainHidden: where names are hidden in the journal, what it has is compared hidden, and what is printed has none.
func TestExplainHidden(t *testing.T) {
	r, id := judgedRig(t, 0, "hash", nil)
	out, err := r.firebreak("explain", id, "--output", "json", "--fail-on", "difference")
	if err != nil || strings.Contains(out, "cart:42") || !strings.Contains(out, `"same":true,"told":3,"differences":[]`) {
		t.Errorf("%v\n%s", err, out)
	}
	if out, err = r.firebreak("explain", id); err != nil || strings.Contains(out, "cart:42") || !strings.Contains(out, "Names are hidden") || !strings.Contains(out, "ARITHMETIC") {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestExplainWrong: what is not there, and why, is told.
func TestExplainWrong(t *testing.T) {
	r, id := judgedRig(t, 0, "off", nil)
	for _, tt := range []struct {
		args []string
		want string
	}{
		{[]string{"nonsense"}, "there is no hotspot"},
		{[]string{id, "--at", "2001"}, "want a time of one of its verdicts: 20"},
		{[]string{id, "--output", "yaml"}, "json"},
		{[]string{id, "--fail-on", "x"}, "difference"},
	} {
		if _, err := r.firebreak(append([]string{"explain"}, tt.args...)...); exitCode(err) != exitUsage || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%q: %v, want %q", tt.args, err, tt.want)
		}
	}
	x := r.explain(id)
	if len(x.Verdicts) == 0 || r.explain(id, "--at", x.Verdicts[0]).Digest == "" {
		t.Errorf("%q", x.Verdicts)
	}
	now := time.Now().UTC()
	r.verdict(hotA, "orders", "shard-1", actuator.PhaseFired, 900, now.Add(-time.Minute))
	if _, err := r.firebreak("explain", hotA); exitCode(err) != exitError || !strings.Contains(err.Error(), "no evidence of it") {
		t.Errorf("without evidence: %v", err)
	}
}

// TestExplainDocs: docs/explain.md names every member of the JSON.
func TestExplainDocs(t *testing.T) {
	page, err := os.ReadFile("../../docs/explain.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, shape := range []any{explanation{}, difference{}, sum{}} {
		for _, m := range members(reflect.TypeOf(shape)) {
			if m.name != "" && m.name != "schema" && m.name != "type" && m.name != "fleet" && m.name != "hotspot" && !strings.Contains(string(page), "`"+m.name+"`") {
				t.Errorf("%s is not named", m.name)
			}
		}
	}
}

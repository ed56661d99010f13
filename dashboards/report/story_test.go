package report

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"firebreak/policy"
)

var update = flag.Bool("update", false, "rewrite testdata/report")

// stories are small runs whose report is read word by word in testdata/report.
func stories(t *testing.T) map[string]*Run {
	t.Helper()
	hot := newFleet(t, 16, "tenant,key")
	hot.sources = append(hot.sources, source{"shop-7", "cart:42", 0, between(12, 40, 900)})

	whale := newFleet(t, 8, "tenant")
	whale.cfg.Capacity = policy.Capacity{Total: 400}
	for i := range 20 {
		whale.sources = append(whale.sources, source{"mega", "mega:" + string(rune('a'+i)), 0.7, between(15, 99, 20)})
	}

	volume := newFleet(t, 8, "key")
	for i := range volume.sources {
		if at := volume.table.Locate(nil, []byte(volume.sources[i].key)).Shard; at == 3 {
			volume.sources[i].rate = func(pane int) float64 {
				if pane < 10 {
					return 10
				}
				return 28
			}
		}
	}
	calm := newFleet(t, 4, "key")

	leaders := newFleet(t, 4, "key")
	leaders.panes = 3
	s := leaders.snapshot()
	s.Table = nil
	leaders.recorder.Tick(s, &leaders.cfg, &policy.Decision{})
	unplaced := leaders.of()
	unplaced.Summary.Missing = []string{"no shard in the log and no placement: leaderboards only; --shards and --place say where keys live"}

	return map[string]*Run{
		"hot-key":      {Files: []string{"monday.csv.gz"}, Fleets: []Fleet{hot.run(70).of()}},
		"whale-tenant": {Files: []string{"monday.csv.gz", "tuesday.csv.gz"}, Fleets: []Fleet{whale.run(40).of()}},
		"volume":       {Fleets: []Fleet{volume.run(30).of()}},
		"calm":         {Fleets: []Fleet{calm.run(20).of()}, Broken: "monday.csv.gz: gzip input ends too early"},
		"no-placement": {Fleets: []Fleet{unplaced}},
		"nothing":      {Fleets: []Fleet{{Summary: Summary{Fleet: "orders"}}}},
	}
}

// TestStories: each story's report reads as it stands in its file.
func TestStories(t *testing.T) {
	for name, run := range stories(t) {
		t.Run(name, func(t *testing.T) {
			_, root := rendered(t, run)
			got := reading(root)
			path := filepath.Join("..", "..", "testdata", "report", name+".txt")
			if *update {
				if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestAnswers: what, where, when, why, what to do and how sure stand first, in that order, and the fixes side by side
// name one winner and say why each of the others is not.
func TestAnswers(t *testing.T) {
	_, root := rendered(t, stories(t)["hot-key"])
	var labels []string
	for _, dt := range all(all(root, "dl", "answer")[0], "dt", "") {
		labels = append(labels, textOf(dt))
	}
	if got, want := strings.Join(labels, ", "), "What, Where, When, Why, What to do, How sure"; got != want {
		t.Errorf("answers %s, want %s", got, want)
	}
	taken := all(root, "li", "taken")
	if len(taken) != 1 || !strings.Contains(textOf(taken[0]), "salt the key") {
		t.Fatalf("%d fixes are taken, want the salt", len(taken))
	}
	losing := append(all(root, "li", "fails"), all(root, "li", "could")...)
	if len(losing) < 4 {
		t.Errorf("%d other fixes", len(losing))
	}
	for _, li := range losing {
		if why := all(li, "p", "why"); len(why) != 1 || len(textOf(why[0])) < 10 {
			t.Errorf("a fix that is not taken does not say why: %s", textOf(li))
		}
	}
	if marks := all(root, "circle", "told"); len(marks) == 0 {
		t.Error("the heat map has no verdict on it")
	}
	if steps := all(root, "ol", "steps"); len(steps) != 1 || !strings.Contains(textOf(steps[0]), "Way back:") {
		t.Error("the plan has no way back")
	}
}

// TestTimeless: a log without time has no curve, no times and no rates, and shows its shards as bars.
func TestTimeless(t *testing.T) {
	f := newFleet(t, 8, "key")
	f.inputs.Timeless = true
	f.sources = append(f.sources, source{"shop-7", "cart:42", 1, steady(3000)})
	f.panes = 1
	s := f.snapshot()
	s.Whole, s.Pane = true, time.Second
	cfg := f.cfg
	cfg.FastPanes, cfg.LongPanes, cfg.WarmPanes, cfg.For = 1, 1, 1, 0
	d, _ := policy.Evaluate(s, &cfg, f.state, f.start)
	if len(d.Verdicts) != 1 {
		t.Fatalf("%d verdicts", len(d.Verdicts))
	}
	v := &d.Verdicts[0]
	v.Time, v.Onset, v.From, v.To = time.Time{}, time.Time{}, time.Time{}, time.Time{}
	f.recorder.Tick(s, &cfg, &d)
	whole := f.of()
	whole.Summary.From, whole.Summary.To = time.Time{}, time.Time{}
	page, root := rendered(t, &Run{Fleets: []Fleet{whole}})
	if len(all(root, "svg", "heatmap"))+len(all(root, "svg", "curve"))+len(all(root, "ol", "times")) > 0 {
		t.Error("a log without time has a heat map, a curve or times")
	}
	if strings.Contains(page, "0001-01-01") || strings.Contains(page, "1970") {
		t.Error("a log without time shows a date")
	}
	if head := textOf(all(root, "h1", "")[0]); !strings.Contains(head, "cart:42") {
		t.Errorf("headline %s", head)
	}
	if bars := all(all(root, "div", "tall")[0], "svg", "bars"); len(bars) != 1 {
		t.Error("the shards are not shown as bars")
	}
}

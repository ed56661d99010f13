package report

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"
	"pgregory.net/rapid"

	"firebreak/dashboards/draw"
	"firebreak/policy"
	"firebreak/routing"
)

// verdictOf is a verdict with all that one can have.
func verdictOf(s *policy.Snapshot, id, shard int, load, line float64, at time.Time) policy.Verdict {
	doc := s.Table.Document()
	v := policy.Verdict{
		Fleet: s.Fleet, Time: at, Hotspot: fmt.Sprintf("%016x", id), Phase: policy.PhaseFiring, Onset: at.Add(-time.Minute), Shard: doc.Shards[shard].Name,
		ShardID: routing.ShardID(shard), Placement: "key via xxh64, mod-n", Cause: policy.CauseHotKey, Key: fmt.Sprint("cart:", id), Load: load, Mean: load / 4, Imbalance: 4,
		Line: line, Target: line, From: at.Add(-time.Minute), To: at, Coverage: 1, Samples: 900, Share: policy.Bounds{Value: 0.8, Low: 0.7, High: 0.9}, Fix: policy.FixSalt,
	}
	for _, fix := range policy.Fixes()[1:] {
		p := policy.Projection{Fix: fix, Hottest: load, Shard: load / 2, Upper: load, Imbalance: 2, Feasible: fix == v.Fix, Loads: make([]float64, len(doc.Shards)), Why: strings.Repeat("because of this and that, ", 8)}
		for i := range p.Loads {
			p.Loads[i] = load * float64((i*7919+int(fix))%100) / 100
		}
		v.Projected = append(v.Projected, p)
	}
	return v
}

// TestSize: a day of 512 shards with 50 hotspots on as many shards is under the limit, and each of these shards is named
// on the page and has its row in the heat map or its line in the table.
func TestSize(t *testing.T) {
	if testing.Short() {
		t.Skip("a day of 512 shards takes seconds under the race detector")
	}
	f := newFleet(t, 512, "key")
	f.sources = f.sources[:0]
	for i := range f.table.VShards() {
		if i%20 == 0 {
			f.sources = append(f.sources, source{})
		}
	}
	s := &policy.Snapshot{Fleet: "orders", Table: f.table, Pane: time.Minute, Inputs: f.inputs}
	for pane := range 24 * 60 {
		p := policy.Pane{Start: f.start.Add(time.Duration(pane) * time.Minute)}
		for shard := range 512 {
			load := 600.0 * (1 + float64((shard*31+pane*17)%60)/100)
			if shard%10 == 3 && pane > 100+shard && pane < 140+shard {
				load *= 4
			}
			p.VShards = append(p.VShards, policy.VShardSums{VShard: routing.VShard(shard), Sums: policy.Sums{Load: load, Variance: load, Records: load}})
		}
		s.Panes = append(s.Panes[max(0, len(s.Panes)-5):], p)
		var d policy.Decision
		if shard := pane - 103; shard%10 == 3 && shard > 0 && shard < 512 {
			d.Verdicts = append(d.Verdicts, verdictOf(s, shard, shard, 50, 18, p.Start.Add(time.Minute)))
		}
		f.recorder.Tick(s, &f.cfg, &d)
	}
	page, root := rendered(t, &Run{Fleets: []Fleet{f.of()}})
	t.Logf("%d bytes, %d hotspots", len(page), len(f.recorder.order))
	if len(f.recorder.order) < 50 {
		t.Fatalf("%d hotspots", len(f.recorder.order))
	}
	text := textOf(root)
	rows := textOf(all(root, "svg", "heatmap")[0])
	alone := 0
	for _, h := range f.recorder.order {
		if !strings.Contains(text, h.told.Shard) {
			t.Errorf("%s was hot and is not on the page", h.told.Shard)
		}
		if strings.Contains(rows, h.told.Shard) {
			alone++
		}
	}
	if alone < 32 {
		t.Errorf("%d hot shards have a row of their own", alone)
	}
	if n := len(all(root, "article", "hotspot")); n != 12 {
		t.Errorf("%d hotspots in full", n)
	}
}

// TestSizeWhatever: with the longest names, in many fleets of many hotspots, the page is still under the limit and says
// what it left out.
func TestSizeWhatever(t *testing.T) {
	if testing.Short() {
		t.Skip("forty fleets take long under the race detector")
	}
	run := &Run{}
	hostile := strings.Repeat("\u202e<&\"\x00", 2000)
	f := newFleet(t, 64, "key")
	f.sources, f.panes = f.sources[:100], 6
	s := f.snapshot()
	for n := range 40 {
		var d policy.Decision
		for i := range 10 {
			v := verdictOf(s, 10*n+i, (10*n+i)%64, 50+float64(i), 18, f.start.Add(time.Hour))
			v.Key, v.Tenant, v.Reason, v.Caller = hostile, hostile, hostile, hostile
			for j := range v.Projected {
				v.Projected[j].Why = hostile
			}
			v.Contribute = []policy.Contribution{{Cause: policy.CauseHotKey, Key: hostile, Tenant: hostile}}
			d.Verdicts = append(d.Verdicts, v)
			d.Advice = append(d.Advice, policy.Advice{Shard: fmt.Sprint(hostile, n, i), Topic: policy.TopicDisk, Reason: hostile})
			d.Holds = append(d.Holds, policy.Hold{Hotspot: v.Hotspot, Reason: policy.HoldObserve, Detail: hostile})
		}
		f.recorder.Tick(s, &f.cfg, &d)
		run.Fleets = append(run.Fleets, f.of())
		run.Files = append(run.Files, hostile)
	}
	page, root := rendered(t, run)
	t.Logf("%d bytes", len(page))
	if text := textOf(root); !strings.Contains(text, "more fleets are not shown") || !strings.Contains(text, "more are not listed") {
		t.Error("the page does not say what it left out")
	}
}

// TestMemory: however long a run is and however many hotspots it has, a recorder keeps no more of them than it may.
func TestMemory(t *testing.T) {
	f := newFleet(t, 16, "key")
	f.sources, f.panes = f.sources[:16], 2
	s := f.snapshot()
	for tick := range 60 {
		var d policy.Decision
		for i := range 50 {
			id := tick*50 + i
			d.Verdicts = append(d.Verdicts, verdictOf(s, id, id%16, 20+float64(id%97), 18, f.start))
			d.Findings = append(d.Findings, policy.Finding{Shard: fmt.Sprint("s", id), Reason: "skew"})
		}
		f.recorder.Tick(s, &f.cfg, &d)
	}
	full := 0
	for _, h := range f.recorder.order {
		if h.full {
			full++
		} else if h.told.Projected != nil || h.trace.loads != nil || h.picture.Loads != nil {
			t.Fatal("a hotspot without details keeps some")
		}
	}
	if r := &f.recorder; full != maxDetailed || len(r.order) != maxListed || r.dropped != 3000-maxListed || len(r.findings.list) != maxNotes {
		t.Errorf("%d in full, %d listed, %d dropped, %d findings", full, len(r.order), r.dropped, len(r.findings.list))
	}
	worst := f.recorder.ranked()[0]
	if !worst.full || worst.told.Load != 20+96 {
		t.Errorf("the worst hotspot bore %v, in full %v", worst.told.Load, worst.full)
	}
	_, root := rendered(t, &Run{Fleets: []Fleet{f.of()}})
	if !strings.Contains(textOf(root), "more are not listed") {
		t.Error("the page does not say that hotspots are left out")
	}
}

// TestTimelineMaxima: whenever panes come, a series has few columns, and each pane's load is in the column of its time
// or under a heavier one.
func TestTimelineMaxima(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var s series
		var g grid
		type pane struct {
			at   time.Time
			load float64
		}
		var panes []pane
		at, pace := time.Unix(1e9, 0), rapid.SampledFrom([]int64{1, 3, 1000}).Draw(t, "pace")
		for range rapid.IntRange(1, 900).Draw(t, "panes") {
			at = at.Add(time.Duration(rapid.Int64Range(1, pace).Draw(t, "gap")) * 10 * time.Second)
			p := pane{at, float64(rapid.IntRange(0, 99).Draw(t, "load")) / 8} // a float32 holds it
			panes = append(panes, p)
			s.add(p.at, 10*time.Second, p.load)
			g.add(p.at, 10*time.Second, []draw.Cell{{Full: float32(p.load)}}, []float64{p.load})
		}
		if len(s.loads) > maxColumns || len(g.cells[0]) > maxColumns || g.columns != len(g.cells[0]) {
			t.Fatalf("%d columns of a series, %d of a grid", len(s.loads), len(g.cells[0]))
		}
		most := make([]float64, len(s.loads))
		var peak float64
		for _, p := range panes {
			i := int(p.at.Sub(s.first) / s.width)
			most[i], peak = max(most[i], p.load), max(peak, p.load)
		}
		for i, want := range most {
			if s.loads[i] != want || g.cells[0][i].Full != float32(want) {
				t.Fatalf("column %d shows %v and %v, its highest pane is %v", i, s.loads[i], g.cells[0][i].Full, want)
			}
		}
		if g.peaks[0].load != peak || g.peaks[0].panes != len(panes) {
			t.Fatalf("peak %v of %d panes, want %v of %d", g.peaks[0].load, g.peaks[0].panes, peak, len(panes))
		}
	})
}

func TestCellOf(t *testing.T) {
	sure, thin := policy.Gauge{Full: 2, Err: 0.1}, policy.Gauge{Full: 2, Err: 0.4}
	for name, tt := range map[string]struct {
		pane, window policy.Gauge
		want         draw.Cell
	}{
		"under":                       {policy.Gauge{Full: 0.8, Err: 0.5}, sure, draw.Cell{Full: 0.8}},
		"at the line":                 {policy.Gauge{Full: 1}, sure, draw.Cell{Full: 1}},
		"beyond doubt":                {sure, policy.Gauge{Full: 0.5}, draw.Cell{Full: 2}},
		"by the window only":          {thin, policy.Gauge{Full: 1.5, Err: 0.1}, draw.Cell{Full: 1.5}},
		"perhaps":                     {thin, policy.Gauge{Full: 1.5, Err: 0.2}, draw.Cell{Full: 1, Thin: 1.5}},
		"chance":                      {thin, policy.Gauge{Full: 1.3, Err: 0.2}, draw.Cell{Full: 1}},
		"chance, the window is under": {thin, policy.Gauge{Full: 0.6, Err: 0.2}, draw.Cell{Full: 0.6}},
	} {
		if got := cellOf(tt.pane, tt.window); got != tt.want {
			t.Errorf("%s: %v, want %v", name, got, tt.want)
		}
	}
}

// failing is a writer that fails.
type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

func TestRenderFails(t *testing.T) {
	want := fmt.Errorf("disk full")
	if err := Render(failing{want}, &Run{}); err != want { //nolint:errorlint // the very error
		t.Errorf("error %v, want %v", err, want)
	}
	var b bytes.Buffer
	if err := Render(&b, &Run{}); err != nil {
		t.Error(err)
	}
	if _, err := html.Parse(&b); err != nil {
		t.Error(err)
	}
}

package quality

import (
	"testing"

	"firebreak/policy"
	"firebreak/routing"
)

// day is 24 hours in panes.
const day = 24 * 60 * 6

// watch judges every pane of a fleet and counts firing hotspots by shard.
func watch(f *Fleet, panes int) map[routing.ShardID]map[string]bool {
	cfg := f.Config()
	c := newCounter(f, false)
	out := map[routing.ShardID]map[string]bool{}
	var st policy.State
	for range panes {
		c.next()
		var d policy.Decision
		d, st = policy.Evaluate(c.snapshot(), &cfg, st, c.panes[len(c.panes)-1].Start.Add(Pane))
		for i := range d.Verdicts {
			v := &d.Verdicts[i]
			if v.Phase != policy.PhaseFiring {
				continue
			}
			if out[v.ShardID] == nil {
				out[v.ShardID] = map[string]bool{}
			}
			out[v.ShardID][v.Hotspot] = true
		}
	}
	return out
}

// steady is a fleet of 16 shards placed by key whose log has 20 records/s in all.
func steady(t *testing.T, kind Kind, s float64) *Fleet {
	t.Helper()
	f := handPlaced(t, 16, 1, routing.Placement{Bytes: "key", Function: routing.XXH64, Map: routing.ModN})
	f.Kind, f.ZipfKeys, f.ZipfTenants, f.Rate, f.Reads = kind, s, 1, 0.1, 0.5
	f.populate(newSource(7, streamFleet), 200)
	return f
}

// TestSteadyDay: Zipf 1.2 at 20 samples/s for 24 hours. Each shard that is clearly hot fires, and once.
func TestSteadyDay(t *testing.T) {
	if testing.Short() {
		t.Skip("judges 8,640 panes")
	}
	f := steady(t, KindNatural, 1.2)
	fired := watch(f, day)
	hot := 0
	for s := range f.Shards {
		id := routing.ShardID(s)
		ratio, n := f.Exact().Ratio(id), len(fired[id])
		switch {
		case ratio >= 1.15 && n != 1:
			t.Errorf("shard %d at %.2f x its line fired %d times, want once", s, ratio, n)
		case ratio < 0.9 && n != 0:
			t.Errorf("shard %d at %.2f x its line fired %d times, want never", s, ratio, n)
		}
		if ratio >= 1.15 {
			hot++
		}
	}
	if hot == 0 {
		t.Error("no shard is hot: the test shows nothing")
	}
}

// TestCalmDay: 24 hours of calm traffic at 20 records/s give no verdict.
func TestCalmDay(t *testing.T) {
	if testing.Short() {
		t.Skip("judges 8,640 panes")
	}
	f := steady(t, KindCalm, 0.9)
	for s := range f.Shards {
		if ratio := f.Exact().Ratio(routing.ShardID(s)); ratio >= 0.9 {
			t.Fatalf("shard %d is at %.2f x its line: the fleet is not calm", s, ratio)
		}
	}
	if fired := watch(f, day); len(fired) > 0 {
		t.Errorf("fired: %v", fired)
	}
}

// TestDelays measures the promised delays on 25 fleets each, where one window finds the shard all but surely: four of
// them in a row then do. One in a hundred may be later; more than three of 25 are so once in ten thousand cells. Panes
// close every 10 s, so that a promise may be one pane off.
func TestDelays(t *testing.T) {
	if testing.Short() {
		t.Skip("judges 275 fleets")
	}
	delays, err := Delays(1, 25)
	if err != nil {
		t.Fatal(err)
	}
	judged := 0
	for i := range delays {
		d := &delays[i]
		if d.Promised < 0.999 {
			continue
		}
		judged++
		if late := d.Late(d.Limit + Pane); late > 3 {
			t.Errorf("%v x the line with %v samples/min: %d of %d later than the promised %s", d.Ratio, d.Effective, late, d.Runs, d.Limit)
		}
	}
	if judged < 3 {
		t.Errorf("%d of %d delays were judged", judged, len(delays))
	}
}

package history

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"firebreak/policy"
	"firebreak/routing"
)

// story is what a small fleet shows after each of n panes of 10 s. lag is how late each is judged.
func story(t *testing.T, n int, cfg *policy.Config, change func(*routing.Document)) []Tick {
	t.Helper()
	doc, err := routing.Adopt("a\xff", routing.Placement{Bytes: "tenant,key", Function: routing.XXH64, Map: routing.ModN}, routing.NumberedShards(4))
	if err != nil {
		t.Fatal(err)
	}
	change(doc)
	table, err := routing.NewTable(doc)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	var panes []policy.Pane
	var st policy.State
	tenants := make([][]policy.Sums, 30)
	var out []Tick
	for k := range n {
		p := policy.Pane{Start: noon().Add(time.Duration(k) * 10 * time.Second)}
		for i := range tenants {
			load := float64(100*(i+1) + rng.IntN(50))
			sums := policy.Sums{Load: load, Variance: load, Records: load, Reads: load / 4, Writes: load * 3 / 4, Throttled: load / 8}
			tenants[i] = append(tenants[i], sums)
			p.VShards = append(p.VShards, policy.VShardSums{VShard: table.VShard(tenant(i), []byte("k")), Sums: sums})
		}
		slices.SortFunc(p.VShards, func(a, b policy.VShardSums) int { return int(a.VShard - b.VShard) })
		panes = append(panes, p)
		s := &policy.Snapshot{
			Fleet: "a\xff", Table: table, LogPoint: policy.LogPointClient, Pane: 10 * time.Second, Panes: panes[max(0, k-29):],
			Inputs: policy.Inputs{Coverage: 1, Sampling: policy.SamplingNone, Tenants: true, Keys: true, Ops: true, Lag: time.Second},
		}
		for i := range tenants {
			name, its := string(tenant(i)), slices.Clone(tenants[i][max(0, k-29):])
			v := table.VShard(tenant(i), []byte("k"))
			s.Keys = append(s.Keys, policy.Contributor{Key: "k", Tenant: name, TenantShare: 1, VShard: v, Panes: its})
			s.Tenants = append(s.Tenants, policy.Contributor{Tenant: name, VShard: routing.NoVShard, Panes: its})
			s.Pairs = append(s.Pairs, policy.Pair{Tenant: name, Shard: table.Owner(v), Panes: its})
		}
		out = append(out, tickOf(s, cfg, &st, p.Start.Add(16*time.Second)))
	}
	return out
}

func tenant(i int) []byte { return fmt.Appendf(nil, "t-%02d", i) }

func config(capacity policy.Capacity) *policy.Config {
	cfg := policy.Default()
	cfg.Capacity = capacity
	return &cfg
}

func unchanged(*routing.Document) {}

// TestMinutes: a minute holds what its six panes hold, shard by shard and name by name.
func TestMinutes(t *testing.T) {
	judged := story(t, 43, config(policy.Capacity{Total: 1000}), unchanged)
	s := NewSummary(nil)
	var got []Minute
	for i := range judged {
		made := s.Judged(&judged[i])
		if want := i > 0 && (i+1)%6 == 0; (len(made) == 1) != want {
			t.Fatalf("after pane %d: %d minutes", i, len(made))
		}
		got = append(got, made...)
	}
	if len(got) != 7 {
		t.Fatalf("%d minutes", len(got))
	}
	for n := range got {
		m := &got[n]
		if m.Fleet != "a\xff" || !m.Start.Equal(noon().Add(time.Duration(n)*time.Minute)) || m.Covered != time.Minute || m.Lag != time.Second ||
			m.Coverage != 1 || m.Keys != 7 || m.Tenants != 3 || m.Blind {
			t.Errorf("minute %d: %+v", n, m)
		}
		checkLoads(t, m, &judged[6*n+5])
		if full := n >= 4; (len(m.Peaks) == 30) != full || !full && m.Peaks != nil {
			t.Errorf("minute %d: %d peaks", n, len(m.Peaks))
		}
	}
	m, last := &got[6], judged[41].Snapshot
	want := 0.0
	for _, p := range last.Tenants[29].Panes {
		want += p.Load
	}
	if p := m.Peaks[0]; p.Tenant != "t-29" || math.Abs(p.Rate-want/300) > 1e-4 {
		t.Errorf("peak %+v, want t-29 with %v", p, want/300)
	}
	if len(m.Top) != TopNames || m.Top[0].Tenant != "t-29" || m.Top[19].Tenant != "t-10" || len(m.TopKeys) != TopNames {
		t.Errorf("top %+v", m.Top)
	}
	if k := m.TopKeys[0]; k.Key != "k" || k.Tenant != "t-29" || k.Share.Low >= k.Share.Value || k.Share.High <= k.Share.Value || math.Abs(k.Share.Value-k.Load/m.Load) > 1e-6 {
		t.Errorf("heaviest key %+v of %v", k, m.Load)
	}
}

// checkLoads compares a minute with the newest six panes of the tick that ended it.
func checkLoads(t *testing.T, m *Minute, tick *Tick) {
	t.Helper()
	s := tick.Snapshot
	want := make([]Shard, 4)
	all := 0.0
	for _, p := range s.Panes[len(s.Panes)-6:] {
		for _, v := range p.VShards {
			of := &want[s.Table.Owner(v.VShard)]
			of.Load += v.Load / 60
			of.Reads += v.Reads / 60
			of.Writes += v.Writes / 60
			of.Throttled += v.Throttled / 60
			all += v.Load / 60
		}
	}
	hottest := 0.0
	for i := range want {
		of := &want[i]
		of.Name, of.Role, of.Capacity, of.Line, of.Critical, of.Full = fmt.Sprintf("shard-%d", i), routing.Serving, 1000, 700, 800, of.Load/700
		hottest = max(hottest, of.Load)
	}
	near := cmpopts.EquateApprox(1e-6, 1e-9)
	if diff := cmp.Diff(want, m.Shards, near); diff != "" {
		t.Errorf("%s (-want +got):\n%s", m.Start, diff)
	}
	if diff := cmp.Diff([]float64{all, all / 4, hottest, all * 60}, []float64{m.Load, m.Mean, m.Hottest, m.Samples}, near); diff != "" {
		t.Errorf("%s: fleet (-want +got):\n%s", m.Start, diff)
	}
}

// TestFailoverMakesTheSameMinutes: whoever took the memory over at any moment writes the same bytes, and who began later
// writes no minute that others write otherwise.
func TestFailoverMakesTheSameMinutes(t *testing.T) {
	judged := story(t, 25, config(policy.Capacity{}), unchanged)
	want := encoded(t, NewSummary(nil), judged)
	for at := range judged {
		first, second, cold := NewKeeper(Options{}), NewKeeper(Options{}), NewSummary(nil)
		got := encoded(t, first.summary, judged[:at])
		memory, err := first.Save()
		if err == nil {
			err = second.Load(memory)
		}
		if err != nil {
			t.Fatal(err)
		}
		for id, value := range encoded(t, second.summary, judged[at:]) {
			if got[id] != nil {
				t.Errorf("at %d: %s is made twice", at, id)
			}
			got[id] = value
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("at %d (-want +got):\n%s", at, diff)
		}
		for id, value := range encoded(t, cold, judged[at:]) {
			if !bytes.Equal(want[id], value) {
				t.Errorf("at %d: one without memory makes %s otherwise", at, id)
			}
		}
	}
}

func encoded(t *testing.T, s *Summary, judged []Tick) map[string][]byte {
	t.Helper()
	out := map[string][]byte{}
	for i := range judged {
		for _, m := range s.Judged(&judged[i]) {
			values, err := m.encode()
			if err != nil || len(values) != 1 {
				t.Fatalf("%d values, %v", len(values), err)
			}
			out[m.head().ID] = values[0]
		}
	}
	return out
}

// TestMinutesAfterAGap: panes that were not judged one by one still make their minutes, those that left the window do not,
// and only the newest has peaks.
func TestMinutesAfterAGap(t *testing.T) {
	judged := story(t, 72, config(policy.Capacity{}), unchanged)
	s := NewSummary(nil)
	for i := range 12 {
		s.Judged(&judged[i])
	}
	made := s.Judged(&judged[70]) // ends at 11:50 of the story: its window holds minutes 7 to 10, and the end of 6
	var starts []time.Duration
	for i := range made {
		starts = append(starts, made[i].Start.Sub(noon()))
		if (made[i].Peaks != nil) != (i == len(made)-1) {
			t.Errorf("minute %s has %d peaks", made[i].Start, len(made[i].Peaks))
		}
	}
	if want := []time.Duration{6 * time.Minute, 7 * time.Minute, 8 * time.Minute, 9 * time.Minute, 10 * time.Minute}; !slices.Equal(starts, want) {
		t.Errorf("minutes at %v, want %v", starts, want)
	}
	if made[0].Covered != 10*time.Second {
		t.Errorf("of the first %s are covered, want the one pane in the window", made[0].Covered)
	}
	if again := s.Judged(&judged[70]); again != nil {
		t.Errorf("judged again: %d minutes", len(again))
	}
}

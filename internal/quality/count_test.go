package quality

import (
	"bytes"
	"encoding/csv"
	"math"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"firebreak/policy"
	"firebreak/routing"
)

// logged is a hand-made fleet with one hot key, sampled and clumped.
func logged(t testing.TB, rate float64, clump int, byTrace bool) *Fleet {
	t.Helper()
	f := hand(t, 8, 400)
	f.heat("acme", 300, 0.25)
	f.Rate, f.Clump, f.ByTrace, f.Panes, f.Kind = rate, clump, byTrace, 400, KindWrittenKey
	return f
}

// TestCountsHaveTheRightMeanAndVariance counts 400 panes of the hot key and of a cold shard, and compares mean and
// variance with what the sampling promises: the design effect is the whole difference that clumps make.
func TestCountsHaveTheRightMeanAndVariance(t *testing.T) {
	for _, test := range []struct {
		rate    float64
		clump   int
		byTrace bool
		effect  float64
	}{{1, 1, false, 1}, {0.01, 1, false, 1}, {1, 6, false, 6}, {0.5, 6, false, 3.5}, {0.1, 6, true, 6}, {0.002, 10, false, 1.018}} {
		f := logged(t, test.rate, test.clump, test.byTrace)
		if got := f.DesignEffect(); math.Abs(got-test.effect) > 1e-9 {
			t.Errorf("design effect %v, want %v", got, test.effect)
		}
		c := newCounter(f, false)
		for range f.Panes {
			c.next()
		}
		hot := int32(len(f.Keys) - 1)
		checkCounts(t, "hot key", c, func(pane int) policy.Sums { return at(&c.keys[hot], pane) }, 300, test.effect)
		checkCounts(t, "cold shard", c, func(pane int) policy.Sums {
			var s policy.Sums
			for _, v := range c.panes[pane].VShards {
				if f.Table.Owner(v.VShard) == 5 {
					plus(&s, v.Sums)
				}
			}
			return s
		}, 400, test.effect)
	}
}

func at(x *cells, pane int) policy.Sums {
	for i, p := range x.panes {
		if int(p) == pane {
			return x.sums[i]
		}
	}
	return policy.Sums{}
}

// checkCounts compares with the exact rate in requests/s, within 5 standard errors.
func checkCounts(t *testing.T, what string, c *counter, of func(pane int) policy.Sums, rate, effect float64) {
	t.Helper()
	n, want := float64(c.f.Panes), rate*Pane.Seconds()
	weight := 1 / c.f.Rate
	var stated float64
	i := 0
	mean, variance := moments(c.f.Panes, func() float64 {
		s := of(i)
		i++
		if got := s.Reads + s.Writes; math.Abs(got-s.Load) > 1e-6 {
			t.Fatalf("%s: reads and writes %v of %v", what, got, s.Load)
		}
		stated += s.Variance / n
		return s.Load
	})
	if off := math.Abs(mean-want) / math.Sqrt(want*weight*effect/n); off > 5 {
		t.Errorf("%s, rate %v, clumps of %d: mean %v, want %v (%.1f standard errors)", what, c.f.Rate, c.f.Clump, mean, want, off)
	}
	if off := math.Abs(variance/(want*weight*effect)-1) / math.Sqrt(2/n+effect*weight/want/n); off > 5 {
		t.Errorf("%s, rate %v, clumps of %d: variance %v, want %v", what, c.f.Rate, c.f.Clump, variance, want*weight*effect)
	}
	// The variance that a log states knows nothing of clumps: W + W^2 (1 - rate) a record is W^2 rate + W^2 (1 - rate).
	if math.Abs(stated/(mean*weight)-1) > 1e-9 {
		t.Errorf("%s: the stated variance is %v a pane, want %v", what, stated, mean*weight)
	}
}

// TestListsHoldWhatWasCounted compares a tracked shard's virtual shards with its keys and its tenants, pane by pane.
func TestListsHoldWhatWasCounted(t *testing.T) {
	f := logged(t, 0.5, 3, false)
	c := newCounter(f, false)
	for range 40 {
		c.next()
	}
	s := c.snapshot()
	if len(s.Panes) != longPanes {
		t.Fatalf("%d panes, want %d", len(s.Panes), longPanes)
	}
	for pane := range longPanes {
		var byVShard, byKey, byTenant float64
		for _, v := range s.Panes[pane].VShards {
			if f.Table.Owner(v.VShard) == 0 {
				byVShard += v.Load
			}
		}
		for i := range s.Keys {
			if f.Table.Owner(s.Keys[i].VShard) == 0 {
				byKey += paneLoad(s.Keys[i].Panes, pane)
			}
		}
		for i := range s.Pairs {
			if s.Pairs[i].Shard == 0 {
				byTenant += paneLoad(s.Pairs[i].Panes, pane)
			}
		}
		if math.Abs(byVShard-byKey) > 1e-6 || math.Abs(byVShard-byTenant) > 1e-6 {
			t.Errorf("pane %d: %v by virtual shard, %v by key, %v by tenant", pane, byVShard, byKey, byTenant)
		}
	}
}

// paneLoad is the load of one of the long window's panes in a list that may lack the oldest.
func paneLoad(panes []policy.Sums, pane int) float64 {
	if i := pane - (longPanes - len(panes)); i >= 0 {
		return panes[i].Load
	}
	return 0
}

// TestMark picks the heaviest, and of equal ones the first.
func TestMark(t *testing.T) {
	for _, test := range []struct {
		counts []int
		n      int
		want   []bool
	}{
		{[]int{5, 0, 1, 9}, 10, []bool{true, false, true, true}},
		{[]int{5, 1, 1, 9, 1}, 3, []bool{true, true, false, true, false}},
		{[]int{5000, 9000, 7000}, 2, []bool{true, true, false}},
		{[]int{1, 1, 1}, 0, []bool{false, false, false}},
	} {
		got := make([]bool, len(test.counts))
		mark(got, test.counts, test.n)
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("mark(%v, %d) (-want +got):\n%s", test.counts, test.n, diff)
		}
	}
}

// TestRecords writes a log record by record and counts it again.
func TestRecords(t *testing.T) {
	f := handPlaced(t, 8, 4, routing.Placement{Map: routing.Explicit, TenantKeys: true})
	f.Keys = nil
	f.heat("acme", 20, 0.25)
	f.Rate, f.Clump, f.Panes, f.Onset = 0.5, 4, 90, 7*60*1e9+3*1e9
	f.Keys[0].Before = 0
	var out, again bytes.Buffer
	for _, w := range []*bytes.Buffer{&out, &again} {
		if err := WriteRecords(w, f); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(out.Bytes(), again.Bytes()) {
		t.Error("two logs of one fleet differ")
	}
	rows, err := csv.NewReader(&out).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(recordHeader(), rows[0]); diff != "" {
		t.Errorf("header (-want +got):\n%s", diff)
	}
	onset := start().Add(f.Onset).UnixMilli()
	last := int64(0)
	for _, row := range rows[1:] {
		ms, err := strconv.ParseInt(row[0], 10, 64)
		if err != nil || ms < last || ms < onset {
			t.Fatalf("record at %s after %d, onset %d: %v", row[0], last, onset, err)
		}
		last = ms
		if row[1] != "acme" || row[5] != "0.5" || row[6] != "shard-0" {
			t.Fatalf("record %v", row)
		}
	}
	seconds := (15*60 - 7*60 - 3) * 1.0
	want := 20 * 0.5 * seconds
	if off := math.Abs(float64(len(rows)-1)-want) / math.Sqrt(want*f.DesignEffect()); off > 5 {
		t.Errorf("%d records, want about %v", len(rows)-1, want)
	}
}

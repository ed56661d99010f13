package pipeline

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"firebreak/pipeline/record"
	"firebreak/policy"
	"firebreak/routing"
)

// t0 is a moment at which a pane of ten seconds starts.
func t0() time.Time { return time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC) }

// at is a record of one request, some time after t0.
func at(after time.Duration, tenant, key string) *record.Record {
	r := &record.Record{Time: t0().Add(after).UnixNano(), Count: 1, Op: record.OpRead}
	if tenant != "" {
		r.Tenant, r.FullTenant = []byte(tenant), []byte(tenant)
	}
	if key != "" {
		r.Key, r.FullKey = []byte(key), []byte(key)
	}
	return r
}

// tester is what a test and a property have in common.
type tester interface {
	Helper()
	Fatal(args ...any)
}

// newTestFleet makes a fleet of four shards placed by key; change may say otherwise.
func newTestFleet(t tester, change func(*Config)) *Fleet {
	t.Helper()
	c := DefaultConfig("orders")
	c.Document = adopt(t, routing.Placement{Bytes: "key", Function: routing.XXH64, Map: routing.ModN}, 4)
	if change != nil {
		change(&c)
	}
	window, pieces, _, err := NewCounters(c, 1)
	if err != nil {
		t.Fatal(err)
	}
	f, err := NewFleet(c, window, pieces)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func adopt(t tester, p routing.Placement, shards int) *routing.Document {
	t.Helper()
	d, err := routing.Adopt("orders", p, routing.NumberedShards(shards))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// drainPanes closes what is complete and returns the ends of the closed panes and the last snapshot.
func drainPanes(t tester, f *Fleet) (ends []time.Duration, last *policy.Snapshot) {
	t.Helper()
	for f.Advance() {
		s, err := f.Snapshot()
		if err != nil {
			t.Fatal(err)
		}
		last = s
		ends = append(ends, s.Panes[len(s.Panes)-1].Start.Add(s.Pane).Sub(t0()))
	}
	return ends, last
}

func loadOf(panes []policy.Pane) (load float64) {
	for _, p := range panes {
		for _, v := range p.VShards {
			load += v.Load
		}
	}
	return load
}

// TestPaneCloses: a pane closes five seconds of event time after its end, not before, and the tick's now is that moment.
func TestPaneCloses(t *testing.T) {
	f := newTestFleet(t, nil)
	for _, after := range []time.Duration{0, 3, 9, 14} {
		f.Observe(0, at(after*time.Second, "t", "k"))
	}
	if f.Advance() {
		t.Fatal("the pane closed before the allowed disorder was over")
	}
	f.Observe(0, at(15*time.Second, "t", "k"))
	ends, s := drainPanes(t, f)
	if diff := cmp.Diff([]time.Duration{10 * time.Second}, ends); diff != "" {
		t.Errorf("closed (-want +got):\n%s", diff)
	}
	if got, want := f.Now(), t0().Add(15*time.Second); !got.Equal(want) {
		t.Errorf("now = %v, want %v", got, want)
	}
	if got := loadOf(s.Panes); got != 3 {
		t.Errorf("load = %v, want 3: the record at 14 s belongs to an open pane", got)
	}
	f.Close()
	if ends, _ = drainPanes(t, f); len(ends) != 1 {
		t.Errorf("the end of the input closed %v, want the last pane", ends)
	}
}

// TestDisorder: a record goes to the pane of its own time while that is in the ring, closed or not; then it is late.
func TestDisorder(t *testing.T) {
	f := newTestFleet(t, func(c *Config) { c.Window = time.Minute })
	f.Observe(0, at(0, "t", "k"))
	for s := range 100 {
		f.Observe(0, at(time.Duration(s)*time.Second, "t", "k"))
		drainPanes(t, f)
	}
	f.Observe(0, at(45*time.Second, "t", "straggler"))
	f.Observe(0, at(5*time.Second, "t", "too late"))
	f.Close()
	_, s := drainPanes(t, f)
	if got := f.Stats(); got.Late != 1 || got.Counted != 102 {
		t.Errorf("late %d, counted %d; want 1 and 102", got.Late, got.Counted)
	}
	for _, k := range s.Keys {
		if k.Key == "straggler" && k.Panes[0].Load == 1 && len(k.Panes) == 6 {
			return
		}
	}
	t.Errorf("the straggler does not stand in the pane of 40 s: %+v", s.Keys)
}

// TestIdlePartition: a partition that is silent stops time for a minute, not longer; one that ended stops nothing.
func TestIdlePartition(t *testing.T) {
	f := newTestFleet(t, nil)
	f.Observe(0, at(0, "t", "k"))
	f.Observe(1, at(time.Second, "t", "k"))
	f.Observe(0, at(2*time.Second, "t", "k"))
	for s := 3; s <= 60; s++ {
		f.Observe(0, at(time.Duration(s)*time.Second, "t", "k"))
	}
	if f.Advance() {
		t.Error("a pane closed although partition 1 stands still since a second")
	}
	f.Observe(0, at(62*time.Second, "t", "k"))
	if ends, _ := drainPanes(t, f); len(ends) != 5 {
		t.Errorf("closed %v, want the five panes up to 50 s", ends)
	}
	f = newTestFleet(t, nil)
	f.Observe(0, at(0, "t", "k"))
	f.Observe(1, at(time.Second, "t", "k"))
	f.Observe(0, at(16*time.Second, "t", "k"))
	f.End(1)
	if ends, _ := drainPanes(t, f); len(ends) != 1 {
		t.Errorf("closed %v, want one pane: partition 1 is over", ends)
	}
}

// TestUncounted: weights that are no number of requests change nothing (S10).
func TestUncounted(t *testing.T) {
	f := newTestFleet(t, func(c *Config) { c.Rate = 0.001 })
	for _, count := range []float64{0, -1, math.NaN(), math.Inf(1), 1e300, record.MaxRequests} {
		r := at(0, "t", "k")
		r.Count = count
		f.Observe(0, r)
	}
	f.Close()
	if f.Advance() && f.Stats().Counted != 0 {
		t.Errorf("something was counted: %+v", f.Stats())
	}
	if got := f.Stats(); got.Refused != 4 || got.TooHeavy != 2 {
		t.Errorf("refused %d and too heavy %d, want 4 and 2", got.Refused, got.TooHeavy)
	}
}

// TestSums: what one record adds, at full count and sampled, by each cost.
func TestSums(t *testing.T) {
	for _, tt := range []struct {
		cost Cost
		op   record.Op
		want policy.Sums
	}{
		{CostRequests, record.OpRead, policy.Sums{Load: 200, Variance: 200 + 200*200*.99, Records: 1, Reads: 200}},
		{CostRequests, record.OpUnknown, policy.Sums{Load: 200, Variance: 200 + 200*200*.99, Records: 1}},
		{CostBytes, record.OpWrite, policy.Sums{Load: 200 * 5120, Variance: 5120 * 5120 * (200 + 200*200*.99), Records: 1, Writes: 200 * 5120}},
		{CostLatency, record.OpRead, policy.Sums{Load: 200 * .25, Variance: .0625 * (200 + 200*200*.99), Records: 1, Reads: 200 * .25}},
		{CostDynamoDB, record.OpRead, policy.Sums{Load: 400, Variance: 4 * (200 + 200*200*.99), Records: 1, Reads: 400}},
		{CostDynamoDB, record.OpWrite, policy.Sums{Load: 1000, Variance: 25 * (200 + 200*200*.99), Records: 1, Writes: 1000}},
	} {
		f := newTestFleet(t, func(c *Config) { c.Cost = tt.cost })
		r := at(0, "t", "k")
		r.Count, r.Rate, r.Op, r.Bytes, r.Latency, r.Throttled = 2, 0.01, tt.op, 5120, 250_000, tt.op == record.OpWrite
		f.Observe(0, r)
		f.Close()
		_, s := drainPanes(t, f)
		if tt.op == record.OpWrite {
			tt.want.Throttled = tt.want.Load
		}
		near := cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) <= 1e-9*math.Max(a, b)+.5 })
		if diff := cmp.Diff(tt.want, s.Panes[0].VShards[0].Sums, near); diff != "" {
			t.Errorf("%s of a %s (-want +got):\n%s", tt.cost, tt.op, diff)
		}
		if diff := cmp.Diff([]policy.Sums{tt.want}, s.Keys[0].Panes, near); diff != "" {
			t.Errorf("key, %s of a %s (-want +got):\n%s", tt.cost, tt.op, diff)
		}
	}
}

// TestSaturatedVariance: a variance that saturated leaves the evidence of one sample, not that of many.
func TestSaturatedVariance(t *testing.T) {
	f := newTestFleet(t, nil)
	for range 3 {
		r := at(0, "t", "k")
		r.Count, r.Rate = 1<<30, .5
		f.Observe(0, r)
	}
	f.Close()
	_, s := drainPanes(t, f)
	if got := s.Panes[0].VShards[0].Sums; got.Variance < got.Load*got.Load*.999 {
		t.Errorf("load %v with variance %v: looks like %v samples", got.Load, got.Variance, got.Load*got.Load/got.Variance)
	}
}

// TestNothingIsLost: whatever times the records of several partitions claim, each one is counted, late, future or
// refused, once; and every counted record of the last window stands in the snapshot.
func TestNothingIsLost(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		whole := rapid.Bool().Draw(t, "whole")
		f := newTestFleet(t, func(c *Config) { c.Window, c.Whole = time.Minute, whole })
		now := time.Duration(0)
		n := rapid.IntRange(1, 150).Draw(t, "records")
		for i := range n {
			now += time.Duration(rapid.SampledFrom([]int{0, 1, 1, 2, 7, 45, 400, 90_000}).Draw(t, "step")) * time.Second
			when := now + time.Duration(rapid.SampledFrom([]int{0, 0, 0, 0, -3, -70, 25, 3600, 86_400, -86_400_000}).Draw(t, "off"))*time.Second
			r := at(when, "t", fmt.Sprint("k", i%7))
			if rapid.IntRange(0, 30).Draw(t, "timeless") == 0 && i > 0 {
				r.Time = record.NoTime
			}
			f.Observe(rapid.IntRange(0, 2).Draw(t, "partition"), r)
			drainPanes(t, f)
		}
		f.Close()
		_, last := drainPanes(t, f)
		s := f.Stats()
		if s.Records != uint64(n) || s.Counted+s.Late+s.Future+s.Refused+s.TooHeavy != s.Records {
			t.Fatalf("%d records: %+v", n, s)
		}
		if last == nil {
			return
		}
		var keys float64
		for _, k := range last.Keys {
			for _, p := range k.Panes {
				keys += p.Load
			}
		}
		if load := loadOf(last.Panes); keys != load || whole && load != float64(s.Counted) {
			t.Fatalf("%v in the keys, %v in the vshards, %d counted", keys, load, s.Counted)
		}
		if len(last.Panes) > maxWholePanes {
			t.Fatalf("%d panes", len(last.Panes))
		}
	})
}

package policy

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"firebreak/routing"
)

// TestPlanWantsFewer: what is drafted on the first panes of a hotspot may ask for a shard more than it takes, since little is known of it
// then. When the spares do, the plan is for those: nobody waits for a shard that nobody needs.
func TestPlanWantsFewer(t *testing.T) {
	fell := 0
	for seed := range uint64(5) {
		f := newTestFleet(t, 16, "key")
		for shard := range 16 {
			f.streams = append(f.streams, f.keysOn(shard, 40, "calm", 6000, 0)...)
		}
		f.streams = append(f.streams, f.keysOn(3, 60, "busy", 9500, 12)...)
		doc := f.table.Document().Clone()
		doc.Shards = append(doc.Shards, routing.Shard{Name: "spare-0", Role: routing.Spare})
		table, err := routing.NewTable(doc)
		if err != nil {
			t.Fatal(err)
		}
		f.table, f.sample, f.rng, f.cfg.Capacity.Total = table, 0.001, rand.New(rand.NewPCG(seed, 1)), 10000
		var wanted []int
		for range 42 {
			if d := f.tick(); len(d.Plans) == 1 && d.Plans[0].Fix == FixScaleOut {
				wanted = append(wanted, len(d.Plans[0].Added))
			}
		}
		if len(wanted) == 0 || wanted[len(wanted)-1] != slices.Min(wanted) {
			t.Errorf("seed %d: shards that it wants: %v", seed, wanted)
		}
		if len(wanted) > 0 && slices.Max(wanted) > slices.Min(wanted) {
			fell++
		}
	}
	if fell == 0 {
		t.Error("no first plan wanted more than the last: this shows nothing")
	}
}

// keysOn lists n keys that the table puts on the shard, rate requests/s in all.
func (f *testFleet) keysOn(shard, n int, prefix string, rate float64, from int) []stream {
	var out []stream
	for i := 0; len(out) < n; i++ {
		key := fmt.Sprintf("%s%d", prefix, i)
		if int(f.table.Owner(f.table.VShard(nil, []byte(key)))) == shard {
			out = append(out, stream{tenant: "of-" + key, key: key, rate: rate / float64(n), reads: 0.5, from: from})
		}
	}
	return out
}

package policy

import (
	"strings"
	"testing"

	"firebreak/routing"
)

// TestBeyond: of a fix it is said which other shard it leaves over its line: one that was over it before, one whose line is of a capacity,
// and one whose line fell; the one furthest over, and none that may be over it by chance.
func TestBeyond(t *testing.T) {
	for _, tc := range []struct {
		name     string
		capacity float64
		now      []float64 // load/s by shard
		then     []float64
		want     string
	}{
		{"none", 0, []float64{1000, 100, 100, 100}, []float64{100, 100, 100, 100}, ""},
		{"over before", 0, []float64{1000, 900, 100, 100}, []float64{100, 900, 100, 100}, "another shard, shard-1, which is over its line too, then bears 900/s, 3× the mean"},
		{"the line falls", 0, []float64{1000, 300, 100, 100}, []float64{100, 300, 100, 100}, "another shard, shard-1, is then over the line, which falls with the mean: it bears 300/s, 2× the mean of then"},
		{"the worst of two", 0, []float64{2000, 300, 310, 100, 100, 100, 100, 100}, []float64{100, 300, 310, 100, 100, 100, 100, 100}, "another shard, shard-2, is then"},
		{"a capacity", 1000, []float64{900, 600, 100, 100}, []float64{200, 800, 100, 100}, "another shard, shard-1, then bears 800/s, over its line of 700/s"},
		{"a capacity that does not fall", 1000, []float64{900, 600, 100, 100}, []float64{100, 600, 100, 100}, ""},
		{"by chance", 0, []float64{1000, 156, 100, 100}, []float64{100, 156, 50, 100}, ""},
	} {
		f := newTestFleet(t, len(tc.now), "key")
		f.cfg.Capacity.Total = tc.capacity
		v := &view{s: &Snapshot{Table: f.table}, cfg: &f.cfg, serving: []routing.ShardID{0, 1, 2, 3, 4, 5, 6, 7}[:len(tc.now)]}
		e := &evidence{v: v, w: span{seconds: 10, shards: make([]amount, len(tc.now))}}
		for i, load := range tc.now {
			e.w.shards[i] = amount{10 * load, 10 * load}
			e.w.total = e.w.total.plus(e.w.shards[i])
		}
		p := e.measure(f.table.Document(), tc.then)
		if got := e.beyond(f.table.Document(), &p); got != tc.want && (tc.want == "" || !strings.HasPrefix(got, tc.want)) {
			t.Errorf("%s\ngot  %s\nwant %s", tc.name, got, tc.want)
		}
	}
}

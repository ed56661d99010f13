package policy

import (
	"testing"
	"time"

	"firebreak/routing"
)

// TestCompareBesideACache: the reads that a cache answers are no load of a salt's pieces, where clients log them still; what shards log is
// taken as it is.
func TestCompareBesideACache(t *testing.T) {
	f := newTestFleet(t, 4, "key", even(400, 8000)...)
	f.run(30)
	s := f.snapshot()
	c := &s.Keys[0]
	home := f.table.Owner(c.VShard)
	for i := range c.Panes { // a hot key of 4,000/s, nine in ten of them reads
		c.Panes[i] = linesOf(400, 0.01, 0.9)
		for v := range s.Panes[i].VShards {
			if at := &s.Panes[i].VShards[v]; at.VShard == c.VShard {
				at.Sums = at.plus(c.Panes[i])
			}
		}
	}
	plain := f.table.Document()
	cached := plain.Clone()
	cached.Cached = []routing.CachedKey{{Key: c.Key, Staleness: time.Second}}
	compare := func(is *routing.Document) float64 {
		t.Helper()
		got, err := Compare(s, &f.cfg, plain, is)
		if err != nil {
			t.Fatal(err)
		}
		if got.Before[home] != got.After[home] {
			t.Errorf("a cache is no table's: %.2f and %.2f", got.Before[home], got.After[home])
		}
		return got.After[home]
	}
	s.LogPoint = LogPointClient
	before := s.Keys[0].Panes[0]
	with, without := compare(cached), compare(plain)
	if with > 0.7*without {
		t.Errorf("its shard is at %.2f with the cache, and at %.2f without", with, without)
	}
	if s.Keys[0].Panes[0] != before {
		t.Error("the snapshot was changed")
	}
	if s.LogPoint = LogPointShard; compare(cached) != without {
		t.Error("what a shard has served is not taken as it is")
	}
}

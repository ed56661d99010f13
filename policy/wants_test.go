package policy

import "testing"

// TestWants: capacity is asked for where most shards are warm and no fix sees to it, or where all fixes leave more than the shards may
// bear together; not before the verdicts are there that may see to it.
func TestWants(t *testing.T) {
	for _, tc := range []struct {
		n    wants
		want string
	}{
		{wants{}, ""},
		{wants{shards: 4, warm: 2, load: 100, target: 80}, ""},
		{wants{shards: 4, warm: 3, load: 90, target: 100}, "3 of 4 shards are over their target: the fleet is evenly hot and wants capacity"},
		{wants{shards: 8, warm: 6, seen: 1, load: 90, target: 100}, "5 of 8 shards are over their target, beside those that their fixes cool: the fleet is evenly hot and wants capacity"},
		{wants{shards: 8, warm: 6, seen: 2, load: 90, target: 100}, ""},
		{wants{shards: 8, warm: 6, seen: 2, load: 101, target: 100}, "all 8 shards together bear 101/s and may bear 100/s, whatever fixes move: the fleet wants capacity"},
		{wants{shards: 8, warm: 6, seen: 2, pending: 2, load: 101, target: 100}, ""},
	} {
		if got := tc.n.reason(); got != tc.want {
			t.Errorf("%+v\ngot  %s\nwant %s", tc.n, got, tc.want)
		}
	}
}

// TestTakesOff: a split and a salt leave the fleet what it bears; a cache takes off what it answers, of a projection that is old by its part.
func TestTakesOff(t *testing.T) {
	for _, tc := range []struct {
		fix   Fix
		stale bool
		want  float64
	}{{FixSplit, false, 0}, {FixSalt, true, 0}, {FixCache, false, 600}, {FixCache, true, 450}, {FixIsolate, false, 600}} {
		p := Plan{Fix: tc.fix, Load: 600, Projection: Projection{Shard: 300}}
		if got := p.takesOff(900, tc.stale); got != tc.want {
			t.Errorf("%s, stale %v: %v, want %v", tc.fix, tc.stale, got, tc.want)
		}
	}
}

package scenario

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"firebreak/policy"
)

// shuffled is the snapshot with all its lists in another order.
func shuffled(t *rapid.T, s *policy.Snapshot) *policy.Snapshot {
	out := *s
	out.Keys = rapid.Permutation(s.Keys).Draw(t, "keys")
	out.Tenants = rapid.Permutation(s.Tenants).Draw(t, "tenants")
	out.Pairs = rapid.Permutation(s.Pairs).Draw(t, "pairs")
	out.Panes = slices.Clone(s.Panes)
	for i := range out.Panes {
		out.Panes[i].VShards = slices.Clone(s.Panes[i].VShards)
		slices.Reverse(out.Panes[i].VShards)
	}
	return &out
}

// TestEvaluateIsBlindToOrder: the same inputs give the same decision, and the order in which keys, tenants, pairs and virtual
// shards are listed changes nothing, at the tick at which something fires.
func TestEvaluateIsBlindToOrder(t *testing.T) {
	for name, story := range map[string]string{
		"hot key":      "fleet shards=8\nvolume rest rate=8000 keys=80\nkey K rate=3000 reads=20%",
		"two keys":     "fleet shards=8\nvolume rest rate=8000 keys=80\nkey K rate=3000 shard=3\nkey L rate=3000 shard=3",
		"warm keys":    "fleet shards=8\nvolume rest rate=8000 keys=80\nkey a rate=500 shard=3\nkey b rate=500 shard=3\nkey c rate=500 shard=3",
		"whale":        "fleet shards=8 place=tenant spare=1\nvolume rest rate=8000 keys=80\ntenant T rate=3000 keys=40",
		"volume":       "fleet shards=8\nvolume rest rate=8000 keys=80\nvolume V rate=2000 keys=40 shard=2",
		"sampled":      "fleet shards=8\ndraw poisson seed=3\nvolume rest rate=80000 keys=80 sample=1:100\nkey K rate=30000 sample=1:100",
		"evenly hot":   "fleet shards=4 capacity=1000\nvolume rest rate=3600 keys=80",
		"read capped":  "fleet shards=4 reads=1000 writes=200\nvolume rest rate=2000 keys=80 reads=90%\nkey K rate=400",
		"log of shard": "fleet shards=8 log=shard\nsalt K suffixes=(1, 2)\nvolume rest rate=8000 keys=80\nkey K rate=9000 skew=70%",
	} {
		t.Run(name, func(t *testing.T) {
			f, before, fired := untilFiring(t, story, 30)
			if !fired {
				t.Fatal("nothing fired")
			}
			now, options := f.core.Now(), cmpopts.EquateEmpty()
			want, state := policy.Evaluate(f.last, &f.judge, before, now)
			if len(want.Verdicts) == 0 {
				t.Fatal("the second look at the tick says nothing")
			}
			rapid.Check(t, func(t *rapid.T) {
				got, after := policy.Evaluate(shuffled(t, f.last), &f.judge, before, now)
				if diff := cmp.Diff(want, got, options); diff != "" {
					t.Fatalf("decision (-in order +shuffled):\n%s", diff)
				}
				if diff := cmp.Diff(state, after, options); diff != "" {
					t.Fatalf("state (-in order +shuffled):\n%s", diff)
				}
			})
		})
	}
}

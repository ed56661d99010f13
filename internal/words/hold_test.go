package words

import (
	"strings"
	"testing"

	"firebreak/internal/line"
	"firebreak/policy"
)

// salted is a hot key with a salt that would do.
func salted(held ...line.Hold) *Told {
	t := whale()
	t.Cause, t.Key, t.Tenant, t.Fix, t.Caller, t.Contributors = "hot_key", "k", "shop", "salt", "", nil
	t.Projections = []line.Projection{{Fix: "salt", Shard: 200, Feasible: true, Salt: 3, KeyReadMultiplier: 3}}
	t.Plan, t.Held = &line.Plan{Projection: line.Projection{Fix: "salt"}, Steps: []line.Step{{Kind: "salt"}}}, held
	return t
}

// TestBarred: while a hold stands that no approval lifts, the sentence, what to do and the pill say not to make the fix, why, and what
// comes first, and nobody is told to decide; a hold that keeps firebreak alone from it leaves the fix as it is, and says who makes it where.
func TestBarred(t *testing.T) {
	merge := line.Hold{Reason: "value_does_not_merge", Detail: `the key space "c:" declares no merge: pieces could not be read as one`}
	observe := line.Hold{Reason: "observe_mode", Detail: "firebreak does not carry out this fix"}
	blocked := salted(observe, merge)
	for _, tt := range []struct{ got, want string }{
		{flat(blocked.Do()), `Do not salt the key "k" yet: the key space "c:" declares no merge: pieces could not be read as one. An approval does not lift this; first declare how its values merge (merge of the key space), if they do. After that: Salt the key "k" over 3 pieces on distinct shards. It takes the shard from 300/s to 200/s, under the target of 260/s. A salt works only where the key’s values merge (counter, append, set, max), and once all who write or read it find its pieces by the table. Relief comes at once when the applications that read the key, and then those that write it, run with it.`},
		{flat(blocked.Sentence(false, false)), `Shard "s1" bears 300 writes/s, 3× the mean shard: one key, "k", is 50 % of its load. Do not salt the key "k" yet: the key space "c:" declares no merge: pieces could not be read as one.`},
		{blocked.Pill(&blocked.Projections[0]), "fits, blocked"},
		{flat(blocked.Next()), ""},
	} {
		if tt.got != tt.want {
			t.Errorf("got  %s\nwant %s", tt.got, tt.want)
		}
	}
	free := salted(observe)
	free.Owner = "shop team"
	for _, tt := range []struct{ got, want string }{
		{flat(free.Advised()), `Salt the key "k" over 3 pieces on distinct shards.`},
		{free.Pill(&free.Projections[0]), "the fix"},
		{flat(free.Next()), `"shop team" decides and does it in the applications that write and read the key; firebreak changed nothing (observe mode).`},
	} {
		if tt.got != tt.want {
			t.Errorf("got  %s\nwant %s", tt.got, tt.want)
		}
	}
}

// TestEveryHold: a hold bars a fix if policy says that it blocks, and says then what comes first.
func TestEveryHold(t *testing.T) {
	for _, r := range policy.HoldReasons() {
		told := salted(line.Hold{Reason: r.String(), Detail: "why"})
		if barred := told.Barred() != nil; barred != r.Blocks() || strings.HasPrefix(flat(told.Do()), "Do not salt") != barred || (told.Next() == nil) != barred {
			t.Errorf("%s: barred %v: %s", r, barred, flat(told.Do()))
		}
	}
	for _, r := range []policy.HoldReason{policy.HoldObserve, policy.HoldApprovalMissing, policy.HoldApprovalExpired, policy.HoldBudget, policy.HoldOutsideWindow, policy.HoldCoolDown, policy.HoldNotRouted} {
		if r.Blocks() {
			t.Errorf("%s bars a fix, and a person may make it", r)
		}
	}
}

// TestRefused: what to do says whom the fix refuses and until when, and of what a caller is limited; each fix that was not taken has a
// pill that says no more than is proven.
func TestRefused(t *testing.T) {
	w := whale()
	w.Plan.Steps[0].Refused, w.Plan.Steps[0].Tenant, w.Plan.Steps[1].Tenant = 180, "mega", "mega"
	if got, want := flat(w.Do()), ` This refuses 180/s of "mega" until the quota is lifted by hand, once its own shard bears it.`; !strings.Contains(got, want) {
		t.Errorf("%s\nlacks %s", got, want)
	}
	if got := strings.Join(w.Costs(), "; "); !strings.HasPrefix(got, "refuses 180/s of mega until the quota is lifted by hand, once its own shard bears it; ") {
		t.Error(got)
	}
	if got, want := flat(Lift(w.Plan)), `lift the quota of tenant "mega" by hand, once its shard bears it: it refuses until then`; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	w.Plan.Steps[1].Tenant = "other"
	if got := Lift(w.Plan); got != nil || Lift(nil) != nil {
		t.Errorf("a quota that nobody else takes the place of: %s", flat(got))
	}
	c := salted()
	c.Fix, c.Caller, c.Contributors = "limit_caller", "batch", []line.Contributor{{Caller: "batch", CallerShare: 0.8}}
	c.Projections = []line.Projection{{Fix: "limit_caller", Shard: 200, Feasible: true, Rate: 40}}
	c.Plan.Projection.Fix, c.Plan.Steps = "limit_caller", []line.Step{{Kind: "limit_caller", Caller: "batch", Key: "k", Rate: 40, Refused: 80}}
	if got, want := flat(c.Do()), `Limit the caller "batch" to 40/s of the key "k": it sends 80 % of that. This refuses 80/s of "batch". It takes`; !strings.HasPrefix(got, want) {
		t.Errorf("%s\nwant %s", got, want)
	}
	if got, want := flat(c.Calling()), `The caller "batch" sends 80 % of it: that rests on what about 600 single requests would tell.`; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	u := whale()
	u.Cause, u.Fix = "unknown", "none"
	for _, tt := range []struct {
		told *Told
		p    line.Projection
		want string
	}{
		{u, line.Projection{Fix: "isolate", Feasible: true}, "not proven"},
		{w, line.Projection{Fix: "quota", Feasible: true}, "would do"},
		{w, line.Projection{Fix: "salt", Salt: 2, KeyReadMultiplier: 1, Feasible: true}, "with a cache"},
		{w, line.Projection{Fix: "split", Hottest: 300, Upper: 100}, "ruled out"},
		{w, line.Projection{Fix: "split", Hottest: 300, Upper: 400}, "fails"},
	} {
		if got := tt.told.Pill(&tt.p); got != tt.want {
			t.Errorf("%+v: %s, want %s", tt.p, got, tt.want)
		}
	}
}

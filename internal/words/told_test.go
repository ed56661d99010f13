package words

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"firebreak/internal/line"
)

func at() line.Stamp { return line.Stamp(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)) }

// whale is a verdict with all that a line can tell.
func whale() *Told {
	v := &line.Verdict{
		Head: line.NewHead("verdict", "orders", at()), Severity: "warning", Onset: at(), Shard: "s1", Placement: "explicit: the log names the shard", Cause: "whale_tenant", Tenant: "mega", Load: 300,
		Dimension: "writes", Mean: 100, Imbalance: 3, Capacity: 400, Line: 280, Target: 260, Share: line.Share{Value: 0.5, Low: 0.45, High: 0.55}, ReadShare: 0, Fix: "isolate", Samples: 1200, Coverage: 1,
		Window: line.Window{From: at(), To: line.Stamp(time.Time(at()).Add(time.Minute))}, Caller: "batch", Contributors: make([]line.Contributor, 2),
		Projections: []line.Projection{{Fix: "isolate", Shard: 150, Upper: 160, Feasible: true, MovedShare: 0.1}, {Fix: "split", Why: "one tenant stays together."}, {Fix: "quota", Feasible: true, Why: "it would refuse 40 /s"}, {Fix: "salt", Feasible: true, Why: "it would do as well, but it needs a cache as well"}},
	}
	plan := &line.Plan{Projection: line.Projection{Fix: "isolate"}, Steps: []line.Step{{Kind: "quota", Text: "a quota"}, {Kind: "place_tenant", Text: "a shard"}, {Kind: "move", Text: "move 3 vshards"}}}
	return &Told{Verdict: v, Plan: plan, Shards: 8}
}

func flat(p Phrase) string { return p.Quoted() }

// TestTold: what is said of a hotspot, question by question.
func TestTold(t *testing.T) {
	w := whale()
	would, fail := w.Others()
	for _, tt := range []struct{ got, want string }{
		{flat(w.Load()), "300 writes/s: 1.1× its line of 280/s, 3× the mean shard, 75 % of its capacity of 400/s."},
		{w.Grade(), "A warning."},
		{flat(w.Where()), `Shard "s1" of 8 shards in fleet "orders"; the log names the shard.`},
		{flat(w.Why()), `Whale tenant. The tenant "mega" is 50 % (45 % to 55 %) of the shard’s load, all of it writes; the caller "batch" sends most of it. It is one of 2 that have to be taken away until the shard is cool.`},
		{flat(w.Do()), `Give the tenant "mega" a quota now, then a shard of its own. Then: move 3 vshards. All 2 steps together take the shard from 300/s to 150/s (at most 160/s), under the target of 260/s. 10 % of the fleet’s load moves. Relief comes at once when the quota is in force, and for the tenant when its data is copied: the amount of data decides how long that takes, which the log does not tell.`},
		{flat(w.Sentence(false, true)), `Shard "s1" bears 300 writes/s, 3× the mean shard: one tenant, "mega", is 50 % (45 % to 55 %) of its load. Give the tenant "mega" a quota now, then a shard of its own. With 1 more step that leaves 150/s of it.`},
		{flat(fail[0]), "Split fails: one tenant stays together."},
		{flat(would[1]), "Salt the key would do as well, but it needs a cache as well."},
		{flat(would[0]), "Quota would do: it would refuse 40 /s."},
		{flat(w.Was(false)), `Shard "s1" bore 300 writes/s, 3× the mean shard: one tenant, "mega", was 50 % of its load.`},
		{flat(w.Was(true)), `Shard "s1" bore 300 writes/s, 3× the mean shard: one tenant, "mega", was 50 % (45 % to 55 %) of its load; all of it writes.`},
		{flat(w.Over()), `Nothing now: it is over. Should it come back: Give the tenant "mega" a quota now, then a shard of its own.`},
		{flat(w.Sure()), "Hot beyond chance: the lower bound of its load is over the line (an error of less than 1 in 800). The cause is the same at both ends of the bounds. " +
			"The fix meets its target on upper bounds, on this shard and on every one that receives. It rests on what 1,200 single requests would tell, in 2026-03-01 12:00:00Z to 12:01:00Z."},
		{flat(w.WasSure()), "It was hot beyond chance. It rests on what 1,200 single requests would tell, in 2026-03-01 12:00:00Z to 12:01:00Z."},
		{Since(time.Time(at()), time.Time{}), "Since 2026-03-01 12:00:00Z."},
	} {
		if tt.got != tt.want {
			t.Errorf("got  %s\nwant %s", tt.got, tt.want)
		}
	}
	beyond := whale()
	beyond.Projections[0].Beyond = "another shard, s9, is then over the line"
	if got := flat(beyond.Do()); !strings.Contains(got, " under the target of 260/s. 10 % of the fleet’s load moves. Another shard, s9, is then over the line. ") {
		t.Errorf("what is beyond the fix is not said: %s", got)
	}
	aside := whale()
	aside.Aside = true
	if got, want := flat(aside.Where()), `Shard "s1" beside 8 shards that serve in fleet "orders"; the log names the shard.`; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if aside.Shards = 1; !strings.Contains(flat(aside.Where()), " beside 1 shard that serves in ") {
		t.Error(flat(aside.Where()))
	}
	limited := whale()
	limited.Plan.Steps[0].Rate, limited.Projections[2].Why = 120, "it would do as well, but it refuses requests"
	also, _ := limited.Others()
	for _, tt := range []struct{ got, want string }{
		{flat(limited.Todo()), `Give the tenant "mega" a quota of 120/s now, then a shard of its own.`},
		{flat(also[0]), "Quota would do as well, but it refuses requests."},
	} {
		if tt.got != tt.want {
			t.Errorf("got  %s\nwant %s", tt.got, tt.want)
		}
	}
	limited.Fix, limited.Projections[2].Rate, limited.Caller = "quota", 90, "batch"
	if got, want := flat(limited.Todo()), `Limit the tenant "mega" by a quota of 90/s: no shard can take it whole.`; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	limited.Contributors = []line.Contributor{{Caller: "other", CallerShare: 0.1}, {Caller: "batch", CallerShare: 0.8}}
	if got, want := flat(limited.Why()), `; the caller "batch" sends 80 % of it.`; !strings.Contains(got, want) {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	u := whale()
	u.Cause, u.Fix, u.Missing, u.Line, u.Capacity, u.Shards = "unknown", "none", []line.Prose{"the op", "the caller"}, 0, 0, 0
	u.OneIn = 1000
	u.Contributors = []line.Contributor{{Key: "big", Tenant: "mega", Share: line.Share{Value: 0.4, Low: 0.3, High: 0.5}}, {Tenant: "mega", Share: u.Share}}
	for _, tt := range []struct{ got, want string }{
		{flat(u.Load()), "300 writes/s, 3× the mean shard."},
		{flat(u.Why()), `Cause unknown. The evidence leaves open the op and the caller. It may be the key "big", 40 % (30 % to 50 %) or the tenant "mega", 50 % (45 % to 55 %) of its load.`},
		{flat(u.Do()), `Nothing yet: no fix is proven. Look at the key "big", 40 % or the tenant "mega", 50 % of its load. A fix is told here as soon as the log proves who it is; a denser sample of the log than 1 in 1,000 proves it sooner.`},
		{flat(u.Over()), "Nothing now: it is over."},
		{flat(u.Where()), `Shard "s1" in fleet "orders"; the log names the shard.`},
		{flat(u.Sentence(true, false)), `Shard "s1" bore 300 writes/s, 3× the mean shard: the log does not prove who makes it so; it may be the key "big", 40 % or the tenant "mega", 50 %. No fix is proven yet.`},
	} {
		if tt.got != tt.want {
			t.Errorf("got  %s\nwant %s", tt.got, tt.want)
		}
	}
}

// TestFixes: each fix of policy has a noun and a sentence of its own, for each cause.
func TestFixes(t *testing.T) {
	seen := map[string]string{}
	for _, fix := range []string{"split", "salt", "cache", "isolate", "quota", "limit_caller", "scale_out", "none"} {
		w := whale()
		w.Fix = fix
		text := flat(w.Todo())
		if other := seen[text]; other != "" || Fix(fix) == "" || seen[Fix(fix)] != "" {
			t.Errorf("%s is said as %s is: %s", fix, other, text)
		}
		seen[text], seen[Fix(fix)] = fix, fix
	}
}

// TestMerges: wherever a salt is advised, by itself or as a step of the plan, it is said what it rests on; of no other fix.
func TestMerges(t *testing.T) {
	for _, fix := range []string{"split", "salt", "cache", "isolate", "quota", "limit_caller", "scale_out"} {
		w := whale()
		w.Fix = fix
		w.Projections = append(w.Projections, line.Projection{Fix: "cache", Feasible: true}, line.Projection{Fix: "limit_caller", Feasible: true}, line.Projection{Fix: "scale_out", Feasible: true})
		w.Plan = &line.Plan{Projection: line.Projection{Fix: fix}, Steps: []line.Step{{Kind: "move", Text: "move"}}}
		for _, said := range []Phrase{w.Do(), w.Over()} {
			if got := strings.Contains(flat(said), " "+Merges()); got != (fix == "salt") {
				t.Errorf("%s: said: %v", fix, got)
			}
		}
		w.Plan.Steps = append(w.Plan.Steps, line.Step{Kind: "salt", Text: "salt key"})
		if !strings.Contains(flat(w.Do()), " "+Merges()) {
			t.Errorf("%s with a salt: it is not said", fix)
		}
	}
}

// TestQuotedNames: however a name is made, its end can be told: out of a quoted phrase all names can be read, and those that stand
// in a sentence as Go strings become names of their own.
func TestQuotedNames(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.OneOf(rapid.String(), rapid.StringMatching(`["\\ a]{0,6}`)).Draw(t, "name")
		text := Say("before ", Name(name), " after").Quoted()
		inner, ok := strings.CutPrefix(text, `before "`)
		inner, tail := strings.CutSuffix(inner, `" after`)
		if !ok || !tail {
			t.Fatal(text)
		}
		for i := 0; i < len(inner); i++ {
			switch inner[i] {
			case '\\':
				i++
			case '"':
				t.Fatalf("%q ends within its name", text)
			}
		}
	})
	got := Phrase{{Text: `the key "a \"b\"" of "c" is`}}.Apart()
	want := Phrase{{Text: "the key "}, {Text: `a \"b\"`, Name: true}, {Text: " of "}, {Text: "c", Name: true}, {Text: " is"}}
	if len(got) != len(want) {
		t.Fatalf("%+v", got)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("%d: %+v, want %+v", i, got[i], want[i])
		}
	}
	if cut := (Phrase{{Text: `a name "that was cu`}}).Apart(); len(cut) != 1 || cut[0].Text != `a name "that was cu` {
		t.Errorf("%+v", cut)
	}
}

// TestHottest: of an isolation it is said of which shards the hottest is, and what the tenant's own bears; of no other fix.
func TestHottest(t *testing.T) {
	w := whale()
	for _, tt := range []struct {
		p    line.Projection
		want string
	}{
		{line.Projection{Fix: "split", Hottest: 200, Imbalance: 1.25, Utilization: 0.5}, "200/s, 1.3× the mean, 50 % of its capacity"},
		{line.Projection{Fix: "isolate", Hottest: 200, Imbalance: 1.2, Utilization: 0.5}, "200/s, 1.2× the mean, 50 % of its capacity, of the shards that serve"},
		{line.Projection{Fix: "isolate", Hottest: 200, Own: 300, Imbalance: 2}, "200/s, 2× the mean, of the shards that serve; its own shard bears 300/s"},
	} {
		if got := w.Hottest(&tt.p); got != tt.want {
			t.Errorf("got  %s\nwant %s", got, tt.want)
		}
	}
}

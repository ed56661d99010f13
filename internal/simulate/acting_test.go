package simulate

import (
	"math"
	"testing"
	"time"

	"firebreak/routing"
)

// actedWorld is a world of the story of Acting in which one client is late: it still routes by the first table.
func actedWorld(t *testing.T) (w *World, salted *Scene) {
	t.Helper()
	w = newWorld(t, Acting())
	scenes := w.Scenes(w.cfg.Start.Add(w.cfg.Length))
	hot, whale, read := scenes[0], scenes[1], scenes[3]
	table := newTable(t, func(doc *routing.Document) {
		doc.Version++
		doc.Salts = []routing.Salt{{Tenant: hot.Tenant, Key: hot.Key, Suffixes: []uint32{0, 1, 2, 3}, Read: 4, Write: 4}}
		doc.Quotas = []routing.Quota{{Tenant: whale.Tenant, Rate: 3000}}
		doc.Cached = []routing.CachedKey{{Tenant: read.Tenant, Key: read.Key, Staleness: time.Second}}
	})
	w.RouteClient(0, table)
	w.RouteClient(2, table)
	return w, &hot
}

// TestActingIsLogged: with several causes at once, a quota, a cache, a salt and a client that is late, the log has what the shards count
// of themselves, and the clients say what they keep back.
func TestActingIsLogged(t *testing.T) {
	w, _ := actedWorld(t)
	from := w.Scenes(w.cfg.Start.Add(w.cfg.Length))[3].From
	if n := len(w.Active(from)); n != 4 {
		t.Fatalf("%d causes at once, want 4", n)
	}
	w.Step(from.Add(-time.Second), from)
	before := w.Counters()
	lines := w.Step(from, from.Add(10*time.Second))
	after := w.Counters()
	asked, served := after.Since(&before)
	got := map[string]float64{}
	for i := range lines {
		l := parse(t, &lines[i])
		got[l.Shard] += 1 / l.Trace.Rate / 10
	}
	for i, s := range w.Table().Document().Shards {
		if sd := math.Sqrt(float64(w.cfg.Every) * asked[i] / 10); math.Abs(got[s.Name]-asked[i]) > 4.5*sd {
			t.Errorf("%s counts %.0f/s, logged %.0f/s", s.Name, asked[i], got[s.Name])
		}
		if want := min(asked[i], w.cfg.Capacity); math.Abs(served[i]-want) > 1e-6*want {
			t.Errorf("%s serves %.0f/s of %.0f/s", s.Name, served[i], asked[i])
		}
	}
	kept := w.Withheld(from)
	if len(kept) != 2 {
		t.Fatalf("kept back: %+v", kept)
	}
	for i, want := range []float64{(12_800 - 3000) * 2 / 3., 27_200 * 0.98 * 2 / 3.} {
		if rate := kept[i].Rate; math.Abs(rate-want) > 0.01*want {
			t.Errorf("kept back of %s %s: %.0f/s, want about %.0f/s: one client of three does not know of it", kept[i].Tenant, kept[i].Key, rate, want)
		}
	}
	calm := w.Withheld(w.cfg.Start)
	if len(calm) != 2 || calm[0].Rate != 0 || calm[1].Rate != 0 {
		t.Errorf("kept back in the calm: %+v", calm)
	}
}

// TestFoldLosesNothing: whatever is written to the pieces before, between and after, the folded key reads every write once.
func TestFoldLosesNothing(t *testing.T) {
	w, hot := actedWorld(t)
	step := func(at time.Duration) { w.Step(hot.From.Add(at), hot.From.Add(at+5*time.Second)) }
	check := func(when string) {
		t.Helper()
		if sum, acknowledged := w.Sum(hot.Tenant, hot.Key, w.Table()); sum != acknowledged || sum == 0 {
			t.Errorf("%s it reads %d of %d writes", when, sum, acknowledged)
		}
	}
	step(0)
	check("with pieces")
	folded := w.Table().Document().Salts[0]
	folded.Tombstones = []uint32{1, 2, 3}
	w.Fold(&folded)
	check("folded")
	w.Fold(&folded) // once more
	check("folded twice")
	step(5 * time.Second) // writers that do not know of it
	check("with late writers")
}

// TestScenes: of the story for who acts, the last cause leaves no shard room, and all others stand alone on their shards.
func TestScenes(t *testing.T) {
	for seed := range uint64(10) {
		cfg := Acting()
		cfg.Seed = seed
		w := newWorld(t, cfg)
		scenes := w.Scenes(cfg.Start.Add(cfg.Length - 1))
		if len(scenes) != 5 {
			t.Fatalf("%d causes", len(scenes))
		}
		shards := map[string]bool{}
		for _, s := range scenes {
			shards[s.Shard] = true
			if full := w.Demand(s.From)[shardID(w, s.Shard)] / cfg.Capacity; full < 0.8 {
				t.Errorf("seed %d: %v leaves %s %.0f %% full", seed, s.Fix, s.Shard, 100*full)
			}
		}
		if len(shards) != 5 {
			t.Errorf("seed %d: two causes on one shard", seed)
		}
		warm := scenes[4]
		for i, load := range w.Demand(warm.From) {
			if full := load / cfg.Capacity; full < 0.65 || full > 0.7 && w.Table().Document().Shards[i].Name != warm.Shard {
				t.Errorf("seed %d: with all warm, shard-%d is %.0f %% full", seed, i, 100*full)
			}
		}
	}
}

package realogs

import (
	"math"
	"testing"
	"time"

	"firebreak/routing"
)

// made is a log of 16 x n requests: n of each of 160 small tenants' keys would be flat; extra adds to it.
func made(extra ...request) []request {
	var out []request
	for i := range 1600 {
		out = append(out, request{at: twinStart + int64(i)*100, tenant: named("t", i%400), key: named("k", i%800), op: "GET", count: 1})
	}
	return append(out, extra...)
}

// times are n requests of one key, spread evenly, from tenants by number.
func times(n int, key, op string, tenant func(int) string) []request {
	out := make([]request, n)
	for i := range out {
		out[i] = request{twinStart + int64(i)*160_000/int64(n), tenant(i), key, op, 1}
	}
	return out
}

func byNumber(i int) string { return named("t", i) }
func byWhale(int) string    { return "whale" }

// TestOracle: causes of logs of which the answer is known.
func TestOracle(t *testing.T) {
	many := times(400, "", "GET", byWhale)
	for i := range many {
		many[i].key = named("w", i)
	}
	var crowd []request
	flat := count(t, placement{"key", 0}, made())
	for i, r := range flat.log {
		if flat.on[i] == 3 {
			crowd = append(crowd, r, r)
		}
	}
	for _, c := range []struct {
		name, by string
		log      []request
		cause    string
		key      string
		tenant   string
	}{
		{"hot key", "key", made(times(400, "hot", "GET", byNumber)...), hotKey, "hot", ""},
		{"the same key of many tenants, by tenant", "tenant", made(times(400, "hot", "GET", byNumber)...), "volume", "", ""},
		{"one tenant's one key, by tenant", "tenant", made(times(400, "hot", "GET", byWhale)...), hotKey, "hot", "whale"},
		{"one tenant's many keys, by tenant", "tenant", made(many...), whale, "", "whale"},
		{"many keys of one shard", "key", made(crowd...), "volume", "", ""},
	} {
		e := count(t, placement{c.by, 0}, c.log)
		truth := e.judge(e.hottest())
		if truth.cause != c.cause {
			t.Errorf("%s: %s, want %s", c.name, e.say(e.hottest()), c.cause)
			continue
		}
		if c.cause != "volume" && !truth.names(c.cause, c.key, c.tenant) {
			t.Errorf("%s: %s", c.name, e.say(e.hottest()))
		}
	}
}

// TestBinomialTail against values worked out with exact fractions.
func TestBinomialTail(t *testing.T) {
	for _, c := range []struct{ n, x, p, want float64 }{
		{10, 0, 0.5, 1},
		{10, 10, 0.5, 1.0 / 1024},
		{10, 8, 0.5, 56.0 / 1024},
		{4, 3, 0.25, 13.0 / 256},
	} {
		if got := binomialTail(c.n, c.x, c.p); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("P(X >= %v), n %v, p %v: %v, want %v", c.x, c.n, c.p, got, c.want)
		}
	}
}

// TestCertain: the same load is certain when it comes evenly and no longer when it comes in one clump.
func TestCertain(t *testing.T) {
	even := made(times(400, "hot", "GET", byNumber)...)
	e := count(t, placement{"key", 0}, even)
	if s := e.hottest(); !e.certain(s) {
		t.Errorf("4 x the mean, evenly: not certain, clumping %.1f", e.clumping(s))
	}
	clump := made(times(400, "hot", "GET", byNumber)...)
	for i := len(clump) - 400; i < len(clump); i++ {
		clump[i].at = twinStart
	}
	e = count(t, placement{"key", 0}, clump)
	if s := e.hottest(); e.certain(s) {
		t.Errorf("all in one moment: certain, clumping %.1f", e.clumping(s))
	}
}

// TestApplied: what plans make of a hot key of 400 requests among 2,000, 100 a shard without it, target 187.5.
func TestApplied(t *testing.T) {
	log := made(times(400, "hot", "SET", byNumber)...)
	e := count(t, placement{"key", 0}, log)
	hot := e.hottest()
	salt := step{Kind: "salt", Key: "hot", Suffixes: e.freeSuffixes("hot", 8)}
	readLike := func(*request) string { return "read" }
	for _, c := range []struct {
		name  string
		steps []step
		ops   opTable
		meets bool
	}{
		{"nothing", nil, builtinOps, false},
		{"salt of writes", []step{salt}, builtinOps, true},
		{"salt of reads: every piece carries them", []step{salt}, readLike, false},
		{"cache of reads", []step{{Kind: "cache", Key: "hot"}}, readLike, true},
		{"cache of writes", []step{{Kind: "cache", Key: "hot"}}, builtinOps, false},
		{"a shard of its own", []step{e.moved("place_key", "hot", "new-1", "new-1")}, builtinOps, true},
		{"another serving shard", []step{e.moved("move", "hot", "shard-"+itoa((hot+1)%shards))}, builtinOps, false},
		{"a shard that is not there", []step{e.moved("move", "hot", "shard-99")}, builtinOps, false},
		{"an unknown step", []step{{Kind: "pray"}}, builtinOps, false},
	} {
		if o := e.applied(hot, c.steps, c.ops); o.meets() != c.meets {
			t.Errorf("%s: meets %v, want %v: hot shard %.2f, worst %.2f of target on %s, %v", c.name, o.meets(), c.meets, o.hot, o.worst, o.at, o.err)
		}
	}
}

// moved is a step that moves a key's virtual shard.
func (e *exact) moved(kind, key, to string, added ...string) step {
	s := step{Kind: kind, Key: key, Shards: added}
	s.Moves = append(s.Moves, move{e.table.VShard(nil, []byte(key)), to})
	return s
}

// freeSuffixes are suffixes of n pieces on n shards, the bare key first.
func (e *exact) freeSuffixes(key string, n int) []uint32 {
	out := []uint32{0}
	used := map[routing.ShardID]bool{e.table.Locate(nil, []byte(key)).Shard: true}
	for suffix := uint32(1); len(out) < n; suffix++ {
		if at := e.table.PieceShard(nil, []byte(key), suffix); !used[at] {
			used[at] = true
			out = append(out, suffix)
		}
	}
	return out
}

// TestJudgeBites: the judge calls good answers right, silence an abstention and bad answers wrong.
func TestJudgeBites(t *testing.T) {
	log := made(times(400, "hot", "SET", byNumber)...)
	p := placement{"key", 0}
	e := count(t, p, log)
	shard := "shard-" + itoa(e.hottest())
	cold := "shard-" + itoa((e.hottest()+1)%shards)
	salt := []step{{Kind: "salt", Key: "hot", Suffixes: e.freeSuffixes("hot", 8)}}
	row := row{name: "made", by: "key", ops: builtinOps, object: "hot", fix: "salt", never: "cache"}
	at := time.UnixMilli(twinStart).Add(3 * time.Minute)
	answer := func(change func(*verdict, *plan)) *said {
		v := verdict{Phase: "firing", Severity: "warning", Hotspot: "h", Shard: shard, Cause: hotKey, Key: "hot", Fix: "salt", Time: at}
		q := plan{Hotspot: "h", Time: at, Steps: salt}
		q.Projection.Fix = "salt"
		change(&v, &q)
		return &said{firing: []verdict{v}, plans: []plan{q}}
	}
	for _, c := range []struct {
		name string
		said *said
		want class
	}{
		{"right", answer(func(*verdict, *plan) {}), right},
		{"silence", &said{}, abstained},
		{"no fix", answer(func(v *verdict, _ *plan) { v.Fix = "none" }), abstained},
		{"cause left open, right fix", answer(func(v *verdict, _ *plan) { v.Cause, v.Key = "unknown", "" }), right},
		{"critical", answer(func(v *verdict, _ *plan) { v.Severity = "critical" }), wrong},
		{"wrong key", answer(func(v *verdict, _ *plan) { v.Key = "k-1" }), wrong},
		{"wrong cause", answer(func(v *verdict, _ *plan) { v.Cause, v.Key, v.Tenant = whale, "", "t-1" }), wrong},
		{"second best fix for the object", answer(func(v *verdict, q *plan) { v.Fix, q.Projection.Fix = "isolate", "isolate" }), abstained},
		{"a plan that does nothing", answer(func(_ *verdict, q *plan) { q.Steps = nil }), wrong},
		{"a salt of two pieces is too small", answer(func(_ *verdict, q *plan) {
			q.Steps = []step{{Kind: "salt", Key: "hot", Suffixes: e.freeSuffixes("hot", 2)}}
		}), wrong},
		{"a step that may never be", answer(func(_ *verdict, q *plan) { q.Steps = append([]step{{Kind: "cache", Key: "hot"}}, salt...) }), wrong},
		{"a fix without a plan", answer(func(_ *verdict, q *plan) { q.Hotspot = "other" }), wrong},
		{"a cold shard", answer(func(v *verdict, _ *plan) { v.Shard = cold }), wrong},
	} {
		if got := row.judged(t, p, log, c.said); got.class != c.want {
			t.Errorf("%s: %s, want %s: %s", c.name, got.class, c.want, got.text)
		}
	}
	silent := row.quiet()
	if got := silent.judged(t, p, log, answer(func(*verdict, *plan) {})); got.class != wrong {
		t.Errorf("a verdict where silence is right: %s", got.class)
	}
	stray := answer(func(_ *verdict, q *plan) { q.Projection.Fix = "split" })
	if len(stray.strays()) != 1 {
		t.Errorf("strays: %v, want one", stray.strays())
	}
}

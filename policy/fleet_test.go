package policy

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"firebreak/routing"
)

// stream is one source of requests in a test fleet.
type stream struct {
	tenant, key string
	rate        float64 // requests/s
	reads       float64 // share of reads
	from        int     // first pane it is active in
	until       int     // pane from which it is silent; 0 = never
	caller      string
	callers     float64
}

// testFleet draws snapshots pane by pane.
type testFleet struct {
	t       *testing.T
	table   *routing.Table
	cfg     Config
	streams []stream
	sample  float64 // sampling rate
	rng     *rand.Rand
	panes   [][]float64 // [pane][stream] sampled lines
	state   State
	world   World
	inputs  Inputs
	point   LogPoint
	spread  func(pane int) float64 // factor on all rates; nil = 1
	start   time.Time
}

// even adds n keys of small even load, rate requests/s in all.
func even(n int, rate float64) []stream {
	out := make([]stream, n)
	for i := range out {
		out[i] = stream{tenant: fmt.Sprintf("t%d", i%1000), key: fmt.Sprintf("k%d", i), rate: rate / float64(n), reads: 0.5}
	}
	return out
}

func newTestFleet(t *testing.T, shards int, bytes string, streams ...stream) *testFleet {
	t.Helper()
	doc, err := routing.Adopt("f", routing.Placement{Bytes: bytes, Function: routing.XXH64, Map: routing.ModN}, routing.NumberedShards(shards))
	if err != nil {
		t.Fatal(err)
	}
	table, err := routing.NewTable(doc)
	if err != nil {
		t.Fatal(err)
	}
	return &testFleet{
		t: t, table: table, cfg: Default(), streams: streams, sample: 0.01, rng: rand.New(rand.NewPCG(1, 2)), point: LogPointClient,
		inputs: Inputs{Coverage: 1, Sampling: SamplingIndependent, Tenants: true, Ops: true, Keys: true},
		start:  time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC),
	}
}

// tick draws one pane and evaluates.
func (f *testFleet) tick() Decision {
	row := make([]float64, len(f.streams))
	factor := 1.0
	if f.spread != nil {
		factor = f.spread(len(f.panes))
	}
	for i, s := range f.streams {
		if n := len(f.panes); n >= s.from && (s.until == 0 || n < s.until) {
			row[i] = drawPoisson(f.rng, factor*s.rate*10*f.sample)
		}
	}
	f.panes = append(f.panes, row)
	var d Decision
	s := f.snapshot()
	d, f.state = Evaluate(s, &f.cfg, f.state, s.end().Add(5*time.Second))
	return d
}

// run ticks n panes and collects the verdict lines.
func (f *testFleet) run(n int) (verdicts []Verdict, last Decision) {
	for range n {
		last = f.tick()
		verdicts = append(verdicts, last.Verdicts...)
	}
	return verdicts, last
}

func (f *testFleet) snapshot() *Snapshot {
	from := max(0, len(f.panes)-f.cfg.LongPanes)
	s := &Snapshot{
		Fleet: "f", Table: f.table, LogPoint: f.point, Pane: 10 * time.Second, Inputs: f.inputs, World: f.world,
		Panes: make([]Pane, len(f.panes)-from),
	}
	keys, tenants, pairs := map[string]*Contributor{}, map[string]*Contributor{}, map[string]*Pair{}
	n := len(s.Panes)
	for p := range s.Panes {
		s.Panes[p].Start = f.start.Add(time.Duration(from+p) * s.Pane)
		at := map[routing.VShard]Sums{}
		for i, lines := range f.panes[from+p] {
			if lines == 0 {
				continue
			}
			st := &f.streams[i]
			sums := linesOf(lines, f.sample, st.reads)
			v := f.table.VShard([]byte(st.tenant), []byte(st.key))
			at[v] = at[v].plus(sums)
			c := entry(keys, st.key, n)
			c.Key, c.Tenant, c.VShard, c.TenantShare, c.Caller, c.CallerShare = st.key, st.tenant, v, 1, st.caller, st.callers
			c.Panes[p] = c.Panes[p].plus(sums)
			w := entry(tenants, st.tenant, n)
			w.Tenant = st.tenant
			w.Panes[p] = w.Panes[p].plus(sums)
			owner := f.table.Owner(v)
			id := fmt.Sprint(owner, "/", st.tenant)
			if pairs[id] == nil {
				pairs[id] = &Pair{Tenant: st.tenant, Shard: owner, Panes: make([]Sums, n), Caller: st.caller, CallerShare: st.callers}
			}
			pairs[id].Panes[p] = pairs[id].Panes[p].plus(sums)
		}
		for v, sums := range at {
			s.Panes[p].VShards = append(s.Panes[p].VShards, VShardSums{v, sums})
		}
		slices.SortFunc(s.Panes[p].VShards, func(a, b VShardSums) int { return int(a.VShard) - int(b.VShard) })
	}
	s.Keys, s.Tenants = heaviestOf(keys), heaviestOf(tenants)
	for _, p := range pairs {
		s.Pairs = append(s.Pairs, *p)
	}
	load := make(map[string]float64, len(pairs))
	for id, p := range pairs {
		load[id] = newestSums(p.Panes, n).Load
	}
	slices.SortFunc(s.Pairs, func(a, b Pair) int {
		x, y := fmt.Sprint(a.Shard, "/", a.Tenant), fmt.Sprint(b.Shard, "/", b.Tenant)
		return cmp.Or(cmp.Compare(load[y], load[x]), cmp.Compare(x, y))
	})
	s.Pairs = s.Pairs[:min(len(s.Pairs), 512)]
	return s
}

func entry(m map[string]*Contributor, id string, panes int) *Contributor {
	if m[id] == nil {
		m[id] = &Contributor{Panes: make([]Sums, panes)}
	}
	return m[id]
}

func heaviestOf(m map[string]*Contributor) []Contributor {
	out := make([]Contributor, 0, len(m))
	for _, c := range m {
		out = append(out, *c)
	}
	load := make(map[string]float64, len(out))
	for i := range out {
		load[identity(out[i].Key, out[i].Tenant)] = newestSums(out[i].Panes, len(out[i].Panes)).Load
	}
	slices.SortFunc(out, func(a, b Contributor) int {
		x, y := identity(a.Key, a.Tenant), identity(b.Key, b.Tenant)
		return cmp.Or(cmp.Compare(load[y], load[x]), cmp.Compare(x, y))
	})
	return out[:min(len(out), 512)]
}

// linesOf is what n lines at a sampling rate stand for.
func linesOf(n, sample, reads float64) Sums {
	w := 1 / sample
	return Sums{Load: n * w, Variance: n * (w + w*w*(1-sample)), Records: n, Reads: n * w * reads, Writes: n * w * (1 - reads)}
}

func drawPoisson(r *rand.Rand, mean float64) float64 {
	if mean > 500 {
		return math.Max(0, math.Round(mean+math.Sqrt(mean)*r.NormFloat64()))
	}
	limit, n, p := math.Exp(-mean), 0.0, r.Float64()
	for p > limit {
		n++
		p *= r.Float64()
	}
	return n
}

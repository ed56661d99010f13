package report

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"firebreak/policy"
	"firebreak/routing"
)

// source is one key of a test fleet, with its requests/s in each pane.
type source struct {
	tenant, key string
	reads       float64 // share of reads
	rate        func(pane int) float64
}

// fleet is a test fleet without chance: every pane holds just what its sources ask for.
type fleet struct {
	t        *testing.T
	name     string
	table    *routing.Table
	cfg      policy.Config
	inputs   policy.Inputs
	sources  []source
	panes    int
	state    policy.State
	recorder Recorder
	start    time.Time
}

func steady(rate float64) func(int) float64 { return func(int) float64 { return rate } }

// between is a rate in the panes [from, to) only.
func between(from, to int, rate float64) func(int) float64 {
	return func(pane int) float64 {
		if pane >= from && pane < to {
			return rate
		}
		return 0
	}
}

// newFleet is n shards placed by bytes, each with 100 requests/s of small keys.
func newFleet(t *testing.T, n int, bytes string) *fleet {
	t.Helper()
	doc, err := routing.Adopt("orders", routing.Placement{Bytes: bytes, Function: routing.XXH64, Map: routing.ModN}, routing.NumberedShards(n))
	if err != nil {
		t.Fatal(err)
	}
	table, err := routing.NewTable(doc)
	if err != nil {
		t.Fatal(err)
	}
	f := &fleet{
		t: t, name: "orders", table: table, cfg: policy.Default(), start: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC),
		inputs: policy.Inputs{Coverage: 1, Sampling: policy.SamplingNone, Tenants: true, Ops: true, Keys: true},
	}
	count := make([]int, n)
	for i := 0; len(f.sources) < 10*n; i++ {
		tenant, key := fmt.Sprint("shop-", i), fmt.Sprint("item:", i)
		if at := table.Locate([]byte(tenant), []byte(key)).Shard; count[at] < 10 {
			count[at]++
			f.sources = append(f.sources, source{tenant, key, 0.5, steady(10)})
		}
	}
	return f
}

// snapshot is the newest 30 panes.
func (f *fleet) snapshot() *policy.Snapshot {
	first := max(0, f.panes-f.cfg.LongPanes)
	n := f.panes - first
	s := &policy.Snapshot{Fleet: f.name, Table: f.table, Pane: 10 * time.Second, Inputs: f.inputs, Panes: make([]policy.Pane, n)}
	pairs, tenants := map[string]int{}, map[string]int{}
	for p := range n {
		s.Panes[p].Start = f.start.Add(time.Duration(first+p) * s.Pane)
	}
	for i := range f.sources {
		src := &f.sources[i]
		c := policy.Contributor{Key: src.key, Tenant: src.tenant, TenantShare: 1, VShard: f.table.VShard([]byte(src.tenant), []byte(src.key)), Panes: make([]policy.Sums, n)}
		shard := f.table.Owner(c.VShard)
		id := fmt.Sprint(shard, " ", src.tenant)
		if _, ok := pairs[id]; !ok {
			pairs[id] = len(s.Pairs)
			s.Pairs = append(s.Pairs, policy.Pair{Tenant: src.tenant, Shard: shard, Panes: make([]policy.Sums, n)})
		}
		if _, ok := tenants[src.tenant]; !ok {
			tenants[src.tenant] = len(s.Tenants)
			s.Tenants = append(s.Tenants, policy.Contributor{Tenant: src.tenant, VShard: routing.NoVShard, Panes: make([]policy.Sums, n)})
		}
		for p := range n {
			load := 10 * src.rate(first+p)
			sums := policy.Sums{Load: load, Variance: load, Records: load, Reads: load * src.reads, Writes: load * (1 - src.reads)}
			c.Panes[p] = sums
			add(&s.Pairs[pairs[id]].Panes[p], sums)
			add(&s.Tenants[tenants[src.tenant]].Panes[p], sums)
			s.Panes[p].VShards = append(s.Panes[p].VShards, policy.VShardSums{VShard: c.VShard, Sums: sums})
		}
		s.Keys = append(s.Keys, c)
	}
	return s
}

func add(to *policy.Sums, s policy.Sums) {
	to.Load, to.Variance, to.Records = to.Load+s.Load, to.Variance+s.Variance, to.Records+s.Records
	to.Reads, to.Writes = to.Reads+s.Reads, to.Writes+s.Writes
}

// run ticks up to a pane.
func (f *fleet) run(panes int) *fleet {
	for f.panes < panes {
		f.panes++
		s := f.snapshot()
		var d policy.Decision
		d, f.state = policy.Evaluate(s, &f.cfg, f.state, s.Panes[len(s.Panes)-1].Start.Add(15*time.Second))
		f.recorder.Tick(s, &f.cfg, &d)
	}
	return f
}

// of is the fleet as a report wants it.
func (f *fleet) of() Fleet {
	var requests float64
	for p := range f.panes {
		for i := range f.sources {
			requests += 10 * f.sources[i].rate(p)
		}
	}
	return Fleet{Recorder: &f.recorder, Summary: Summary{
		Fleet: f.name, From: f.start, To: f.start.Add(time.Duration(f.panes) * 10 * time.Second), Lines: uint64(requests), Records: uint64(requests),
		Counted: uint64(requests), Requests: requests, Distinct: Distinct{Keys: len(f.sources), Tenants: len(f.sources), Load: requests * 30 / float64(f.panes)},
		Detectable: Detectable{Line: 1.5, Samples: 9000, OneMinute: 1.07, FiveMinutes: 1.03},
	}}
}

// rendered is a page, checked for what every page must be.
func rendered(t *testing.T, run *Run) (page string, root *html.Node) {
	t.Helper()
	var b, again bytes.Buffer
	if err := Render(&b, run); err != nil {
		t.Fatal(err)
	}
	if err := Render(&again, run); err != nil || !bytes.Equal(b.Bytes(), again.Bytes()) {
		t.Fatalf("rendered twice, the page differs (%v)", err)
	}
	if b.Len() >= MaxBytes {
		t.Errorf("the page has %d bytes", b.Len())
	}
	root, err := html.Parse(strings.NewReader(b.String()))
	if err != nil {
		t.Fatal(err)
	}
	checkPage(t, root)
	return b.String(), root
}

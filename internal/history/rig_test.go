package history

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"testing"
	"time"

	"firebreak/internal/quality"
	"firebreak/pipeline"
	"firebreak/pipeline/record"
	"firebreak/policy"
	"firebreak/routing"
	"firebreak/sketch"
)

// ticks draws the fleet of a seed, sends its log record by record through the pipeline and judges every pane.
func ticks(tb testing.TB, seed uint64) []Tick {
	tb.Helper()
	f, err := quality.Draw(seed)
	if err != nil {
		tb.Fatal(err)
	}
	cfg := pipeline.DefaultConfig("fleet")
	cfg.Document, cfg.LogPoint, cfg.Sampling = f.Table.Document(), policy.LogPointClient, policy.SamplingIndependent
	core, err := pipeline.NewFleet(cfg, sketch.NewExact(cfg.LongPanes()), nil)
	if err != nil {
		tb.Fatal(err)
	}
	var log bytes.Buffer
	if err := quality.WriteRecords(&log, f); err != nil {
		tb.Fatal(err)
	}
	form := record.Default()
	form.Preset = "canonical"
	d, err := record.NewDecoder(form)
	if err != nil {
		tb.Fatal(err)
	}
	header, err := log.ReadBytes('\n')
	if err == nil {
		err = d.Header(header)
	}
	if err != nil {
		tb.Fatal(err)
	}
	j := &judging{tb: tb, core: core, judge: f.Config()}
	for {
		text, err := log.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			break
		}
		var rec record.Record
		if why := d.Decode(text, &rec); why != record.ReasonNone {
			tb.Fatalf("%q is refused: %s", text, why)
		}
		core.Observe(0, &rec)
		j.advance()
	}
	core.Close()
	j.advance()
	return j.ticks
}

// judging is a fleet under way.
type judging struct {
	tb    testing.TB
	core  *pipeline.Fleet
	judge policy.Config
	state policy.State
	ticks []Tick
}

func (j *judging) advance() {
	j.tb.Helper()
	for j.core.Advance() {
		s, err := j.core.Snapshot()
		if err != nil {
			j.tb.Fatal(err)
		}
		s.Inputs.Histories = []policy.TenantHistory{{Tenant: "tenant-1", Peak: 12.5}}
		j.ticks = append(j.ticks, tickOf(s, &j.judge, &j.state, j.core.Now()))
	}
}

// tickOf judges a snapshot and goes on to the next state.
func tickOf(s *policy.Snapshot, cfg *policy.Config, st *policy.State, now time.Time) Tick {
	before := *st
	d, after := policy.Evaluate(s, cfg, before, now)
	*st = after
	return Tick{Snapshot: s, Config: cfg, Before: &before, Now: now, Decision: &d, After: &after, Keys: 7, Tenants: 3}
}

// big is a snapshot of a fleet of so many shards whose window is full: every virtual shard has traffic in every pane, and
// four names a shard are listed, as live windows list them. Shard 0 has ten times the load of the others.
func big(tb testing.TB, shards int) *policy.Snapshot {
	tb.Helper()
	doc, err := routing.Adopt("fleet", routing.Placement{Bytes: "tenant,key", Function: routing.XXH64, Map: routing.ModN}, routing.NumberedShards(shards))
	if err != nil {
		tb.Fatal(err)
	}
	table, err := routing.NewTable(doc)
	if err != nil {
		tb.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(uint64(shards), 1))
	sums := func(mean float64) policy.Sums {
		n := float64(rng.IntN(int(2*mean)) + 1)
		reads := float64(rng.IntN(int(n)+1)) * 10
		return policy.Sums{Load: 10 * n, Variance: 90 * n, Records: n, Reads: reads, Writes: 10*n - reads}
	}
	panes := func(mean float64) (out []policy.Sums) {
		for range 30 {
			out = append(out, sums(mean))
		}
		return out
	}
	s := &policy.Snapshot{
		Fleet: "fleet", Table: table, LogPoint: policy.LogPointClient, Pane: 10 * time.Second,
		Inputs: policy.Inputs{Coverage: 1, Sampling: policy.SamplingIndependent, Tenants: true, Ops: true, Keys: true},
	}
	for i := range 30 {
		p := policy.Pane{Start: noon().Add(time.Duration(i) * s.Pane)}
		for v := range table.VShards() {
			mean := 10.0
			if table.Owner(routing.VShard(v)) == 0 {
				mean = 100
			}
			p.VShards = append(p.VShards, policy.VShardSums{VShard: routing.VShard(v), Sums: sums(mean)})
		}
		s.Panes = append(s.Panes, p)
	}
	for i := range max(512, 4*shards) {
		tenant, key := fmt.Sprintf("tenant-%d", rng.IntN(1e6)), fmt.Sprintf("order:%d:%x", i, rng.Uint64())
		v := table.VShard([]byte(tenant), []byte(key))
		s.Keys = append(s.Keys, policy.Contributor{Key: key, Tenant: tenant, VShard: v, Panes: panes(8), TenantShare: 1, Low: 2390, High: 2410.5})
		s.Tenants = append(s.Tenants, policy.Contributor{Tenant: tenant, VShard: routing.NoVShard, Panes: panes(40)})
		s.Pairs = append(s.Pairs, policy.Pair{Tenant: tenant, Shard: table.Owner(v), Panes: panes(9)})
	}
	return s
}

func noon() time.Time { return time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC) }

// fired judges a full window until something fires.
func fired(tb testing.TB, s *policy.Snapshot) Tick {
	tb.Helper()
	cfg := policy.Default()
	cfg.For = 0
	var st policy.State
	t := tickOf(s, &cfg, &st, s.Panes[len(s.Panes)-1].Start.Add(s.Pane).Add(5*time.Second))
	if len(t.Decision.Verdicts) == 0 {
		tb.Fatal("nothing fired")
	}
	return t
}

// tester is a test or a property.
type tester interface {
	Helper()
	Fatal(args ...any)
	Fatalf(format string, args ...any)
	Cleanup(f func())
}

func newReader(tb tester) *Reader {
	tb.Helper()
	r, err := NewReader()
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(r.Close)
	return r
}

// whole reads values that make one entry.
func whole(tb testing.TB, values [][]byte) Entry {
	tb.Helper()
	r := newReader(tb)
	for i, v := range values {
		e, ok := r.Read(v)
		if ok != (i == len(values)-1) {
			tb.Fatalf("after %d of %d values: whole %v, %+v", i+1, len(values), ok, r.Stats())
		}
		if ok {
			return e
		}
	}
	tb.Fatal("no values")
	return Entry{}
}

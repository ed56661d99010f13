package quality

import (
	"bytes"
	"errors"
	"io"
	"testing"
	"time"

	"firebreak/pipeline"
	"firebreak/pipeline/record"
	"firebreak/policy"
	"firebreak/routing"
	"firebreak/sketch"
)

// recordFleets is how many fleets go record by record through decoder, panes and exact counter.
const recordFleets = 20

// path is one fleet on its way through the real pipeline.
type path struct {
	*runner

	t     *testing.T
	core  *pipeline.Fleet
	state policy.State
}

// byRecord writes a log of the fleet, decodes it line by line and judges every pane that the pipeline closes.
func byRecord(t *testing.T, f *Fleet) *Result {
	t.Helper()
	cfg := pipeline.DefaultConfig("fleet")
	cfg.Document, cfg.LogPoint, cfg.Sampling = f.Table.Document(), policy.LogPointClient, f.sampling()
	core, err := pipeline.NewFleet(cfg, sketch.NewExact(cfg.LongPanes()), nil)
	if err != nil {
		t.Fatal(err)
	}
	u := &runner{
		f: f, cfg: f.Config(), r: &Result{Header: f.Header},
		events: map[routing.ShardID]int{}, shards: map[string]routing.ShardID{},
	}
	u.choose()
	p := &path{runner: u, t: t, core: core}
	p.read()
	return u.r
}

// read feeds the log.
func (p *path) read() {
	p.t.Helper()
	var log bytes.Buffer
	if err := WriteRecords(&log, p.f); err != nil {
		p.t.Fatal(err)
	}
	cfg := record.Default()
	cfg.Preset = "canonical"
	d, err := record.NewDecoder(cfg)
	if err != nil {
		p.t.Fatal(err)
	}
	lines := bytes.Count(log.Bytes(), []byte("\n")) - 1
	header, err := log.ReadBytes('\n')
	if err == nil {
		err = d.Header(header)
	}
	if err != nil {
		p.t.Fatal(err)
	}
	for {
		line, err := log.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			break
		}
		var rec record.Record
		if reason := d.Decode(line, &rec); reason != record.ReasonNone {
			p.t.Fatalf("fleet %d: %q is refused: %s", p.f.Seed, line, reason)
		}
		p.core.Observe(0, &rec)
		p.advance()
	}
	p.core.Close()
	p.advance()
	if s := p.core.Stats(); s.Counted != uint64(lines) {
		p.t.Errorf("fleet %d: %d of %d records counted: %+v", p.f.Seed, s.Counted, lines, s)
	}
}

// advance judges what is complete.
func (p *path) advance() {
	p.t.Helper()
	for p.core.Advance() {
		s, err := p.core.Snapshot()
		if err != nil {
			p.t.Fatal(err)
		}
		if s.Inputs.Disagree != 0 {
			p.t.Fatalf("fleet %d: %v of the load lies elsewhere than the log says", p.f.Seed, s.Inputs.Disagree)
		}
		var d policy.Decision
		d, p.state = policy.Evaluate(s, &p.cfg, p.state, p.core.Now())
		end := s.Panes[len(s.Panes)-1].Start.Add(Pane)
		p.record(&d, end.Sub(start()))
	}
}

// records is how many lines a log of the fleet has, about.
func (f *Fleet) records() float64 {
	return f.Exact().Total * f.Rate * (time.Duration(f.Panes) * Pane).Seconds()
}

// TestRecordByRecord takes 20 fleets through the real path. Every record is counted, every key lies where the log says,
// and what one window promises to find is found.
func TestRecordByRecord(t *testing.T) {
	if testing.Short() {
		t.Skip("counts 20 logs")
	}
	var results []*Result
	for seed := uint64(1); len(results) < recordFleets; seed++ {
		if f := mustDraw(t, seed); f.Shards <= mostGolden && f.Kind.planted() && f.records() < 60_000 {
			results = append(results, byRecord(t, f))
		}
	}
	sure := 0
	for _, r := range results {
		for i := range r.Events {
			e := &r.Events[i]
			if _, fired := e.Detected(); e.Ratio >= 1.5 && e.Effective >= 300 {
				sure++
				if !fired {
					t.Errorf("fleet %d, shard %d at %.2f x its line with %.0f samples/min was not found", r.Seed, e.Shard, e.Ratio, e.Effective)
				}
			}
		}
		if r.False > 0 {
			t.Errorf("fleet %d: %d verdicts under 0.9 x the line", r.Seed, r.False)
		}
	}
	if sure == 0 {
		t.Error("no fleet has a hotspot that must be found: the test shows nothing")
	}
	golden(t, "records.txt", results)
}

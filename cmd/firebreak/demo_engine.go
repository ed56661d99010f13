package main

import (
	"context"
	"fmt"
	"time"

	"firebreak/internal/config"
	"firebreak/internal/simulate"
	"firebreak/pipeline"
	"firebreak/pipeline/record"
	"firebreak/policy"
	"firebreak/routing"
)

// engine watches the log of the demonstration. Publish and Close are called by one goroutine, while another receives the
// ticks.
type engine interface {
	// Publish takes the next lines of the log, in order of time; they are the engine's from then on. It may wait until
	// they are taken.
	Publish(ctx context.Context, lines []simulate.Line) error
	// Ticks has what was decided, in order. Close closes it, whatever it returns.
	Ticks() <-chan demoTick
	// Close says that the log is over. It returns when all of it was judged, or with the error of ctx; an engine that
	// failed meanwhile says why.
	Close(ctx context.Context) error
}

// demoTick is one decision of an engine and what it knew.
type demoTick struct {
	Now      time.Time // virtual: of the tick
	Snapshot *policy.Snapshot
	Decision policy.Decision
	Policy   *policy.Config // that judged it

	Records   uint64 // counted so far
	Instances int    // that count
	Coverage  float64
}

// directEngine counts and judges in the process, without a broker and without waiting for anything but who receives.
type directEngine struct {
	fleet   *pipeline.Fleet
	judge   policy.Config
	decoder *record.Decoder
	rec     record.Record
	state   policy.State
	ticks   chan demoTick
}

func newDirectEngine(fleet *config.Fleet, table *routing.Table, seed uint64) (*directEngine, error) {
	p := fleet.Pipeline()
	p.Document = table.Document()
	window, pieces, _, err := pipeline.NewCounters(p, seed)
	if err != nil {
		return nil, err
	}
	e := &directEngine{judge: fleet.Judge(), ticks: make(chan demoTick)}
	if e.fleet, err = pipeline.NewFleet(p, window, pieces); err != nil {
		return nil, err
	}
	e.decoder, err = record.NewDecoder(fleet.Record)
	return e, err
}

// Publish implements engine.
func (e *directEngine) Publish(ctx context.Context, lines []simulate.Line) error {
	for i := range lines {
		if reason := e.decoder.Decode(lines[i].Value, &e.rec); reason != record.ReasonNone {
			return fmt.Errorf("demo: a line of the log is refused: %v: %s", reason, printable(string(lines[i].Value)))
		}
		e.fleet.Observe(lines[i].Partition, &e.rec)
		if err := e.advance(ctx); err != nil {
			return err
		}
	}
	return nil
}

// advance judges every pane that is complete.
func (e *directEngine) advance(ctx context.Context) error {
	for e.fleet.Advance() {
		snapshot, err := e.fleet.Snapshot()
		if err != nil {
			return err
		}
		t := demoTick{
			Now: e.fleet.Now(), Snapshot: snapshot, Policy: &e.judge, Records: e.fleet.Stats().Counted, Instances: 1, Coverage: snapshot.Inputs.Coverage,
		}
		t.Decision, e.state = policy.Evaluate(snapshot, &e.judge, e.state, t.Now)
		select {
		case e.ticks <- t:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// Ticks implements engine.
func (e *directEngine) Ticks() <-chan demoTick { return e.ticks }

// Close implements engine.
func (e *directEngine) Close(ctx context.Context) error {
	e.fleet.Close()
	err := e.advance(ctx)
	close(e.ticks)
	return err
}

// newDemoEngine makes the engine of the tests.
func newDemoEngine(_ context.Context, fleet *config.Fleet, table *routing.Table, seed uint64) (engine, error) {
	return newDirectEngine(fleet, table, seed)
}

package main

import (
	"context"
	"fmt"

	"firebreak/internal/config"
	"firebreak/internal/simulate"
	"firebreak/pipeline"
	"firebreak/pipeline/record"
	"firebreak/policy"
	"firebreak/routing"
)

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

// newDemoEngine makes one for runDemo.
func newDemoEngine(_ context.Context, fleet *config.Fleet, table *routing.Table, seed uint64) (engine, error) {
	return newDirectEngine(fleet, table, seed)
}

package main

import (
	"context"
	"time"

	"firebreak/actuator/mover"
	"firebreak/actuator/operation"
	"firebreak/actuator/steward"
	"firebreak/pipeline"
	"firebreak/pipeline/kafka"
	"firebreak/policy"
	"firebreak/routing/control"
)

// stewardship is the stewards of an instance, and where their states are kept.
type stewardship struct {
	states stateKeeper
	of     []*steward.Steward
}

// looksAfter makes the stewards of the fleets that have a placement of ours.
func (d *daemon) looksAfter() error {
	states, err := openStates(context.Background(), d.cfg, d.opts, d.log)
	if err != nil {
		return err
	}
	d.routing = &stewardship{states: states}
	for i := range d.fleets {
		f := &d.fleets[i]
		if f.Document == nil {
			continue
		}
		store, err := states.store(f.Fleet)
		if err != nil {
			return err
		}
		d.routing.of = append(d.routing.of, steward.New(&steward.Config{
			Fleet: f.Fleet, First: control.First(f.Document), Store: store, Redact: d.cfg.Redact(),
			Policy: f.Judge, Mover: mover.NewRunner(d.cfg.Fleets[i].Mover.Open(nil)), Append: d.journal.Append, Epoch: d.journal.epoch.Load, Log: d.log,
			Known: func() uint64 { return d.journal.changes.of(f.Fleet) },
			Judge: judgesBy(func() *kafka.Member { return d.member }), // which is made after it
		}))
	}
	return nil
}

// tidyWait bounds one tidying, so that a place that is away is let alone.
const tidyWait = 20 * time.Second

// tidy keeps what the states take small, while this process decides.
func (d *daemon) tidy(ctx context.Context) {
	for ctx.Err() == nil {
		pause(ctx, tidyEvery)
		if !d.journal.decides() || ctx.Err() != nil {
			continue
		}
		wait, cancel := context.WithTimeout(ctx, tidyWait)
		d.routing.states.tidy(wait)
		cancel()
	}
}

// outside is what the stewards know beside the log of a fleet.
func (s *stewardship) outside(fleet string, _ time.Time, w *policy.World) {
	for _, of := range s.of {
		if of.Fleet() == fleet {
			of.Fill(w)
		}
	}
}

// judged hands a judgement to the steward of its fleet.
func (s *stewardship) judged(j *pipeline.Judgement) {
	for _, of := range s.of {
		if of.Fleet() == j.Snapshot.Fleet {
			of.Judged(numbersOf(j, time.Now()))
		}
	}
}

// numbersOf is what acting goes by of a judgement.
func numbersOf(j *pipeline.Judgement, now time.Time) *operation.Numbers {
	return &operation.Numbers{At: now, Snapshot: j.Snapshot, Config: j.Config, Decision: j.Decision}
}

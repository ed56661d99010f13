package main

import (
	"context"
	"time"

	"firebreak/actuator/mover"
	"firebreak/pipeline"
	"firebreak/pipeline/kafka"
	"firebreak/policy"
	"firebreak/routing/control"
)

// stewardship is the stewards of an instance, and where their states are kept.
type stewardship struct {
	states stateKeeper
	of     []*steward
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
		d.routing.of = append(d.routing.of, &steward{
			fleet: f.Fleet, first: control.First(f.Document), store: store, redact: d.cfg.Redact(),
			approvers: f.Judge.Approvers, mover: mover.NewRunner(d.cfg.Fleets[i].Mover.Open(nil)), append: d.journal.Append, epoch: d.journal.epoch.Load, log: d.log,
			known: func() uint64 { return d.journal.changes.of(f.Fleet) },
			judge: judgesBy(func() *kafka.Member { return d.member }), // which is made after it
		})
	}
	return nil
}

// tidy keeps what the states take small, while this process decides.
func (d *daemon) tidy(ctx context.Context) {
	for ctx.Err() == nil {
		pause(ctx, tidyEvery)
		if !d.journal.decides() || ctx.Err() != nil {
			continue
		}
		wait, cancel := context.WithTimeout(ctx, stepWait)
		d.routing.states.tidy(wait)
		cancel()
	}
}

// outside is what the stewards know beside the log of a fleet.
func (s *stewardship) outside(fleet string, _ time.Time, w *policy.World) {
	for _, of := range s.of {
		if of.fleet == fleet {
			of.acting.fill(w)
		}
	}
}

// judged hands a judgement to the steward of its fleet.
func (s *stewardship) judged(j *pipeline.Judgement) {
	for _, of := range s.of {
		if of.fleet == j.Snapshot.Fleet {
			of.acting.judged(j, time.Now())
		}
	}
}

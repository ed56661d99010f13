package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"firebreak/internal/admin"
	"firebreak/pipeline"
	"firebreak/routing"
)

// measureEvery is how often what changes without an event is measured.
const measureEvery = 5 * time.Second

// measure keeps the gauges that are a moment's state.
func (d *daemon) measure(ctx context.Context) error {
	caught := false // was at the end of the log of deltas once: who is yet to read it does not know what others counted
	for ctx.Err() == nil {
		d.metrics.Decides(d.journal.decides(), uint64(max(d.journal.latest(), 0)))
		if caught = caught || d.member.Current(); caught {
			d.lags(ctx)
		}
		d.hands(ctx)
		for _, s := range d.routing.standings() {
			d.metrics.Fleet(s.Fleet).Routing(s.Why != "" && s.Throttled, s.Why != "" && !s.Throttled, s.State != nil && s.State.Document.Stop)
		}
		pause(ctx, measureEvery)
	}
	return nil
}

// hands measures what this instance has in hand: its partitions, and what its windows cost.
func (d *daemon) hands(ctx context.Context) {
	s := d.member.State(ctx)
	owned := 0
	for _, n := range s.Owned {
		owned += n
	}
	d.metrics.Owns(owned)
	if s.Unapplied >= 0 {
		d.metrics.Following(uint64(s.Unapplied))
	}
	for i := range d.fleets {
		f, m := &d.fleets[i], d.metrics.Fleet(d.fleets[i].Fleet)
		thinly, level := 0, uint8(0)
		for _, t := range f.Topics {
			thinly += s.Thinly[t]
			level = max(level, s.Thin[t])
		}
		m.Thinning(thinly, 1/float64(int(1)<<level))
		if bytes, unlisted, ok := d.member.Sketched(f.Fleet); ok {
			m.Sketched(bytes, unlisted)
		}
	}
}

// conditions are those of readiness.
func (d *daemon) conditions() []admin.Condition {
	view := func() (*pipeline.View, error) {
		if v := d.member.View(); v != nil && v.Seeded {
			return v, nil
		}
		return nil, errors.New("the log of deltas is not read yet")
	}
	conditions := []admin.Condition{
		{Name: "running", Check: func() error {
			select {
			case <-d.leaving:
				return errors.New("ending")
			default:
				return nil
			}
		}},
		{Name: "deltas followed", Check: func() error {
			_, err := view()
			if err == nil && !d.member.Current() {
				err = errors.New("behind the end of the log of deltas")
			}
			return err
		}},
		{Name: "window begun", Check: func() error {
			v, err := view()
			if err != nil {
				return err
			}
			for i := range v.Fleets {
				if f := &v.Fleets[i]; !f.Begun {
					return fmt.Errorf("fleet %s: nothing was counted yet", routing.Escape(d.cfg.Fleets[i].Name))
				}
			}
			return nil
		}},
	}
	if d.routing != nil {
		conditions = append(conditions, d.routing.conditions()...)
	}
	return conditions
}

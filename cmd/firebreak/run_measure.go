package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"firebreak/internal/admin"
	"firebreak/internal/telemetry"
	"firebreak/pipeline"
	"firebreak/pipeline/record"
	"firebreak/routing"
)

// measureEvery is how often what changes without an event is measured.
const measureEvery = 5 * time.Second

// measure keeps the gauges that are a moment's state.
func (d *daemon) measure(ctx context.Context) error {
	for ctx.Err() == nil {
		epoch := d.journal.epoch.Load()
		d.metrics.Decides(epoch != 0, uint64(max(epoch, 0)))
		if v := d.member.View(); v != nil {
			d.lags(v)
		}
		d.hands(ctx)
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
	if s.Behind >= 0 {
		d.metrics.Following(uint64(s.Behind))
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

// unread tells, by "cluster/topic", how many records are not counted yet, and how far behind now that is.
func (d *daemon) unread(v *pipeline.View) (unread map[string]int64, behind map[string]time.Duration) {
	now := d.member.Now()
	names := map[pipeline.TopicID]string{}
	for _, t := range v.Topics {
		names[t.ID] = t.Name
	}
	unread, behind = map[string]int64{}, map[string]time.Duration{}
	for p, c := range v.Counted {
		name := names[p.Topic]
		if c.End > c.To {
			unread[name] += c.End - c.To
			if c.Time != record.NoTime {
				behind[name] = max(behind[name], now.Sub(time.Unix(0, c.Time)))
			}
		}
	}
	return unread, behind
}

// lags measures how much of each topic is unread.
func (d *daemon) lags(v *pipeline.View) {
	unread, behind := d.unread(v)
	clusters := d.cfg.Kafka.All()
	for i := range d.cfg.Fleets {
		f := &d.cfg.Fleets[i]
		for _, t := range f.Topics {
			cluster := t.Cluster
			if cluster == "" {
				cluster = clusters[0].Name
			}
			name := cluster + "/" + t.Name
			d.metrics.Fleet(f.Name).Topic(telemetry.TopicName{Cluster: t.Cluster, Topic: t.Name}).Lag(uint64(max(0, unread[name])), behind[name])
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
	return []admin.Condition{
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
}

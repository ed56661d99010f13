package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"go.uber.org/zap"

	"firebreak/internal/admin"
	"firebreak/internal/telemetry"
	"firebreak/pipeline"
	"firebreak/pipeline/record"
	"firebreak/routing"
)

// observer hands what the member sees to the metrics, and a sample of refused records to the log. It implements
// kafka.Observer.
type observer struct {
	metrics *telemetry.Metrics
	log     *zap.Logger

	mu   sync.Mutex // consumers of several clusters
	last map[observed]seen
	next map[record.Reason]time.Time // before which no further sample is logged
}

type observed struct{ cluster, fleet string }

// seen is what was told already.
type seen struct {
	stats   pipeline.Stats
	refused []uint64
}

// sampleEvery is how often a refused record of one reason is logged at most, and sampleShown how much of it.
const (
	sampleEvery = 30 * time.Second
	sampleShown = 256
)

func newObserver(m *telemetry.Metrics, log *zap.Logger) *observer {
	return &observer{metrics: m, log: log, last: map[observed]seen{}, next: map[record.Reason]time.Time{}}
}

// Refused implements kafka.Observer.
func (o *observer) Refused(fleet string, why record.Reason, m *record.Message) {
	o.mu.Lock()
	now := time.Now()
	quiet := now.Before(o.next[why])
	if !quiet {
		o.next[why] = now.Add(sampleEvery)
	}
	o.mu.Unlock()
	if !quiet {
		shown := m.Value[:min(len(m.Value), sampleShown)]
		o.log.Warn("a record was refused; others like it are counted and not logged", zap.String("fleet", routing.Escape(fleet)), zap.Stringer("reason", why),
			zap.String("begins", routing.Escape(string(shown))), zap.Int("bytes", len(m.Value)))
	}
}

// Counted implements kafka.Observer.
func (o *observer) Counted(cluster, fleet string, stats *pipeline.Stats, refused []uint64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	key := observed{cluster, fleet}
	before := o.last[key]
	if before.refused == nil {
		before.refused = make([]uint64, len(refused))
	}
	was := &before.stats
	c := telemetry.Counts{Records: stats.Counted - was.Counted, Requests: stats.Requests - was.Requests, Lines: make([]uint64, len(refused))}
	for i := range refused {
		c.Lines[i] = refused[i] - before.refused[i]
	}
	c.Refused[telemetry.RefusalLate] = stats.Late - was.Late
	c.Refused[telemetry.RefusalFuture] = stats.Future - was.Future
	c.Refused[telemetry.RefusalWeight] = stats.Refused - was.Refused
	c.Refused[telemetry.RefusalTooHeavy] = stats.TooHeavy - was.TooHeavy
	c.Refused[telemetry.RefusalTooManyShards] = stats.TooManyShards - was.TooManyShards
	c.Refused[telemetry.RefusalCrowded] = stats.Crowded - was.Crowded
	c.Lacking[telemetry.LackTime] = stats.Untimed - was.Untimed
	c.Lacking[telemetry.LackPlacement] = stats.Unplaced - was.Unplaced
	c.Lacking[telemetry.LackRate] = stats.Unrated - was.Unrated
	o.metrics.Fleet(fleet).Counted(&c)
	copy(before.refused, refused)
	before.stats = *stats
	o.last[key] = before
}

// Published implements kafka.Observer.
func (o *observer) Published(_ string, bytes, _ int) { o.metrics.Published(bytes) }

// Entry implements kafka.Observer.
func (o *observer) Entry(out *pipeline.Outcome, bytes int) {
	switch {
	case !out.Delta:
	case out.Accepted:
		o.metrics.Accepted(bytes)
	default:
		o.metrics.Rejected(rejection(out.Rejected), bytes)
	}
}

// rejection is why a delta was not accepted, as metrics call it.
func rejection(why pipeline.Rejection) telemetry.Rejection {
	switch why {
	case pipeline.RejectedPosition:
		return telemetry.RejectionPosition
	case pipeline.RejectedLife:
		return telemetry.RejectionTopic
	case pipeline.RejectedSeed:
		return telemetry.RejectionSeed
	case pipeline.RejectedNot, pipeline.RejectedShards, pipeline.RejectedMalformed:
	}
	return telemetry.RejectionMalformed
}

// FetchFailed implements kafka.Observer.
func (o *observer) FetchFailed(string, string) {}

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
		pause(ctx, measureEvery)
	}
	return nil
}

// lags measures how much of each topic is unread.
func (d *daemon) lags(v *pipeline.View) {
	now := d.member.Now()
	names := map[pipeline.TopicID]string{}
	for _, t := range v.Topics {
		names[t.ID] = t.Name
	}
	unread, behind := map[string]int64{}, map[string]time.Duration{}
	for p, c := range v.Counted {
		name := names[p.Topic]
		if c.End > c.To {
			unread[name] += c.End - c.To
			if c.Time != record.NoTime {
				behind[name] = max(behind[name], now.Sub(time.Unix(0, c.Time)))
			}
		}
	}
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

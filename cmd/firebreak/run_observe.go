package main

import (
	"sync"
	"time"

	"go.uber.org/zap"

	"firebreak/internal/telemetry"
	"firebreak/pipeline"
	"firebreak/pipeline/record"
	"firebreak/routing"
)

// observer hands what the member sees to the metrics, and a sample of refused records to the log. It implements
// kafka.Observer.
type observer struct {
	metrics *telemetry.Metrics
	readers map[string][]string // fleets by topic, "cluster/topic"
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

func newObserver(m *telemetry.Metrics, fleets []pipeline.LiveFleet, log *zap.Logger) *observer {
	readers := map[string][]string{}
	for i := range fleets {
		for _, t := range fleets[i].Topics {
			readers[t] = append(readers[t], fleets[i].Fleet)
		}
	}
	return &observer{metrics: m, readers: readers, log: log, last: map[observed]seen{}, next: map[record.Reason]time.Time{}}
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
func (o *observer) Published(_ string, bytes int, took time.Duration) {
	o.metrics.Published(bytes)
	o.metrics.Ticked(took)
}

// Skipped implements kafka.Observer.
func (o *observer) Skipped(topic string, why pipeline.Skip, offsets int64) {
	for _, fleet := range o.readers[topic] {
		o.metrics.Fleet(fleet).Skipped(skipOf(why), uint64(max(offsets, 0)))
	}
}

// skipOf is why offsets were not read, as metrics call it.
func skipOf(why pipeline.Skip) telemetry.Skip {
	switch why {
	case pipeline.SkipRetention:
		return telemetry.SkipRetention
	case pipeline.SkipLost:
		return telemetry.SkipDataLoss
	case pipeline.SkipNone, pipeline.SkipStart:
	}
	return telemetry.SkipOther
}

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

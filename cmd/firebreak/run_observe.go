package main

import (
	"sync"
	"time"

	"go.uber.org/zap"

	"firebreak/internal/rarely"
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
	hide    bool // names: of a refused record nothing is logged that it says itself

	mu     sync.Mutex // consumers of several clusters
	last   map[observed]seen
	saying []rarely.Trouble // by record.Reason: of refused records
}

type observed struct{ cluster, fleet string }

// seen is what was told already.
type seen struct {
	stats   pipeline.Stats
	refused []uint64
}

// sampleShown is how much of a refused record is logged, in bytes, where names are not to be hidden.
const sampleShown = 256

// newObserver makes one. hide says that names are written nowhere as they are.
func newObserver(m *telemetry.Metrics, fleets []pipeline.LiveFleet, hide bool, log *zap.Logger) *observer {
	readers := map[string][]string{}
	for i := range fleets {
		f := &fleets[i]
		for _, t := range f.Topics {
			readers[t] = append(readers[t], f.Fleet)
		}
	}
	return &observer{metrics: m, readers: readers, hide: hide, log: log, last: map[observed]seen{}, saying: make([]rarely.Trouble, len(record.Reasons())+1)}
}

// Refused implements kafka.Observer: of each reason one record in sayEvery is logged, whichever fleet's.
func (o *observer) Refused(fleet string, why record.Reason, m *record.Message) {
	o.mu.Lock()
	say := o.saying[why].Say()
	o.mu.Unlock()
	if !say {
		return
	}
	fields := []zap.Field{zap.String("fleet", routing.Escape(fleet)), zap.Stringer("reason", why), zap.Int("bytes", len(m.Value))}
	if !o.hide {
		fields = append(fields, zap.String("begins", routing.Escape(string(m.Value[:min(len(m.Value), sampleShown)]))))
	}
	if m.Time != record.NoTime {
		fields = append(fields, zap.Time("at", time.Unix(0, m.Time).UTC())) // by which it is found
	}
	o.log.Warn("a record was refused; others like it are counted and not logged", fields...)
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
	c := telemetry.Counts{
		Records: stats.Counted - was.Counted, Requests: stats.Requests - was.Requests, Thinned: stats.Thinned - was.Thinned, Lines: make([]uint64, len(refused)),
	}
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
	var as telemetry.Skip
	switch why {
	case pipeline.SkipNone: // nothing was
		return
	case pipeline.SkipRetention:
		as = telemetry.SkipRetention
	case pipeline.SkipLost:
		as = telemetry.SkipDataLoss
	}
	for _, fleet := range o.readers[topic] {
		o.metrics.Fleet(fleet).Skipped(as, uint64(max(offsets, 0)))
	}
}

// Entry implements kafka.Observer.
func (o *observer) Entry(out *pipeline.Outcome, bytes int) {
	o.metrics.Followed(bytes)
	switch {
	case out.Rejected != pipeline.RejectedNot:
		o.metrics.Rejected(rejection(out.Rejected))
	case out.Accepted:
		o.metrics.Accepted(out.Foreign, out.Crowded)
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
	case pipeline.RejectedShards:
		return telemetry.RejectionShards
	case pipeline.RejectedNot, pipeline.RejectedMalformed:
	}
	return telemetry.RejectionMalformed
}

package telemetry

import (
	"math"
	"slices"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"firebreak/policy"
	"firebreak/routing"
)

// trustVecs are the metrics about how far a window can be trusted.
type trustVecs struct {
	coverage, missing, panes, warm, lag, traffic, keep, thinnedParts, memory, unlisted, width *prometheus.GaugeVec
	skipped                                                                                   *prometheus.CounterVec
}

type trust struct {
	coverage, missing, panes, warm, lag, traffic, keep, thinnedParts, memory, unlisted, width prometheus.Gauge
	skipped                                                                                   []prometheus.Counter // [skip]

	seen bool // traffic is known
}

func defineTrust(d *definer) trustVecs {
	return trustVecs{
		coverage: d.gauge("coverage_ratio", "Share of the window that was counted: offsets of those counted or skipped, times records of those counted or refused; below 0.95 (by default) the verdict is unknown.", "fleet"),
		missing:  d.gauge("missing_partitions", "Log partitions silent for too long.", "fleet"),
		panes:    d.gauge("window_panes", "Complete panes in the long window.", "fleet"),
		warm:     d.gauge("window_warm", "1 once the window holds enough to be judged.", "fleet"),
		lag:      d.gauge("window_lag_seconds", "How far the end of the newest complete pane is behind now, beyond the allowed disorder.", "fleet"),
		traffic:  d.gauge("last_traffic_timestamp_seconds", "End of the newest pane of the window in which the fleet had a record, whoever counted it, as Unix time.", "fleet"),
		keep:     d.gauge("thinning_keep_ratio", "The smallest share of its records that a partition of this instance keeps; 1 = none is thinned.", "fleet"),
		thinnedParts: d.gauge("thinned_partitions",
			"Partitions of this instance that keep only a part of their records.", "fleet"),
		memory: d.gauge("sketch_memory_bytes", "The most memory that the fleet's window takes, fixed from the start.", "fleet"),
		unlisted: d.gauge("sketch_unlisted_key_ratio",
			"The most that a key that is not listed may have, as a share of the window's load.", "fleet"),
		width: d.gauge("sketch_heaviest_key_error_ratio",
			"Width of the counting bounds of the heaviest key over its estimate, in the long window; 0 = exact.", "fleet"),
		skipped: d.counter("offsets_skipped_total", "Offsets of the log that were passed without being read.", "fleet", "reason"),
	}
}

func (v *trustVecs) of(fleet string) trust {
	t := trust{
		coverage: v.coverage.WithLabelValues(fleet), missing: v.missing.WithLabelValues(fleet), panes: v.panes.WithLabelValues(fleet),
		warm: v.warm.WithLabelValues(fleet), lag: v.lag.WithLabelValues(fleet), traffic: v.traffic.WithLabelValues(fleet), keep: v.keep.WithLabelValues(fleet),
		thinnedParts: v.thinnedParts.WithLabelValues(fleet), memory: v.memory.WithLabelValues(fleet),
		unlisted: v.unlisted.WithLabelValues(fleet), width: v.width.WithLabelValues(fleet),
	}
	for s := range skips {
		t.skipped = append(t.skipped, v.skipped.WithLabelValues(fleet, s.String()))
	}
	t.keep.Set(1)
	for _, g := range []prometheus.Gauge{t.coverage, t.lag, t.traffic, t.memory, t.unlisted, t.width} {
		g.Set(math.NaN())
	}
	return t
}

func (t *trust) judged(s *policy.Snapshot, d *policy.Decision, st *policy.State) {
	t.coverage.Set(s.Inputs.Coverage)
	t.missing.Set(float64(len(s.Inputs.Missing)))
	t.panes.Set(float64(len(s.Panes)))
	cold := slices.ContainsFunc(d.Holds, func(h policy.Hold) bool { return h.Reason == policy.HoldWarmingUp })
	set(t.warm, !cold && len(s.Panes) > 0)
	t.lag.Set(s.Inputs.Lag.Seconds())
	at := s.Traffic()
	if at.IsZero() && !t.seen {
		at = st.Detection.Newest // as the checkpoint has it: an empty window is not judged
	}
	if !at.IsZero() {
		t.traffic.Set(float64(at.UnixMilli()) / 1000)
		t.seen = true
	}
	t.width.Set(heaviestWidth(s.Keys))
}

// heaviestWidth is (high - low) / estimate of the key with the largest estimate.
func heaviestWidth(keys []policy.Contributor) float64 {
	var most, width float64
	for i := range keys {
		var load float64
		for j := range keys[i].Panes {
			load += keys[i].Panes[j].Load
		}
		if load > most {
			most, width = load, keys[i].High-keys[i].Low
		}
	}
	if most <= 0 {
		return 0
	}
	return width / most
}

// Behind takes how far the fleet's window is behind now, and how many partitions of its log are silent for too long: Judged says
// both too, but nothing is judged while no pane closes.
func (f *Fleet) Behind(window time.Duration, missing int) {
	if f == nil {
		return
	}
	f.trust.lag.Set(window.Seconds())
	f.trust.missing.Set(float64(missing))
}

// Sketched takes what the fleet's window costs and the most that it cannot see: its memory in bytes, and the most that
// a key that no pane lists may have, as a share of the window's load.
func (f *Fleet) Sketched(memory int, unlisted float64) {
	if f == nil {
		return
	}
	f.trust.memory.Set(float64(memory))
	f.trust.unlisted.Set(unlisted)
}

// Thinning takes how many of this instance's partitions are thinned now, and the smallest share of its records that one
// of them keeps: 2^-k, 1 where none is thinned.
func (f *Fleet) Thinning(partitions int, keep float64) {
	if f == nil {
		return
	}
	f.trust.thinnedParts.Set(float64(partitions))
	f.trust.keep.Set(keep)
}

// Skipped adds offsets that were passed without being read.
func (f *Fleet) Skipped(why Skip, offsets uint64) {
	if f != nil {
		f.trust.skipped[why].Add(float64(offsets))
	}
}

// Topic is the metrics of a topic that a fleet is read from, over all its partitions. Fleet.Topic gives it.
type Topic struct {
	records, seconds prometheus.Gauge
}

// topicVecs stop at the topic: partitions of a topic may be thousands, and each fleet that reads it has its own series.
type topicVecs struct {
	records, seconds *prometheus.GaugeVec
}

func defineTopics(d *definer) topicVecs {
	return topicVecs{
		records: d.gauge("source_lag_records", "Offsets of the topic that are not counted yet, all partitions.", "fleet", "cluster", "topic"),
		seconds: d.gauge("source_lag_seconds", "How far the own time of the topic's slowest partition is behind now.", "fleet", "cluster", "topic"),
	}
}

func (v *topicVecs) of(fleet string, name TopicName) *Topic {
	cluster, topic := routing.Escape(name.Cluster), routing.Escape(name.Topic)
	t := &Topic{
		records: v.records.WithLabelValues(fleet, cluster, topic),
		seconds: v.seconds.WithLabelValues(fleet, cluster, topic),
	}
	t.records.Set(math.NaN())
	t.seconds.Set(math.NaN())
	return t
}

// Lag takes how far the topic is behind: offsets not counted yet over all partitions, and the time of the slowest.
func (t *Topic) Lag(offsets uint64, behind time.Duration) {
	if t == nil {
		return
	}
	t.records.Set(float64(offsets))
	t.seconds.Set(behind.Seconds())
}

package policy

import (
	"fmt"
	"slices"
	"strings"
)

// Metric is a reading of a shard's health from outside the log.
type Metric uint8

// The metrics, each with its unit.
const (
	MetricUnknown     Metric = iota
	MetricUtilization        // share of capacity, 0 to 1
	MetricRows               // rows; judged as max / mean over shards
	MetricLatency            // p99, seconds
	MetricPool               // share of the connection pool in use, 0 to 1
	MetricReplicaLag         // seconds
	MetricStorage            // share of storage in use, 0 to 1
	MetricDisk               // share of disk I/O in use, 0 to 1
	MetricErrors             // share of requests that failed, 0 to 1
	MetricThrottled          // share of requests that the store refused for want of capacity, 0 to 1
	MetricServed             // requests/s that the shard, or the Guards before it, count; evidence of effects, no advice
)

// Metrics lists every metric but MetricUnknown, in order.
func Metrics() []Metric {
	return []Metric{
		MetricUtilization, MetricRows, MetricLatency, MetricPool,
		MetricReplicaLag, MetricStorage, MetricDisk, MetricErrors, MetricThrottled, MetricServed,
	}
}

// limited says whether a high reading calls for something: what a shard serves is judged by the log.
func (m Metric) limited() bool { return m != MetricServed }

// String returns the one spelling of m.
func (m Metric) String() string {
	return name([]string{"unknown", "utilization", "rows", "latency_p99", "connection_pool", "replica_lag", "storage", "disk_io", "errors", "throttled", "served"}, int(m))
}

// ParseMetric reads what String writes.
func ParseMetric(text string) (Metric, error) {
	m := MetricUnknown
	err := parse(&m, "metric", []byte(text), Metrics())
	return m, err
}

// Reading is one metric of one shard.
type Reading struct {
	Shard  string
	Metric Metric
	Value  float64
}

// Topic is what an advice is about.
type Topic uint8

// The topics.
const (
	TopicNone       Topic = iota
	TopicNotTraffic       // unhealthy at ordinary load: look at the host
	TopicRebalance        // rows are spread unevenly
	TopicPool
	TopicReplicaLag
	TopicStorage
	TopicDisk
	TopicErrors
	TopicCapacity  // the whole fleet is warm
	TopicThrottled // the store refuses requests at ordinary load
)

// Topics lists every topic but TopicNone, in order.
func Topics() []Topic {
	return []Topic{
		TopicNotTraffic, TopicRebalance, TopicPool, TopicReplicaLag, TopicStorage, TopicDisk, TopicErrors, TopicCapacity, TopicThrottled,
	}
}

// String returns the one spelling of t.
func (t Topic) String() string {
	return name([]string{
		"none", "not_traffic", "rebalance", "connection_pool", "replica_lag", "storage",
		"disk_io", "errors", "capacity", "throttled",
	}, int(t))
}

// Limit is a warning and a critical level of one metric.
type Limit struct {
	Warning  float64 `yaml:"warning"`
	Critical float64 `yaml:"critical"`
}

// HealthLimits are the levels from which a reading calls for an action.
type HealthLimits struct {
	Utilization Limit `yaml:"utilization"`     // share of capacity
	Rows        Limit `yaml:"rows"`            // max / mean
	Latency     Limit `yaml:"latency_p99"`     // seconds
	Pool        Limit `yaml:"connection_pool"` // share
	ReplicaLag  Limit `yaml:"replica_lag"`     // seconds
	Storage     Limit `yaml:"storage"`         // share
	Disk        Limit `yaml:"disk_io"`         // share
	Errors      Limit `yaml:"errors"`          // share of requests
	Throttled   Limit `yaml:"throttled"`       // share of requests
}

// DefaultHealthLimits are the limits of docs/verdicts.md.
func DefaultHealthLimits() HealthLimits {
	return HealthLimits{
		Utilization: Limit{0.70, 0.80}, Rows: Limit{1.5, 2.0}, Latency: Limit{0.020, 0.050}, Pool: Limit{0.70, 0.90},
		ReplicaLag: Limit{0.5, 2}, Storage: Limit{0.70, 0.85}, Disk: Limit{0.70, 0.85}, Errors: Limit{0.01, 0.05},
		Throttled: Limit{0.01, 0.05}, // as errors: to who asked it is one
	}
}

func (h *HealthLimits) of(m Metric) Limit {
	switch m {
	case MetricUtilization:
		return h.Utilization
	case MetricRows:
		return h.Rows
	case MetricLatency:
		return h.Latency
	case MetricPool:
		return h.Pool
	case MetricReplicaLag:
		return h.ReplicaLag
	case MetricStorage:
		return h.Storage
	case MetricDisk:
		return h.Disk
	case MetricErrors:
		return h.Errors
	case MetricThrottled:
		return h.Throttled
	case MetricUnknown, MetricServed:
	}
	return Limit{}
}

func (h *HealthLimits) check(p *problems) {
	for _, m := range Metrics() {
		if !m.limited() {
			continue
		}
		l, at := h.of(m), "health."+m.String()
		p.want(l.Warning > 0, at+".warning", "%v: want above 0", l.Warning)
		p.agree(l.Critical >= l.Warning, at+".critical", []string{at + ".warning"}, "%v: want at least the warning level of %v", l.Critical, l.Warning)
	}
}

// sight is what is known of the shards' loads when readings are judged: while
// nothing is, or a shard is over its line but not yet for long enough, nobody
// can say that it is not traffic.
type sight struct {
	blind     bool
	hot, over map[string]bool // by shard
}

// sight of the state.
func (s *State) sight(blind bool) sight {
	out := sight{blind: blind, hot: map[string]bool{}, over: map[string]bool{}}
	for name, t := range s.Detection.Shards {
		out.hot[name] = t.Hotspot != nil
		out.over[name] = !t.Proved.IsZero()
	}
	return out
}

// advise turns readings into advice. A shard that is a hotspot already
// explains its own latency, errors, utilisation and refusals.
func advise(s *Snapshot, cfg *Config, seen sight) []Advice {
	var out []Advice
	rows := rowMean(s.World.Health)
	for _, r := range s.World.Health {
		value := r.Value
		if r.Metric == MetricRows {
			value = ratio(r.Value, rows)
		}
		limit := cfg.HealthLimits.of(r.Metric)
		if limit.Warning <= 0 || value < limit.Warning {
			continue
		}
		level := SeverityWarning
		if value >= limit.Critical {
			level = SeverityCritical
		}
		topic, action := action(r.Metric, seen.hot[r.Shard])
		if topic == TopicNone || ordinary(topic) && (seen.blind || seen.over[r.Shard]) {
			continue
		}
		out = append(out, Advice{
			Shard: r.Shard, Topic: topic, Level: level,
			Reason: fmt.Sprintf("%s is %s (%s from %s): %s", r.Metric, unit(r.Metric, value), level, unit(r.Metric, pick(limit, level)), action),
		})
	}
	slices.SortStableFunc(out, func(a, b Advice) int { return strings.Compare(a.Shard, b.Shard) })
	return out
}

// ordinary says whether a topic claims that the shard's load is ordinary.
func ordinary(t Topic) bool { return t == TopicNotTraffic || t == TopicThrottled }

func pick(l Limit, s Severity) float64 {
	if s == SeverityCritical {
		return l.Critical
	}
	return l.Warning
}

// action is what a reading over its limit calls for.
func action(m Metric, hot bool) (Topic, string) {
	traffic := "its load is ordinary, so it is not traffic: look at the host"
	switch m {
	case MetricUtilization, MetricLatency:
		if hot {
			return TopicNone, ""
		}
		return TopicNotTraffic, traffic
	case MetricErrors:
		if hot {
			return TopicErrors, "the shard is hot as well: look at the hotspot first, then at the host"
		}
		return TopicNotTraffic, traffic
	case MetricThrottled:
		if hot {
			return TopicNone, ""
		}
		return TopicThrottled, "its load is ordinary, so its own limit is lower than the capacity it is given here: raise the limit, or correct the capacity"
	case MetricDisk:
		return TopicDisk, "look at the host"
	case MetricRows:
		return TopicRebalance, "plan a rebalance of rows"
	case MetricPool:
		return TopicPool, "scale the shard: more connections or a larger instance"
	case MetricReplicaLag:
		return TopicReplicaLag, "page: replicas fall behind, a failover would lose writes"
	case MetricStorage:
		return TopicStorage, "plan an expansion"
	case MetricUnknown, MetricServed:
	}
	return TopicNone, ""
}

func rowMean(readings []Reading) float64 {
	var sum, n float64
	for _, r := range readings {
		if r.Metric == MetricRows {
			sum, n = sum+r.Value, n+1
		}
	}
	return ratio(sum, n)
}

func unit(m Metric, v float64) string {
	switch m {
	case MetricRows:
		return times(v) + " the mean"
	case MetricLatency:
		return fmt.Sprintf("%.0f ms", 1000*v)
	case MetricReplicaLag:
		return fmt.Sprintf("%.1f s", v)
	case MetricServed:
		return rate(v) + "/s"
	case MetricUnknown, MetricUtilization, MetricPool, MetricStorage, MetricDisk, MetricErrors, MetricThrottled:
	}
	return percent(v)
}

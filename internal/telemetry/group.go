package telemetry

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// group is the metrics about being one of many instances. They have no fleet: a delta carries all fleets.
type group struct {
	size                               prometheus.Observer
	accepted, followed                 prometheus.Counter
	foreign, crowded                   prometheus.Counter
	rejected                           []prometheus.Counter // [rejection]
	followerLag, decider, epoch, owned prometheus.Gauge
	tick                               prometheus.Observer
}

func defineGroup(d *definer) group {
	g := group{
		size: d.histogram("delta_published_bytes", "Size of the deltas that this instance published.",
			prometheus.ExponentialBuckets(1024, 2, 11)).WithLabelValues(),
		accepted: d.counter("deltas_accepted_total", "Deltas of the log that were accepted, of whichever instance.").WithLabelValues(),
		followed: d.counter("delta_followed_bytes_total", "Bytes of the delta log that this instance read, checkpoints included.").WithLabelValues(),
		foreign: d.counter("delta_fleets_foreign_total",
			"Fleets of accepted deltas that another instance counts in another way: what it counted of them is missing here.").WithLabelValues(),
		crowded: d.counter("delta_panes_crowded_total",
			"Panes of accepted deltas, of whichever instance, that this one has no room for or cannot read.").WithLabelValues(),
		followerLag: d.gauge("follower_lag_records",
			"Records of the delta log that this instance has not read yet.").WithLabelValues(),
		decider: d.gauge("decider", "1 on the instance that decides.").WithLabelValues(),
		epoch:   d.gauge("decider_epoch", "Epoch of the newest decider that this instance has read of in the journal; it only grows.").WithLabelValues(),
		owned:   d.gauge("owned_partitions", "Log partitions that this instance counts.").WithLabelValues(),
		// A tick is 2 s of time; this should take a small part of that.
		tick: d.histogram("tick_duration_seconds", "Time to make a delta and to append it to the log.",
			prometheus.ExponentialBuckets(0.001, 2, 14)).WithLabelValues(),
	}
	rejected := d.counter("deltas_rejected_total", "Deltas of the log that were not accepted, of whichever instance, and entries that cannot be read.", "reason")
	for r := range rejections {
		g.rejected = append(g.rejected, rejected.WithLabelValues(r.String()))
	}
	return g
}

// Published takes the size in bytes of a delta that this instance published.
func (m *Metrics) Published(size int) {
	if m != nil {
		m.group.size.Observe(float64(size))
	}
}

// Followed takes the size in bytes of an entry that was read from the log of deltas.
func (m *Metrics) Followed(size int) {
	if m != nil {
		m.group.followed.Add(float64(size))
	}
}

// Accepted is told of each delta that was read from the log and accepted, and what of it is not counted here: how many of its
// fleets, and how many panes of the others.
func (m *Metrics) Accepted(foreign, crowded int) {
	if m != nil {
		m.group.accepted.Inc()
		m.group.foreign.Add(float64(foreign))
		m.group.crowded.Add(float64(crowded))
	}
}

// Rejected is told of each entry that was read from the log and is a delta that was not accepted, or cannot be read; and why.
func (m *Metrics) Rejected(why Rejection) {
	if m != nil {
		m.group.rejected[why].Inc()
	}
}

// Following takes how many records of the delta log this instance has yet to read.
func (m *Metrics) Following(behind uint64) {
	if m != nil {
		m.group.followerLag.Set(float64(behind))
	}
}

// Decides takes whether this instance decides, and the highest epoch that it has read of in the journal.
func (m *Metrics) Decides(is bool, epoch uint64) {
	if m != nil {
		set(m.group.decider, is)
		m.group.epoch.Set(float64(epoch))
	}
}

// Owns takes how many partitions of the log this instance counts.
func (m *Metrics) Owns(partitions int) {
	if m != nil {
		m.group.owned.Set(float64(partitions))
	}
}

// Ticked takes the time that one delta of this instance took to make and append, wall clock.
func (m *Metrics) Ticked(took time.Duration) {
	if m != nil {
		m.group.tick.Observe(took.Seconds())
	}
}

package client

import (
	"errors"
	"math"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"firebreak/routing"
)

// The outcomes of looks and reads.
const (
	outcomeUnchanged = "unchanged"
	outcomeNewer     = "newer"
	outcomeOlder     = "older"
	outcomeRefused   = "refused"
	outcomeThrottled = "throttled"
	outcomeFailed    = "failed"
)

// metrics are a client's own. Labels are closed sets, all of which exist from the start; keys and tenants are in none.
type metrics struct {
	reg        prometheus.Registerer
	collectors []prometheus.Collector

	refreshes, confirmations, misroutes, refusals, cache, quota, fanOuts, guard, fences, seconds *prometheus.CounterVec
	guardServed, guardMoved, guardFenced, guardNotReady                                          prometheus.Counter
	keepFailed, refusedStale                                                                     prometheus.Counter
	quotaWait                                                                                    prometheus.Histogram
}

// newMetrics registers them with the fleet's name as a label; a nil registerer takes none.
func newMetrics(reg prometheus.Registerer, f *follower) (*metrics, error) {
	m := &metrics{}
	m.refreshes = m.counters("refreshes_total", "Looks at the head and reads of the document, by what came of them.",
		outcomeUnchanged, outcomeNewer, outcomeOlder, outcomeRefused, outcomeThrottled, outcomeFailed)
	m.confirmations = m.counters("confirmations_total", "Confirmations of the version held.", "taken", outcomeFailed)
	m.misroutes = m.counters("misroutes_total",
		"Answers of shards that do not have a key: followed where the answer told where it went, waited for otherwise, given up.",
		"followed", "waited", "given_up")
	m.refusals = m.counters("refusals_total", "Decisions and answers that were refused, not by a quota: stale = it is not known whether the document is "+
		"the latest; changed = the key's place or pieces changed under way.", "stale", "changed")
	m.refusedStale = m.refusals.WithLabelValues("stale")
	m.cache = m.counters("cache_loads_total", "Loads through a cache: joined = waited for another's load; passed = the key is not declared.",
		"hit", "miss", "joined", "passed")
	m.quota = m.counters("quota_requests_total", "Requests of tenants that have a quota: admitted at once, after a wait, or refused.",
		"admitted", "queued", "refused")
	m.fanOuts = m.counters("fan_outs_total", "Reads of several pieces: whole, or partial because some did not answer.", "whole", "partial")
	m.fences = m.counters("fenced_requests_total", "Requests for a place that nobody could serve: waited for, or given up.", "waited", "refused")
	m.seconds = m.counters("second_writes_total", "Second writes to places that are written twice: written, a gap where the first one's word counts, failed where both have to take it.",
		"written", "gap", outcomeFailed)
	m.guard = m.counters("guard_requests_total", "Requests that a Guard judged: let in, of a key that is another shard's, of one that nobody may serve, or before it had a document.",
		"served", "moved", "fenced", "not_ready")
	m.guardServed, m.guardMoved = m.guard.WithLabelValues("served"), m.guard.WithLabelValues("moved")
	m.guardFenced = m.guard.WithLabelValues("fenced")
	m.guardNotReady = m.guard.WithLabelValues("not_ready")
	m.keepFailed = prometheus.NewCounter(prometheus.CounterOpts{
		Namespace: "firebreak", Subsystem: "client", Name: "keep_failures_total", Help: "Documents that could not be kept in the file.",
	})
	m.quotaWait = prometheus.NewHistogram(prometheus.HistogramOpts{
		Namespace: "firebreak", Subsystem: "client", Name: "quota_wait_seconds", Help: "Waits of requests that were queued by a quota and let in.",
		Buckets: prometheus.ExponentialBuckets(0.001, 4, 7), NativeHistogramBucketFactor: 1.1,
	})
	m.collectors = append(m.collectors, m.keepFailed, m.quotaWait)
	m.gauge("version", "Version of the document held; NaN before the first one.", func() float64 {
		if v := f.held.Load(); v != nil {
			return float64(v.doc.Version)
		}
		return math.NaN()
	})
	m.gauge("staleness_seconds", "Since the read that last showed the document to be the latest; NaN where none did yet.", func() float64 {
		is := f.standing.now.Load()
		if is.read.IsZero() {
			return math.NaN()
		}
		return age(time.Now(), is.read).Seconds()
	})
	m.gauge("stale", "1 while a later document may be in force.", func() float64 {
		if f.standing.stale(time.Now()) {
			return 1
		}
		return 0
	})
	if reg == nil {
		return m, nil
	}
	m.reg = prometheus.WrapRegistererWith(prometheus.Labels{"fleet": routing.Escape(f.cfg.Fleet)}, reg)
	for i, c := range m.collectors {
		if err := m.reg.Register(c); err != nil {
			m.collectors = m.collectors[:i]
			m.close()
			return nil, err
		}
	}
	return m, nil
}

func (m *metrics) counters(name, help string, outcomes ...string) *prometheus.CounterVec {
	c := prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: "firebreak", Subsystem: "client", Name: name, Help: help}, []string{"outcome"})
	for _, o := range outcomes {
		c.WithLabelValues(o)
	}
	m.collectors = append(m.collectors, c)
	return c
}

func (m *metrics) gauge(name, help string, value func() float64) {
	m.collectors = append(m.collectors, prometheus.NewGaugeFunc(
		prometheus.GaugeOpts{Namespace: "firebreak", Subsystem: "client", Name: name, Help: help}, value))
}

// close takes them out of the registry.
func (m *metrics) close() {
	if m.reg == nil {
		return
	}
	for _, c := range m.collectors {
		m.reg.Unregister(c)
	}
}

// second counts a second write, and calls it so where it failed.
func (m *metrics) second(err error, failed string) {
	if err == nil {
		failed = "written"
	}
	m.seconds.WithLabelValues(failed).Inc()
}

func (m *metrics) refreshed(outcome string) { m.refreshes.WithLabelValues(outcome).Inc() }

func (m *metrics) failed(err error) {
	var t throttled
	if errors.As(err, &t) {
		m.refreshed(outcomeThrottled)
		return
	}
	m.refreshed(outcomeFailed)
}

func (m *metrics) confirmed(taken bool) {
	if taken {
		m.confirmations.WithLabelValues("taken").Inc()
		return
	}
	m.confirmations.WithLabelValues(outcomeFailed).Inc()
}

package telemetry

import "github.com/prometheus/client_golang/prometheus"

// routedVecs are the metrics about the routing that clients obey.
type routedVecs struct{ trouble, stopped *prometheus.GaugeVec }

// routed is their series of one fleet.
type routed struct{ throttled, failing, stopped prometheus.Gauge }

func defineRouted(d *definer) routedVecs {
	return routedVecs{
		trouble: d.gauge("routing_store_trouble", "1 while the store of the fleet's routing does not serve this instance: it throttles, and calls wait; or they fail.", "fleet", "reason"),
		stopped: d.gauge("acting_stopped", "1 while acting on the fleet is stopped by a person.", "fleet"),
	}
}

func (v *routedVecs) of(fleet string) routed {
	return routed{v.trouble.WithLabelValues(fleet, "throttled"), v.trouble.WithLabelValues(fleet, "failing"), v.stopped.WithLabelValues(fleet)}
}

// Routing is told how the routing of the fleet stands: its store throttles, it fails otherwise, a person has stopped acting.
func (f *Fleet) Routing(throttled, failing, stopped bool) {
	if f == nil {
		return
	}
	set(f.routed.throttled, throttled)
	set(f.routed.failing, failing)
	set(f.routed.stopped, stopped)
}

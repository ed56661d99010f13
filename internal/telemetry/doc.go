// Package telemetry names and holds every metric of firebreak, for Prometheus.
//
// New defines all of them once; the loops then hand over plain numbers or values
// of policy. No metric reads a clock or does I/O, and no update allocates.
//
// Invariants:
//
//  1. A label's values are a closed list in code, or names that stand in the
//     configuration (fleet, cluster, topic, receiver). Never a key, a tenant, a
//     caller, a shard or a partition: what an attacker or a busy day can invent
//     would grow without bound. The number of series is fixed at start.
//  2. Every series exists from the start, at zero, so that the first event is
//     an increase. A quantity that is not known yet is NaN, which no alert takes
//     for good news nor for bad; firebreak_blind is 1 until something was judged.
//  3. Input that cannot be judged never lowers a hotspot gauge: it follows the
//     detection state, which such input leaves as it is.
//  4. docs/metrics.md lists every metric with its type, labels and meaning; a
//     test compares it with what is served.
//
// A nil *Metrics, *Fleet or *Topic takes every update and does nothing, so that
// a loop that is not watched needs no branch. Updates may come from any goroutine,
// but for Fleet.Judged, which belongs to the one that evaluates the fleet.
package telemetry

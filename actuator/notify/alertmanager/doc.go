// Package alertmanager hands hotspots to Prometheus Alertmanager by its API v2, for who routes, silences and groups there already.
// docs/alertmanager.md describes it.
//
// An alert ends by itself: one that fires ends at its tick and the time to keep, so that an end that was never told is no alert
// for ever; the end of its subject ends it at once. Alertmanager knows an alert by its labels: where they change (severity, team),
// the alert with the old ones is ended in the same request. The receipt remembers them.
//
// Invariants:
//
//  1. A subject has one alert that fires at most.
//  2. No key or tenant is a label: they are annotations, escaped.
//  3. No token is in an error.
package alertmanager

// Package alertmanager hands hotspots to Prometheus Alertmanager by its API v2, for who routes, silences and groups there already.
// docs/alertmanager.md describes it.
//
// An alert ends by itself: one that fires ends a time to keep after it was said last, and is said again and again by the instance
// that tells, as Prometheus does; the end of its subject ends it at once. So an Alertmanager that was restarted learns again what
// fires, and one that missed an end has no alert for ever. Alertmanager knows an alert by its labels: where they change (severity, cause, team),
// the alert with the old ones is ended in the same request. The receipt remembers them.
//
// Invariants:
//
//  1. A subject has one alert that fires at most.
//  2. No key or tenant is a label: they are annotations, escaped.
//  3. What ended is not said again.
//  4. No token is in an error.
package alertmanager

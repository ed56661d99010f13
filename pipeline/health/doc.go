// Package health reads how the shards of a fleet are from outside the log: Prometheus by instant queries, CloudWatch by
// GetMetricData. What it reads is evidence beside the log, an input of the next tick; it never says that a shard is hot.
//
//	sources --every minute, each by itself--> last good readings --at each tick--> policy.World
//
// A Fleet belongs to one fleet: New makes it, Run asks its sources until it is told to end, Readings gives what is known at a
// moment, from any goroutine and at once.
//
//  1. A reading is one for KeepFor after its source gave it, and not longer. From then on its metric is unread: that is said, and is
//     no all-clear.
//  2. Of several readings of one metric of a shard the highest counts: more is worse in every metric.
//  3. What one query gives counts, whatever becomes of the others.
//  4. A source that fails or takes its time holds up no other one, and never a tick.
//  5. Answers are bounded, whatever they hold; no error or log line holds a secret.
//  6. Secrets that stand in files are read for each request, certificates for each connection.
package health

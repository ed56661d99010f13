// Package simulate is a generated fleet under load: tenants and their keys, clients that each place their part of the requests by a
// routing table they hold and obey its salts, quotas and caches, shards that serve up to a capacity and refuse beyond it, and the
// request log that the shards write, sampled one line of so many. A story plants causes of heat, and Truth says which, so that verdicts
// can be held against it. Beside the log the shards count what they are asked for, so that fixes can be held against that.
//
// It is pure of I/O, clocks and goroutines. Time is virtual: Step writes the log of a stretch of it. A World belongs to one
// goroutine.
//
// Invariants:
//
//  1. The lines of a stretch depend on the configuration, the tables in force and the stretch only, not on the steps before:
//     the same seed tells the same story, however it is cut into steps.
//  2. A line is one request, or one part of a read that fans out, as the shard saw it. Refused ones are logged too; what a client's
//     quota or cache keeps back is not.
//  3. What is not logged is as likely as what is: each request is logged with the same probability, which stands on its
//     line. The parts of one read are logged or left out together.
package simulate

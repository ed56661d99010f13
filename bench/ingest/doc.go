// Package ingest measures what a record of the request log costs on its way through Kafka: fetch, decode, count, and all
// that a member of a group does, beside a plain consumer with encoding/json and an exact map that reads the same topic in
// the same run. `firebreak bench ingest` prints its tables.
//
// The broker (kfake) is a process of its own, and so is every stage of every round: what is measured is the CPU time of a
// process that does one thing. Records a second and core are records over seconds of CPU, user and system, of all threads,
// garbage collector included; waiting costs nothing.
//
//	run ── broker      draws the log and holds it
//	   ├── stage       reads it once, in one way, and says what that took
//	   ├── member      counts a log that grows, with others of its group, and says how much when it is asked
//	   └── follower    follows their deltas and counts nothing itself
//
// The processes are this program under another flag; they speak JSON, one object a line, and end when their standard input
// does. Nothing here is used by the product.
package ingest

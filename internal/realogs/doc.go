// Package realogs holds `firebreak replay` against real request logs, and against synthetic twins of them that lie in
// testdata/twins. It has tests only.
//
// Each row is one slice of a log with the flags it is replayed with, placed by key and by tenant on 16 shards. Each row
// is replayed for many placements: a test-only salt goes into the bytes that are hashed, so that the real routing code
// decides anew who collides with whom. What is right for a placement follows from the exact counts of the slice by brute
// force, in code that shares nothing with package policy:
//
//   - a shard is hot if its exact load is over 1.5 x the mean, and certainly so if the exact binomial tail leaves chance
//     less than 1 in 1,600;
//   - its cause follows by removal, narrowest first, on exact loads;
//   - a plan is right if it leaves the hot shard and every shard that gains load at or under 1.5 x the mean, every record
//     of the slice being placed again under the plan's own document;
//   - an abstention is a certainly hot hottest shard without a verdict, without a cause or without a fix.
//
// The command is built once and run as a process: what is judged is what a user gets.
package realogs

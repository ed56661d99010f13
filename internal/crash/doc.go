// Package crash is the proof that many instances count one request log exactly, whatever dies: the built binary as three
// processes beside a real Apache Kafka, numbered records, and faults at moments that a seed draws.
//
// What is here is pure, and judges what a run left behind without asking any of its processes:
//
//  1. Counted reads the log of deltas, as any joiner would, and compares each pane with the Tally of what was written.
//  2. Journal reads the journal: who decided when, which hotspots there were, and which notices must have been sent.
//  3. Notices are what a receiver got. Each must be there, and may be there twice only if a fault explains it.
//  4. A Schedule is what is done to which process, and when.
//
// The runs themselves are tests with the tag kafka; docs/crash.md has their figures.
package crash

// Package report writes what a run of firebreak found as one self-contained HTML file, for who was not there: what is
// hot, where, since when, why, what to do and how sure that is.
//
// A [Recorder] is fed with each tick of one fleet, as its owner judged it, and keeps what a report shows. [Render]
// writes the page. Both are pure: no clock, file or network, and the same ticks give the same bytes.
//
// Invariants:
//
//  1. Memory is bounded whatever the length of the run: a fixed number of columns for each shard, of hotspots in full
//     and of hotspots in a line.
//  2. The page is under [MaxBytes], has no script and refers to nothing outside of itself; its content security policy
//     says so.
//  3. Names and sentences are untrusted: they pass through package draw and html/template only.
package report

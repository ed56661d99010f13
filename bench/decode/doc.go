// Package decode measures the decoders of pipeline/record beside what the standard library offers for the same work,
// on the same generated log, in one run. `firebreak bench decode` prints its table; bench/peers adds the libraries of
// others to the same run.
//
// Same work means: nine fields of every record end up in Go values (time, count, bytes, latency and status as numbers,
// tenant, key, op and shard as text or bytes), and their sums are those of the log that was written. A contender whose
// sums differ is an error, not a row.
package decode

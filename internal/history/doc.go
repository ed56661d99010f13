// Package history is the form of <group>.history, the log of 35 days that is kept beside the journal: one load summary
// per fleet and minute (Minute), and the inputs of every verdict (Evidence), so that it can be judged again to the same
// bytes. docs/history.md is its form.
//
//	Tick --Keeper--> Minute, Evidence --Writer--> Appender (a log) --Reader--> page, report, explain, Peaks
//
// Of the readers, `run` uses Reader alone, and of what it yields the ids: so an instance knows what another wrote. Entry.Minute,
// Entry.Evidence and Replay are the way back from the log to what was seen and decided; tests hold them against what was written.
//
// It reads no clock and knows no broker: the log is an interface of one method. Whoever runs the loop calls Judged for every
// tick, on every instance; only the decider calls Flush.
//
// Invariants:
//
//  1. Instances that judge the same ticks make the same minutes and evidence, of the same id and the same bytes.
//  2. An id is yielded once by a Reader, however often and by whomever it was written.
//  3. Evidence is exact: floats, names, orders and empty lists come back as they were.
//  4. Bytes that nobody here wrote are errors, never panics, and take bounded memory.
package history

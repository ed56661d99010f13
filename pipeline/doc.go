// Package pipeline turns records into the snapshots that policy judges: event time, the sliding window, the place of
// each record, and what the log does and does not say.
//
// A Fleet is pure of I/O and clocks: time is what its records carry. It belongs to one goroutine, which feeds it with
// Observe, closes panes with Advance and reads Snapshot after each.
//
// Event time. A record may be late, early or wrong:
//
//  1. It is counted in the pane of its own time as long as that pane is in the ring, also after the pane was closed. A
//     record whose pane has left the ring is late: counted as such, nothing else.
//  2. A record that is ahead of everything so far by more than the allowed skew is held back and moves nothing. It is
//     refused as future when a later record of its own partition shows that it was more than twice the skew ahead of its
//     log. It is accepted when time arrives within the skew of it, or when three records in a row, of any partition, are
//     held back: then traffic has had a gap. So one stray date moves nothing, and the first record after hours of silence does once two have followed it.
//     What is still held at the end of the input is accepted if it is no farther ahead than the long window or the
//     longest gap the log has had.
//  3. The first records of a log are held in the same way, until three are there; one that is more than a day behind
//     their median is late.
//  4. A pane is complete when every partition that still delivers has passed its end by the allowed disorder. A
//     partition more than Config.Idle behind the furthest one does not count: it stops nobody's time.
//  5. A gap is closed pane by pane until the window is empty; the rest of it is passed in one step, because an empty
//     window says the same at each of them.
package pipeline

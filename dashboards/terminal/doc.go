// Package terminal draws a fleet on a terminal: one column per shard, the line it must not cross, and beneath it the shard
// that fires with its cause, its evidence and its fix beside the fix that would fail.
//
// It is pure: what is shown goes in, the bytes of one frame come out. It reads no clock, no environment and no size of any
// window; Screen says what the terminal can do.
//
// Invariants:
//
//  1. Names and sentences from outside pass through package draw: a frame holds no control character of theirs.
//  2. A frame has at most Screen.Height rows of at most Screen.Width columns, whatever is shown.
//  3. Nothing is said by colour alone: what is hot rises over the drawn line, and what fires has a mark and a name.
package terminal

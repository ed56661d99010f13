// Package actuator keeps the journal: the append-only record for people of what was seen, told, held and delivered.
// docs/journal.md is its form.
//
//	policy.Decision --Scribe--> entries --Pending--> Journal (a log) --Reader--> page, report, delivery queue
//	            people ---accept, dismiss---------------^
//
// Everything here is pure: no I/O, no clock, no goroutine. The log itself is an interface (Journal) that another package
// implements; whoever runs the loop owns the Scribe's state, the Pending and the Reader, each on one goroutine.
//
// Invariants:
//
//  1. Nothing's safety rests on the journal; it may lag, and a reader may miss its oldest part.
//  2. The id of an entry is a function of what was evaluated: two instances that evaluate the same inputs write the same ids.
//  3. Every entry that a decider had to write is in the journal at least once, unless nobody could write for longer than
//     Pending's age; a Reader yields it once, and the entries of a hotspot in their order.
//  4. Once a Reader has seen an epoch it yields nothing of a lower one. What people said is of no epoch, and is always yielded.
package actuator

import "context"

// Journal appends entries to the one log of a group. An entry stands in it after nil was returned. After an error any prefix
// of them may stand in it, then or later: the caller appends them all once more, and readers drop what they know.
type Journal interface {
	Append(ctx context.Context, entries []Entry) error
}

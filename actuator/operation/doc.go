// Package operation carries plans out: it cuts a plan into operations, and says of each what its next write is, or what it waits for.
//
// It is pure. What stands in the control state is all that an operation is, so that whoever decides next goes on from there: a crash
// anywhere leaves a whole state. Each phase is entered by one conditional write, and left when its conditions hold; what is done outside
// the document (copies, folds) is asked for by (operation, phase), and may be asked for again. docs/acting.md shows the tables.
//
// Invariants:
//
//  1. An operation changes the entries that it names and no others, and begins only while they are as it found them.
//  2. No forward write is made on stale numbers, while acting is stopped, or where it would put a shard over its target.
//  3. Until its grace is over, an operation has a way back or says why it has none.
//  4. Readers know a piece before writers use it, and read it until it is folded.
package operation

// Package steward looks after the routing of a fleet: who decides claims its control state, answers what people ask for, takes operations
// one write further at a time, and sees to it that the journal has every change.
//
//	log --policy--> Judged                  people --Ask--> requests of the store
//	                   \                                     /
//	                    Steward: claim, answer, operation.Executor, one conditional write each
//	                   /          \                         \
//	      Mover (data)             Store (document, outbox)   Append (journal)
//
// What a step is, and when it may be made, is operation's, which is pure; where the state is kept is the store's. Here is the order: the
// store is read before it is written, the journal has a change before the next one is made, and neither is waited for while nobody serves
// what an operation moves.
//
// Invariants:
//
//  1. One claim makes every earlier process harmless: its writes fail on the tenure.
//  2. A request is carried out once, however often and wherever it is put, and is taken away when the journal knows of it.
//  3. Every change stands in the outbox until the journal has it: a crash at any place repeats an entry, and loses none.
package steward

// Package notify tells people, and their programs, what the journal says: one durable, bounded queue of deliveries, and the
// generic signed webhook (docs/webhook.md). Other receivers are further Senders behind the same queue.
//
//	journal --Apply--> Queue (pure) --Due--> Runner --Send--> receiver
//	   ^                                        |
//	   '------------ delivered entries ---------'
//
// The queue is durable because it is the journal: every instance applies every entry, and an entry of the kind delivered
// takes out what it names. The decider alone sends (Runner.Start, Runner.Stop); who becomes decider goes on where the journal
// stands. A crash between sending and recording repeats one notice a receiver, under the same dedup key.
//
// Invariants:
//
//  1. Every entry that a receiver wants is delivered, told as one of "N more", or recorded as given up.
//  2. The notices of one hotspot reach a receiver in their order, one at a time.
//  3. Memory is bounded: a full queue folds what matters least, oldest first, and counts it.
//  4. A receiver that fails or is slow delays no other.
//  5. A URL or secret of a receiver is in no error, log or entry; the host's name and the cause are.
package notify

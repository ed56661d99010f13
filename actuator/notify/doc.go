// Package notify tells people, and their programs, what the journal says: one durable, bounded queue of deliveries, what a
// message says (Guide.Message, out of the sentences of internal/words), and the generic signed webhook (docs/webhook.md). Its
// subpackages slack, pagerduty and alertmanager are further Senders behind the same queue: they give a message its form.
//
//	journal --Apply--> Queue (pure) --Due--> Runner --Send--> receiver
//	   ^                                        |
//	   '------------ delivered entries ---------'
//
// The queue is durable because it is the journal: every instance applies every entry, and an entry of the kind delivered
// takes out what it names. The decider alone sends (Runner.Start, Runner.Stop); who becomes decider goes on where the journal
// stands. A crash between sending and recording repeats, under the same dedup keys, what was sent and not recorded: one notice a
// receiver, or, while the journal takes nothing, at most 100.
//
// Invariants:
//
//  1. Every entry that a receiver wants is delivered, told as one of "N more", or recorded as given up. Only what was over before a
//     receiver was first told anything is not.
//  2. The notices of one hotspot reach a receiver in their order, one at a time.
//  3. Memory is bounded: a full queue folds what matters least, oldest first, and counts it. That a fleet cannot be judged is told by
//     itself while it cannot. The end of what a receiver was told of is told; the end of what it was told of in a summary is told in
//     that summary, which is over when all of it is.
//  4. A receiver that fails or is slow delays no other.
//  5. A URL or secret of a receiver is in no error, log or entry; the host's name and the cause are.
package notify

// Package control is the control state of a fleet: the routing document with what only those who change it need, the people's
// requests and the clients' confirmations beside it, and the rules by which they change. routing/kafka and routing/dynamo store it,
// routing/client obeys it.
//
// It is pure: no I/O, clock, context or log.
//
// Invariants:
//
//  1. One write takes effect or none: a write names the (epoch, tenure, version) it replaces, and a store takes it only while the state
//     stands there. The version rises: by one, and only the import of a document that is further on makes it rise by more.
//  2. The epoch never goes down. Only a claim raises it, and a claim has a tenure of its own, so that who lost the fleet to another
//     can write no more, however late his write arrives.
//  3. (epoch, tenure, version) names one state: who reads back what he wrote knows that it was his write.
//  4. What people are told of a change stands in the same write, in the outbox, until the journal has it.
//  5. A request is answered once: its id stays among the answers until its item is gone.
//  6. The head is written after the document: it may lag, it never leads.
package control

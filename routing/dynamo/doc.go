// Package dynamo keeps the control state of fleets in a DynamoDB table, for deciders (Store) and for the clients that route by it (Source).
//
// One table, keyed by the texts pk and sk, holds any number of fleets. Everything is native attributes, so that any language reads it:
//
//	pk               sk        what
//	fleet/orders     document  document (a map as routing.Document encodes it), home, answers, outbox
//	fleet/orders     head      epoch, version, bytes, clients
//	requests/orders  ID        what a person asks for
//	clients/orders/7 NAME      what a client confirms: client, epoch, version, beat
//
// A fleet's name is escaped, and / in it is written \x2f. Clients lie on 16 partition keys, by the hash of their names.
//
// Invariants:
//
//  1. A state is changed by one conditional write of one item, on epoch, tenure, version and home.
//  2. The head is written after the document, and never back.
//  3. A call is sent again only as the same call: who sent a write and got no answer sends it again, and reads consistently what became
//     of it where the condition is refused then.
//  4. Each call has a budget of its own, until its context ends. While the table throttles, all calls of a store together are at most
//     five a second.
//
// The SDK's own retries are off: its budget is shared by all calls of a client, and it takes a lost reply for a conflict.
package dynamo

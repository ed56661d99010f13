// Package kafka keeps the control state of fleets on Kafka: two topics of a group, <group>.state and <group>.clients, each of one
// partition. It is the default store, as watching needs Kafka already, and a source for clients that have Kafka.
//
// The log decides. Whoever wants to change a fleet's state appends a write that names the state it replaces; everybody reads the same
// log in the same order, and the first write that names the state as it stands takes effect, for all of them. Those that come later
// name a state that is gone, and are void. So a zombie's write, one that is sent twice, and one that arrives a day late change nothing.
//
// Invariants:
//
//  1. The state of a fleet is a function of the log: no two readers who have read as far have different ones.
//  2. Every answer is read up to where the log ended when it was asked for.
//  3. The log is never compacted and has no retention. It is only cut by Trim, behind snapshots of every fleet that were read back.
//  4. Confirmations are in a topic of their own, kept for an hour: thousands of clients write there, and nothing else depends on it.
package kafka

// Package closedloop lets firebreak look after a fleet of which everything is known, in virtual time: what is counted is judged by
// [policy.Evaluate], what is judged is carried out by [operation.Executor], what it writes stands in a store that fails, clients route by
// what they hold of it, and what they send where is what is counted next.
//
// Nothing of policy or of the actuator is replaced here. Drawn are the fleet, what it is asked for (sums for each virtual shard and listed
// key or tenant and pane, with the noise of arrivals and of sampling), the store's faults and the clients' lags.
//
// Invariants:
//
//  1. A loop is a function of its seed and its options.
//  2. What is counted follows from what clients send, by the tables that they hold: the document reaches the counts through them only.
//  3. [Minimum] knows the exact rates and the rules of acting, and shares no code with policy.
//
// It has no records, no Kafka and no movers: packages pipeline/kafka and actuator/operation prove those.
package closedloop

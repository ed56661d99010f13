// Package kafka is the live loop on Kafka: a Member counts partitions of request logs in a group, publishes what it counted to
// the log of deltas, follows that log, and may become the one that decides. Beside it stand how a cluster is reached, the topics
// of firebreak's own, a plain log over one of them, and the checks of `firebreak doctor`.
//
//	request log -> consumer -> pipeline.Tick -> log of deltas -> pipeline.Live -> Sink
//
// What records and deltas mean is for pipeline to say; here is settled who counts which offsets, and when.
//
//  1. The log of deltas is the only truth. Nothing is committed or kept on a disk: who starts or starts over goes on where that
//     log says a partition was counted to.
//  2. A delta is published only by who has had the answer to a heartbeat within the session, and one at a time. What does not
//     come back as accepted is dropped whole.
//  3. Entries are applied once each, in the log's order, under the member's lock. All others see a View, which nobody changes.
//  4. Who decides owns the one partition of a second group, has had the answer to a heartbeat of it, and has applied the log to
//     its end.
//  5. No error, log line or finding holds a secret. Secrets that stand in files are read anew for every connection, so
//     that one may be changed without a restart.
//  6. Nothing here alters or deletes a topic that exists: what is wrong is named, with the command that mends it.
//  7. Every client made of Options learns of new partitions, leaders and topic ids within seconds.
package kafka

// Package kafka speaks Kafka for the pipeline: how a cluster is reached, the topics of firebreak's own, a plain log over
// one of them, and the checks of `firebreak doctor`.
//
// It knows bytes, offsets and times, and nothing of what they mean.
//
//  1. No error, log line or finding holds a secret. Secrets that stand in files are read anew for every connection, so
//     that one may be changed without a restart.
//  2. Nothing here alters or deletes a topic that exists: what is wrong is named, with the command that mends it.
//  3. Every client made of Options learns of new partitions, leaders and topic ids within seconds.
package kafka

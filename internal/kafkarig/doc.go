// Package kafkarig starts a real Apache Kafka for tests: one node, broker and controller in one, from the jars that Maven
// serves. It needs Java 17 or later and, the first time, mvn; without them a test fails and says so.
//
// Tests that use it carry the build tag kafka and run as
//
//	go test -tags kafka ./pipeline/kafka/
//
// A Broker belongs to one test, ends with it, and ends with the process of the test where that is killed (on Linux).
package kafkarig

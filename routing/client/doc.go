// Package client is for applications that route by a fleet's document: the Router for who calls the shards, the Guard for the shards
// themselves. Both follow one Source and go on with the last document when it is away.
//
// It may be used from any goroutine. It never writes to the control state but for the client's own confirmation, and never calls a
// shard: the application does, where and as the Router says.
//
// Invariants:
//
//  1. What a client routes by never goes back in epoch or version, whatever the source says.
//  2. A document that does not validate, or is of another fleet or base map, is refused and the last one kept.
//  3. A client that cannot know whether its document is still the latest says that it is stale, with every answer, and refuses declared
//     key spaces unless the application asked for stale answers. It is judged when the answer arrives too.
//  4. A client is not stale only if it confirmed what it holds, recently enough that a decider still waits for it, and read the document
//     after that. So no phase of a salt advances past it unseen.
//  5. A Guard serves nothing before it has read a document from the source itself, and confirms a version only when nothing that it let
//     in by an older one is under way.
//  6. No clock is compared with another machine's. Ages are taken on this machine, by the larger of its two clocks.
package client

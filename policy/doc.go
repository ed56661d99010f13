// Package policy decides: from what was counted it finds hot shards, names the
// cause of each, proves the fix and says why the others fail, or holds.
//
// It is pure. [Evaluate] maps (snapshot, config, state, now) to (decision,
// state): no I/O, no clock, no goroutine, no log, no randomness. The same
// inputs give the same decision, whatever the order in which contributors are
// listed, so a stored snapshot can be judged again later.
//
// Invariants:
//
//  1. Silence is the default. Stale, partial or thin input never resolves a
//     hotspot, never undoes anything and never fires.
//  2. A verdict names a cause only if every reading of the evidence that its
//     bounds leave open names the same one; otherwise the cause is unknown.
//  3. A plan that is shown meets its target on upper bounds, on the hot shard
//     and on every receiver.
//  4. The line and the target of a hotspot are absolute numbers, frozen when
//     it fires; a mean that grows raises what the shard may bear.
//  5. Not acting is a result: a [Hold] with a reason from a closed list.
//
// Loads are rates in requests/s (or cost units/s where the fleet is weighed by
// cost). A quantity over a window is called a sum and is in requests.
package policy

// Package quality measures how often the policy is right. It draws fleets whose exact rates are known, logs them as a
// sampled request log would show them, lets [policy.Evaluate] judge every pane, and compares verdicts and plans with
// what follows from the exact rates.
//
// Nothing here feeds back into a decision: package policy does not import it, and the oracle shares no code with
// policy beyond the types of its answers and the routing tables that both read.
//
// Invariants:
//
//  1. A fleet, its log and its score are functions of one seed: same seed, same bytes, on any machine and with any
//     number of workers.
//  2. The oracle sees exact rates only, never counts; the policy sees counts only, never rates.
//  3. A plan is judged by carrying it out on the exact rates: every key is placed by the routing table that results.
//
// Words as in the design; an event is one shard of one fleet that is scored: the one that a hotspot was planted on, or
// one whose exact load is at or over its line.
package quality

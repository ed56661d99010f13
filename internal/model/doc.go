// Package model walks through every state that a protocol can get into: a small explicit-state model checker, and a model of each
// protocol by which firebreak acts (docs/protocols.md).
//
// A model is finite: two virtual shards on two shards, two deciders, one client that may be late, cut off or frozen, and messages that
// are lost or arrive when nobody waits for them any more. The rules of control states and the look-ups of tables are the real ones. What
// a protocol rests on is a named condition of its model; its test drops one after the other and wants the model to fail.
//
// It is pure and only tests call it.
//
// Invariants:
//
//  1. A walk is deterministic: the same model visits the same states in the same order.
//  2. States are kept whole, so that no two of them are taken for one.
//  3. The path to a violation is a shortest one.
package model

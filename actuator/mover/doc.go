// Package mover does what operations ask for outside the document: it carries data between shards, folds pieces and makes shards, by a
// command or a webhook of whoever runs the store. It knows of no store itself. docs/movers.md has the contract of both.
//
// Invariants:
//
//  1. Of one step of an operation, (operation, phase, version), one run is under way at a time in this process.
//  2. What the state does not ask for any more is cancelled, and its result is forgotten.
//  3. Nothing is remembered across processes: whoever decides next asks again, and who does it goes by the version.
package mover

// Package profiles knows what a fix is called in a store, and the command that makes it there: each store is a YAML file
// of data, beside this one or of the user's own. docs/profiles.md is its contract.
//
//	*.yml --Parse--> Profile --Choice--> Store --Tell--> line.Plan whose steps say it in the store's words
//	                                         '-Commands-> argument lists that a mover runs
//
// It runs nothing, and does no I/O but for Open, which reads a file that the configuration names.
//
// Invariants:
//
//  1. A command is a list of arguments, never a line for a shell. How many they are is the template's alone: no byte of a
//     key, tenant, caller or shard makes one more, or makes one an option or a part of a query.
//  2. What may be run by itself (PossibleYes) has an integration test against the store; all else is advice for a person.
//  3. What is not known is named and never guessed: such a command is shown with a mark in its place and is not run.
package profiles

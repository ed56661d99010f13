// Package survey looks at a sample of a request log about which nothing is known. Propose says how firebreak would read
// it: format, fields, op table, sampling and placement, each with the numbers that speak for it. Inspect says what a
// given configuration makes of it, and what this log can and cannot tell.
//
// Lines are read by package record alone: a column is what a decoder finds at its path, so that what is proposed here is
// what will be read later. The same sample gives the same bytes. Names and values are untrusted: they are quoted for
// YAML and escaped for people. Memory is bounded by [Limit], whatever the input.
//
// Invariants of a proposal:
//
//  1. It passes config.Parse unchanged, and says what Proposal.Fleet says.
//  2. At most one line is marked DECIDE: what the log cannot tell and a person must. Lines marked CHECK are guesses that
//     a person should read; they stand as they are.
//  3. Nothing is mapped for its name alone where its values speak against it.
package survey

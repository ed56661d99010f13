// Package textbook has the plain ways to count a sliding window, as books and tutorials give them, and the streams they
// are compared on. They are what package sketch is measured against; nothing else uses them.
//
//   - [Ring]: a ring of Count-Min sketches of 4 x 65,536 cells with a running total and a heap of the heaviest keys.
//   - [DoubleHashed]: the same with row i chosen by h1 + i*h2, which reports keys that are not hot.
//   - [Exact]: a ring of maps.
//
// None has bounds, merges, or drops a key's share of reads; each counts one number a key.
package textbook

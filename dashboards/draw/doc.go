// Package draw turns measured loads into figures: the fixed colour scale, heat maps, bars and curves as SVG, and the
// words around them (numbers, names, times). The report and the live page share it.
//
// Figures are structs of finished geometry; the templates of [Parse] write them through html/template, so whatever a
// name holds is text and never markup. Nothing here reads a clock, a file or a network, and equal inputs give equal
// bytes.
//
// Invariants:
//
//  1. Every name passes through [Name] and every foreign sentence through [Prose] before it is shown: valid UTF-8, no
//     control, bidirectional or zero-width character as itself, bounded length.
//  2. Where cells are fewer than what they stand for, each shows the maximum: nothing hot vanishes.
//  3. No figure speaks by colour alone: what matters also has a shape, a place or a word.
package draw

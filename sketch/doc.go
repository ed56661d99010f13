// Package sketch counts a sliding window of panes: bytes, weights and pane numbers, nothing else. It knows neither
// policy nor routing nor the form of a log line.
//
// [Exact] counts exactly, by maps. Its memory grows with the number of distinct keys in the window; what left the window
// is freed.
//
// Invariants:
//
//  1. Sums are in 1/256 request and saturate; a count never falls while its pane is in the window.
//  2. After a window without traffic everything is exactly 0 and nothing is listed.
//  3. No key is listed twice, whatever the order of records, slides and listings.
//  4. A record of a name that its pane knows already is counted without an allocation.
//
// A counter belongs to one goroutine.
package sketch

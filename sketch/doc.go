// Package sketch counts a sliding window of panes: bytes, weights and pane numbers, nothing else. It knows neither
// policy nor routing nor the form of a log line.
//
// [Sliding] counts in fixed memory, with bounds: low <= truth <= high for every key, tenant and (tenant, shard) pair, asked
// for or listed (but for two names with one 64-bit hash). Its window is a sum of pure parts:
//
//	event -> Summary -> Part -> pane of a Sliding -> Window, Ask
//	          (one pane, one goroutine)   (also over a log: Append, Decode, Accept)
//
// A [Summary] starts empty and depends on its records alone. In front it has a table of candidates (candidates.go), behind
// it a Count-Min for what the table does not hold (countmin.go). A [Part] is what it ships: the heaviest names with
// bounds, and what bounds every other name. A pane is the sum of Parts: low = sum of lows; high = sum of highs, and for
// every Part that does not list the name the smaller of its residual and its Count-Min's answer. What finds no room is
// left out lightest first, and raises the bounds of what is not listed.
//
// [Exact] counts exactly, by maps. Its memory grows with the number of distinct keys in the window; what left the window
// is freed. It is the oracle.
//
// Invariants of both:
//
//  1. Sums are in 1/256 request and saturate; a count never falls while its pane is in the window.
//  2. After a window without traffic everything is exactly 0 and nothing is listed.
//  3. No key is listed twice, whatever the order of records, slides and listings.
//  4. A record of a name that its pane knows already is counted without an allocation; in a Sliding any record is.
//  5. Where every name fits, a Sliding says what an Exact says.
//
// A counter belongs to one goroutine.
package sketch

// Package sketch measures the sliding window of firebreak/sketch beside the plain ways of bench/textbook, on the same
// drawn streams, in one run. `firebreak bench sketch` prints its tables; bench/peers adds the libraries of others to the
// same run.
//
// Every contender counts the same panes in turns: in each round each counts one pane, in an order that rotates. A figure
// is the median of the rounds, a ratio the median of the ratios within rounds. What the end of a pane costs is timed apart
// from the records. How right an answer is, is judged against exact counts of the same window, when it is full.
//
// Nothing here is used by the product.
package sketch

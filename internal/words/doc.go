// Package words says what firebreak found to people, and what people say of it: numbers, names, and the sentences about a hotspot.
// The live page, the report, the messages to Slack, PagerDuty and Alertmanager and the text of the webhook all take them from here, so
// that a hotspot reads the same everywhere.
//
// It is pure: no I/O and no clock. Each output escapes what it is given once more by its own rules (HTML, Slack's markup, JSON).
//
// Invariants:
//
//  1. Every name passes through [Show] and every foreign sentence through [Flat] before it is shown: valid UTF-8, no control,
//     bidirectional or zero-width character as itself, bounded length.
//  2. Names stay apart from our own words ([Span]), so that an output can set them apart.
//  3. What is not known is left out, never said as zero.
package words

// Package pagerduty pages people by the Events API v2 of PagerDuty: one incident for each hotspot, which is resolved when the
// hotspot is. docs/pagerduty.md describes it.
//
//	fired --trigger--> triggered --accepted--> acknowledged --told again--> resolved, and another one is triggered
//	                       |                        |
//	                       '-----resolved, dismissed'--> resolved
//
// Invariants:
//
//  1. All news of one subject has one dedup key until it is told again, so that what is sent twice pages once.
//  2. An event is within the limits of PagerDuty, whatever the names: it is cut between characters, never refused.
//  3. No routing key is in an error.
package pagerduty

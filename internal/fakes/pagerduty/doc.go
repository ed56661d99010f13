// Package pagerduty is the other side of tests: a server that takes events as the Events API v2 of PagerDuty does and refuses what
// it refuses (keys, lengths, sizes, severities). It keeps the incidents that people would have.
package pagerduty

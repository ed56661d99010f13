// Package slack tells a channel of Slack: with a bot token one message for each hotspot, updated in place, with its timeline in
// the thread; with an incoming webhook a message for each notice. docs/slack.md describes both.
//
// Invariants:
//
//  1. Nothing that came from data is markup: it pings nobody, links nowhere and closes nothing ([escape]).
//  2. A message is within the limits of Slack, whatever the names and however long the story.
//  3. No token or webhook URL is in an error.
package slack

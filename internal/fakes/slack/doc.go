// Package slack is the other side of tests: a server that takes messages as Slack does and refuses what Slack refuses (tokens,
// channels, lengths, the pace of a channel), and hands what people press to apps that are connected by Socket Mode. It keeps what a reader of the channel would see, and notes who would be pinged.
package slack

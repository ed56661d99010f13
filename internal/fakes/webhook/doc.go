// Package webhook is the other side of tests: a server that takes the notices of docs/webhook.md as a careful receiver does. It refuses
// what is not signed by its secret, or not now, what is too much at once, and keeps what has a dedup key that it does not know.
package webhook

//go:build !linux

package client

import "testing"

// loop runs what is measured.
func loop(b *testing.B, what func()) {
	b.ReportAllocs()
	for b.Loop() {
		what()
	}
}

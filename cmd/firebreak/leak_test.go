package main

import (
	"flag"
	"testing"

	"go.uber.org/goleak"
)

// TestMain has more parallel tests than cores beside each other: those of running instances wait for time to pass, not for a core.
func TestMain(m *testing.M) {
	if err := flag.Set("test.parallel", "4"); err != nil { // -parallel overrides it
		panic(err)
	}
	goleak.VerifyTestMain(m)
}

package main

import (
	"strings"
	"testing"
)

// TestDecode runs every contender briefly: all read what was written, or the run is an error.
func TestDecode(t *testing.T) {
	var out strings.Builder
	if err := run([]string{"decode", "-rounds", "7", "-round", "10us"}, &out); err != nil {
		t.Fatal(err)
	}
	for _, c := range contenders() {
		if !strings.Contains(out.String(), c.Name) {
			t.Errorf("no line for %s:\n%s", c.Name, out.String())
		}
	}
	if err := run([]string{"nothing"}, &out); err == nil {
		t.Error("an unknown bench runs")
	}
}

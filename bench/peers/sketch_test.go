package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"firebreak/bench/textbook"
)

// TestSketch runs every contender briefly: each has a row for each stream.
func TestSketch(t *testing.T) {
	var out strings.Builder
	if err := run([]string{"sketch", "-panes", "2", "-updates", "200", "-rounds", "7"}, &out); err != nil {
		t.Fatal(err)
	}
	for _, c := range counters() {
		if n := strings.Count(out.String(), c.Name); n != len(textbook.Kinds()) {
			t.Errorf("%d lines for %s, want one a stream:\n%s", n, c.Name, out.String())
		}
	}
	if err := run([]string{"sketch", "-panes", "0"}, &out); err == nil {
		t.Error("a window of no panes runs")
	}
}

// TestRings: with room for all keys a ring lists exact counts, and what left the window is gone.
func TestRings(t *testing.T) {
	stream := textbook.Draw(textbook.Kind{Zipf: 1.1, Keys: 40}, 3, 300, 2)
	exact := textbook.NewExact(1)
	for i := range stream.Len() {
		exact.Add(stream.Key(i), 1)
	}
	for _, c := range counters()[1:] {
		w, err := c.Open(stream)
		if err != nil {
			t.Fatal(err)
		}
		for pane := range 7 {
			w.Count(pane)
			if err := w.Turn(pane); err != nil {
				t.Fatal(err)
			}
		}
		if diff := cmp.Diff(exact.Top(40), w.Top(40)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.Name, diff)
		}
	}
}

// Command grafana prints the Grafana dashboard of firebreak as JSON, built with Grafana's foundation SDK. The file firebreak.json
// beside it is what it prints:
//
//	go run . > firebreak.json
//
// It is a module of its own, so that the product depends neither on the SDK nor on Prometheus's parser, which its tests use.
//
// Invariants, each held by a test:
//
//  1. Every metric and label that a query names stands in docs/metrics.md, or is one of Prometheus and its client library.
//  2. Every panel has a title, a description and a unit; every query a legend.
//  3. Queries work with native histograms and with classic ones.
//  4. What all instances show alike is taken by max or min, never added up.
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
)

func main() {
	if err := run(os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "grafana:", err)
		os.Exit(1)
	}
}

// run writes the dashboard as indented JSON.
func run(w io.Writer) error {
	board, err := build(sections())
	if err != nil {
		return err
	}
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(board)
}

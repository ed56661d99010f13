package main

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"firebreak/bench/sketch"
	"firebreak/bench/textbook"
)

// TestBenchSketch runs the bench on few records: streams, contenders and operations are in the tables; then the curves.
func TestBenchSketch(t *testing.T) {
	sizes := []string{"bench", "sketch", "--panes", "2", "--updates", "200", "--rounds", "7"}
	wanted := []string{sketch.Ours, "ring of Count-Min", "ring of maps, exact", "times ours", "recall@100", "merge 8 parts", "two goroutines"}
	for _, kind := range textbook.Kinds() {
		wanted = append(wanted, kind.Name)
	}
	for _, c := range []struct {
		args, want []string
	}{
		{sizes, wanted},
		{append(sizes, "--curves", "--most", "10000"), []string{"over distinct keys", "over records", "over instances", "      32  "}},
	} {
		var out, errs bytes.Buffer
		if err := run(context.Background(), c.args, strings.NewReader(""), &out, &errs); err != nil || errs.Len() > 0 {
			t.Fatalf("%v: %v, standard error %q", c.args, err, errs.String())
		}
		for _, want := range c.want {
			if !strings.Contains(out.String(), want) {
				t.Errorf("%v: the output lacks %q:\n%s", c.args, want, out.String())
			}
		}
	}
}

func TestBenchSketchRefuses(t *testing.T) {
	for _, flags := range [][]string{
		{"--panes", "0"}, {"--panes", "361"}, {"--updates", "0"}, {"--updates", "100000001"}, {"--rounds", "6"}, {"--most", "0"}, {"extra"},
	} {
		var out, errs bytes.Buffer
		err := run(context.Background(), append([]string{"bench", "sketch"}, flags...), strings.NewReader(""), &out, &errs)
		if exitCode(err) != exitUsage {
			t.Errorf("bench sketch %v: %v, want a usage error", flags, err)
		}
	}
}

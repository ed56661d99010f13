package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// bench runs the command and returns what it prints.
func bench(t *testing.T, args ...string) (string, error) {
	t.Helper()
	var out, errs bytes.Buffer
	err := run(context.Background(), append([]string{"bench", "verdicts"}, args...), strings.NewReader(""), &out, &errs)
	if errs.Len() > 0 {
		t.Errorf("bench %v wrote to standard error, which is no terminal: %q", args, errs.String())
	}
	return out.String(), err
}

// TestBenchVerdicts runs three fleets twice: same bytes, table, goals and files.
func TestBenchVerdicts(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "answers")
	first, err := bench(t, "--fleets", "3", "--seed", "4", "--workers", "2", "--misses", "--out", dir)
	if err != nil {
		t.Fatal(err)
	}
	again, err := bench(t, "--fleets", "3", "--seed", "4", "--workers", "1", "--misses")
	if err != nil {
		t.Fatal(err)
	}
	if first != again {
		t.Errorf("two runs differ:\n%s\n%s", first, again)
	}
	for _, want := range []string{"3 fleets", "load/line", "split-always", "power of 1 min", "wrong fix, all"} {
		if !strings.Contains(first, want) {
			t.Errorf("the output lacks %q:\n%s", want, first)
		}
	}
	for _, name := range []string{"fleets.csv", "shards.csv", "answers.csv"} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v, want a file with lines", name, err)
		}
	}
}

// TestBenchFleet prints one fleet and writes its log.
func TestBenchFleet(t *testing.T) {
	dir := t.TempDir()
	out, err := bench(t, "--fleet", "4", "--out", dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"fleet 4: ", "truth: ", "admissible:"} {
		if !strings.Contains(out, want) {
			t.Errorf("the output lacks %q:\n%s", want, out)
		}
	}
	if info, err := os.Stat(filepath.Join(dir, "records-4.csv")); err != nil || info.Size() == 0 {
		t.Errorf("records-4.csv: %v, want a log", err)
	}
}

func TestBenchRefuses(t *testing.T) {
	for _, args := range [][]string{
		{"--fleets", "0"}, {"--workers", "0"}, {"--format", "xml"}, {"extra"}, {"--seed", "-1"},
	} {
		if _, err := bench(t, args...); exitCode(err) != exitUsage {
			t.Errorf("bench %v: %v, want a usage error", args, err)
		}
	}
}

package main

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"firebreak/bench/ingest"
)

func TestBenchIngestRefuses(t *testing.T) {
	for _, flags := range [][]string{
		{"--records", "0"},
		{"--partitions", "0"},
		{"--partitions", "5000"},
		{"--batch", "0"},
		{"--batch", "3001"},
		{"--rate", "0"},
		{"--rounds", "0"},
		{"--instances", "0"},
		{"--length", "0s"},
		{"--over", "12,0"},
		{"extra"},
	} {
		var out, errs bytes.Buffer
		err := run(context.Background(), append([]string{"bench", "ingest"}, flags...), strings.NewReader(""), &out, &errs)
		if exitCode(err) != exitUsage {
			t.Errorf("bench ingest %v: %v, want a usage error", flags, err)
		}
	}
}

// TestBenchIngestTask: the hidden flag does a process's part, and is in no help.
func TestBenchIngestTask(t *testing.T) {
	var out, errs bytes.Buffer
	err := run(t.Context(), []string{"bench", "ingest", "--task", `{"Role":"nobody"}`}, strings.NewReader(""), &out, &errs)
	if err == nil || !strings.Contains(err.Error(), `"nobody"`) {
		t.Errorf("error %v", err)
	}
	if err := run(t.Context(), []string{"bench", "ingest", "--help"}, strings.NewReader(""), &out, &errs); err != nil || strings.Contains(out.String(), "--task") {
		t.Errorf("%v:\n%s", err, &out)
	}
	// A broker without records speaks and ends with its input.
	out.Reset()
	task := `{"Role":"broker","Load":{"Partitions":1,"Batch":1,"Rate":1,"Keys":2,"Tenants":1,"Shards":1}}`
	if err := run(t.Context(), []string{"bench", "ingest", "--task", task}, strings.NewReader(""), &out, &errs); err != nil || !strings.Contains(out.String(), `"Addr"`) {
		t.Errorf("%v: %s", err, &out)
	}
}

// TestBenchIngestLaunches: the flags are what the processes are told.
func TestBenchIngestLaunches(t *testing.T) {
	stop := errors.New("enough")
	var told []string
	launch := func(_ context.Context, task string, _ int) (ingest.Process, error) {
		told = append(told, task)
		return ingest.Process{}, stop
	}
	cmd := newBenchIngestCommand()
	cmd.SetContext(t.Context())
	flags := &benchIngestFlags{Load: ingest.DefaultLoad(), rounds: 1, scale: ingest.DefaultScale()}
	flags.Records, flags.Batch = 1234, 17
	for _, scaled := range []bool{false, true} {
		flags.scaled = scaled
		if err := runBenchIngest(cmd, flags, launch); !errors.Is(err, stop) {
			t.Errorf("scaled %v: %v", scaled, err)
		}
	}
	if len(told) != 2 || !strings.Contains(told[0], `"Records":1234`) || !strings.Contains(told[0], `"Batch":17`) || !strings.Contains(told[1], `"Feed":true`) ||
		!strings.Contains(told[1], `"Rate":100000`) {
		t.Errorf("told %q", told)
	}
}

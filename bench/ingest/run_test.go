package ingest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// within is the Launch that does the work in this process.
func within(ctx context.Context, text string, _ int) (Process, error) {
	return pretend(func(in io.Reader, out io.Writer) error { return Work(ctx, text, in, out) }), nil
}

// pretend is a process that is none.
func pretend(work func(in io.Reader, out io.Writer) error) Process {
	in, tell := io.Pipe()
	hear, out := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		err := work(in, out)
		ended <- errors.Join(err, in.Close(), out.Close())
	}()
	return Process{In: tell, Out: hear, Wait: func() error { return <-ended }}
}

func TestRun(t *testing.T) {
	readings := 0
	table, err := Run(t.Context(), Config{Load: smallLoad(), Rounds: 1, Procs: []int{1}, Launch: within, Done: func(n int) { readings = n }})
	if err != nil {
		t.Fatal(err)
	}
	var got []Stage
	for _, e := range table {
		got = append(got, e.Stage)
		if e.Nanos <= 0 || e.Rate <= 0 || e.Last.Records != int64(smallLoad().Records) {
			t.Errorf("%+v", e)
		}
	}
	if diff := cmp.Diff(Stages(), got); diff != "" || readings != len(got) {
		t.Errorf("%d readings; -want +got:\n%s", readings, diff)
	}
	var out bytes.Buffer
	if err := table.Write(&out); err != nil {
		t.Fatal(err)
	}
	if lines := strings.Count(out.String(), "\n"); lines != 1+len(table) {
		t.Errorf("%d lines:\n%s", lines, &out)
	}
}

// TestRunRefuses: a stage that reads less than was written, or another sum, is an error and no row.
func TestRunRefuses(t *testing.T) {
	for name, lie := range map[string]func(*Reading){
		"records": func(r *Reading) { r.Records-- },
		"weight":  func(r *Reading) { r.Weight++ },
	} {
		launch := func(_ context.Context, text string, _ int) (Process, error) {
			return pretend(func(in io.Reader, out io.Writer) error {
				var is task
				if err := json.Unmarshal([]byte(text), &is); err != nil {
					return err
				}
				say := json.NewEncoder(out)
				if is.Role == roleBroker {
					err := say.Encode(served{"nowhere", 100})
					_, copied := io.Copy(io.Discard, in)
					return errors.Join(err, copied)
				}
				r := Reading{Stage: is.Stage, Records: int64(is.Load.Records), Weight: 100, CPU: 1}
				if is.Stage == Count {
					lie(&r)
				}
				return say.Encode(r)
			}), nil
		}
		if _, err := Run(t.Context(), Config{Load: smallLoad(), Rounds: 1, Launch: launch}); err == nil || !strings.Contains(err.Error(), "count read") {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

// TestEntry: a figure is a median, a ratio the median of ratios within rounds.
func TestEntry(t *testing.T) {
	of := func(nanos ...int) (all []Reading) {
		for _, n := range nanos {
			all = append(all, Reading{Stage: Count, Records: 10, CPU: time.Duration(10 * n), Wall: time.Duration(n) * time.Second})
		}
		return all
	}
	got := entry(2, Count, of(100, 300, 200), of(50, 80, 70), of(800, 900, 1000))
	want := Entry{Procs: 2, Stage: Count, Nanos: 200, Low: 200, High: 300, Step: 130, Times: 5, Rate: 5e6, Wall: 200 * time.Second}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(Entry{}, "Last")); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestChildren: one that ends early, or cannot be started, is an error that says who.
func TestChildren(t *testing.T) {
	if err := Work(t.Context(), `{"Role":"nobody"}`, strings.NewReader(""), io.Discard); err == nil || !strings.Contains(err.Error(), `"nobody"`) {
		t.Errorf("error %v", err)
	}
	if err := Work(t.Context(), `{`, strings.NewReader(""), io.Discard); err == nil {
		t.Error("a task that is none is done")
	}
	mute := func(context.Context, string, int) (Process, error) {
		return pretend(func(io.Reader, io.Writer) error { return errors.New("no reason") }), nil
	}
	if _, err := Run(t.Context(), Config{Load: smallLoad(), Launch: mute}); err == nil || !strings.Contains(err.Error(), "broker") {
		t.Errorf("error %v", err)
	}
	if _, err := Run(t.Context(), Config{Load: smallLoad(), Launch: Exec("/nonexistent")}); err == nil {
		t.Error("a program that is not there runs")
	}
}

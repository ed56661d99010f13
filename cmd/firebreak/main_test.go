package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
)

// call runs one command line, split at spaces, and returns what it wrote and its error.
func call(t *testing.T, line string) (stdout string, err error) {
	t.Helper()
	var out, errOut bytes.Buffer
	err = run(t.Context(), strings.Fields(line), strings.NewReader(""), &out, &errOut)
	if errOut.Len() > 0 {
		t.Errorf("firebreak %s wrote to stderr: %s", line, errOut.String())
	}
	return out.String(), err
}

func TestExitCodes(t *testing.T) {
	tests := []struct {
		err  error
		want int
	}{
		{nil, 0},
		{errors.New("disk full"), 1},
		{context.Canceled, 1},
		{usageError{errors.New("--share is missing")}, 2},
		{fmt.Errorf("whatif: %w", usageError{io.EOF}), 2},
		{errFailOn, 3},
		{fmt.Errorf("replay: %w", errFailOn), 3},
	}
	for _, tt := range tests {
		if got := exitCode(tt.err); got != tt.want {
			t.Errorf("exitCode(%v) = %d, want %d", tt.err, got, tt.want)
		}
	}
	if err := (usageError{io.EOF}); !errors.Is(err, io.EOF) {
		t.Errorf("a usage error hides its cause")
	}
}

func TestHelpListsCommands(t *testing.T) {
	for _, line := range []string{"", "--help", "help"} {
		out, err := call(t, line)
		if err != nil || !strings.Contains(out, "whatif") {
			t.Errorf("firebreak %s: error %v, output lists no whatif:\n%s", line, err, out)
		}
	}
}

// TestWriteError: what cannot be written is an error of the work, not of the usage.
func TestWriteError(t *testing.T) {
	for _, args := range [][]string{{"whatif", "--demo-trap"}, {"whatif", "--demo-trap", "--output", "json"}} {
		err := run(t.Context(), args, strings.NewReader(""), failing{}, io.Discard)
		if exitCode(err) != exitError || !errors.Is(err, io.ErrClosedPipe) {
			t.Errorf("run(%v) = %v, exit %d, want exit 1", args, err, exitCode(err))
		}
	}
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

package mover

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"time"
	"unicode"

	"firebreak/actuator/operation"
)

const (
	// notYet is the exit code of a command that has not finished: EX_TEMPFAIL of sysexits.h.
	notYet = 75
	// maxLine bounds what is told of a command's last line of errors, in bytes.
	maxLine = 300
	// drained is how long after the end of a command what it left behind may hold its outputs open.
	drained = 2 * time.Second
)

// command is a Mover that runs a program: the task is on its standard input.
type command struct {
	argv    []string
	timeout time.Duration
}

// NewCommand makes a Mover of a program and its arguments; no shell stands between. A run that takes longer than timeout is killed, with
// all that it started in its process group. Exit code 0 is done, 75 not yet; with any other the last line of its errors is told.
func NewCommand(argv []string, timeout time.Duration) Mover {
	return &command{argv, timeout}
}

// Do runs the program once.
func (c *command) Do(ctx context.Context, t *operation.Task) error {
	body, err := Encode(t)
	if err != nil {
		return &Final{err.Error()}
	}
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, c.argv[0], c.argv[1:]...) //nolint:gosec // the configuration names it
	last := &lastLine{}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(body), io.Discard, last
	cmd.WaitDelay = drained
	ownGroup(cmd)
	err = cmd.Run()
	killGroup(cmd) // what it left behind, too
	var exit *exec.ExitError
	switch {
	case cmd.ProcessState != nil && cmd.ProcessState.Success():
		return nil // also where something that it started would not end
	case ctx.Err() != nil && errors.Is(ctx.Err(), context.DeadlineExceeded):
		return fmt.Errorf("%s: killed after %s%s", c.argv[0], c.timeout, last.after())
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, &exit) && exit.ExitCode() == notYet:
		return fmt.Errorf("%w%s", ErrNotYet, last.after())
	case errors.As(err, &exit):
		return fmt.Errorf("%s: %s%s", c.argv[0], exit.ProcessState, last.after())
	}
	return fmt.Errorf("%s: %w", c.argv[0], err)
}

// lastLine keeps the beginning of the last line that has something in it.
type lastLine struct {
	line, kept []byte
	long       bool // the line is longer than what is kept of it
}

// Write never fails.
func (l *lastLine) Write(p []byte) (int, error) {
	for _, b := range p {
		switch {
		case b == '\n':
			l.end()
		case len(l.line) < maxLine:
			l.line = append(l.line, b)
		default:
			l.long = true
		}
	}
	return len(p), nil
}

func (l *lastLine) end() {
	if len(bytes.TrimSpace(l.line)) > 0 {
		l.kept = bytes.Clone(bytes.TrimSpace(l.line))
		if l.long {
			l.kept = append(l.kept, "..."...)
		}
	}
	l.line, l.long = l.line[:0], false
}

// after is the line behind a colon, without what would do something to who reads it; empty where there is none.
func (l *lastLine) after() string {
	l.end()
	if len(l.kept) == 0 {
		return ""
	}
	return ": " + strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(string(l.kept), "?"))
}

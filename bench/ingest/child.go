package ingest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strconv"
)

// Process is a process under way: what it reads, what it writes, and how it is waited for.
type Process struct {
	In   io.WriteCloser
	Out  io.Reader
	Wait func() error
}

// Launch starts this program for a task, see Work, with GOMAXPROCS = procs; 0 = the machine's.
type Launch func(ctx context.Context, task string, procs int) (Process, error)

// Exec is the Launch that runs a program whose arguments are args and then the task.
func Exec(program string, args ...string) Launch {
	return func(ctx context.Context, task string, procs int) (Process, error) {
		cmd := exec.CommandContext(ctx, program, append(slices.Clip(args), task)...) //nolint:gosec // G204: the program is this one
		cmd.Stderr = os.Stderr
		if procs > 0 {
			cmd.Env = append(os.Environ(), "GOMAXPROCS="+strconv.Itoa(procs))
		}
		in, err := cmd.StdinPipe()
		if err != nil {
			return Process{}, fmt.Errorf("bench ingest: %w", err)
		}
		out, err := cmd.StdoutPipe()
		if err != nil {
			return Process{}, fmt.Errorf("bench ingest: %w", err)
		}
		if err := cmd.Start(); err != nil {
			return Process{}, fmt.Errorf("bench ingest: %w", err)
		}
		return Process{In: in, Out: out, Wait: cmd.Wait}, nil
	}
}

// child is a process that answers.
type child struct {
	role    role
	process Process
	answers *json.Decoder
}

// begin starts a child.
func begin(ctx context.Context, launch Launch, t task, procs int) (*child, error) {
	text, err := json.Marshal(t)
	if err != nil {
		return nil, fmt.Errorf("bench ingest: %w", err)
	}
	p, err := launch(ctx, string(text), procs)
	if err != nil {
		return nil, err
	}
	return &child{role: t.Role, process: p, answers: json.NewDecoder(p.Out)}, nil
}

// hear reads the next answer into v.
func (c *child) hear(v any) error {
	if err := c.answers.Decode(v); err != nil {
		return fmt.Errorf("bench ingest: the %s says nothing: %w", c.role, errors.Join(err, c.end()))
	}
	return nil
}

// ask has the child say how it stands.
func (c *child) ask(v any) error {
	if _, err := io.WriteString(c.process.In, "\n"); err != nil {
		return fmt.Errorf("bench ingest: the %s is gone: %w", c.role, errors.Join(err, c.end()))
	}
	return c.hear(v)
}

// end has the child end, and waits for it.
func (c *child) end() error {
	if err := errors.Join(c.process.In.Close(), c.process.Wait()); err != nil {
		return fmt.Errorf("bench ingest: %s: %w", c.role, err)
	}
	return nil
}

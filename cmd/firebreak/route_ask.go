package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"firebreak/routing/control"
)

// askFlags are those of commands by which a person asks who decides for something.
type askFlags struct {
	routeFlags

	reason, by string
	direct     bool
}

func (f *askFlags) define(cmd *cobra.Command) {
	f.routeFlags.define(cmd)
	flags := cmd.Flags()
	flags.StringVar(&f.reason, "reason", "", "why, for who reads the history")
	flags.StringVar(&f.by, "by", "", "who asks (default: $USER)")
	flags.BoolVar(&f.direct, "direct", false, "write to the store itself, where no instance lives that decides")
}

// sign fills in who asks, why and when.
func (f *askFlags) sign(r *control.Request) error {
	if strings.TrimSpace(f.reason) == "" {
		return errors.New("--reason: want why: the history says it")
	}
	if f.by == "" {
		f.by = os.Getenv("USER")
	}
	if f.by == "" {
		return errors.New("--by: want who asks ($USER is not set)")
	}
	r.ID, r.By, r.At, r.Reason = rand.Text(), f.by, time.Now(), f.reason
	return nil
}

// send has a request carried out, by who decides or directly, and gives the version that did. A refusal is an error.
func (f *askFlags) send(ctx context.Context, at *routed, r *control.Request) (version uint64, err error) {
	ask := at.ask
	if f.direct {
		ask = at.write
	}
	answer, err := ask(ctx, r)
	if err != nil {
		return 0, err
	}
	if answer.Refused != "" {
		return 0, fmt.Errorf("refused: %s", printable(answer.Refused))
	}
	return answer.Version, nil
}

const (
	// answerLook is how often a command looks for its answer.
	answerLook = 500 * time.Millisecond
	// answerAfter is how long it waits for one before it takes its request back.
	answerAfter = 20 * time.Second
	// answerLate is how long it looks on after that: an instance may have read the request before.
	answerLate = 5 * time.Second
)

// ask puts the request and waits for the answer of who decides. A request that nobody answers is taken back: it must not take effect
// hours later.
func (r *routed) ask(ctx context.Context, q *control.Request) (control.Answer, error) {
	ctx, cancel := context.WithTimeout(ctx, answerAfter+routeWait)
	defer cancel()
	failed := r.store.Put(ctx, q)
	if failed == nil {
		if a, ok := r.await(ctx, q.ID, answerAfter); ok {
			return a, nil
		}
		failed = fmt.Errorf("nobody answered within %v: is an instance running that decides? Where none is, --direct writes to the store itself", answerAfter)
	}
	taking, stop := context.WithTimeout(context.WithoutCancel(ctx), routeWait)
	defer stop()
	if err := r.store.Drop(taking, q.ID); err != nil {
		return control.Answer{}, fmt.Errorf("%w; and the request %s could not be taken back: %w", failed, q.ID, err)
	}
	if a, ok := r.await(taking, q.ID, answerLate); ok { // who had read it before it was taken back
		return a, nil
	}
	return control.Answer{}, fmt.Errorf("%w; the request was taken back: if an instance had read it just before that, firebreak route history tells", failed)
}

// await looks for the answer to a request.
func (r *routed) await(ctx context.Context, id string, patience time.Duration) (control.Answer, bool) {
	for end := time.Now().Add(patience); time.Now().Before(end) && ctx.Err() == nil; pause(ctx, answerLook) {
		if s, err := r.store.Load(ctx); err == nil {
			if a, ok := s.Answered(id); ok {
				return a, true
			}
		}
	}
	return control.Answer{}, false
}

// write carries the request out itself, under a tenure of its own. Who decided until then claims the fleet anew; what is told of it stands
// in the outbox until then.
func (r *routed) write(ctx context.Context, q *control.Request) (control.Answer, error) {
	ctx, cancel := context.WithTimeout(ctx, routeWait)
	defer cancel()
	state, err := r.store.Load(ctx)
	if err != nil {
		return control.Answer{}, err
	}
	var least uint64
	if q.Do == control.DoImport {
		least = q.Document.Epoch + 1
	}
	mine, err := state.Claim(least, rand.Text())
	if err != nil {
		return control.Answer{}, err
	}
	if _, err := r.store.Write(ctx, state.At(), mine); err != nil {
		return control.Answer{}, err
	}
	moved := *q
	if q.IfVersion == state.At().Version {
		moved.IfVersion = mine.At().Version
	}
	next := mine.Answer(&moved, time.Now())
	if next == nil {
		return control.Answer{}, errors.New("too many changes wait for the journal: an instance that decides must run first")
	}
	if _, err := r.store.Write(ctx, mine.At(), next); err != nil {
		return control.Answer{}, err
	}
	a, _ := next.Answered(q.ID)
	return a, nil
}

package steward

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"firebreak/routing/control"
	"firebreak/routing/store"
)

const (
	// answerLook is how often who asks looks for the answer.
	answerLook = 500 * time.Millisecond
	// answerAfter is how long it waits for one before it takes its request back.
	answerAfter = 20 * time.Second
	// answerLate is how long it looks on after that: an instance may have read the request before.
	answerLate = 5 * time.Second
	// storeWait bounds what is waited for the store beside that.
	storeWait = 30 * time.Second
)

// Ask puts a request into the store of its fleet and waits for the answer of who decides. A request that nobody answers is taken back: it must not take effect
// hours later.
func Ask(ctx context.Context, s store.Store, q *control.Request) (control.Answer, error) {
	ctx, cancel := context.WithTimeout(ctx, answerAfter+storeWait)
	defer cancel()
	failed := s.Put(ctx, q)
	if failed == nil {
		if a, ok := await(ctx, s, q.ID, answerAfter); ok {
			return a, nil
		}
		failed = fmt.Errorf("nobody answered within %v: is an instance running that decides? Where none is, --direct writes to the store itself", answerAfter)
	}
	taking, stop := context.WithTimeout(context.WithoutCancel(ctx), storeWait)
	defer stop()
	if err := s.Drop(taking, q.ID); err != nil {
		return control.Answer{}, fmt.Errorf("%w; and the request %s could not be taken back: %w", failed, q.ID, err)
	}
	if a, ok := await(taking, s, q.ID, answerLate); ok { // who had read it before it was taken back
		return a, nil
	}
	return control.Answer{}, fmt.Errorf("%w; the request was taken back: if an instance had read it just before that, firebreak route history tells", failed)
}

// await looks for the answer to a request.
func await(ctx context.Context, s store.Store, id string, patience time.Duration) (control.Answer, bool) {
	for end := time.Now().Add(patience); time.Now().Before(end) && ctx.Err() == nil; wait(ctx, answerLook) {
		if state, err := s.Load(ctx); err == nil {
			if a, ok := state.Answered(id); ok {
				return a, true
			}
		}
	}
	return control.Answer{}, false
}

// Direct carries a request out itself, where no instance lives that decides, under a tenure of its own. Who decided until then claims the fleet anew; what is told of it stands
// in the outbox until then.
func Direct(ctx context.Context, s store.Store, q *control.Request) (control.Answer, error) {
	ctx, cancel := context.WithTimeout(ctx, storeWait)
	defer cancel()
	state, err := s.Load(ctx)
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
	if _, err := s.Write(ctx, state.At(), mine); err != nil {
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
	if _, err := s.Write(ctx, mine.At(), next); err != nil {
		return control.Answer{}, err
	}
	a, _ := next.Answered(q.ID)
	return a, nil
}

// wait waits, or until ctx ends.
func wait(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

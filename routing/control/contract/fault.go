package contract

import (
	"context"
	"errors"
	"testing"
	"time"

	"firebreak/routing/control"
)

// soon is how long a store has that is not to succeed.
const soon = 2 * time.Second

// needs skips a case whose fault the rig cannot make.
func needs(t *testing.T, has bool) {
	t.Helper()
	if !has {
		t.Skip("this store has no such fault")
	}
}

func home(t *testing.T, r Rig) {
	needs(t, r.StoreIn != nil)
	ctx, here, there := within(t), r.StoreIn(t, fleet, "eu-west-1"), r.StoreIn(t, fleet, "us-east-1")
	state := adopted(t, fleet)
	state.Home = "eu-west-1"
	refused := func(s Store, was control.At, next *control.State) {
		t.Helper()
		if _, err := s.Write(ctx, was, next); !errors.Is(err, control.ErrNotHome) {
			t.Errorf("write of %s: %v, want %v", next.At(), err, control.ErrNotHome)
		}
	}
	refused(there, control.At{}, state)
	if _, err := there.Load(ctx); !errors.Is(err, control.ErrNone) {
		t.Errorf("load: %v, want %v", err, control.ErrNone)
	}
	mustWrite(ctx, t, here, control.At{}, state)
	stands(ctx, t, there, state)
	refused(there, state.At(), set(t, state, 1))
	unaware := set(t, state, 2) // of where its home is
	unaware.Home = ""
	refused(there, state.At(), unaware)
	mine := set(t, state, 3)
	mine.Home = "us-east-1"
	refused(there, state.At(), mine)
	stands(ctx, t, there, state)
	next := set(t, state, 4)
	mustWrite(ctx, t, here, state.At(), next)
	stands(ctx, t, there, next)
}

func lostReply(t *testing.T, r Rig) {
	needs(t, r.LoseReply != nil)
	ctx, s := within(t), r.Store(t, fleet)
	state := create(ctx, t, s, fleet)
	next := claimed(t, state, "a")
	for i := range 3 {
		r.LoseReply(t)
		if w := mustWrite(ctx, t, s, state.At(), next); !w.ReadBack && !r.Resends {
			t.Errorf("written: %+v, want it read back", w)
		}
		stands(ctx, t, s, next)
		state, next = next, set(t, next, i+1)
	}
	if head, err := r.Source(t, fleet).Head(ctx); err != nil || head.Version != state.Document.Version {
		t.Errorf("head: %+v, %v, want version %d", head, err, state.Document.Version)
	}
}

func lostFirst(t *testing.T, r Rig) {
	needs(t, r.LoseReply != nil)
	ctx, s := within(t), r.Store(t, fleet)
	r.LoseReply(t)
	state := adopted(t, fleet)
	if w := mustWrite(ctx, t, s, control.At{}, state); !w.ReadBack && !r.Resends {
		t.Errorf("written: %+v, want it read back", w)
	}
	stands(ctx, t, s, state)
}

func lostWrite(t *testing.T, r Rig) {
	needs(t, r.LoseWrite != nil)
	ctx, s := within(t), r.Store(t, fleet)
	state := create(ctx, t, s, fleet)
	r.LoseWrite(t, nil)
	next := set(t, state, 1)
	if w := mustWrite(ctx, t, s, state.At(), next); w.Attempts < 2 && !r.Resends {
		t.Errorf("written: %+v, want it sent again", w)
	}
	stands(ctx, t, s, next)
}

// lostToOther is the twin of a lost reply: the state was changed, and by somebody else.
func lostToOther(t *testing.T, r Rig) {
	needs(t, r.LoseWrite != nil)
	ctx, s, other := within(t), r.Store(t, fleet), r.Store(t, fleet)
	state := create(ctx, t, s, fleet)
	theirs := claimed(t, state, "b")
	r.LoseWrite(t, func() { mustWrite(ctx, t, other, state.At(), theirs) })
	_, err := s.Write(ctx, state.At(), set(t, state, 1))
	conflicts(t, err, theirs.At())
	stands(ctx, t, s, theirs)
}

// lostClaim is two claims of one epoch of which one got lost: only the tenure tells them apart.
func lostClaim(t *testing.T, r Rig) {
	needs(t, r.LoseWrite != nil)
	ctx, s, other := within(t), r.Store(t, fleet), r.Store(t, fleet)
	state := create(ctx, t, s, fleet)
	mine, theirs := claimed(t, state, "a"), claimed(t, state, "b")
	r.LoseWrite(t, func() { mustWrite(ctx, t, other, state.At(), theirs) })
	_, err := s.Write(ctx, state.At(), mine)
	conflicts(t, err, theirs.At())
	// He who goes on as if he had won is refused.
	_, err = s.Write(ctx, mine.At(), set(t, mine, 1))
	conflicts(t, err, theirs.At())
	stands(ctx, t, s, theirs)
}

func unknown(t *testing.T, r Rig) {
	needs(t, r.Away != nil)
	ctx, s := within(t), r.Store(t, fleet)
	state := create(ctx, t, s, fleet)
	next := set(t, state, 1)
	brief, stop := context.WithTimeout(ctx, soon)
	defer stop()
	back := r.Away(t)
	_, err := s.Write(brief, state.At(), next)
	back()
	var c *control.Conflict
	if !errors.Is(err, control.ErrUnknown) || errors.As(err, &c) {
		t.Errorf("write: %v, want %v", err, control.ErrUnknown)
	}
	settles(ctx, t, s, state, next) // it is sent again only as the same write, whatever stands there now
}

func throttled(t *testing.T, r Rig) {
	needs(t, r.Throttle != nil)
	ctx, s, from := within(t), r.Store(t, fleet), r.Source(t, fleet)
	state := create(ctx, t, s, fleet)
	r.Throttle(t, 3)
	next := set(t, state, 1)
	if w := mustWrite(ctx, t, s, state.At(), next); w.ReadBack {
		t.Errorf("written: %+v; a refusal is no lost reply", w)
	}
	r.Throttle(t, 2)
	stands(ctx, t, s, next)
	r.Throttle(t, 2)
	if head, err := from.Head(ctx); err != nil || head.Version != next.Document.Version {
		t.Errorf("head: %+v, %v, want version %d", head, err, next.Document.Version)
	}
	r.Throttle(t, 2)
	if err := s.Put(ctx, request("r1", control.DoStop)); err != nil {
		t.Error(err)
	}
	r.Throttle(t, 2)
	only(ctx, t, s)
	r.Throttle(t, 0)
}

func throttledToTheEnd(t *testing.T, r Rig) {
	needs(t, r.Throttle != nil)
	ctx, s := within(t), r.Store(t, fleet)
	state := create(ctx, t, s, fleet)
	brief, stop := context.WithTimeout(ctx, soon)
	defer stop()
	r.Throttle(t, 1<<30)
	next := set(t, state, 1)
	_, err := s.Write(brief, state.At(), next)
	r.Throttle(t, 0)
	if r.Resends && errors.Is(err, control.ErrUnknown) {
		settles(ctx, t, s, state, next)
		return
	}
	if !errors.Is(err, context.DeadlineExceeded) || errors.Is(err, control.ErrUnknown) {
		t.Errorf("write: %v, want %v, and nothing unknown: it was refused", err, context.DeadlineExceeded)
	}
	stands(ctx, t, s, state)
}

// settles writes again what nobody knows the end of: it takes its place, or is found there.
func settles(ctx context.Context, t *testing.T, s Store, state, next *control.State) {
	t.Helper()
	if _, err := s.Write(ctx, state.At(), next); err != nil {
		conflicts(t, err, next.At())
	}
	stands(ctx, t, s, next)
}

// slow calls take their time, and their answers are those of others: of two who write at once one wins, and the other learns it.
func slow(t *testing.T, r Rig) {
	needs(t, r.Slow != nil)
	ctx, s, other := within(t), r.Store(t, fleet), r.Store(t, fleet)
	state := create(ctx, t, s, fleet)
	r.Slow(t, 100*time.Millisecond)
	mine, theirs := claimed(t, state, "a"), claimed(t, state, "b")
	lost := make(chan error, 1)
	go func() {
		_, err := other.Write(ctx, state.At(), theirs)
		lost <- err
	}()
	_, err := s.Write(ctx, state.At(), mine)
	won, refused := mine, <-lost
	if err != nil {
		won, refused = theirs, err
	}
	conflicts(t, refused, won.At())
	stands(ctx, t, s, won)
	stands(ctx, t, other, won)
	if head, err := r.Source(t, fleet).Head(ctx); err != nil || head.Version != won.Document.Version {
		t.Errorf("head: %+v, %v, want version %d", head, err, won.Document.Version)
	}
}

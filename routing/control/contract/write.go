package contract

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"firebreak/routing"
	"firebreak/routing/control"
)

func nothing(t *testing.T, r Rig) {
	ctx, s, from := within(t), r.Store(t, fleet), r.Source(t, fleet)
	if _, err := s.Load(ctx); !errors.Is(err, control.ErrNone) {
		t.Errorf("load: %v, want %v", err, control.ErrNone)
	}
	if _, err := from.Head(ctx); !errors.Is(err, control.ErrNone) {
		t.Errorf("head: %v, want %v", err, control.ErrNone)
	}
	if _, err := from.Document(ctx, control.Head{}); !errors.Is(err, control.ErrNone) {
		t.Errorf("document: %v, want %v", err, control.ErrNone)
	}
	if rs, err := s.Requests(ctx); err != nil || len(rs) != 0 {
		t.Errorf("requests: %d, %v", len(rs), err)
	}
	if cs, err := s.Confirmations(ctx); err != nil || len(cs) != 0 {
		t.Errorf("confirmations: %d, %v", len(cs), err)
	}
	if err := s.Drop(ctx, "nothing"); err != nil {
		t.Errorf("drop of nothing: %v", err)
	}
	if err := s.Forget(ctx, "nobody"); err != nil {
		t.Errorf("forget of nobody: %v", err)
	}
	// A write that is no first one finds nothing to replace.
	state := adopted(t, fleet)
	_, err := s.Write(ctx, state.At(), state.Next())
	conflicts(t, err, control.At{})
	if _, err := s.Load(ctx); !errors.Is(err, control.ErrNone) {
		t.Errorf("load after the refused write: %v, want %v", err, control.ErrNone)
	}
}

func first(t *testing.T, r Rig) {
	ctx, s, from := within(t), r.Store(t, fleet), r.Source(t, fleet)
	state := adopted(t, fleet)
	w := mustWrite(ctx, t, s, control.At{}, state)
	if w != (control.Written{Attempts: 1}) {
		t.Errorf("written: %+v", w)
	}
	stands(ctx, t, s, state)
	head, err := from.Head(ctx)
	if err != nil || head.Epoch != 0 || head.Version != 1 {
		t.Errorf("head: %+v, %v", head, err)
	}
	d, err := from.Document(ctx, head)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(state.Document, d); diff != "" {
		t.Errorf("the document (-want +got):\n%s", diff)
	}
	_, err = s.Write(ctx, control.At{}, adopted(t, fleet))
	conflicts(t, err, state.At())
}

// comesBack also shows that a fleet may begin with a state from a backup, which has a past.
func comesBack(t *testing.T, r Rig) {
	ctx, s, from := within(t), r.Store(t, fleet), r.Source(t, fleet)
	state := full(t)
	mustWrite(ctx, t, s, control.At{}, state)
	stands(ctx, t, s, state)
	stands(ctx, t, r.Store(t, fleet), state)
	head, err := from.Head(ctx)
	if err != nil || head.Epoch != state.Document.Epoch || head.Version != state.Document.Version {
		t.Errorf("head: %+v, %v", head, err)
	}
	d, err := from.Document(ctx, head)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(state.Document, d); diff != "" {
		t.Errorf("the document (-want +got):\n%s", diff)
	}
	// What goes is gone.
	next := state.Next()
	next.Document.Stop, next.Document.Moves, next.Document.Salts, next.Document.Cached = false, nil, nil, nil
	next.Answers, next.Outbox = nil, nil
	mustWrite(ctx, t, s, state.At(), next)
	stands(ctx, t, s, next)
}

func followsNothing(t *testing.T, r Rig) {
	ctx, s := within(t), r.Store(t, fleet)
	state := create(ctx, t, s, fleet)
	state2 := claimed(t, state, "a")
	mustWrite(ctx, t, s, state.At(), state2)
	was := state2.At()
	for name, change := range map[string]func(*routing.Document){
		"the same version":                  func(d *routing.Document) { d.Version-- },
		"a lower epoch":                     func(d *routing.Document) { d.Epoch, d.Tenure = 0, "" },
		"another tenure in the same epoch":  func(d *routing.Document) { d.Tenure = "b" },
		"the same tenure in another epoch":  func(d *routing.Document) { d.Epoch++ },
		"a document that is not valid":      func(d *routing.Document) { d.Shards = nil },
		"a fleet that is not of this store": func(d *routing.Document) { d.Fleet = "payments" },
	} {
		next := state2.Next()
		change(next.Document)
		var c *control.Conflict
		if _, err := s.Write(ctx, was, next); err == nil || errors.As(err, &c) || errors.Is(err, control.ErrUnknown) {
			t.Errorf("%s: got %v, want it refused, and not for what stands in the store", name, err)
		}
	}
	stands(ctx, t, s, state2)
}

func conflict(t *testing.T, r Rig) {
	ctx, mine, other := within(t), r.Store(t, fleet), r.Store(t, fleet)
	state := create(ctx, t, mine, fleet)
	theirs := set(t, state, 7)
	mustWrite(ctx, t, other, state.At(), theirs)
	_, err := mine.Write(ctx, state.At(), set(t, state, 8))
	conflicts(t, err, theirs.At())
	stands(ctx, t, mine, theirs)
	// Who loads goes on.
	next := set(t, mustLoad(ctx, t, mine), 8)
	mustWrite(ctx, t, mine, theirs.At(), next)
	stands(ctx, t, other, next)
}

// everyPart writes with one part of what stands wrong at a time.
func everyPart(t *testing.T, r Rig) {
	ctx, s := within(t), r.Store(t, fleet)
	state := full(t)
	mustWrite(ctx, t, s, control.At{}, state)
	for name, was := range map[string]control.At{
		"epoch":         {Epoch: state.Document.Epoch - 1, Tenure: state.Document.Tenure, Version: state.Document.Version},
		"tenure":        {Epoch: state.Document.Epoch, Tenure: "other", Version: state.Document.Version},
		"version":       {Epoch: state.Document.Epoch, Tenure: state.Document.Tenure, Version: state.Document.Version - 1},
		"version above": {Epoch: state.Document.Epoch, Tenure: state.Document.Tenure, Version: state.Document.Version + 1},
		"no tenure":     {Version: state.Document.Version},
	} {
		next := state.Next()
		next.Document.Epoch, next.Document.Tenure, next.Document.Version = was.Epoch, was.Tenure, was.Version+1
		if was.Epoch == 0 { // a claim, which any epoch may precede
			next.Document.Epoch, next.Document.Tenure = 1, "new"
		}
		_, err := s.Write(ctx, was, next)
		var c *control.Conflict
		if !errors.As(err, &c) || c.Now != state.At() {
			t.Errorf("with another %s: %v, want a conflict with %s", name, err, state.At())
		}
	}
	stands(ctx, t, s, state)
}

func ended(t *testing.T, r Rig) {
	ctx, s := within(t), r.Store(t, fleet)
	state := create(ctx, t, s, fleet)
	over, stop := context.WithCancel(ctx)
	stop()
	if _, err := s.Write(over, state.At(), state.Next()); !errors.Is(err, context.Canceled) || errors.Is(err, control.ErrUnknown) {
		t.Errorf("write: %v, want %v, and nothing unknown", err, context.Canceled)
	}
	if _, err := s.Load(over); !errors.Is(err, context.Canceled) {
		t.Errorf("load: %v, want %v", err, context.Canceled)
	}
	stands(ctx, t, s, state)
}

package contract

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"firebreak/routing/control"
)

// claim is a decider that lost its tenure and writes late, by what it believed and by what it guesses.
func claim(t *testing.T, r Rig) {
	ctx, old, young := within(t), r.Store(t, fleet), r.Store(t, fleet)
	state := create(ctx, t, old, fleet)
	a := claimed(t, state, "a")
	mustWrite(ctx, t, old, state.At(), a)
	b := claimed(t, mustLoad(ctx, t, young), "b")
	mustWrite(ctx, t, young, a.At(), b)

	_, err := old.Write(ctx, a.At(), set(t, a, 1))
	conflicts(t, err, b.At())
	guess := control.At{Epoch: a.Document.Epoch, Tenure: "a", Version: b.Document.Version}
	late := set(t, a, 2)
	late.Document.Version = guess.Version + 1
	_, err = old.Write(ctx, guess, late)
	conflicts(t, err, b.At())
	stands(ctx, t, young, b)

	next := set(t, b, 3)
	mustWrite(ctx, t, young, b.At(), next)
	// It may claim again, above who holds the fleet.
	again := claimed(t, mustLoad(ctx, t, old), "c")
	if again.Document.Epoch != 3 {
		t.Fatalf("the claim has epoch %d, want 3", again.Document.Epoch)
	}
	mustWrite(ctx, t, old, next.At(), again)
	_, err = young.Write(ctx, next.At(), set(t, next, 4))
	conflicts(t, err, again.At())
	stands(ctx, t, old, again)
}

// tenWriters write at once, each by a process of its own, and keep what they have won in the outbox.
func tenWriters(t *testing.T, r Rig) {
	const writers, versions = 10, 30
	ctx := within(t)
	create(ctx, t, r.Store(t, fleet), fleet)
	stores := make([]Store, writers)
	for i := range stores {
		stores[i] = r.Store(t, fleet)
	}
	var mu sync.Mutex // guards won
	won := map[uint64]string{}
	var group sync.WaitGroup
	for i, s := range stores {
		group.Go(func() {
			name := fmt.Sprintf("w%d", i)
			win := func(version uint64) {
				mu.Lock()
				defer mu.Unlock()
				if first := won[version]; first != "" {
					t.Errorf("version %d was won by %s and by %s", version, first, name)
				}
				won[version] = name
			}
			if err := writeUntil(ctx, s, name, versions, win); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		})
	}
	group.Wait()
	last := mustLoad(ctx, t, stores[0])
	if last.Document.Version < versions {
		t.Fatalf("version %d, want at least %d", last.Document.Version, versions)
	}
	if got, want := len(last.Outbox), int(last.Document.Version)-1; got != want {
		t.Fatalf("%d notes of %d writes", got, want)
	}
	for i, n := range last.Outbox {
		if want := uint64(i) + 2; n.Version != want || n.ID != won[want] {
			t.Errorf("note %d is of version %d by %s, want version %d by %s", i, n.Version, n.ID, want, won[want])
		}
	}
}

// writeUntil writes notes until the state is at a version.
func writeUntil(ctx context.Context, s Store, name string, version uint64, win func(version uint64)) error {
	for {
		state, err := s.Load(ctx)
		if err != nil {
			return err
		}
		if state.Document.Version >= version {
			return nil
		}
		next := state.Next()
		next.Outbox = append(next.Outbox, control.Note{
			ID: name, At: time.UnixMilli(1).UTC(), By: name, Epoch: next.Document.Epoch, Version: next.Document.Version,
		})
		_, err = s.Write(ctx, state.At(), next)
		var c *control.Conflict
		switch {
		case err == nil:
			win(next.Document.Version)
		case !errors.As(err, &c):
			return err
		case c.Now.Version < next.Document.Version:
			return fmt.Errorf("a conflict with %s while version %d was written", c.Now, next.Document.Version)
		}
	}
}

// restart ends processes at every seam of a change and goes on with new ones.
func restart(t *testing.T, r Rig) {
	ctx := within(t)
	state := create(ctx, t, r.Store(t, fleet), fleet)
	a := claimed(t, mustLoad(ctx, t, r.Store(t, fleet)), "a")
	mustWrite(ctx, t, r.Store(t, fleet), state.At(), a)
	asked := request("r1", control.DoStop)
	if err := r.Store(t, fleet).Put(ctx, asked); err != nil {
		t.Fatal(err)
	}
	answered := a.Answer(only(ctx, t, r.Store(t, fleet)), time.UnixMilli(5))
	mustWrite(ctx, t, r.Store(t, fleet), a.At(), answered)
	// The answer stands and the item too: the next process sees both and does nothing twice.
	next := r.Store(t, fleet)
	if again := mustLoad(ctx, t, next).Answer(only(ctx, t, next), time.UnixMilli(6)); again != nil {
		t.Errorf("the request is answered again, as version %d", again.Document.Version)
	}
	if err := next.Drop(ctx, "r1"); err != nil {
		t.Fatal(err)
	}
	last := r.Store(t, fleet)
	if rs, err := last.Requests(ctx); err != nil || len(rs) != 0 {
		t.Errorf("requests: %d, %v", len(rs), err)
	}
	stands(ctx, t, last, answered)
}

func headNeverLeads(t *testing.T, r Rig) {
	ctx, s := within(t), r.Store(t, fleet)
	state := create(ctx, t, s, fleet)
	done := make(chan struct{})
	var group sync.WaitGroup
	for range 3 {
		from := r.Source(t, fleet)
		group.Go(func() {
			for {
				head, err := from.Head(ctx)
				if err != nil {
					t.Errorf("head: %v", err)
					return
				}
				d, err := from.Document(ctx, head)
				if err != nil || d.Version < head.Version {
					t.Errorf("the head is at version %d, and then the document: %v, %v", head.Version, d, err)
					return
				}
				select {
				case <-done:
					return
				default:
				}
			}
		})
	}
	for i := range 20 {
		next := set(t, state, i+1)
		mustWrite(ctx, t, s, state.At(), next)
		state = next
	}
	close(done)
	group.Wait()
	if head, err := r.Source(t, fleet).Head(ctx); err != nil || head.Version != 21 {
		t.Errorf("head: %+v, %v, want version 21", head, err)
	}
}

func atLeast(t *testing.T, r Rig) {
	ctx, s, from := within(t), r.Store(t, fleet), r.Source(t, fleet)
	state := create(ctx, t, s, fleet)
	for i := range 5 {
		next := set(t, state, i+1)
		mustWrite(ctx, t, s, state.At(), next)
		state = next
		d, err := from.Document(ctx, control.Head{Version: state.Document.Version})
		if err != nil || d.Version != state.Document.Version {
			t.Errorf("document: %v, %v, want version %d", d, err, state.Document.Version)
		}
	}
}

func fleets(t *testing.T, r Rig) {
	ctx := within(t)
	names := []string{"a", "a/", "a/1", "a#1", "a\\", "a\\x2f1", "a\xff", "A", "a "}
	for _, name := range names {
		s := r.Store(t, name)
		create(ctx, t, s, name)
		if err := s.Put(ctx, request("of "+name, control.DoStop)); err != nil {
			t.Fatal(err)
		}
		if err := r.Source(t, name).Confirm(ctx, control.Confirmation{Client: "of " + name, Version: 1}); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range names {
		s := r.Store(t, name)
		stands(ctx, t, s, adopted(t, name))
		if got := only(ctx, t, s).ID; got != "of "+name {
			t.Errorf("%q has request %q", name, got)
		}
		if cs, err := s.Confirmations(ctx); err != nil || len(cs) != 1 || cs[0].Client != "of "+name {
			t.Errorf("%q has confirmations %v, %v", name, cs, err)
		}
	}
}

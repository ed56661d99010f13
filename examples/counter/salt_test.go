package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	fake "firebreak/internal/fakes/dynamo"
	"firebreak/routing/client"
)

const hot = "hot"

// TestSaltUpAndDown salts a key up and down under traffic, with a client that learns of each phase later than the other. A second time the
// key gets other pieces.
func TestSaltUpAndDown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer(t)
		_, a := process(t, s)
		own, b := process(t, s)
		d, l := newDecider(t, s), &ledger{}
		stop := l.traffic(t, hot, a, b)
		var cuts sync.WaitGroup
		mixed := 0
		cut := func() { // two looks fail, which is too short for b to be stale
			own.Break(fake.Fault{Op: "GetItem", Times: -1, Lose: fake.LoseCall})
			cuts.Go(func() {
				for i := range 15 {
					if i == 7 {
						own.Quiet()
					}
					time.Sleep(time.Second)
					if a.router.Status().Version != b.router.Status().Version {
						mixed++
					}
				}
			})
		}
		for range 2 {
			for _, step := range []func() error{
				func() error { return d.up(t.Context(), hot, 4) }, func() error { return d.down(t.Context(), hot, a) },
			} {
				cut()
				if err := step(); err != nil {
					t.Fatal(err)
				}
				cuts.Wait()
				cut() // its last document
				cuts.Wait()
				time.Sleep(20 * time.Second)
				for _, c := range []*counters{a, b} {
					salt := saltOf(d.state.Document, hot)
					if read, write := piecesOf(c, hot); read != salt.Read || write != salt.Write || read != write {
						t.Errorf("%d are read, %d written, want %+v", read, write, salt)
					}
				}
			}
		}
		stop()
		if got := saltOf(d.state.Document, hot).Tombstones; fmt.Sprint(got) != "[1 2 3 4 5 6]" {
			t.Errorf("tombstones: %v", got)
		}
		for suffix := uint32(1); suffix <= 6; suffix++ {
			if standing(t, a, hot, suffix) == 0 {
				t.Errorf("piece %d had no traffic", suffix)
			}
		}
		l.exact(t, b, hot)
		if mixed < 10 || l.reads < 100 || l.writes < 300 {
			t.Errorf("%d s of two versions, %d reads, %d writes", mixed, l.reads, l.writes)
		}
	})
}

// TestFoldCrashes stops the one who folds before and after each of its writes, or loses its replies; somebody else goes on.
func TestFoldCrashes(t *testing.T) {
	const writes = 6 // two a piece
	for at := range writes {
		for _, lose := range []fake.Lose{fake.LoseCall, fake.LoseReply} {
			for _, stops := range []bool{true, false} {
				t.Run(fmt.Sprintf("write %d, lost %d, stops %t", at, lose, stops), func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) { crash(t, at, lose, stops) })
				})
			}
		}
	}
}

func crash(t *testing.T, at int, lose fake.Lose, stops bool) {
	s := newServer(t)
	_, a := process(t, s)
	own, folder := process(t, s)
	d, l := newDecider(t, s), &ledger{}
	if err := d.up(t.Context(), hot, 4); err != nil {
		t.Fatal(err)
	}
	stop := l.traffic(t, hot, a)
	time.Sleep(10 * time.Second)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	f := fake.Fault{Op: "UpdateItem", Lose: lose}
	if stops {
		f.Instead = cancel
	}
	if at > 0 {
		own.Break(fake.Fault{Op: "UpdateItem", Times: at})
	}
	own.Break(f)
	err := d.down(ctx, hot, folder)
	if (err != nil) != stops {
		t.Fatalf("down: %v", err)
	}
	sent := 0
	for _, c := range own.Calls() {
		if c.Op == "UpdateItem" {
			sent++
		}
	}
	if want := map[bool]int{true: at + 1, false: 7}[stops]; sent != want {
		t.Errorf("%d writes, want %d", sent, want)
	}
	if stops {
		time.Sleep(10 * time.Second)
		if err := newDecider(t, s).down(t.Context(), hot, a); err != nil {
			t.Fatal(err)
		}
	}
	time.Sleep(10 * time.Second)
	if read, write := piecesOf(a, hot); read != 1 || write != 1 {
		t.Errorf("%d are read, %d written", read, write)
	}
	stop()
	l.exact(t, a, hot)
	for range 2 { // it may be folded at any time again
		if err := a.fold(t.Context(), hot); err != nil {
			t.Fatal(err)
		}
	}
	l.exact(t, a, hot)
}

// TestFrozen: increments that stop between look-up and write for hours come upon the tombstones, and leave the pieces as they are. They
// ask the Router again: one that lives sends them to the bare key, one that was frozen too refuses.
func TestFrozen(t *testing.T) {
	for name, whole := range map[string]bool{"the requests": false, "the process": true} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { frozen(t, whole) })
		})
	}
}

func frozen(t *testing.T, whole bool) {
	const increments, hours = 40, 3 * time.Hour
	s := newServer(t)
	_, a := process(t, s)
	own, sleeper := process(t, s)
	d, l := newDecider(t, s), &ledger{}
	if err := d.up(t.Context(), hot, 4); err != nil {
		t.Fatal(err)
	}
	stop := l.traffic(t, hot, a)
	time.Sleep(10 * time.Second)
	own.Break(fake.Fault{Op: "UpdateItem", Times: increments, Delay: hours})
	if whole {
		own.Break(fake.Fault{Times: -1, Lose: fake.LoseCall})
	}
	var all sync.WaitGroup
	var mu sync.Mutex
	stale, counted := 0, 0
	for range increments {
		all.Go(func() {
			err := l.count(t.Context(), t, sleeper, hot, 1)
			mu.Lock()
			defer mu.Unlock()
			switch {
			case err == nil:
				counted++
			case errors.Is(err, client.ErrStale):
				stale++
			default:
				t.Errorf("increment: %v", err)
			}
		})
	}
	time.Sleep(time.Second)
	if err := d.down(t.Context(), hot, a); err != nil {
		t.Fatal(err)
	}
	stop()
	var folded [4]int64
	for i := uint32(1); i < 4; i++ {
		folded[i] = standing(t, a, hot, i)
	}
	all.Wait()
	for i := uint32(1); i < 4; i++ {
		if now := standing(t, a, hot, i); now != folded[i] || now == 0 {
			t.Errorf("piece %d went from %d to %d", i, folded[i], now)
		}
	}
	denied := 0
	for _, c := range own.Calls() {
		if c.Error == fake.Denied {
			denied++
		}
	}
	if denied == 0 || whole && stale != denied || !whole && counted != increments {
		t.Errorf("%d came upon a tombstone; %d counted, %d refused as stale", denied, counted, stale)
	}
	l.exact(t, a, hot)
}

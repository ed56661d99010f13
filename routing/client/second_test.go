package client

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"firebreak/routing"
)

// twofold is a key on shard-1 that is written to shard-2 too, and what its shards do.
type twofold struct {
	*store

	t      *testing.T
	r      *Router
	g      []*Guard
	key    []byte
	vshard routing.VShard
	wrote  map[string]int                                        // requests that were let in, by shard
	before map[string]func(ctx context.Context, t *Target) error // in place of a shard, once it has let a request in; nil = it takes it
}

func double(t *testing.T, is routing.Double, tell func(t *testing.T, w *twofold)) {
	guarded(t, func(t *testing.T, s *store, r *Router, g []*Guard) {
		w := &twofold{store: s, t: t, r: r, g: g, key: keyOn(t, s.doc, 1), wrote: map[string]int{}, before: map[string]func(context.Context, *Target) error{}}
		w.vshard = r.Decide(Write, nil, w.key).Piece.VShard
		w.change(is)
		w.all()
		tell(t, w)
	})
}

// change writes the place twice in another way.
func (w *twofold) change(is routing.Double) {
	w.put(next(w.doc, func(n *routing.Document) {
		is.Entry = routing.VShardEntry(w.vshard)
		n.Double(is)
	}))
}

// know waits until the Router holds the document.
func (w *twofold) know() {
	until(w.t, 10*time.Second, "the router has it", func() bool { return version(w.r) == w.doc.Version })
}

// all waits until everybody does.
func (w *twofold) all() {
	w.know()
	for _, guard := range w.g {
		if err := guard.Settled(w.t.Context(), w.doc.Version); err != nil {
			w.t.Fatal(err)
		}
	}
}

// call is a request over HTTP to a shard with its Guard.
func (w *twofold) call(ctx context.Context, t Target) error {
	i := int(t.Piece.Shard)
	req := httptest.NewRequestWithContext(ctx, http.MethodPost, "/?key="+string(t.Key), nil)
	SetVersion(req.Header, &t)
	rec := httptest.NewRecorder()
	var err error
	w.g[i].Handler(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		if f := w.before[t.Shard]; f != nil {
			if err = f(ctx, &t); err != nil {
				return
			}
		}
		w.wrote[t.Shard]++
	}), keyOf).ServeHTTP(rec, req)
	return errors.Join(err, Refusal(rec.Code, rec.Header()))
}

func (w *twofold) write(want error, wrote map[string]int) {
	w.t.Helper()
	clear(w.wrote)
	if _, err := w.r.Do(w.t.Context(), Write, nil, w.key, w.call); !errors.Is(err, want) || (want == nil) != (err == nil) {
		w.t.Errorf("%v, want %v", err, want)
	}
	if !maps.Equal(w.wrote, wrote) {
		w.t.Errorf("written at %v, want %v", w.wrote, wrote)
	}
}

// one and both are where a write is.
func one() map[string]int  { return map[string]int{"shard-1": 1} }
func both() map[string]int { return map[string]int{"shard-1": 1, "shard-2": 1} }

func down(context.Context, *Target) error { return errDown }

// TestSecondWrite: a write goes to both shards, the owner's first; a read to the owner's alone, and the other one refuses it.
func TestSecondWrite(t *testing.T) {
	double(t, routing.Double{Value: "shard-2"}, func(t *testing.T, w *twofold) {
		d := w.r.Decide(Write, nil, w.key)
		if d.Shard() != "shard-1" || d.AlsoShard() != "shard-2" || d.Both {
			t.Errorf("%s, also %q, both %v", d.Shard(), d.AlsoShard(), d.Both)
		}
		for _, other := range []Decision{w.r.Decide(Read, nil, w.key), w.r.Decide(Write, nil, keyOn(t, w.doc, 3))} {
			if other.Also != routing.NoShard || other.AlsoShard() != "" {
				t.Errorf("%s of %q goes to %q too", other.Op, other.key, other.AlsoShard())
			}
		}
		redirected := d.Piece
		redirected.Shard = d.Also
		if is, to := w.r.held.Load().also(&d, redirected); is == nil || to != d.Piece.Shard {
			t.Errorf("after the other shard has taken it, it goes to %d, want the owner's, %d", to, d.Piece.Shard)
		}
		order := []bool{}
		note := func(_ context.Context, t *Target) error { order = append(order, t.Second); return nil }
		w.before["shard-1"], w.before["shard-2"] = note, note
		w.write(nil, both())
		if len(order) != 2 || order[0] || !order[1] {
			t.Errorf("second: %v, want false, then true", order)
		}
		clear(w.wrote)
		if _, err := w.r.Do(t.Context(), Read, nil, w.key, w.call); err != nil || !maps.Equal(w.wrote, one()) {
			t.Errorf("read at %v: %v", w.wrote, err)
		}
		var moved *Moved
		if err := w.g[2].Check(nil, w.key); !errors.As(err, &moved) || moved.Shard != "shard-1" {
			t.Errorf("a read at the other shard: %v", err)
		}
		if _, err := w.g[3].EnterWrite(nil, w.key, 99); !errors.As(err, &moved) {
			t.Errorf("a write at a third shard: %v", err)
		}
	})
}

// TestGap: where the first shard's word counts, a second write that fails, or hangs, is a gap and no failure; where both have to take the
// write, it is not done.
func TestGap(t *testing.T) {
	for _, atBoth := range []bool{false, true} {
		double(t, routing.Double{Value: "shard-2", Both: atBoth}, func(t *testing.T, w *twofold) {
			w.before["shard-2"] = down
			want, failed := error(nil), "gap"
			if atBoth {
				want, failed = ErrHalf, outcomeFailed
			}
			w.write(want, one())
			if n := counter(t, w.r.met.seconds, failed); n != 1 || counter(t, w.r.met.seconds, "written") != 0 {
				t.Errorf("%s: %v", failed, n)
			}
			if atBoth {
				return
			}
			w.before["shard-2"] = func(ctx context.Context, _ *Target) error { <-ctx.Done(); return ctx.Err() }
			began := time.Now()
			w.write(nil, one())
			if took := time.Since(began); took != time.Second {
				t.Errorf("a write waits %v for a second shard that hangs", took)
			}
			w.before["shard-2"] = nil
			w.before["shard-1"] = down
			w.write(errDown, map[string]int{})
		})
	}
}

// TestNobodyWritesOnce: a client that may not know that the place is written twice is let in nowhere, until it does.
func TestNobodyWritesOnce(t *testing.T) {
	double(t, routing.Double{Value: "shard-2"}, func(t *testing.T, w *twofold) {
		for _, atBoth := range []bool{false, true} {
			w.change(routing.Double{Value: "shard-2", Since: w.doc.Version, Both: atBoth})
			w.all()
			w.write(nil, both()) // it has known since the version before
			since := w.doc.Version + 1
			time.Sleep(10 * time.Second)
			until(t, 6*time.Second, "the router has just looked", func() bool { return w.r.Status().Age < 200*time.Millisecond })
			w.change(routing.Double{Value: "shard-2", Since: since, Both: atBoth})
			for _, guard := range w.g {
				if err := guard.Settled(t.Context(), since); err != nil {
					t.Fatal(err)
				}
			}
			for i, guard := range w.g[1:3] {
				var moved *Moved
				if _, err := guard.EnterWrite(nil, w.key, since-1); !errors.As(err, &moved) || moved.Shard != "shard-1" || moved.Version != since {
					t.Errorf("shard-%d lets a write by version %d in: %v", i+1, since-1, err)
				}
				pass, err := guard.EnterWrite(nil, w.key, since)
				if err != nil {
					t.Fatalf("shard-%d: %v", i+1, err)
				}
				pass.Leave()
			}
			if version(w.r) == since {
				t.Fatal("the router has it already")
			}
			began := time.Now()
			w.write(nil, both())
			if took := time.Since(began); took == 0 || took > 2*time.Second {
				t.Errorf("it took %v until the router knew", took)
			}
		}
		if err := w.g[1].Check(nil, w.key); err != nil {
			t.Errorf("a read by a client of before: %v", err)
		}
	})
}

// TestSecondIsWaitedFor: where both have to take a write, a shard that is behind is waited for, and a document that comes between the two is
// followed: where the place has moved on meanwhile, the write goes to whoever has it then.
func TestSecondIsWaitedFor(t *testing.T) {
	double(t, routing.Double{Value: "shard-2", Both: true}, func(t *testing.T, w *twofold) {
		tries := 0
		w.before["shard-2"] = func(context.Context, *Target) error {
			if tries++; tries < 3 {
				return ErrNotReady
			}
			return nil
		}
		w.write(nil, both())
		w.before["shard-2"] = func(context.Context, *Target) error {
			w.before["shard-2"] = nil
			w.put(next(w.doc, func(n *routing.Document) {
				n.Moves = []routing.Move{{VShard: w.vshard, To: 2}}
				n.Double(routing.Double{Entry: routing.VShardEntry(w.vshard), Value: "shard-3", Both: true})
			}))
			w.know()
			return ErrNotReady
		}
		w.write(nil, map[string]int{"shard-1": 1, "shard-2": 1, "shard-3": 1})
		w.before["shard-3"] = func(context.Context, *Target) error { return ErrNotReady }
		w.write(ErrHalf, map[string]int{"shard-2": 1})
	})
}

// TestOpOfARequest: what a request says of itself counts, else its method.
func TestOpOfARequest(t *testing.T) {
	for _, c := range []struct {
		method string
		target *Target
		want   asking
	}{
		{http.MethodGet, nil, asking{}},
		{http.MethodHead, nil, asking{}},
		{http.MethodPut, nil, asking{write: true}},
		{http.MethodPost, &Target{Op: Read, Holds: 7}, asking{holds: 7}},
		{http.MethodGet, &Target{Op: Write, Holds: 7}, asking{true, 7}},
	} {
		req := httptest.NewRequestWithContext(t.Context(), c.method, "/", bytes.NewReader(nil))
		if c.target != nil {
			SetVersion(req.Header, c.target)
		}
		if got := asks(req); got != c.want {
			t.Errorf("%s of %+v: %+v, want %+v", c.method, c.target, got, c.want)
		}
	}
}

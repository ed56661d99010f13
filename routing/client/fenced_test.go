package client

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"firebreak/routing"
)

// through is a call that asks a shard's Guard over HTTP, and counts what shards served.
func fencedThrough(g []*Guard, served map[string]int) func(context.Context, Target) error {
	return func(ctx context.Context, target Target) error {
		for _, guard := range g {
			if guard.Shard() != target.Shard {
				continue
			}
			req := httptest.NewRequestWithContext(ctx, http.MethodGet, "/?key="+string(target.Key), nil)
			SetVersion(req.Header, &target)
			w := httptest.NewRecorder()
			guard.Handler(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { served[guard.Shard()]++ }), keyOf).ServeHTTP(w, req)
			return Refusal(w.Code, w.Header())
		}
		return errDown
	}
}

// TestFenced: while a virtual shard is fenced nobody serves it, reads no more than writes; a request waits, and goes where the key is then.
func TestFenced(t *testing.T) {
	for name, behind := range map[string]bool{"the Router knows of the fence": false, "the Router is behind": true} {
		t.Run(name, func(t *testing.T) {
			guarded(t, func(t *testing.T, s *store, r *Router, g []*Guard) {
				key, other := keyOn(t, s.doc, 1), keyOn(t, s.doc, 2)
				vshard := r.Decide(Write, nil, key).Piece.VShard
				time.Sleep(10 * time.Second)
				until(t, 6*time.Second, "the Router has just looked", func() bool { return r.Status().Age < 200*time.Millisecond })
				s.put(next(s.doc, func(n *routing.Document) { n.Fence(routing.VShardEntry(vshard)) }))
				for _, guard := range g {
					if err := guard.Settled(t.Context(), 2); err != nil {
						t.Fatal(err)
					}
				}
				if !behind {
					until(t, 6*time.Second, "the Router has it", func() bool { return version(r) == 2 })
				}
				if err := g[1].Check(nil, key); !errors.Is(err, ErrFenced) {
					t.Errorf("%v, want ErrFenced", err)
				}
				if d := r.Decide(Read, nil, key); !behind && !errors.Is(d.Err, ErrFenced) || r.Decide(Write, nil, other).Err != nil {
					t.Errorf("decided with %v", d.Err)
				}
				served := map[string]int{}
				began := time.Now()
				_, err := r.Do(t.Context(), Write, nil, key, fencedThrough(g, served))
				if took := time.Since(began); !errors.Is(err, ErrFenced) || len(served) != 0 || took < 1900*time.Millisecond || took > 2100*time.Millisecond {
					t.Errorf("%v after %v, served %v, want ErrFenced after 2 s", err, took, served)
				}
				time.AfterFunc(700*time.Millisecond, func() {
					s.put(next(s.doc, func(n *routing.Document) {
						n.Unfence(n.Fenced...)
						n.Moves = []routing.Move{{VShard: vshard, To: 2}}
					}))
				})
				_, err = r.Do(t.Context(), Write, nil, key, fencedThrough(g, served))
				if err != nil || served["shard-2"] != 1 || served["shard-1"] != 0 {
					t.Errorf("%v, served %v, want the new shard", err, served)
				}
				if n, m := counter(t, r.met.fences, "waited"), counter(t, r.met.fences, "refused"); n != 1 || m != 1 {
					t.Errorf("%v waits and %v refusals are counted, want 1 and 1", n, m)
				}
				if r.fencing.Load() != 0 {
					t.Error("a wait is counted for ever")
				}
			})
		})
	}
}

// TestFenceQueue: of requests for what is fenced only so many wait.
func TestFenceQueue(t *testing.T) {
	guarded(t, func(t *testing.T, s *store, r *Router, g []*Guard) {
		r.cfg.FenceQueue = 3
		key := keyOn(t, s.doc, 1)
		s.put(next(s.doc, func(n *routing.Document) { n.Fence(routing.VShardEntry(r.Decide(Write, nil, key).Piece.VShard)) }))
		if err := g[1].Settled(t.Context(), 2); err != nil {
			t.Fatal(err)
		}
		var done sync.WaitGroup
		var mu sync.Mutex
		atOnce := 0
		for range 10 {
			done.Go(func() {
				began := time.Now()
				_, err := r.Do(t.Context(), Read, nil, key, func(context.Context, Target) error { return ErrFenced })
				mu.Lock()
				defer mu.Unlock()
				if !errors.Is(err, ErrFenced) {
					t.Error(err)
				}
				if time.Since(began) == 0 {
					atOnce++
				}
			})
		}
		done.Wait()
		if atOnce != 7 {
			t.Errorf("%d were refused at once, want 7", atOnce)
		}
	})
}

// TestFencedTenant: a tenant that is about to be placed is served by no shard.
func TestFencedTenant(t *testing.T) {
	guarded(t, func(t *testing.T, s *store, r *Router, g []*Guard) {
		key := keyOn(t, s.doc, 1)
		s.put(next(s.doc, func(n *routing.Document) { n.Fence(routing.TenantEntry("whale")) }))
		if err := g[1].Settled(t.Context(), 2); err != nil {
			t.Fatal(err)
		}
		if err := g[1].Check([]byte("whale"), key); !errors.Is(err, ErrFenced) {
			t.Errorf("the whale: %v, want ErrFenced", err)
		}
		if err := g[1].Check([]byte("other"), key); err != nil {
			t.Errorf("another tenant: %v", err)
		}
		until(t, 6*time.Second, "the Router has it", func() bool { return version(r) == 2 })
		if d := r.Decide(Read, []byte("whale"), key); !errors.Is(d.Err, ErrFenced) {
			t.Errorf("decided with %v", d.Err)
		}
	})
}

// TestFencedByAnOldDocument: a Router that cannot know whether a fence stands still lets the shard say so.
func TestFencedByAnOldDocument(t *testing.T) {
	guarded(t, func(t *testing.T, s *store, r *Router, _ []*Guard) {
		key := keyOn(t, s.doc, 1)
		s.put(next(s.doc, func(n *routing.Document) { n.Fence(routing.VShardEntry(r.Decide(Write, nil, key).Piece.VShard)) }))
		until(t, 6*time.Second, "the Router has it", func() bool { return version(r) == 2 })
		s.set(func(s *store) { s.err = errAway })
		time.Sleep(time.Minute)
		asked := 0
		stale, err := r.Do(t.Context(), Write, nil, key, func(context.Context, Target) error { asked++; return nil })
		if err != nil || !stale || asked != 1 {
			t.Errorf("%v, stale %v, asked %d times", err, stale, asked)
		}
	})
}

// TestGuardReadsWhatItConfirmed: a Guard that is started again reads consistently first: a cheap read may be older than what the one before
// it confirmed.
func TestGuardReadsWhatItConfirmed(t *testing.T) {
	guarded(t, func(t *testing.T, s *store, r *Router, g []*Guard) {
		key := keyOn(t, s.doc, 1)
		old := s.doc
		s.put(next(s.doc, func(n *routing.Document) { n.Fence(routing.VShardEntry(r.Decide(Write, nil, key).Piece.VShard)) }))
		if err := g[1].Settled(t.Context(), 2); err != nil {
			t.Fatal(err)
		}
		s.set(func(s *store) { s.cheap, s.head = old, headOf(old) })
		again, err := OpenGuard(t.Context(), s, "shard-1", testConfig())
		if err != nil {
			t.Fatal(err)
		}
		defer again.Close()
		until(t, 5*time.Second, "it has a document", func() bool { return again.Table() != nil })
		if err := again.Check(nil, key); !errors.Is(err, ErrFenced) {
			t.Errorf("%v: started again, it serves what its shard has confirmed to be fenced", err)
		}
	})
}

// TestGuardsSeeTheEndOfAFence within half a second or so, and say whose they are.
func TestGuardsSeeTheEndOfAFence(t *testing.T) {
	guarded(t, func(t *testing.T, s *store, _ *Router, g []*Guard) {
		for range 10 {
			s.put(next(s.doc, func(n *routing.Document) { n.Fence(routing.VShardEntry(1)) }))
			until(t, 10*time.Second, "all are fenced", func() bool {
				for _, guard := range g {
					if guard.Status().Version != s.doc.Version {
						return false
					}
				}
				return true
			})
			s.put(next(s.doc, func(n *routing.Document) { n.Unfence(routing.VShardEntry(1)) }))
			for _, guard := range g {
				until(t, 600*time.Millisecond, "the end", func() bool { return guard.Status().Version == s.doc.Version })
			}
		}
		if c := s.confirmations()["shard-1"]; !c.Guard || c.Shard != "shard-1" {
			t.Errorf("it confirmed as %+v", c)
		}
	})
}

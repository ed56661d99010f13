package client

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"firebreak/routing"
)

// through sends what a Router sends to the Guards of the shards it names, over their HTTP handlers.
func through(g []*Guard, see func(t Target)) func(ctx context.Context, t Target) error {
	return func(ctx context.Context, t Target) error {
		see(t)
		for _, guard := range g {
			if guard.Shard() != t.Shard {
				continue
			}
			req := httptest.NewRequestWithContext(ctx, http.MethodGet, "/?key="+string(t.Key), nil)
			SetVersion(req.Header, &t)
			w := httptest.NewRecorder()
			guard.Handler(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}), keyOf).ServeHTTP(w, req)
			return Refusal(w.Code, w.Header())
		}
		return errDown
	}
}

// moves gives the virtual shard of a key of shard 1 to shard 2 in the document alone: the head lags behind it, for ever.
func moves(t *testing.T, s *store, r *Router) []byte {
	t.Helper()
	key := keyOn(t, s.doc, 1)
	v := r.Decide(Write, nil, key).Piece.VShard
	time.Sleep(10 * time.Second)
	until(t, 6*time.Second, "the Router has just looked", func() bool { return r.Status().Age < 200*time.Millisecond })
	s.set(func(s *store) {
		s.cheap = s.doc
		s.doc = next(s.doc, func(n *routing.Document) { n.Moves = []routing.Move{{VShard: v, To: 2}} })
	})
	return key
}

// TestToldVersionIsCarriedOn: what one shard says it has, the Router tells the next one, which is behind and has it at once then; the Router has it
// too, though the head does not tell of it.
func TestToldVersionIsCarriedOn(t *testing.T) {
	guarded(t, func(t *testing.T, s *store, r *Router, g []*Guard) {
		key := moves(t, s, r)
		if err := g[1].Settled(t.Context(), 2); err != nil { // the old shard alone: it asks for what it was told of
			t.Fatal(err)
		}
		if version(r) != 1 || g[2].Status().Version != 1 {
			t.Fatal("the others are not behind")
		}
		var told []uint64
		began := time.Now()
		_, err := r.Do(t.Context(), Write, nil, key, through(g, func(t Target) { told = append(told, t.Version) }))
		if took := time.Since(began); err != nil || took > 1700*time.Millisecond {
			t.Errorf("%v after %v", err, took)
		}
		if len(told) < 2 || told[0] != 1 {
			t.Fatalf("told %v", told)
		}
		for _, v := range told[1:] {
			if v != 2 {
				t.Errorf("told %v, want the version that the first shard told of from then on", told)
			}
		}
		until(t, 3*time.Second, "the Router has it", func() bool { return version(r) == 2 })
	})
}

// TestHearsay: a document that no source has is asked for once each time that somebody tells of it, and makes nobody stale.
func TestHearsay(t *testing.T) {
	story(t, counts, func(t *testing.T, s *store, r *Router) {
		time.Sleep(10 * time.Second)
		s.set(func(s *store) { s.reads = 0 })
		for range 3 {
			r.Misrouted(&Moved{Shard: "shard-2", Version: 1 << 60})
			time.Sleep(time.Minute)
			if r.Stale() || version(r) != 1 {
				t.Errorf("version %d, stale %t", version(r), r.Stale())
			}
		}
		if _, reads := s.counted(); reads != 3 {
			t.Errorf("%d reads, want one for each time", reads)
		}
		s.set(func(s *store) { s.err = errAway })
		r.Misrouted(&Moved{Shard: "shard-2", Version: 2})
		time.Sleep(10 * time.Second)
		s.set(func(s *store) { s.err = nil; s.cheap = s.doc; s.doc = next(s.doc, nil) })
		until(t, 30*time.Second, "what was told of while the source was away", func() bool { return version(r) == 2 })
	})
}

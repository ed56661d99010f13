package client

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"firebreak/routing"
)

func keyOf(r *http.Request) (tenant, key []byte, ok bool) {
	k := r.URL.Query().Get("key")
	return nil, []byte(k), k != ""
}

func TestMisdirected(t *testing.T) {
	guarded(t, func(t *testing.T, s *store, r *Router, g []*Guard) {
		key := keyOn(t, s.doc, 1)
		served := map[string]int{}
		call := func(ctx context.Context, target Target) error {
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
		vshard := r.Decide(Write, nil, key).Piece.VShard
		time.Sleep(10 * time.Second)
		until(t, 6*time.Second, "the Router has just looked", func() bool { return r.Status().Age < 200*time.Millisecond })
		s.put(next(s.doc, func(n *routing.Document) { n.Moves = []routing.Move{{VShard: vshard, To: 2}} }))
		for _, guard := range g {
			if err := guard.Settled(t.Context(), 2); err != nil {
				t.Fatal(err)
			}
		}
		if version(r) != 1 {
			t.Fatal("the Router is not behind")
		}
		began := time.Now()
		if _, err := r.Do(t.Context(), Write, nil, key, call); err != nil || served["shard-2"] != 1 || served["shard-1"] != 0 {
			t.Errorf("%v, served %v, want the shard that has it now", err, served)
		}
		if time.Since(began) > 0 {
			t.Errorf("took %v: where the answer tells where to, nobody waits", time.Since(began))
		}
		read := 0
		if _, err := r.Do(t.Context(), Read, nil, key, func(ctx context.Context, target Target) error {
			if read++; read > 1 { // the document comes while the read is under way
				_ = r.newerThan(ctx, 1)
			}
			return call(ctx, target)
		}); err != nil || version(r) != 2 || read != 2 {
			t.Errorf("%v after %d: a read that was answered where the key is now", err, read)
		}
		if took := time.Since(began); took > 1500*time.Millisecond {
			t.Errorf("the Router looked after %v, want at once", took)
		}
		if m, n := counter(t, g[1].met.guard, "moved"), counter(t, g[2].met.guard, "served"); m != 2 || n != 2 {
			t.Errorf("%v moved and %v served are counted by the Guards", m, n)
		}
		if got := counter(t, r.met.misroutes, "followed"); got != 2 {
			t.Errorf("%v followed, want 2", got)
		}
	})
}

func TestGuardBehind(t *testing.T) {
	guarded(t, func(t *testing.T, s *store, r *Router, g []*Guard) {
		key := keyOn(t, s.doc, 1)
		vshard := r.Decide(Write, nil, key).Piece.VShard
		time.Sleep(10 * time.Second)
		until(t, 6*time.Second, "the Guard has just looked", func() bool { return g[2].Status().Age < 200*time.Millisecond })
		s.put(next(s.doc, func(n *routing.Document) { n.Moves = []routing.Move{{VShard: vshard, To: 2}} }))
		wake(r.nudge)
		until(t, 2*time.Second, "the Router has it", func() bool { return version(r) == 2 })
		if g[2].Status().Version != 1 {
			t.Fatal("the Guard is not behind")
		}
		attempts := 0
		began := time.Now()
		_, err := r.Do(t.Context(), Write, nil, key, func(ctx context.Context, target Target) error {
			attempts++
			if target.Shard != "shard-2" {
				t.Errorf("sent to %s", target.Shard)
			}
			req := httptest.NewRequestWithContext(ctx, http.MethodGet, "/?key="+string(target.Key), nil)
			SetVersion(req.Header, &target)
			w := httptest.NewRecorder()
			g[2].Handler(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}), keyOf).ServeHTTP(w, req)
			return Refusal(w.Code, w.Header())
		})
		if err != nil || attempts < 2 || time.Since(began) > 1500*time.Millisecond {
			t.Errorf("%v after %d attempts and %v", err, attempts, time.Since(began))
		}
	})
}

func TestDo(t *testing.T) {
	story(t, counts, func(t *testing.T, s *store, r *Router) {
		n := 0
		for _, tt := range []struct {
			answer error
			want   int
		}{{nil, 1}, {errDown, 1}, {ErrNotReady, 8}, {&Moved{Shard: "shard-1", Version: 1}, 8}, {&Moved{Shard: "unknown", Version: 9}, 8}} {
			n = 0
			_, err := r.Do(t.Context(), Write, nil, []byte("k"), func(context.Context, Target) error { n++; return tt.answer })
			if !errors.Is(err, tt.answer) || n != tt.want {
				t.Errorf("%v: %v after %d, want %d", tt.answer, err, n, tt.want)
			}
		}
		gone, cancel := context.WithTimeout(t.Context(), 30*time.Millisecond)
		defer cancel()
		began := time.Now()
		if _, err := r.Do(gone, Write, nil, []byte("k"), func(context.Context, Target) error { return ErrNotReady }); !errors.Is(err, context.DeadlineExceeded) ||
			time.Since(began) > 30*time.Millisecond {
			t.Errorf("%v after %v", err, time.Since(began))
		}
		s.put(next(s.doc, salted("count:hot", 4, 4)))
		until(t, 6*time.Second, "version 2", func() bool { return version(r) == 2 })
		for written := -1; written < 1; { // until the first attempt is for a piece that is given up
			var indexes []int
			_, err := r.Do(t.Context(), Write, nil, []byte("count:hot"), func(ctx context.Context, target Target) error {
				indexes = append(indexes, target.Piece.Index)
				if written = indexes[0]; written < 1 || len(indexes) > 1 {
					return nil
				}
				s.put(next(s.doc, salted("count:hot", 1, 4)))
				wake(r.urgent)
				_ = r.newerThan(ctx, 2)
				return ErrNotReady
			})
			if err != nil || written > 0 && (len(indexes) != 2 || indexes[1] != 0) {
				t.Errorf("%v: pieces %v, want the one that writers use now", err, indexes)
			}
		}
		if _, err := r.Do(t.Context(), Read, nil, []byte("count:hot"), func(context.Context, Target) error { return nil }); !errors.Is(err, ErrPieces) {
			t.Errorf("%v, want ErrPieces", err)
		}
	})
}

func TestRefusal(t *testing.T) {
	w := httptest.NewRecorder()
	name := "shard\n\xff 1/2"
	Refuse(w, &Moved{Shard: name, Epoch: 3, Version: 1 << 63})
	var moved *Moved
	if err := Refusal(w.Code, w.Header()); !errors.As(err, &moved) || *moved != (Moved{name, 3, 1 << 63}) {
		t.Errorf("%v", err)
	}
	if err := Refusal(http.StatusMisdirectedRequest, http.Header{}); !errors.Is(err, ErrNotReady) {
		t.Errorf("%v for a 421 of something else", err)
	}
	if err := Refusal(http.StatusServiceUnavailable, http.Header{}); err != nil {
		t.Errorf("%v for a 503 of something else", err)
	}
	w = httptest.NewRecorder()
	Refuse(w, ErrNotReady)
	if err := Refusal(w.Code, w.Header()); !errors.Is(err, ErrNotReady) {
		t.Errorf("%v", err)
	}
}

func FuzzRefusal(f *testing.F) {
	f.Add("shard-1", "1", "2")
	f.Add("%ff%", "-1", "18446744073709551616")
	f.Fuzz(func(t *testing.T, shard, epoch, version string) {
		h := http.Header{HeaderShard: {shard}, HeaderEpoch: {epoch}, HeaderVersion: {version}}
		err := Refusal(http.StatusMisdirectedRequest, h)
		if moved, ok := errors.AsType[*Moved](err); ok {
			w := httptest.NewRecorder()
			Refuse(w, moved)
			again, ok := errors.AsType[*Moved](Refusal(w.Code, w.Header()))
			if !ok || *again != *moved {
				t.Errorf("%+v is read back as %+v", moved, again)
			}
		} else if !errors.Is(err, ErrNotReady) {
			t.Error(err)
		}
	})
}

package client

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"firebreak/routing"
)

// guarded is a story with the guards of all four shards and a Router.
func guarded(t *testing.T, tell func(t *testing.T, s *store, r *Router, g []*Guard)) {
	story(t, counts, func(t *testing.T, s *store, r *Router) {
		var guards []*Guard
		for i := range s.doc.Shards {
			cfg := testConfig()
			cfg.Name = s.doc.Shards[i].Name
			g, err := OpenGuard(t.Context(), s, cfg.Name, cfg)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(g.Close)
			guards = append(guards, g)
		}
		until(t, time.Second, "the guards have the document", func() bool {
			return len(s.confirmations()) == 5
		})
		tell(t, s, r, guards)
	})
}

// TestGuardAgrees: for every key and every piece, exactly one shard takes it, and it is the one that the Router says; the others name it.
func TestGuardAgrees(t *testing.T) {
	for name, p := range map[string]routing.Placement{
		"key":        {Bytes: "key", Function: routing.XXH64, Map: routing.ModN},
		"tenant":     {Bytes: "tenant", Function: routing.XXH64, Map: routing.ModN},
		"both":       {Bytes: "tenant,key", Function: routing.MD5, Map: routing.ModN},
		"redis-slot": {Bytes: "key", Function: routing.RedisSlot, Map: routing.List},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d, err := routing.Adopt("f", p, routing.NumberedShards(5))
				if err != nil {
					t.Fatal(err)
				}
				tenant := ""
				if p.IdentifiesTenant() {
					tenant = "t1"
				}
				for _, key := range []string{"hot", "{hot}:a"} {
					d.Salts = append(d.Salts, routing.Salt{Tenant: tenant, Key: key, Suffixes: []uint32{0, 2, 4, 6, 9}, Write: 3, Read: 5, Tombstones: []uint32{9}})
				}
				d.Tenants = []routing.TenantPlacement{{Tenant: "whale", Shards: []routing.ShardID{4, 1}}}
				d.Moves = []routing.Move{{VShard: 1, To: 3}, {VShard: 7, To: 0}}
				s := newStore(d)
				r := open(t, s, nil)
				var guards []*Guard
				for i := range d.Shards {
					g, err := OpenGuard(t.Context(), s, d.Shards[i].Name, testConfig())
					if err != nil {
						t.Fatal(err)
					}
					defer g.Close()
					guards = append(guards, g)
				}
				synctest.Wait()
				for _, tenant := range []string{"", "t1", "t2", "whale"} {
					for _, key := range []string{"hot", "{hot}:a", "plain", "plain#3", "hot#x", "k1", "k2", "k3", "k4"} {
						dec := r.Decide(Read, []byte(tenant), []byte(key))
						for _, piece := range dec.AppendPieces(nil) {
							physical := dec.AppendKey(nil, piece)
							for _, g := range guards {
								err := g.Check([]byte(tenant), physical)
								var moved *Moved
								mine, errAs := err == nil, errors.As(err, &moved)
								if mine != (g.Shard() == dec.ShardOf(piece)) || !mine && (!errAs || moved.Shard != dec.ShardOf(piece)) {
									t.Errorf("%s of %q on %s: %v, want %s", physical, tenant, g.Shard(), err, dec.ShardOf(piece))
								}
							}
						}
					}
				}
			})
		})
	}
}

// TestGuardExplicit: where the log names the shard, each shard has its own keys until one of its virtual shards is moved.
func TestGuardExplicit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, err := routing.Adopt("f", routing.Placement{Map: routing.Explicit}, routing.NumberedShards(2))
		if err != nil {
			t.Fatal(err)
		}
		table, err := routing.NewTable(d)
		if err != nil {
			t.Fatal(err)
		}
		tenant, key := []byte("t"), []byte("k")
		d.Moves = []routing.Move{{VShard: table.ExplicitVShard(0, tenant, key), To: 1}}
		s := newStore(d)
		for shard, want := range map[string]string{"shard-0": "shard-1", "shard-1": "", "elsewhere": ""} {
			g, err := OpenGuard(t.Context(), s, shard, testConfig())
			if err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
			var moved *Moved
			if err := g.Check(tenant, key); errors.As(err, &moved) != (want != "") || moved != nil && moved.Shard != want {
				t.Errorf("%s: %v, want %q", shard, err, want)
			}
			g.Close()
		}
	})
}

// TestGuardStartsEmpty: a Guard serves nothing before the source has given it a document, however long that takes.
func TestGuardStartsEmpty(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStore(fleet(t, 4))
		s.err = errAway
		file := t.TempDir() + "/routing.json"
		if err := keep(file, s.doc); err != nil {
			t.Fatal(err)
		}
		cfg := testConfig()
		cfg.File = file
		g, err := OpenGuard(t.Context(), s, "shard-1", cfg)
		if err != nil {
			t.Fatal(err)
		}
		defer g.Close()
		key := keyOn(t, s.doc, 1)
		time.Sleep(time.Hour)
		if err := g.Check(nil, key); !errors.Is(err, ErrNotReady) {
			t.Errorf("%v, want ErrNotReady", err)
		}
		s.set(func(s *store) { s.err = nil })
		until(t, 25*time.Second, "the document", func() bool { return g.Check(nil, key) == nil })
	})
}

// TestSettled: a version is confirmed, and settled, only when nothing that was let in by an older one is under way.
func TestSettled(t *testing.T) {
	guarded(t, func(t *testing.T, s *store, r *Router, g []*Guard) {
		key := keyOn(t, s.doc, 1)
		d := r.Decide(Write, nil, key)
		slow, err := g[1].Enter(nil, key)
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			s.put(next(s.doc, func(n *routing.Document) { n.Moves = []routing.Move{{VShard: d.Piece.VShard, To: 2}} }))
			time.Sleep(10 * time.Second)
		}
		var moved *Moved
		if err := g[1].Check(nil, key); !errors.As(err, &moved) || moved.Shard != "shard-2" || moved.Version != 3 {
			t.Errorf("%v, want moved", err)
		}
		settled := make(chan time.Time, 1)
		go func() {
			if err := g[1].Settled(t.Context(), 3); err != nil {
				t.Error(err)
			}
			settled <- time.Now()
		}()
		time.Sleep(time.Minute)
		if c := s.confirmations()["shard-1"]; c.Version != 1 || s.confirmations()["shard-2"].Version != 3 {
			t.Errorf("version %d is confirmed while a request by version 1 is under way", c.Version)
		}
		left := time.Now()
		slow.Leave()
		if at := <-settled; at.Sub(left) > 0 {
			t.Errorf("settled %v after the request left", at.Sub(left))
		}
		until(t, time.Second, "the confirmation", func() bool { return s.confirmations()["shard-1"].Version == 3 })
		short, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if err := g[1].Settled(short, 99); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%v for a version that is not there", err)
		}
	})
}

// TestPassRace: a request that looked at the document before it was replaced, and was stopped there, is not let in by it afterwards.
func TestPassRace(t *testing.T) {
	guarded(t, func(t *testing.T, s *store, _ *Router, g []*Guard) {
		old := g[1].held.Load()
		s.put(next(s.doc, nil))
		if err := g[1].Settled(t.Context(), 2); err != nil {
			t.Fatal(err)
		}
		if g[1].count(old) || old.passes.Load() != 0 {
			t.Error("let in by a version that is settled")
		}
		if !g[1].count(g[1].held.Load()) {
			t.Error("not let in by the present one")
		}
	})
}

// TestSettledAtOnce: a shard that hands something over does not wait for its turn among ten thousand clients.
func TestSettledAtOnce(t *testing.T) {
	guarded(t, func(t *testing.T, s *store, _ *Router, g []*Guard) {
		s.set(func(s *store) { s.head.Clients, s.bytes = 10_000, 100<<10 })
		time.Sleep(10 * time.Second)
		for range 5 {
			s.put(next(s.doc, nil))
			began := time.Now()
			if err := g[1].Settled(t.Context(), s.doc.Version); err != nil || time.Since(began) > 1100*time.Millisecond {
				t.Errorf("%v after %v", err, time.Since(began))
			}
			time.Sleep(time.Duration(float64(10*time.Second) * uniform()))
		}
	})
}

func keyOf(r *http.Request) (tenant, key []byte, ok bool) {
	k := r.URL.Query().Get("key")
	return nil, []byte(k), k != ""
}

// TestMisdirected: a stale client's request is refused by headers, follows them, and makes the client look at once.
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

// TestGuardBehind: a Guard that is behind refuses what a client rightly brings, learns from the request that it is, and takes it soon.
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

// TestDo: what ends a request, and how often it is sent.
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

// TestRefusal: what is read out of foreign headers is bounded and never a panic.
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

package client

import (
	"context"
	"errors"
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

// TestMisdirected: a stale client's request is refused by headers, follows them, and makes the client look at once.
// TestGuardBehind: a Guard that is behind refuses what a client rightly brings, learns from the request that it is, and takes it soon.
// TestDo: what ends a request, and how often it is sent.
// TestRefusal: what is read out of foreign headers is bounded and never a panic.

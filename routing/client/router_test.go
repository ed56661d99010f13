package client

import (
	"errors"
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"firebreak/routing"
)

func counts(c *Config) { c.Spaces = []Space{{Prefix: "count:", Kind: KindCounter}} }

// TestDecide: a decision says what the document says, with the pieces that readers and writers use at this moment.
func TestDecide(t *testing.T) {
	story(t, counts, func(t *testing.T, s *store, r *Router) {
		s.put(next(s.doc, func(d *routing.Document) {
			salted("count:hot", 2, 3)(d)
			d.Cached = []routing.CachedKey{{Key: "home", Staleness: 5 * time.Second}}
			d.Tenants = []routing.TenantPlacement{{Tenant: "whale", Shards: []routing.ShardID{3}}}
			d.Quotas = []routing.Quota{{Tenant: "whale", Rate: 5}}
		}))
		until(t, 6*time.Second, "version 2", func() bool { return version(r) == 2 })
		table, err := routing.NewTable(s.doc)
		if err != nil {
			t.Fatal(err)
		}
		hot := []byte("count:hot")
		all := table.Pieces(nil, hot, nil)
		d := r.Decide(Read, nil, hot)
		if diff := cmp.Diff(all[:3], d.AppendPieces(nil)); diff != "" || d.Pieces != 3 || d.Version != 2 || d.Err != nil {
			t.Errorf("a read of %d pieces at version %d, %v:\n%s", d.Pieces, d.Version, d.Err, diff)
		}
		var keys []string
		for _, p := range d.AppendPieces(nil) {
			keys = append(keys, string(d.AppendKey(nil, p)))
		}
		if diff := cmp.Diff([]string{"count:hot", "count:hot#3", "count:hot#5"}, keys); diff != "" {
			t.Error(diff)
		}
		written := map[int]int{}
		const draws = 4000
		for range draws {
			w := r.Decide(Write, nil, hot)
			written[w.Piece.Index]++
			if w.Piece != all[w.Piece.Index] || w.Pieces != 1 {
				t.Fatalf("written to %+v, want %+v", w.Piece, all[w.Piece.Index])
			}
		}
		// Within 5 standard deviations of one half.
		if len(written) != 2 || math.Abs(float64(written[0])-draws/2) > 5*math.Sqrt(draws)/2 {
			t.Errorf("writes by piece %v, want the first two as often", written)
		}
		if d := r.Decide(Read, nil, []byte("home")); d.Cached != 5*time.Second {
			t.Errorf("cached %v, want 5s", d.Cached)
		}
		if d := r.Decide(Write, nil, []byte("home")); d.Cached != 0 {
			t.Errorf("a write is cached for %v", d.Cached)
		}
		if d := r.Decide(Write, []byte("whale"), []byte("x")); d.Shard() != "shard-3" || !d.Limited {
			t.Errorf("%q, limited %t, want the tenant's shard and its quota", d.Shard(), d.Limited)
		}
		plain := keyOn(t, s.doc, 1)
		if d := r.Decide(Write, []byte("t"), plain); d.Shard() != "shard-1" || d.Limited || d.Cached != 0 || d.Stale {
			t.Errorf("%q, %+v", d.Shard(), d)
		}
	})
}

// TestStaleSpaces: which keys a stale Router refuses, and that it says so of all.
func TestStaleSpaces(t *testing.T) {
	spaces := func(c *Config) {
		c.Spaces = []Space{{Prefix: "likes:", Kind: KindCounter, StaleAnswers: true}, {Prefix: "count:", Tenant: "a", Kind: KindCounter}}
	}
	story(t, spaces, func(t *testing.T, s *store, r *Router) {
		s.put(next(s.doc, salted("undeclared", 4, 4)))
		until(t, 6*time.Second, "version 2", func() bool { return version(r) == 2 })
		s.set(func(s *store) { s.err = errAway })
		time.Sleep(time.Minute)
		for _, tt := range []struct {
			tenant, key string
			refused     bool
		}{
			{"a", "count:1", true}, {"b", "count:1", false}, {"a", "likes:1", false}, {"a", "plain", false}, {"a", "undeclared", true},
		} {
			for _, op := range []Op{Read, Write} {
				d := r.Decide(op, []byte(tt.tenant), []byte(tt.key))
				if errors.Is(d.Err, ErrStale) != tt.refused || !d.Stale {
					t.Errorf("%s of %s: %v, stale %t; want refused %t and stale", tt.key, tt.tenant, d.Err, d.Stale, tt.refused)
				}
				if stale, err := r.Check(&d); errors.Is(err, ErrStale) != tt.refused || !stale {
					t.Errorf("%s of %s on arrival: %v, stale %t; want refused %t and stale", tt.key, tt.tenant, err, stale, tt.refused)
				}
			}
		}
		if got := counter(t, r.met.refusals, "stale"); got != 8 {
			t.Errorf("%v refusals counted, want 8", got)
		}
	})
}

// TestCheck: an answer is judged by what is known when it arrives.
func TestCheck(t *testing.T) {
	hot, moved := []byte("count:hot"), []byte("k")
	for _, tt := range []struct {
		name   string
		key    []byte
		change func(d *routing.Document)
		op     Op
		want   error
	}{
		{"nothing about the key", hot, func(d *routing.Document) { d.Stop = true }, Read, nil},
		{"more pieces to read", hot, salted("count:hot", 2, 4), Read, ErrChanged},
		{"more pieces to write", hot, salted("count:hot", 3, 3), Read, nil},
		{"fewer pieces", hot, salted("count:hot", 1, 1), Read, nil},
		{"other pieces", hot, func(d *routing.Document) { d.Salts[0].Suffixes = []uint32{0, 3, 9} }, Read, ErrChanged},
		{"a write stands", hot, salted("count:hot", 4, 4), Write, nil},
		{"moved", moved, nil, Read, ErrChanged},
		{"moved under a write", moved, nil, Write, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			story(t, counts, func(t *testing.T, s *store, r *Router) {
				s.put(next(s.doc, salted("count:hot", 2, 3)))
				until(t, 6*time.Second, "version 2", func() bool { return version(r) == 2 })
				d := r.Decide(tt.op, nil, tt.key)
				change := tt.change
				if change == nil {
					to := routing.ShardID((int(d.Piece.Shard) + 1) % 4)
					change = func(c *routing.Document) { c.Moves = []routing.Move{{VShard: d.Piece.VShard, To: to}} }
				}
				s.put(next(s.doc, change))
				until(t, 6*time.Second, "version 3", func() bool { return version(r) == 3 })
				if stale, err := r.Check(&d); !errors.Is(err, tt.want) || (err != nil) != (tt.want != nil) || stale {
					t.Errorf("%v, stale %t; want %v", err, stale, tt.want)
				}
			})
		})
	}
}

// TestArrivesStale: a read that was begun by a fresh Router and arrives at one that is stale is refused.
func TestArrivesStale(t *testing.T) {
	story(t, counts, func(t *testing.T, s *store, r *Router) {
		d := r.Decide(Read, nil, []byte("count:1"))
		if stale, err := r.Check(&d); stale || err != nil {
			t.Fatal(stale, err)
		}
		s.set(func(s *store) { s.err = errAway })
		time.Sleep(36 * time.Second)
		if stale, err := r.Check(&d); !stale || !errors.Is(err, ErrStale) {
			t.Errorf("stale %t, %v", stale, err)
		}
	})
}

// TestExplicit: where the log names the shard the application knows it, and the Router says so.
func TestExplicit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, err := routing.Adopt("f", routing.Placement{Map: routing.Explicit}, routing.NumberedShards(2))
		if err != nil {
			t.Fatal(err)
		}
		r := open(t, newStore(d), nil)
		if got := r.Decide(Write, []byte("t"), []byte("k")); got.Shard() != "" || got.Piece.Shard != routing.NoShard || got.Err != nil {
			t.Errorf("%q, %+v", got.Shard(), got)
		}
	})
}

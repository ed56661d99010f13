package client

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"firebreak/routing"
)

func cached(staleness time.Duration, keys ...string) func(d *routing.Document) {
	return func(d *routing.Document) {
		d.Cached = nil
		for _, k := range keys {
			d.Cached = append(d.Cached, routing.CachedKey{Key: k, Staleness: staleness})
		}
	}
}

// caching is a story in which two keys may be a second old.
func caching(t *testing.T, tell func(t *testing.T, s *store, r *Router, c *Cache[int])) {
	story(t, nil, func(t *testing.T, s *store, r *Router) {
		s.put(next(s.doc, cached(time.Second, "home", "news")))
		until(t, 6*time.Second, "version 2", func() bool { return version(r) == 2 })
		tell(t, s, r, NewCache[int](r))
	})
}

// loads counts loads, each of which takes some time and gives the next number.
type loads struct {
	n, now, most atomic.Int32
	takes        time.Duration
}

func (l *loads) load(ctx context.Context) (int, error) {
	n := l.n.Add(1)
	l.most.Store(max(l.most.Load(), l.now.Add(1)))
	defer l.now.Add(-1)
	select {
	case <-time.After(l.takes):
		return int(n), nil
	case <-ctx.Done():
		return 0, ctx.Err()
	}
}

func TestCache(t *testing.T) {
	caching(t, func(t *testing.T, s *store, r *Router, c *Cache[int]) {
		l := &loads{takes: 300 * time.Millisecond}
		var all sync.WaitGroup
		for range 100 {
			all.Go(func() {
				if got, err := c.Load(t.Context(), nil, []byte("home"), l.load); got != 1 || err != nil {
					t.Errorf("%d, %v, want the one load's", got, err)
				}
			})
		}
		all.Wait()
		time.Sleep(700 * time.Millisecond) // a second after the load began
		if got, _ := c.Load(t.Context(), nil, []byte("home"), l.load); got != 1 {
			t.Errorf("%d a second after the load began, want 1", got)
		}
		time.Sleep(time.Millisecond)
		if got, _ := c.Load(t.Context(), nil, []byte("home"), l.load); got != 2 {
			t.Errorf("%d later than that, want 2", got)
		}
		for want := 3; want < 6; want++ {
			if got, _ := c.Load(t.Context(), nil, []byte("plain"), l.load); got != want {
				t.Errorf("%d for a key that is not declared, want %d", got, want)
			}
		}
		for outcome, want := range map[string]float64{"hit": 1, "miss": 2, "joined": 99, "passed": 3} {
			if got := counter(t, r.met.cache, outcome); got != want {
				t.Errorf("%v %s, want %v", got, outcome, want)
			}
		}
		s.put(next(s.doc, cached(5*time.Second, "news")))
		until(t, 6*time.Second, "version 3", func() bool { return version(r) == 3 })
		_, _ = c.Load(t.Context(), nil, []byte("plain"), l.load)
		if slots := c.slots.Load().byKey; len(slots) != 1 || slots["news"] == nil {
			t.Errorf("slots of %v are kept, want those that are declared", slots)
		}
	})
}

// TestCacheIsNeverOlder: whatever loads and callers do, what a caller gets began no longer than the bound before it asked, and one load of
// a key runs at a time.
func TestCacheIsNeverOlder(t *testing.T) {
	caching(t, func(t *testing.T, _ *store, _ *Router, c *Cache[int]) {
		for seed := range uint64(100) {
			random := rand.New(rand.NewPCG(seed, 0))
			var mu sync.Mutex
			began := map[int]time.Time{}
			l := &loads{}
			var all sync.WaitGroup
			for range 1 + random.IntN(30) {
				time.Sleep(time.Duration(random.IntN(900)) * time.Millisecond)
				takes := time.Duration(random.IntN(2500)) * time.Millisecond
				all.Go(func() {
					asked := time.Now()
					got, err := c.Load(context.Background(), nil, []byte("news"), func(ctx context.Context) (int, error) {
						mu.Lock()
						began[int(l.n.Load())+1] = time.Now()
						mu.Unlock()
						return (&loads{takes: takes}).count(ctx, l)
					})
					mu.Lock()
					defer mu.Unlock()
					if at, known := began[got]; err != nil || !known || asked.Sub(at) > time.Second {
						t.Errorf("seed %d: load %d, %v old, %v", seed, got, asked.Sub(at), err)
					}
				})
			}
			all.Wait()
			if l.most.Load() > 1 {
				t.Errorf("seed %d: %d loads at once", seed, l.most.Load())
			}
			c.Drop(nil, []byte("news"))
		}
	})
}

// count loads as l does, with the time of own.
func (own *loads) count(ctx context.Context, l *loads) (int, error) {
	n := l.n.Add(1)
	l.most.Store(max(l.most.Load(), l.now.Add(1)))
	defer l.now.Add(-1)
	time.Sleep(own.takes)
	return int(n), ctx.Err()
}

func TestCacheFailures(t *testing.T) {
	caching(t, func(t *testing.T, _ *store, _ *Router, c *Cache[int]) {
		home := []byte("home")
		n := 0
		fails := func(context.Context) (int, error) { n++; return 7, errDown }
		for range 3 {
			if _, err := c.Load(t.Context(), nil, home, fails); !errors.Is(err, errDown) {
				t.Error(err)
			}
		}
		if n != 3 {
			t.Errorf("%d loads: an error is not kept", n)
		}
		if _, err := c.Load(t.Context(), nil, home, func(context.Context) (int, error) { panic("oh") }); err == nil || !strings.Contains(err.Error(), "oh") {
			t.Errorf("%v, want the panic as an error: others wait for the load too", err)
		}
		// One gives up, the other does not; then nobody waits and the load ends.
		l := &loads{takes: time.Hour}
		gone, cancel := context.WithCancel(t.Context())
		later, cancel2 := context.WithTimeout(t.Context(), 500*time.Millisecond)
		defer cancel2()
		var all sync.WaitGroup
		for _, ctx := range []context.Context{gone, later} {
			all.Go(func() {
				if _, err := c.Load(ctx, nil, home, l.load); !errors.Is(err, ctx.Err()) || err == nil {
					t.Errorf("%v, want the caller's own", err)
				}
			})
		}
		time.Sleep(100 * time.Millisecond)
		cancel()
		synctest.Wait()
		if l.now.Load() != 1 {
			t.Error("the load ended with the first who gave up")
		}
		all.Wait()
		synctest.Wait()
		if l.now.Load() != 0 {
			t.Error("a load goes on that nobody waits for")
		}
	})
}

// TestDrop: who wrote a key reads what it wrote, whatever was kept or is being loaded.
func TestDrop(t *testing.T) {
	caching(t, func(t *testing.T, _ *store, _ *Router, c *Cache[int]) {
		home := []byte("home")
		var value atomic.Int32
		read := func(context.Context) (int, error) {
			v := value.Load()
			time.Sleep(100 * time.Millisecond)
			return int(v), nil
		}
		var all sync.WaitGroup
		all.Go(func() { _, _ = c.Load(t.Context(), nil, home, read) })
		time.Sleep(50 * time.Millisecond)
		value.Store(1)
		c.Drop(nil, home)
		if got, _ := c.Load(t.Context(), nil, home, read); got != 1 {
			t.Errorf("%d from a load that began before the write", got)
		}
		all.Wait()
		value.Store(2)
		c.Drop(nil, home)
		if got, _ := c.Load(t.Context(), nil, home, read); got != 2 {
			t.Errorf("%d from what was kept before the write", got)
		}
	})
}

// TestCacheByTenant: where keys are identified with their tenants, two tenants' keys are two values.
func TestCacheByTenant(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, err := routing.Adopt("f", routing.Placement{Bytes: "tenant,key", Function: routing.XXH64, Map: routing.ModN}, routing.NumberedShards(2))
		if err != nil {
			t.Fatal(err)
		}
		d.Cached = []routing.CachedKey{{Tenant: "a", Key: "k", Staleness: time.Hour}, {Tenant: "b", Key: "k", Staleness: time.Hour}}
		c := NewCache[string](open(t, newStore(d), nil))
		for range 2 {
			for _, tenant := range []string{"a", "b"} {
				got, err := c.Load(t.Context(), []byte(tenant), []byte("k"), func(context.Context) (string, error) { return tenant, nil })
				if got != tenant || err != nil {
					t.Errorf("%q, %v for %q", got, err, tenant)
				}
			}
		}
	})
}

package client

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"firebreak/routing"
)

// limited is a story with quotas: whale 30 a second and minnow 3, over 3 clients.
func limited(t *testing.T, change func(c *Config), tell func(t *testing.T, s *store, r *Router)) {
	story(t, change, func(t *testing.T, s *store, r *Router) {
		s.put(next(s.doc, func(d *routing.Document) {
			d.Quotas = []routing.Quota{{Tenant: "minnow", Rate: 3}, {Tenant: "whale", Rate: 30}}
		}))
		until(t, 6*time.Second, "version 2", func() bool { return version(r) == 2 })
		tell(t, s, r)
	})
}

// flood asks for a tenant at an even rate and counts what is let in.
func flood(t *testing.T, r *Router, tenant string, perSecond int, d time.Duration) (in, refused int) {
	var mu sync.Mutex
	var all sync.WaitGroup
	for range int(d.Seconds() * float64(perSecond)) {
		all.Go(func() {
			err := r.Admit(t.Context(), []byte(tenant))
			mu.Lock()
			defer mu.Unlock()
			if err == nil {
				in++
			} else {
				refused++
			}
		})
		time.Sleep(time.Second / time.Duration(perSecond))
	}
	all.Wait()
	return in, refused
}

func TestQuota(t *testing.T) {
	limited(t, nil, func(t *testing.T, s *store, r *Router) {
		if err := r.Admit(t.Context(), []byte("free")); err != nil {
			t.Error(err)
		}
		in, refused := flood(t, r, "whale", 50, 20*time.Second)
		// Its share is 10 a second: 200, one second's worth in hand at the start, and what waits at the end.
		if in < 205 || in > 221 || in+refused != 1000 {
			t.Errorf("%d let in and %d refused in 20 s, want the share of a third of 30/s", in, refused)
		}
		var over *OverQuota
		if err := r.Admit(t.Context(), []byte("whale")); err != nil && (!errors.As(err, &over) || over.RetryAfter <= time.Second) {
			t.Errorf("%v, want when to come back", err)
		}
		d := r.Demand()
		if len(d) != 2 || d[1].Tenant != "whale" || d[1].Admitted+d[1].Queued+d[1].Refused < 1000 || d[0].Admitted != 0 {
			t.Errorf("demand %+v, want all that was asked for", d)
		}
		s.set(func(s *store) { s.head.Clients = 1 })
		time.Sleep(10 * time.Second)
		if in, _ := flood(t, r, "whale", 50, 20*time.Second); in < 620 || in > 662 {
			t.Errorf("%d let in in 20 s by the only client, want 30/s", in)
		}
		if a, q, n := counter(t, r.met.quota, "admitted"), counter(t, r.met.quota, "queued"), counter(t, r.met.quota, "refused"); a == 0 || q == 0 || n == 0 {
			t.Errorf("%v admitted, %v queued, %v refused are counted", a, q, n)
		}
	})
}

// TestQuotaIsFair: a tenant's queue delays no other tenant, and who comes first goes first.
func TestQuotaIsFair(t *testing.T) {
	limited(t, nil, func(t *testing.T, _ *store, r *Router) {
		var all sync.WaitGroup
		all.Go(func() { flood(t, r, "whale", 500, 10*time.Second) })
		for range 9 {
			time.Sleep(time.Second)
			began := time.Now()
			if err := r.Admit(t.Context(), []byte("minnow")); err != nil || time.Since(began) > 0 {
				t.Errorf("minnow waits %v, %v, within its quota", time.Since(began), err)
			}
		}
		all.Wait()
		time.Sleep(5 * time.Second)
		var mu sync.Mutex
		var order []int
		for i := range 15 {
			all.Go(func() {
				if err := r.Admit(t.Context(), []byte("whale")); err == nil {
					mu.Lock()
					order = append(order, i)
					mu.Unlock()
				}
			})
			time.Sleep(time.Microsecond)
		}
		all.Wait()
		for i, n := range order {
			if i != n {
				t.Fatalf("let in in the order %v", order)
			}
		}
	})
}

// TestQueue: its bounds, and that who gives up gives its turn back.
func TestQueue(t *testing.T) {
	limited(t, func(c *Config) { c.Queue, c.QueueFor = 2, 5*time.Second }, func(t *testing.T, _ *store, r *Router) {
		minnow := []byte("minnow") // 1 a second here
		if err := r.Admit(t.Context(), minnow); err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		gone, cancel := context.WithCancel(t.Context())
		var all sync.WaitGroup
		all.Go(func() {
			if err := r.Admit(gone, minnow); !errors.Is(err, context.Canceled) {
				t.Errorf("%v, want the cancellation", err)
			}
		})
		time.Sleep(time.Millisecond)
		all.Go(func() {
			if err := r.Admit(t.Context(), minnow); err != nil || time.Since(began).Round(10*time.Millisecond) != 2*time.Second {
				t.Errorf("%v after %v", err, time.Since(began))
			}
		})
		time.Sleep(time.Millisecond)
		var over *OverQuota
		if err := r.Admit(t.Context(), minnow); !errors.As(err, &over) || time.Since(began) > 10*time.Millisecond {
			t.Errorf("%v after %v: two wait already", err, time.Since(began))
		}
		cancel()
		all.Wait()
		if err := r.Admit(t.Context(), minnow); err != nil || time.Since(began).Round(10*time.Millisecond) != 2*time.Second {
			t.Errorf("%v after %v: the turn that was given back is free", err, time.Since(began))
		}
		soon, cancel2 := context.WithTimeout(t.Context(), 500*time.Millisecond)
		defer cancel2()
		if err := r.Admit(soon, minnow); !errors.As(err, &over) || soon.Err() != nil {
			t.Errorf("%v: a wait that the caller would not outlast is refused at once", err)
		}
	})
}

// TestClientsUnknown: while no head has told, a quota is shared by as many as the application says, and not by one.
func TestClientsUnknown(t *testing.T) {
	limited(t, nil, func(t *testing.T, s *store, r *Router) {
		r.clients.Store(0)
		s.set(func(s *store) { s.head.Clients = 0 })
		if in, _ := flood(t, r, "whale", 50, 20*time.Second); in < 60 || in > 66 {
			t.Errorf("%d let in in 20 s, want a tenth of 30/s", in)
		}
	})
}

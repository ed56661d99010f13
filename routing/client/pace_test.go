package client

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"firebreak/routing"
)

// longDocument has n bytes encoded, of which few are entries, so that ten thousand clients can hold it.
func longDocument(t testing.TB, n int) *routing.Document {
	d := fleet(t, 4)
	for i := 0; ; i++ {
		b, err := d.Encode()
		if err != nil {
			t.Fatal(err)
		}
		left := n - len(b)
		if left < 60 {
			return d
		}
		name := fmt.Sprintf("%03d", i)
		q := routing.Quota{Tenant: name + strings.Repeat("x", min(900, left-50)), Rate: 1}
		d.Quotas = append(d.Quotas, q)
	}
}

// TestFleet is the proof of the spread: 10,000 clients, a document of 16 KB, a change of version. It reaches all within 15 s, and nobody is
// throttled at 3,000 read units a second. What is unused DynamoDB keeps for up to 300 s (developer guide, "Burst capacity"); here it keeps
// a fifth of a second's, so that a second that happens to be busy is made up for by its neighbours and a busy minute is not.
func TestFleet(t *testing.T) {
	if testing.Short() {
		t.Skip("10,000 clients: the race detector itself dies of so many goroutines at times")
	}
	const clients = 10_000
	synctest.Test(t, func(t *testing.T) {
		d := longDocument(t, 16<<10)
		s := newStore(d)
		if s.head.Bytes > 16<<10 || s.head.Bytes < 16<<10-60 {
			t.Fatalf("the document has %d bytes", s.head.Bytes)
		}
		s.head.Clients = clients
		s.latency = 20 * time.Millisecond
		routers := make([]*Router, clients)
		var opened sync.WaitGroup
		for i := range routers {
			opened.Go(func() {
				cfg := testConfig()
				cfg.Name = fmt.Sprint("client-", i)
				r, err := Open(t.Context(), s, cfg)
				if err != nil {
					panic(err)
				}
				routers[i] = r
			})
		}
		opened.Wait()
		defer func() {
			for _, r := range routers {
				r.Close()
			}
		}()
		until(t, time.Minute, "all joined", func() bool { return !slices.ContainsFunc(routers, (*Router).Stale) })
		time.Sleep(time.Duration(float64(15*time.Second) * uniform()))
		for change := range 2 {
			s.set(func(s *store) { clear(s.perSecond); s.ahead, s.most = 0, 0 })
			d = next(d, nil)
			s.put(d)
			began := time.Now()
			until(t, 15*time.Second, "all have it", func() bool {
				return !slices.ContainsFunc(routers, func(r *Router) bool { return version(r) != d.Version })
			})
			took := time.Since(began)
			time.Sleep(12 * time.Second)
			most, all := s.busiest()
			t.Logf("change %d: with all after %v; busiest second %.0f units of %.0f, at most %.0f ahead of 3,000 a second", change, took, most, all, s.most)
			if s.most > 600 {
				t.Errorf("%.0f units ahead of 3,000 a second, want at most a fifth of a second's", s.most)
			}
			if c := s.confirmations(); len(c) != clients {
				t.Errorf("%d clients have confirmed", len(c))
			}
		}
	})
}

// TestTurns: whatever the fleet and the document, no turn is early, the slots are shared out, and what a change asks for in all stays under
// the units while looks leave room.
func TestTurns(t *testing.T) {
	p := pace{poll: 5 * time.Second, units: 3000}
	for _, tt := range []struct {
		clients, bytes int
		slots          int // how many intervals it takes
	}{
		{1, 100 << 10, 1},
		{1000, 4 << 10, 1},
		{1000, 100 << 10, 1},
		{10_000, 4 << 10, 1},
		{10_000, 16 << 10, 2},
		{10_000, 100 << 10, 11},
		{40_000, 4 << 10, 2},
		{0, 0, 1},
	} {
		const draws = 10_000
		perSlot := map[time.Duration]int{}
		for i := range draws {
			perSlot[p.turn(tt.clients, tt.bytes, float64(i)/draws)]++
		}
		every := p.interval(tt.clients)
		if len(perSlot) != tt.slots {
			t.Errorf("%d clients, %d bytes: slots %v, want %d", tt.clients, tt.bytes, perSlot, tt.slots)
		}
		looks := float64(tt.clients) * headUnits / every.Seconds()
		for wait, n := range perSlot {
			if wait%every != 0 {
				t.Errorf("%d clients: a wait of %v, want whole intervals of %v", tt.clients, wait, every)
			}
			if wait > 0 {
				continue
			}
			units := looks + float64(tt.clients*n)/draws*documentUnits(tt.bytes)/every.Seconds()
			if units > 3000 {
				t.Errorf("%d clients, %d bytes: %.0f units/s in the first slot", tt.clients, tt.bytes, units)
			}
		}
	}
	if got := p.interval(20_000); got < 7*time.Second || got > 8*time.Second {
		t.Errorf("20,000 clients look every %v: want as many as take half of the units, 1,425", got)
	}
	if got := p.interval(1_000_000); got != longest {
		t.Errorf("a million clients look every %v, want %v", got, longest)
	}
}

func TestAfter(t *testing.T) {
	p := pace{poll: 5 * time.Second, units: 3000}
	for _, tt := range []struct {
		failures    int
		asked       time.Duration
		least, most time.Duration
	}{
		{1, 0, 2500 * time.Millisecond, 5 * time.Second},
		{2, 0, 5 * time.Second, 10 * time.Second},
		{1000, 0, 12 * time.Second, 24 * time.Second},
		{1, time.Minute, time.Minute, 90 * time.Second},
	} {
		if got := p.after(tt.failures, tt.asked, 0); got != tt.least {
			t.Errorf("%d failures, asked for %v: at least %v, want %v", tt.failures, tt.asked, got, tt.least)
		}
		if got := p.after(tt.failures, tt.asked, 1); got != tt.most {
			t.Errorf("%d failures, asked for %v: at most %v, want %v", tt.failures, tt.asked, got, tt.most)
		}
	}
}

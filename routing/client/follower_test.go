package client

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"firebreak/routing"
)

// story runs in virtual time with a client of a fleet of 4 shards that has just joined.
func story(t *testing.T, change func(c *Config), tell func(t *testing.T, s *store, r *Router)) {
	synctest.Test(t, func(t *testing.T) {
		s := newStore(fleet(t, 4))
		s.head.Clients = 3
		r := open(t, s, change)
		until(t, time.Second, "joined", func() bool { return !r.Stale() })
		tell(t, s, r)
	})
}

func version(r *Router) uint64 { return r.Status().Version }

func TestFollowsAndConfirms(t *testing.T) {
	story(t, nil, func(t *testing.T, s *store, r *Router) {
		for range 5 {
			d := next(s.doc, nil)
			s.put(d)
			until(t, 6*time.Second, "the new version", func() bool { return version(r) == d.Version })
			until(t, time.Second, "its confirmation", func() bool { return s.confirmations()["one"].Version == d.Version })
		}
		beat := s.confirmations()["one"].Beat
		time.Sleep(5 * time.Minute)
		if got := s.confirmations()["one"].Beat - beat; got < 15 || got > 19 {
			t.Errorf("%d confirmations in 5 minutes, want one every 16 to 20 s", got)
		}
		if _, reads := s.counted(); reads != 2+5 {
			t.Errorf("%d reads of the document, want one for each of 6 versions and the one after the first confirmation", reads)
		}
		if r.Stale() {
			t.Error("stale though nothing went wrong")
		}
	})
}

// TestSourceAway: for two days nothing answers; the client routes on, says that it is stale, and is back soon after the source is.
func TestSourceAway(t *testing.T) {
	spaces := func(c *Config) { c.Spaces = []Space{{Prefix: "count:", Kind: KindCounter}} }
	story(t, spaces, func(t *testing.T, s *store, r *Router) {
		s.set(func(s *store) { s.err = errAway; s.looks = 0 })
		time.Sleep(20 * time.Second)
		if d := r.Decide(Write, nil, []byte("count:1")); d.Stale || d.Err != nil {
			t.Errorf("stale %t, %v after 20 s, want neither", d.Stale, d.Err)
		}
		time.Sleep(16 * time.Second)
		if d := r.Decide(Write, nil, []byte("count:1")); !d.Stale || !errors.Is(d.Err, ErrStale) {
			t.Errorf("stale %t, %v after 36 s, want ErrStale", d.Stale, d.Err)
		}
		time.Sleep(48 * time.Hour)
		plain := keyOn(t, s.doc, 2)
		if d := r.Decide(Write, nil, plain); !d.Stale || d.Err != nil || d.Shard() != "shard-2" {
			t.Errorf("stale %t, %v, %q, want stale and on the last document's shard", d.Stale, d.Err, d.Shard())
		}
		if !errors.Is(r.Status().Err, errAway) {
			t.Errorf("status %v, want why", r.Status().Err)
		}
		looks, _ := s.counted()
		if least, most := 48*60*2, 48*60*6; looks < least || looks > most {
			t.Errorf("%d looks in 48 h, want %d to %d", looks, least, most)
		}
		s.put(next(s.doc, nil))
		s.set(func(s *store) { s.err = nil })
		until(t, 26*time.Second, "the version that came meanwhile", func() bool { return version(r) == 2 })
		until(t, 26*time.Second, "joined again", func() bool { return !r.Stale() })
	})
}

// TestHeadLags: what lags behind what the client holds changes nothing, and does not make it stale while the document says the same.
func TestHeadLags(t *testing.T) {
	story(t, nil, func(t *testing.T, s *store, r *Router) {
		old := s.head
		s.put(next(s.doc, nil))
		until(t, 6*time.Second, "version 2", func() bool { return version(r) == 2 })
		s.set(func(s *store) { s.head = old; s.reads = 0 })
		for range 600 {
			time.Sleep(time.Second)
			if version(r) != 2 || r.Stale() {
				t.Fatalf("version %d, stale %t, want 2 and not", version(r), r.Stale())
			}
			if err := r.Status().Err; err != nil {
				t.Fatalf("the status says %v of a head that lags", err)
			}
		}
		if _, reads := s.counted(); reads > 600/15+1 {
			t.Errorf("%d reads in 10 minutes, want one every 15 s at most", reads)
		}
	})
}

// TestSourceGoesBack: a source that was restored from an old copy takes nobody back, and who holds more is stale.
func TestSourceGoesBack(t *testing.T) {
	story(t, nil, func(t *testing.T, s *store, r *Router) {
		first := s.doc
		s.put(next(next(s.doc, nil), nil))
		until(t, 6*time.Second, "version 3", func() bool { return version(r) == 3 })
		s.put(first)
		time.Sleep(time.Hour)
		if version(r) != 3 || !r.Stale() {
			t.Errorf("version %d, stale %t, want 3 and stale", version(r), r.Stale())
		}
		says := func(want string) {
			t.Helper()
			if err := r.Status().Err; err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("the status says %v, want %q", err, want)
			}
		}
		says("the source went back: it has epoch 0, version 1, and epoch 0, version 3 is held")
		claimed := next(next(next(first, nil), nil), func(d *routing.Document) { d.Epoch, d.Tenure = 1, "t" })
		s.put(claimed)
		until(t, 13*time.Second, "version 4", func() bool { return version(r) == 4 })
		if err := r.Status().Err; err != nil {
			t.Errorf("the status says %v though the source is ahead again", err)
		}
		lower := next(claimed, func(d *routing.Document) { d.Epoch, d.Tenure = 0, "" })
		s.put(lower)
		time.Sleep(time.Minute)
		if version(r) != 4 || !r.Stale() {
			t.Errorf("version %d, stale %t, want the epoch kept", version(r), r.Stale())
		}
		says("it has epoch 0, version 5, and epoch 1, version 4 is held")
		s.put(claimed)
		until(t, 13*time.Second, "nothing is wrong", func() bool { return r.Status().Err == nil && !r.Stale() })
	})
}

// TestDocumentOlderThanHead: a cheap read that lags is followed by a consistent one; a document that stays behind its head is taken if it is
// newer than what is held, and believed in no case.
func TestDocumentOlderThanHead(t *testing.T) {
	story(t, nil, func(t *testing.T, s *store, r *Router) {
		lagging := s.doc
		s.put(next(s.doc, nil))
		s.set(func(s *store) { s.cheap = lagging })
		until(t, 6*time.Second, "version 2", func() bool { return version(r) == 2 })
		s.set(func(s *store) { s.cheap = nil; s.head.Version = 4 })
		time.Sleep(35 * time.Second)
		if version(r) != 2 || !r.Stale() {
			t.Errorf("version %d, stale %t, want 2 and stale: the head says that there is more", version(r), r.Stale())
		}
		s.put(next(next(s.doc, nil), nil))
		until(t, 13*time.Second, "not stale", func() bool { return version(r) == 4 && !r.Stale() })
	})
}

// TestRefused: a document that does not validate, or is of another fleet or base map, is refused once, and the last one kept.
func TestRefused(t *testing.T) {
	for name, spoil := range map[string]func(d *routing.Document){
		"invalid":  func(d *routing.Document) { d.Moves = []routing.Move{{VShard: 1 << 20}} },
		"fleet":    func(d *routing.Document) { d.Fleet = "another" },
		"base map": func(d *routing.Document) { d.Placement.VShards *= 2 },
	} {
		t.Run(name, func(t *testing.T) {
			story(t, nil, func(t *testing.T, s *store, r *Router) {
				good := s.doc
				s.set(func(s *store) { s.reads = 0 })
				s.put(next(s.doc, spoil))
				time.Sleep(5 * time.Minute)
				if _, reads := s.counted(); version(r) != 1 || !r.Stale() || reads != 1 {
					t.Errorf("version %d, stale %t, %d reads, want 1, stale, 1", version(r), r.Stale(), reads)
				}
				if got := counter(t, r.met.refreshes, outcomeRefused); got != 1 {
					t.Errorf("%v refused, want 1", got)
				}
				if err := r.Status().Err; err == nil || !strings.Contains(err.Error(), "version 2 is refused") {
					t.Errorf("the status says %v", err)
				}
				if c := s.confirmations()["one"]; c.Version != 1 {
					t.Errorf("version %d is confirmed, want 1, what is held", c.Version)
				}
				s.put(next(next(good, nil), nil))
				until(t, 13*time.Second, "the next good one", func() bool { return version(r) == 3 && !r.Stale() })
			})
		})
	}
}

// TestThrottled: who is asked to come back later does, and fewer calls come in.
func TestThrottled(t *testing.T) {
	story(t, nil, func(t *testing.T, s *store, r *Router) {
		s.set(func(s *store) { s.err = slowDown(time.Minute); s.looks = 0 })
		time.Sleep(10 * time.Minute)
		if looks, _ := s.counted(); looks > 11 {
			t.Errorf("%d looks in 10 minutes, want at most one a minute", looks)
		}
		if got := counter(t, r.met.refreshes, outcomeThrottled); got < 5 {
			t.Errorf("%v counted as throttled, want them all", got)
		}
		s.set(func(s *store) { s.err = nil })
		until(t, 100*time.Second, "joined again", func() bool { return !r.Stale() })
	})
}

// TestUnconfirmed: a client whose confirmations fail is one that no decider waits for. It says so before that happens, and is right again
// only by a read after a confirmation, though it looked at the source all the time.
// TestFrozen: a process that did not run for an hour knows it at once when it does, whichever of its clocks stood still.
// suspended is so long after a moment by the wall clock, and the same moment by the clock of the process, as after a machine was suspended.
// stepped is so long after a moment by the clock of the process, and the same moment by the wall clock, as after that was set back.
// TestJoinsOnWhatLags: a read that gives more than is held may still lag, so it is asked again until it gives nothing more.
// TestKeptIsNewer: what was kept is not taken back by a source that has less.

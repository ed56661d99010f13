package client

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unsafe"

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
		claimed := next(next(next(first, nil), nil), func(d *routing.Document) { d.Epoch, d.Tenure = 1, "t" })
		s.put(claimed)
		until(t, 13*time.Second, "version 4", func() bool { return version(r) == 4 })
		lower := next(claimed, func(d *routing.Document) { d.Epoch, d.Tenure = 0, "" })
		s.put(lower)
		time.Sleep(time.Minute)
		if version(r) != 4 || !r.Stale() {
			t.Errorf("version %d, stale %t, want the epoch kept", version(r), r.Stale())
		}
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
func TestUnconfirmed(t *testing.T) {
	story(t, nil, func(t *testing.T, s *store, r *Router) {
		s.set(func(s *store) { s.errPut = errAway })
		time.Sleep(24 * time.Second)
		if r.Stale() {
			t.Error("stale while a decider waits for it still")
		}
		time.Sleep(22 * time.Second)
		if !r.Stale() || r.Status().Age > 6*time.Second {
			t.Errorf("stale %t, age %v, want stale though it looks", r.Stale(), r.Status().Age)
		}
		s.set(func(s *store) { s.errPut = nil; s.reads = 0 })
		until(t, 30*time.Second, "joined again", func() bool { return !r.Stale() })
		if _, reads := s.counted(); reads != 1 {
			t.Errorf("%d reads, want the one after the confirmation", reads)
		}
	})
}

// TestFrozen: a process that did not run for an hour knows it at once when it does, whichever of its clocks stood still.
func TestFrozen(t *testing.T) {
	s := newStanding(30 * time.Second)
	began := time.Now()
	s.wasConfirmed(began, began)
	s.wasRead(began, true)
	if s.stale(began.Add(20 * time.Second)) {
		t.Error("stale after 20 s")
	}
	for name, now := range map[string]time.Time{
		"both": began.Add(time.Hour), "the wall clock alone": suspended(began, time.Hour), "the process's clock alone": stepped(began, time.Hour),
	} {
		if !s.stale(now) {
			t.Errorf("not stale after an hour on %s", name)
		}
	}
	s.wasConfirmed(began.Add(time.Hour), began.Add(time.Hour))
	s.wasRead(began.Add(time.Hour-time.Second), true)
	if !s.stale(began.Add(time.Hour)) {
		t.Error("joined by a read that began before the confirmation")
	}
	s.wasRead(began.Add(time.Hour+time.Second), false)
	if !s.stale(began.Add(time.Hour + time.Second)) {
		t.Error("joined by a read that may lag")
	}
	s.wasRead(began.Add(time.Hour+time.Second), true)
	if s.stale(began.Add(time.Hour + time.Second)) {
		t.Error("not joined by a read after the confirmation")
	}
}

// suspended is so long after a moment by the wall clock, and the same moment by the clock of the process, as after a machine was suspended.
func suspended(at time.Time, d time.Duration) time.Time {
	later := at.Add(d)
	*(*int64)(unsafe.Add(unsafe.Pointer(&later), 8)) -= int64(d) // time.Time has the process's clock in its second word
	return later
}

// stepped is so long after a moment by the clock of the process, and the same moment by the wall clock, as after that was set back.
func stepped(at time.Time, d time.Duration) time.Time {
	same := at
	*(*int64)(unsafe.Add(unsafe.Pointer(&same), 8)) += int64(d)
	return same
}

func TestClocks(t *testing.T) {
	at := time.Now()
	if s := suspended(at, time.Hour); s.Sub(at) != 0 || s.Round(0).Sub(at.Round(0)) != time.Hour {
		t.Errorf("suspended: %v and %v", s.Sub(at), s.Round(0).Sub(at.Round(0)))
	}
	if s := stepped(at, time.Hour); s.Sub(at) != time.Hour || s.Round(0).Sub(at.Round(0)) != 0 {
		t.Errorf("stepped: %v and %v", s.Sub(at), s.Round(0).Sub(at.Round(0)))
	}
}

// TestJoinsOnWhatLags: a read that gives more than is held may still lag, so it is asked again until it gives nothing more.
func TestJoinsOnWhatLags(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		first := fleet(t, 4)
		s := newStore(next(next(next(first, nil), nil), nil))
		s.head.Clients, s.cheap = 1, first
		r := open(t, s, nil)
		until(t, 6*time.Second, "joined", func() bool { return !r.Stale() })
		if version(r) != 4 {
			t.Errorf("joined at version %d, want 4", version(r))
		}
		s.set(func(s *store) { s.errPut = errAway })
		until(t, time.Minute, "outside", r.Stale)
		latest := next(next(s.doc, nil), nil)
		lagging := next(s.doc, nil)
		s.set(func(s *store) { s.doc, s.cheap, s.errPut = latest, lagging, nil }) // the head lags too
		until(t, time.Minute, "joined", func() bool { return !r.Stale() })
		if version(r) != 6 {
			t.Errorf("joined at version %d, want 6: a cheap read gave 5", version(r))
		}
	})
}

func TestOpen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "routing.json")
		s := newStore(next(fleet(t, 4), nil))
		r := open(t, s, func(c *Config) { c.File = file })
		r.Close()
		s.set(func(s *store) { s.err = errAway })

		short, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if _, err := Open(short, s, testConfig()); !errors.Is(err, errAway) {
			t.Errorf("%v, want why there is no document", err)
		}
		began := time.Now()
		kept := open(t, s, func(c *Config) { c.File = file })
		if took := time.Since(began); version(kept) != 2 || !kept.Stale() || took > 5*time.Second {
			t.Errorf("version %d, stale %t, after %v, want the kept document, stale, after the time of one call", version(kept), kept.Stale(), took)
		}
		s.set(func(s *store) { s.err = nil })
		until(t, 26*time.Second, "joined", func() bool { return !kept.Stale() })
		other := testConfig()
		other.File, other.Fleet = file, "g"
		s.set(func(s *store) { s.err = errAway })
		short2, cancel2 := context.WithTimeout(t.Context(), time.Minute)
		defer cancel2()
		if _, err := Open(short2, s, other); err == nil || !strings.Contains(err.Error(), "fleet") {
			t.Errorf("%v, want the kept document of another fleet refused", err)
		}
	})
}

// TestKeptIsNewer: what was kept is not taken back by a source that has less.
func TestKeptIsNewer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "routing.json")
		first := fleet(t, 4)
		if err := keep(file, next(next(first, nil), nil)); err != nil {
			t.Fatal(err)
		}
		s := newStore(first)
		s.latency = 4900 * time.Millisecond
		s.head.Clients = 1
		r := open(t, s, func(c *Config) { c.File = file })
		time.Sleep(time.Minute)
		if version(r) != 3 || !r.Stale() {
			t.Errorf("version %d, stale %t, want 3 and stale", version(r), r.Stale())
		}
		if err := r.take(first, nil); err != nil || version(r) != 3 { // compiled before the kept one came
			t.Errorf("version %d, %v", version(r), err)
		}
	})
}

func TestConfigRefused(t *testing.T) {
	for want, spoil := range map[string]func(c *Config){
		"fleet:":          func(c *Config) { c.Fleet = "" },
		"poll:":           func(c *Config) { c.Poll = 0 },
		"stale_after:":    func(c *Config) { c.StaleAfter = 2 * c.Poll },
		"clients:":        func(c *Config) { c.Clients = 0 },
		"fan_out:":        func(c *Config) { c.FanOut = 0 },
		"spaces[0].kind:": func(c *Config) { c.Spaces = []Space{{}} },
		"name: 256 bytes": func(c *Config) { c.Name = strings.Repeat("x", 256) },
		"read_units:":     func(c *Config) { c.ReadUnits = 0 },
		"call_for:":       func(c *Config) { c.CallFor = 0 },
		"queue:":          func(c *Config) { c.Queue = -1 },
		"queue_for:":      func(c *Config) { c.QueueFor = -1 },
		"fan_out_for:":    func(c *Config) { c.FanOutFor = 0 },
		"attempts:":       func(c *Config) { c.Attempts = 0 },
		"source: none":    nil,
	} {
		cfg := testConfig()
		var src Source
		if spoil != nil {
			spoil(&cfg)
			src = newStore(fleet(t, 1))
		}
		if _, err := Open(t.Context(), src, cfg); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

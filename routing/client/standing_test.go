package client

import (
	"testing"
	"testing/synctest"
	"time"
	"unsafe"
)

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
	s.wasRead(began.Add(40*time.Second), false)
	for name, now := range map[string]time.Time{
		"both": began.Add(46 * time.Second), "the wall clock alone": suspended(began.Add(40*time.Second), 6*time.Second),
		"the process's clock alone": stepped(began.Add(40*time.Second), 6*time.Second),
	} {
		if !s.stale(now) {
			t.Errorf("not stale 46 s after the confirmation on %s", name)
		}
	}
	if s.stale(began.Add(44 * time.Second)) {
		t.Error("stale 44 s after the confirmation, 4 s after the read")
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

func suspended(at time.Time, d time.Duration) time.Time {
	later := at.Add(d)
	*(*int64)(unsafe.Add(unsafe.Pointer(&later), 8)) -= int64(d) // time.Time has the process's clock in its second word
	return later
}

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

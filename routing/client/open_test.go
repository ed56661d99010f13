package client

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

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

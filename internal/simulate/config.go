package simulate

import (
	"errors"
	"fmt"
	"time"

	"firebreak/policy"
)

// Config is what a World is made with. Default gives the fleet of the demonstration; the zero value is not valid.
type Config struct {
	Seed       uint64
	Start      time.Time // of the first story
	Tenants    int       // at most a million
	Zipf       float64   // the tenant of rank i has weight i^-Zipf ...
	Most       float64   // ... but none has more than this share of the calm fleet's requests
	Keys       int       // of a tenant
	Rate       float64   // requests/s of the calm fleet
	Capacity   float64   // requests/s that one shard serves
	Every      int       // one request of so many is logged
	Partitions int       // of the log
	Clients    int       // processes that send the requests, each an equal part

	Acts   []Act         // of a story, in order
	Length time.Duration // of a story; another one follows it, with other shards and tenants
}

// Act is one cause of heat that a story plants. The zero value plants nothing.
type Act struct {
	Fix policy.Fix    // what cools it, which says what it is: salt, isolate, split, cache or scale_out
	At  time.Duration // since the story began
	For time.Duration
}

// Default is a fleet whose shards are 37.5 % full on average where there are 32.
func Default() Config {
	return Config{
		Seed: 1, Start: time.Date(2026, time.March, 2, 9, 0, 0, 0, time.UTC), Tenants: 100_000, Zipf: 0.9, Most: 0.003, Keys: 256,
		Rate: 192_000, Capacity: 16_000, Every: 100, Partitions: 12, Clients: 3,
		Acts:   []Act{{policy.FixSalt, lead, planted}, {policy.FixIsolate, lead + planted + calm, planted}, {policy.FixSplit, lead + 2*(planted+calm), planted}},
		Length: Length,
	}
}

// Acting is Default with a story for who acts on it: its acts last until their fixes are judged, and pass over each other, but for the last
// one, in which no shard has room. Between and behind them is time to take everything back.
func Acting() Config {
	c := Default()
	c.Every = 400 // it is long, and told fast
	c.Acts = []Act{
		{policy.FixSalt, lead, acted},
		{policy.FixIsolate, lead + apart, acted},
		{policy.FixSplit, lead + 2*apart, acted},
		{policy.FixCache, lead + 3*apart, acted},
		{policy.FixScaleOut, lead + 3*apart + acted + Undone, acted},
	}
	c.Length = lead + 3*apart + 2*(acted+Undone)
	return c
}

// maxTenants is how many tenants have names of one length.
const maxTenants = 1_000_000

// Validate reports every value that cannot be meant. It fills in nothing.
func (c *Config) Validate() error {
	var errs []error
	for _, v := range []struct {
		name string
		ok   bool
		got  any
	}{
		{"tenants", c.Tenants >= 1 && c.Tenants <= maxTenants, c.Tenants},
		{"zipf", c.Zipf >= 0 && c.Zipf <= 3, c.Zipf},
		{"most", c.Most <= 1 && c.Most*float64(c.Tenants) >= 1, c.Most},
		{"keys", c.Keys >= 1 && c.Keys <= 1_000_000, c.Keys},
		{"rate", c.Rate > 0 && c.Rate <= 1e9, c.Rate},
		{"capacity", c.Capacity > 0 && c.Capacity <= 1e9, c.Capacity},
		{"every", c.Every >= 1 && c.Every <= 1_000_000, c.Every},
		{"partitions", c.Partitions >= 1 && c.Partitions <= 10_000, c.Partitions},
		{"clients", c.Clients >= 1 && c.Clients <= 1000, c.Clients},
		{"length", c.Length > 0 && c.Length%slice == 0, c.Length},
	} {
		if !v.ok {
			errs = append(errs, fmt.Errorf("simulate: %s: %v is out of range", v.name, v.got))
		}
	}
	for i, a := range c.Acts {
		if !a.known() || a.At < 0 || a.For <= 0 || a.At+a.For > c.Length || a.Fix == policy.FixScaleOut && a.At < warmth || i > 0 && a.At < c.Acts[i-1].At {
			errs = append(errs, fmt.Errorf("simulate: acts[%d]: %s from %v for %v: want a fix that cools something, in order, within %v", i, a.Fix, a.At, a.For, c.Length))
		}
	}
	return errors.Join(errs...)
}

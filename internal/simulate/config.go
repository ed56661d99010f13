package simulate

import (
	"errors"
	"fmt"
	"time"
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
}

// Default is a fleet whose shards are 37.5 % full on average where there are 32.
func Default() Config {
	return Config{
		Seed: 1, Start: time.Date(2026, time.March, 2, 9, 0, 0, 0, time.UTC), Tenants: 100_000, Zipf: 0.9, Most: 0.003, Keys: 256,
		Rate: 192_000, Capacity: 16_000, Every: 100, Partitions: 12,
	}
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
	} {
		if !v.ok {
			errs = append(errs, fmt.Errorf("simulate: %s: %v is out of range", v.name, v.got))
		}
	}
	return errors.Join(errs...)
}

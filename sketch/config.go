package sketch

import (
	"errors"
	"fmt"
)

// Config sizes a Sliding and the Summaries that feed it. All memory follows from it. Default gives working values.
type Config struct {
	Panes   int    // complete panes of the long window, at least 1
	Ahead   int    // panes with traffic that may lie ahead of the newest complete one, at least 1
	Open    int    // Summaries that are open at once; an event for yet another pane closes the one that was idle longest
	Shards  int    // for how many shards lists and per-shard counts are sized; 0 = none are named
	VShards int    // virtual shards for which room is made at the start; a higher one makes room when it comes
	Seed    uint64 // of all hashes; only what was counted with one seed adds up
	Listed  int    // tenants, and pairs, that a pane lists; and half the keys

	Slots int // candidates for keys in one Summary, a power of two times 8
	Width int // cells in a row of the Count-Min for keys, a power of two from 16 to 65,536

	TenantSlots int // candidates for tenants; 0 = they are not counted, nor are pairs
	CallerSlots int // candidates for callers; 0 = they are not counted
	TenantWidth int // cells in a row of the Count-Min for tenants, callers and pairs
	PairSlots   int // candidates for (tenant, shard) pairs; 0 = they are not counted
	Spread      int // tenants and shards whose distinct keys a part carries; 0 = none
}

const (
	// leastListed is the fewest names a pane lists; a large fleet lists four a shard, so that each shard's own heaviest
	// are among them.
	leastListed = 512
	// spread is for how many tenants and shards distinct keys are counted.
	spread = 32
)

// Default gives the sizes for a fleet: with the seed of its group, the panes of its long window, and the shards and
// vshards that it may have.
func Default(panes, shards, vshards int, seed uint64) Config {
	listed := max(leastListed, 4*shards)
	slots := ways
	for slots < 4*listed {
		slots *= 2
	}
	return Config{
		Panes: panes, Ahead: 8, Open: 2, Shards: shards, VShards: vshards, Seed: seed, Listed: listed,
		Slots: slots, Width: 16384, TenantSlots: slots, CallerSlots: slots / 2, TenantWidth: 2048, PairSlots: slots / 2,
		Spread: spread,
	}
}

// listed is how many names of a kind a pane lists.
func (c *Config) listed(k kind) int {
	if k == keyKind {
		return 2 * c.Listed
	}
	return c.Listed
}

const (
	maxPanes  = 1 << 12
	maxSlots  = 1 << 20
	maxWidth  = 1 << fieldBits
	minWidth  = 16
	maxShards = 1 << 16
	maxPlaces = 1 << 24
)

// Validate says which field is out of range.
func (c *Config) Validate() error {
	within := func(field string, v, low, high int) error {
		if v < low || v > high {
			return fmt.Errorf("%s: %d, want %d to %d", field, v, low, high)
		}
		return nil
	}
	power := func(field string, v, low, high int) error {
		if v < low || v > high || v&(v-1) != 0 {
			return fmt.Errorf("%s: %d, want a power of two from %d to %d", field, v, low, high)
		}
		return nil
	}
	some := func(field string, v int) error {
		if v == 0 {
			return nil
		}
		return power(field, v, ways, maxSlots)
	}
	return errors.Join(
		within("panes", c.Panes, 1, maxPanes), within("ahead", c.Ahead, 1, maxPanes), within("open", c.Open, 1, 64),
		within("shards", c.Shards, 0, maxShards), within("vshards", c.VShards, 0, maxPlaces),
		within("listed", c.Listed, 1, maxSlots), power("slots", c.Slots, ways, maxSlots),
		power("width", c.Width, minWidth, maxWidth), some("tenant slots", c.TenantSlots), some("caller slots", c.CallerSlots),
		power("tenant width", c.TenantWidth, minWidth, maxWidth), some("pair slots", c.PairSlots),
		within("spread", c.Spread, 0, 1<<10),
	)
}

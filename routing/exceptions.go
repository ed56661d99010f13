package routing

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
)

// checkTarget refuses a shard on which nothing may be placed.
func (d *Document) checkTarget(s ShardID) error {
	if s < 0 || int(s) >= len(d.Shards) {
		return fmt.Errorf("shard %d, want 0 to %d", s, len(d.Shards)-1)
	}
	if d.Shards[s].Role == RoleUnknown {
		return fmt.Errorf("shard %q is %s: nothing is placed there", Escape(d.Shards[s].Name), d.Shards[s].Role)
	}
	return nil
}

func (d *Document) checkMoves(b *base) error {
	if len(d.Moves) == 0 {
		return nil
	}
	v := b.vshards
	if b.placement.Map == Explicit {
		v = len(d.Shards) * ExplicitBuckets
	}
	moved := make([]bool, v)
	for i, m := range d.Moves {
		if m.VShard < 0 || int(m.VShard) >= v {
			return fmt.Errorf("moves[%d].vshard: %d, want 0 to %d", i, m.VShard, v-1)
		}
		if moved[m.VShard] {
			return fmt.Errorf("moves[%d].vshard: %d is moved twice", i, m.VShard)
		}
		moved[m.VShard] = true
		if err := d.checkTarget(m.To); err != nil {
			return fmt.Errorf("moves[%d].to: %w", i, err)
		}
	}
	return nil
}

// identity is what tells keys apart in the document.
type identity struct{ tenant, key string }

// checkIdentity refuses names that are not a key of this fleet, and the second entry of a key.
func checkIdentity(field string, b *base, id identity, seen map[identity]bool) error {
	if err := checkText(field+".key", id.key, maxKey); err != nil {
		return err
	}
	if len(id.tenant) > maxKey {
		return fmt.Errorf("%s.tenant: %d bytes, want at most %d", field, len(id.tenant), maxKey)
	}
	if id.tenant != "" && !b.identifiesTenant {
		return fmt.Errorf("%s.tenant: %q, but in this fleet the key alone is the key's identity", field, Escape(id.tenant))
	}
	if seen[id] {
		return fmt.Errorf("%s.key: %q has two entries", field, Escape(id.key))
	}
	seen[id] = true
	return nil
}

func (d *Document) checkSalts(b *base) error {
	seen := make(map[identity]bool, len(d.Salts))
	for i := range d.Salts {
		s := &d.Salts[i]
		field := fmt.Sprintf("salts[%d]", i)
		if err := checkIdentity(field, b, identity{s.Tenant, s.Key}, seen); err != nil {
			return err
		}
		if strings.Contains(s.Key, b.placement.Separator) {
			return fmt.Errorf("%s.key: %q contains the separator %q", field, Escape(s.Key), b.placement.Separator)
		}
		if err := s.check(); err != nil {
			return fmt.Errorf("%s.%w", field, err)
		}
	}
	return nil
}

func (s *Salt) check() error {
	if len(s.Suffixes) < 1 || len(s.Suffixes) > maxPieces {
		return fmt.Errorf("suffixes: %d, want 1 to %d", len(s.Suffixes), maxPieces)
	}
	if s.Write < 1 || s.Read < s.Write || s.Read > len(s.Suffixes) {
		return fmt.Errorf("write: %d with read %d, want 1 <= write <= read <= %d", s.Write, s.Read, len(s.Suffixes))
	}
	used := make(map[uint32]int, len(s.Suffixes))
	for i, suffix := range s.Suffixes[1:] {
		if first, ok := used[suffix]; ok {
			return fmt.Errorf("suffixes[%d]: %d is the suffix of piece %d too", i+1, suffix, first)
		}
		used[suffix] = i + 1
	}
	buried := make(map[uint32]bool, len(s.Tombstones))
	for i, suffix := range s.Tombstones {
		if buried[suffix] {
			return fmt.Errorf("tombstones[%d]: %d is listed twice", i, suffix)
		}
		buried[suffix] = true
		// Readers keep a folded piece until the grace is over; writers never come back to it.
		if piece, ok := used[suffix]; ok && piece < s.Write {
			return fmt.Errorf("tombstones[%d]: %d is in use by writers as piece %d", i, suffix, piece)
		}
	}
	return nil
}

func checkTenant(field, tenant string, seen map[string]bool) error {
	if err := checkText(field, tenant, maxKey); err != nil {
		return err
	}
	if seen[tenant] {
		return fmt.Errorf("%s: %q has two entries", field, Escape(tenant))
	}
	seen[tenant] = true
	return nil
}

func (d *Document) checkTenants(*base) error {
	seen := make(map[string]bool, len(d.Tenants))
	for i, p := range d.Tenants {
		if err := checkTenant(fmt.Sprintf("tenants[%d].tenant", i), p.Tenant, seen); err != nil {
			return err
		}
		if len(p.Shards) == 0 {
			return fmt.Errorf("tenants[%d].shards: none for %q", i, Escape(p.Tenant))
		}
		for j, s := range p.Shards {
			if err := d.checkTarget(s); err != nil {
				return fmt.Errorf("tenants[%d].shards[%d]: %w", i, j, err)
			}
			if slices.Contains(p.Shards[:j], s) {
				return fmt.Errorf("tenants[%d].shards[%d]: %d is listed twice", i, j, s)
			}
		}
	}
	return nil
}

func (d *Document) checkQuotas(*base) error {
	seen := make(map[string]bool, len(d.Quotas))
	for i, q := range d.Quotas {
		if err := checkTenant(fmt.Sprintf("quotas[%d].tenant", i), q.Tenant, seen); err != nil {
			return err
		}
		if !(q.Rate > 0) || math.IsInf(q.Rate, 0) {
			return fmt.Errorf("quotas[%d].rate: %v requests/s, want above 0", i, q.Rate)
		}
	}
	return nil
}

func (d *Document) checkCached(b *base) error {
	seen := make(map[identity]bool, len(d.Cached))
	for i, c := range d.Cached {
		field := fmt.Sprintf("cached[%d]", i)
		if err := checkIdentity(field, b, identity{c.Tenant, c.Key}, seen); err != nil {
			return err
		}
		if c.Staleness <= 0 || c.Staleness%time.Millisecond != 0 {
			return fmt.Errorf("%s.staleness: %v, want whole milliseconds above 0", field, c.Staleness)
		}
	}
	return nil
}

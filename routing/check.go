package routing

import (
	"fmt"
	"strings"
)

// maxSeparator bounds the separator, in bytes.
const maxSeparator = 16

// check judges a complete placement over the document's shards, all but what newBase sees as it compiles. Errors name the
// field and its value.
func (p Placement) check(shards []Shard) error {
	if _, err := parseTemplate(p.Bytes); err != nil {
		return fmt.Errorf("placement.bytes: %w", err)
	}
	if p.Function == FunctionUnknown || p.Function > Identity {
		return fmt.Errorf("placement.function: %s places nothing", p.Function)
	}
	if p.Map == MapUnknown || p.Map > Explicit {
		return fmt.Errorf("placement.map: %s places nothing", p.Map)
	}
	if err := checkSeparator(p.Separator); err != nil {
		return err
	}
	if err := p.checkUnused(); err != nil {
		return err
	}
	if p.Map == Explicit {
		return p.checkExplicit()
	}
	if p.Shards < 1 || p.Shards > len(shards) {
		return fmt.Errorf("placement.shards: %d, want 1 to %d, the document's shards", p.Shards, len(shards))
	}
	for i, s := range shards[:p.Shards] {
		if s.Role == RoleUnknown {
			return fmt.Errorf("shards[%d].role: %q is %s but takes part in the base map", i, Escape(s.Name), s.Role)
		}
	}
	return p.checkVShards()
}

func checkSeparator(s string) error {
	if s == "" || len(s) > maxSeparator {
		return fmt.Errorf("placement.separator: %q has %d bytes, want 1 to %d", s, len(s), maxSeparator)
	}
	if strings.ContainsAny(s, "0123456789{}") {
		return fmt.Errorf("placement.separator: %q has a digit or a brace", s)
	}
	return nil
}

// checkUnused refuses fields that the map does not read, so that a mistaken map does not pass.
func (p Placement) checkUnused() error {
	switch {
	case p.Map != Ranges && len(p.Bounds) > 0:
		return fmt.Errorf("placement.bounds: %d of them, but the map is %s", len(p.Bounds), p.Map)
	case p.Map != Ring && p.VirtualNodes != 0:
		return fmt.Errorf("placement.virtual_nodes: %d, but the map is %s", p.VirtualNodes, p.Map)
	case p.Map != Ranges && p.Map != List && len(p.Owners) > 0:
		return fmt.Errorf("placement.owners: %d runs, but the map is %s", len(p.Owners), p.Map)
	case p.Function == Identity && p.Map != Ranges:
		return fmt.Errorf("placement.function: %s keeps the bytes, which needs the map ranges, not %s", p.Function, p.Map)
	case p.Function == Jump && p.Map != ModN:
		return fmt.Errorf("placement.function: %s names a bucket of N, which needs the map mod-n, not %s", p.Function, p.Map)
	}
	return nil
}

func (p Placement) checkExplicit() error {
	if p.Shards != 0 || p.VShards != 0 {
		return fmt.Errorf("placement: shards %d and vshards %d, want 0: with the map explicit they follow the document's shards",
			p.Shards, p.VShards)
	}
	if !p.HasKey() {
		return fmt.Errorf("placement.bytes: %q lacks the key, by which an explicit shard has its %d buckets",
			p.Bytes, ExplicitBuckets)
	}
	return nil
}

func (p Placement) checkVShards() error {
	if p.VShards < 1 || p.VShards > maxVShards {
		return fmt.Errorf("placement.vshards: %d, want 1 to %d", p.VShards, maxVShards)
	}
	switch {
	case p.Map == Ring:
		if p.VirtualNodes < 1 || p.VShards != p.VirtualNodes*p.Shards {
			return fmt.Errorf("placement.vshards: %d, want %d shards x %d virtual nodes", p.VShards, p.Shards, p.VirtualNodes)
		}
	case p.Map == Ranges:
		if p.VShards != len(p.Bounds)+1 {
			return fmt.Errorf("placement.vshards: %d, want %d, one more than there are bounds", p.VShards, len(p.Bounds)+1)
		}
	case p.Function == RedisSlot:
		if p.VShards != RedisSlots || p.Shards > RedisSlots {
			return fmt.Errorf("placement.vshards: %d, want the %d slots of %s", p.VShards, RedisSlots, p.Function)
		}
	case p.Map == ModN:
		if p.VShards%p.Shards != 0 {
			return fmt.Errorf("placement.vshards: %d is no multiple of the %d shards, so adopting would move keys",
				p.VShards, p.Shards)
		}
	}
	return nil
}

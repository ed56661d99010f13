package routing

import (
	"fmt"
	"slices"
	"strconv"
)

// Fence says that nobody may serve the places of entries until Unfence: no read and no write, wherever the document places them. An entry
// of a virtual shard is every key that lies there by the map, and not by its tenant's placement; one of a tenant is all of its keys. It is
// no lock of the entry itself, and is no entry: it comes and goes with the operation that moves the data.
func (d *Document) Fence(entries ...Entry) {
	for _, e := range entries {
		if !slices.Contains(d.Fenced, e) {
			d.Fenced = append(d.Fenced, e)
		}
	}
}

// Unfence ends what Fence began. Entries that are not fenced stay so.
func (d *Document) Unfence(entries ...Entry) {
	d.Fenced = slices.DeleteFunc(d.Fenced, func(e Entry) bool { return slices.Contains(entries, e) })
}

// VShard is the virtual shard that an entry of one names; false where it names none.
func (e Entry) VShard() (v VShard, ok bool) {
	n, err := strconv.ParseInt(e.Name, 10, 32)
	if err != nil || VShardEntry(VShard(n)) != e {
		return NoVShard, false
	}
	return VShard(n), true
}

func (d *Document) checkFenced(b *base) error { return d.checkPlaces("fenced", b, d.Fenced) }

// checkPlaces judges entries that are to be places of data, each named once.
func (d *Document) checkPlaces(field string, b *base, entries []Entry) error {
	all := b.vshards
	if b.placement.Map == Explicit {
		all = len(d.Shards) * ExplicitBuckets
	}
	for i, e := range entries {
		at := fmt.Sprintf("%s[%d]", field, i)
		switch e.Kind {
		case EntryVShard:
			if v, ok := e.VShard(); !ok || v < 0 || int(v) >= all {
				return fmt.Errorf("%s: %s, want a virtual shard from 0 to %d", at, e, all-1)
			}
		case EntryTenant:
			if err := checkText(at, e.Name, maxKey); err != nil {
				return err
			}
			if e.Tenant != "" {
				return fmt.Errorf("%s: %s, want a tenant's name alone", at, e)
			}
		case EntryUnknown, EntrySalt, EntryQuota, EntryCache, EntryShard:
			return fmt.Errorf("%s: %s, want a virtual shard or a tenant", at, e)
		}
		if slices.Contains(entries[:i], e) {
			return fmt.Errorf("%s: %s is listed twice", at, e)
		}
	}
	return nil
}

// fence is what is fenced, for look-up.
type fence struct {
	vshards []uint64 // a bit each
	tenants map[string]struct{}
}

// compileFence gives nil where nothing is fenced.
func (d *Document) compileFence() *fence {
	if len(d.Fenced) == 0 {
		return nil
	}
	f := &fence{tenants: map[string]struct{}{}}
	for _, e := range d.Fenced {
		if v, ok := e.VShard(); ok && e.Kind == EntryVShard {
			f.vshards = append(f.vshards, make([]uint64, max(0, int(v)/64+1-len(f.vshards)))...)
			f.vshards[v/64] |= 1 << (v % 64)
		} else {
			f.tenants[e.Name] = struct{}{}
		}
	}
	return f
}

// Fenced says whether nobody may serve a place now: that of a key of the tenant whose bytes lie on virtual shard v, as Locate, PiecePlace
// and ExplicitVShard say. It costs a comparison while nothing is fenced.
func (t *Table) Fenced(tenant []byte, v VShard) bool {
	return t.fence != nil && t.fenced(tenant, v)
}

func (t *Table) fenced(tenant []byte, v VShard) bool {
	if len(t.fence.tenants) > 0 {
		if _, ok := t.fence.tenants[string(tenant)]; ok {
			return true
		}
	}
	if v < 0 || int(v)/64 >= len(t.fence.vshards) || t.fence.vshards[v/64]&(1<<(v%64)) == 0 {
		return false
	}
	_, placed := t.PlacedTenant(tenant)
	return !placed
}

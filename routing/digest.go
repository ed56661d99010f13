package routing

import (
	"cmp"
	"encoding/binary"
	"math"
	"slices"
	"strconv"

	"github.com/cespare/xxhash/v2"
)

// EntryKind is the kind of a document entry. The zero value is unknown.
type EntryKind uint8

// The kinds of entries.
const (
	EntryUnknown EntryKind = iota
	EntryVShard
	EntrySalt
	EntryTenant
	EntryQuota
	EntryCache
	EntryShard
)

// String returns the first word of an entry's name.
func (k EntryKind) String() string {
	names := [...]string{"unknown", "vshard", "salt", "tenant", "quota", "cache", "shard"}
	if int(k) < len(names) {
		return names[k]
	}
	return "entry(" + strconv.Itoa(int(k)) + ")"
}

// Entry names one entry of a document, whether it exists or not. Entries are comparable.
type Entry struct {
	Kind EntryKind
	// Tenant is part of the name of salts and cached keys where the fleet identifies keys by tenant too.
	Tenant string
	// Name is the key, the tenant, the shard's name, or the virtual shard's number in decimal.
	Name string
}

// VShardEntry names the owner of a virtual shard.
func VShardEntry(v VShard) Entry { return Entry{Kind: EntryVShard, Name: strconv.Itoa(int(v))} }

// SaltEntry names the salt of a key; tenant is empty unless Placement.IdentifiesTenant.
func SaltEntry(tenant, key string) Entry { return Entry{Kind: EntrySalt, Tenant: tenant, Name: key} }

// TenantEntry names the placement of a tenant.
func TenantEntry(tenant string) Entry { return Entry{Kind: EntryTenant, Name: tenant} }

// QuotaEntry names the quota of a tenant.
func QuotaEntry(tenant string) Entry { return Entry{Kind: EntryQuota, Name: tenant} }

// CacheEntry names a cached key; tenant is empty unless Placement.IdentifiesTenant.
func CacheEntry(tenant, key string) Entry { return Entry{Kind: EntryCache, Tenant: tenant, Name: key} }

// ShardEntry names a shard: its role and capacities.
func ShardEntry(name string) Entry { return Entry{Kind: EntryShard, Name: name} }

// String writes the entry as kind/name or kind/tenant/name, escaped as by Escape and with \x2f for a slash within a part,
// so that no two entries print alike.
func (e Entry) String() string {
	if e.Tenant != "" {
		return e.Kind.String() + "/" + escapePart(e.Tenant, '/') + "/" + escapePart(e.Name, '/')
	}
	return e.Kind.String() + "/" + escapePart(e.Name, '/')
}

// CompareEntries orders entries by kind, tenant, name.
func CompareEntries(a, b Entry) int {
	return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Tenant, b.Tenant), cmp.Compare(a.Name, b.Name))
}

// Digest is the xxh64 of the present values of entries, in any order and repeated or not: a plan may be carried out while the
// digest of its footprint is what it was. An entry that does not exist has a value too. Of a virtual shard it is the move,
// as the base map never changes. Every text is preceded by its length, so that no two footprints read the same.
func (d *Document) Digest(entries []Entry) uint64 {
	sorted := slices.Clone(entries)
	slices.SortFunc(sorted, CompareEntries)
	sorted = slices.Compact(sorted)
	var b []byte
	for _, e := range sorted {
		b = append(b, byte(e.Kind))
		b = appendText(b, e.Tenant)
		b = appendText(b, e.Name)
		at := len(b)
		b = d.appendValue(append(b, 1), e)
		if len(b) == at+1 {
			b[at] = 0
		}
	}
	return xxhash.Sum64(b)
}

// appendValue appends the value of e; nothing if there is none.
func (d *Document) appendValue(b []byte, e Entry) []byte {
	switch e.Kind {
	case EntryVShard:
		v, err := strconv.ParseInt(e.Name, 10, 32)
		if err != nil || VShardEntry(VShard(v)) != e {
			return b
		}
		for _, m := range d.Moves {
			if m.VShard == VShard(v) {
				return appendNumber(b, uint64(m.To))
			}
		}
	case EntrySalt:
		for i := range d.Salts {
			if s := &d.Salts[i]; SaltEntry(s.Tenant, s.Key) == e {
				return s.appendTo(b)
			}
		}
	case EntryTenant:
		for _, t := range d.Tenants {
			if TenantEntry(t.Tenant) == e {
				return appendNumbers(b, t.Shards)
			}
		}
	case EntryQuota:
		for _, q := range d.Quotas {
			if QuotaEntry(q.Tenant) == e {
				return appendNumber(b, math.Float64bits(q.Rate))
			}
		}
	case EntryCache:
		for _, c := range d.Cached {
			if CacheEntry(c.Tenant, c.Key) == e {
				return appendNumber(b, uint64(c.Staleness))
			}
		}
	case EntryShard:
		return d.appendShard(b, e.Name)
	case EntryUnknown:
	}
	return b
}

func (d *Document) appendShard(b []byte, name string) []byte {
	for i, s := range d.Shards {
		if s.Name == name {
			b = appendNumber(b, uint64(i))
			b = append(b, byte(s.Role))
			b = appendNumber(b, math.Float64bits(s.Capacity))
			b = appendNumber(b, math.Float64bits(s.ReadCapacity))
			return appendNumber(b, math.Float64bits(s.WriteCapacity))
		}
	}
	return b
}

func (s *Salt) appendTo(b []byte) []byte {
	b = appendNumber(b, uint64(s.Read))
	b = appendNumber(b, uint64(s.Write))
	b = appendNumbers(b, s.Suffixes)
	tombstones := slices.Clone(s.Tombstones)
	slices.Sort(tombstones)
	return appendNumbers(b, tombstones)
}

func appendNumber(b []byte, n uint64) []byte { return binary.BigEndian.AppendUint64(b, n) }

func appendNumbers[T ~int32 | ~uint32](b []byte, ns []T) []byte {
	b = appendNumber(b, uint64(len(ns)))
	for _, n := range ns {
		b = appendNumber(b, uint64(n))
	}
	return b
}

func appendText(b []byte, s string) []byte { return append(appendNumber(b, uint64(len(s))), s...) }

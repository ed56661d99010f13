package routing

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Values gives every entry that d has its value, for people and for Set, in one pass over d:
//
//	vshard/17            the shard that it is moved to
//	tenant/acme          its shards, with commas between
//	quota/acme           requests a second
//	cache/home           how stale an answer may be, as 5s
//	shard/shard-9        its role; with capacity=, read_capacity=, write_capacity= where set, with commas between
//	salt/cart            write=, read=, suffixes=, tombstones=, with commas between; numbers of a list with +
//
// A comma in a shard's name is written \x2c.
func (d *Document) Values() map[Entry]string {
	out := make(map[Entry]string, len(d.Moves)+len(d.Salts)+len(d.Tenants)+len(d.Quotas)+len(d.Cached)+len(d.Shards))
	for _, m := range d.Moves {
		out[VShardEntry(m.VShard)] = d.shardNames(m.To)
	}
	for i := range d.Salts {
		out[SaltEntry(d.Salts[i].Tenant, d.Salts[i].Key)] = d.Salts[i].Value()
	}
	for _, t := range d.Tenants {
		out[TenantEntry(t.Tenant)] = d.shardNames(t.Shards...)
	}
	for _, q := range d.Quotas {
		out[QuotaEntry(q.Tenant)] = number(q.Rate)
	}
	for _, c := range d.Cached {
		out[CacheEntry(c.Tenant, c.Key)] = c.Staleness.String()
	}
	for i := range d.Shards {
		out[ShardEntry(d.Shards[i].Name)] = d.Shards[i].Value()
	}
	return out
}

// Value is that of one entry, as Values writes it; empty where d has none.
func (d *Document) Value(e Entry) string { return d.Values()[e] }

func (d *Document) shardIndex(name string) int {
	return slices.IndexFunc(d.Shards, func(s Shard) bool { return s.Name == name })
}

func (d *Document) shardNames(ids ...ShardID) string {
	names := make([]string, 0, len(ids))
	for _, id := range ids {
		names = append(names, d.Shards[id].Name)
	}
	return ShardNames(names...)
}

// ShardNames is the value of an entry that names shards.
func ShardNames(names ...string) string {
	parts := make([]string, 0, len(names))
	for _, name := range names {
		parts = append(parts, escapePart(name, ','))
	}
	return strings.Join(parts, ",")
}

// RateText is the value of a quota.
func RateText(rate float64) string { return number(rate) }

// Value is the value of the shard's entry.
func (s *Shard) Value() string {
	parts := []string{s.Role.String()}
	for _, c := range [...]struct {
		name string
		rate float64
	}{{"capacity", s.Capacity}, {"read_capacity", s.ReadCapacity}, {"write_capacity", s.WriteCapacity}} {
		if c.rate != 0 {
			parts = append(parts, c.name+"="+number(c.rate))
		}
	}
	return strings.Join(parts, ",")
}

// Value is the value of the salt's entry.
func (s *Salt) Value() string {
	list := func(ns []uint32) string {
		texts := make([]string, 0, len(ns))
		for _, n := range ns {
			texts = append(texts, strconv.FormatUint(uint64(n), 10))
		}
		return strings.Join(texts, "+")
	}
	v := fmt.Sprintf("write=%d,read=%d,suffixes=%s", s.Write, s.Read, list(s.Suffixes))
	if len(s.Tombstones) > 0 {
		v += ",tombstones=" + list(s.Tombstones)
	}
	return v
}

func number(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

// Set gives an entry of d the value that Value writes; empty takes the entry away. It changes d in place and may leave it invalid where
// it fails or contradicts what else d says: validate it before it is used. Shards are added by their name and never taken away. A salt
// is not set: its readers and writers change one after the other, which is an operation of its own.
func (d *Document) Set(e Entry, value string) error {
	var err error
	switch e.Kind {
	case EntryVShard:
		err = d.setMove(e, value)
	case EntryTenant:
		err = d.setTenant(e, value)
	case EntryQuota:
		err = d.setQuota(e, value)
	case EntryCache:
		err = d.setCache(e, value)
	case EntryShard:
		err = d.setShard(e, value)
	case EntrySalt:
		err = errors.New("a salt changes in phases, readers before writers: it is not set")
	case EntryUnknown:
		err = errors.New("no entry of a document")
	}
	if err != nil {
		return fmt.Errorf("%s: %w", e, err)
	}
	return nil
}

func (d *Document) setMove(e Entry, value string) error {
	v, err := strconv.ParseInt(e.Name, 10, 32)
	if err != nil || VShardEntry(VShard(v)) != e {
		return fmt.Errorf("%q is no virtual shard", Escape(e.Name))
	}
	d.Moves = slices.DeleteFunc(d.Moves, func(m Move) bool { return m.VShard == VShard(v) })
	if value == "" {
		return nil
	}
	to, err := d.parseShards(value)
	if err != nil {
		return err
	}
	if len(to) != 1 {
		return fmt.Errorf("%q: want one shard", value)
	}
	d.Moves = append(d.Moves, Move{VShard: VShard(v), To: to[0]})
	return nil
}

func (d *Document) setTenant(e Entry, value string) error {
	d.Tenants = slices.DeleteFunc(d.Tenants, func(t TenantPlacement) bool { return t.Tenant == e.Name })
	if value == "" {
		return nil
	}
	shards, err := d.parseShards(value)
	if err != nil {
		return err
	}
	d.Tenants = append(d.Tenants, TenantPlacement{Tenant: e.Name, Shards: shards})
	return nil
}

// parseShards reads what shardNames wrote.
func (d *Document) parseShards(value string) ([]ShardID, error) {
	var ids []ShardID
	for part := range strings.SplitSeq(value, ",") {
		name, err := unescapePart(part, ',')
		if err != nil {
			return nil, err
		}
		i := d.shardIndex(name)
		if i < 0 {
			return nil, fmt.Errorf("no shard is called %q", part)
		}
		ids = append(ids, ShardID(i))
	}
	return ids, nil
}

func (d *Document) setQuota(e Entry, value string) error {
	d.Quotas = slices.DeleteFunc(d.Quotas, func(q Quota) bool { return q.Tenant == e.Name })
	if value == "" {
		return nil
	}
	rate, err := parseRate(value)
	if err != nil {
		return err
	}
	d.Quotas = append(d.Quotas, Quota{Tenant: e.Name, Rate: rate})
	return nil
}

func parseRate(value string) (float64, error) {
	rate, err := strconv.ParseFloat(value, 64)
	if err != nil || !(rate >= 0) || math.IsInf(rate, 0) {
		return 0, fmt.Errorf("%q: want a rate a second", value)
	}
	return rate, nil
}

func (d *Document) setCache(e Entry, value string) error {
	d.Cached = slices.DeleteFunc(d.Cached, func(c CachedKey) bool { return CacheEntry(c.Tenant, c.Key) == e })
	if value == "" {
		return nil
	}
	staleness, err := time.ParseDuration(value)
	if err != nil {
		return fmt.Errorf("%q: want how stale an answer may be, as 5s", value)
	}
	d.Cached = append(d.Cached, CachedKey{Tenant: e.Tenant, Key: e.Name, Staleness: staleness})
	return nil
}

func (d *Document) setShard(e Entry, value string) error {
	if value == "" {
		return errors.New("a shard is not taken away: drain it")
	}
	s := Shard{Name: e.Name}
	parts := strings.Split(value, ",")
	var err error
	if s.Role, err = ParseRole(parts[0]); err != nil {
		return err
	}
	if s.Role == RoleUnknown {
		return errors.New("role: want serving, dedicated, spare or draining")
	}
	for _, part := range parts[1:] {
		name, rate, given := strings.Cut(part, "=")
		into := map[string]*float64{"capacity": &s.Capacity, "read_capacity": &s.ReadCapacity, "write_capacity": &s.WriteCapacity}[name]
		if into == nil || !given {
			return fmt.Errorf("%q: want capacity=, read_capacity= or write_capacity=", part)
		}
		if *into, err = parseRate(rate); err != nil {
			return err
		}
	}
	if i := d.shardIndex(e.Name); i >= 0 {
		d.Shards[i] = s
		return nil
	}
	d.Shards = append(d.Shards, s)
	return nil
}

package pipeline

import (
	"bytes"
	"encoding/binary"
	"slices"
	"strconv"

	"firebreak/pipeline/record"
	"firebreak/policy"
	"firebreak/routing"
)

// places says where each record lies: by the table, or by the shard that the log names.
type places struct {
	table      *routing.Table // nil until there is one
	explicit   bool
	hasKey     bool
	hasTenant  bool
	tenantKeys bool // the tenant is part of a key's identity
	pieces     bool // pieces of salted keys are served and logged one by one
	folds      bool // and there are salted keys
	mapped     bool // a key lies where the map puts it: no tenant is placed, no key is salted
	fleet      string
	names      map[string]routing.ShardID
	shards     []routing.Shard // explicit: known so far; the table may lag behind

	was     *routing.Table // in force for records before changed; nil = not known
	changed int64          // ns; 0 = no change of the table is known
	settled int64          // ns; from there on clients route by the table. Between both nobody knows which one they have
}

// place is where one record lies.
type place struct {
	vshard    routing.VShard  // NoVShard: nowhere, the record lacks what is hashed
	shard     routing.ShardID // by the map alone
	named     bool            // the log names the shard and there is a map to compare it with
	elsewhere bool            // and the table names another one
	again     bool            // it is the second write to a place that is written twice: the first one is a record of its own
	logical   []byte          // of a piece of a salted key: the key without its suffix
	suffix    uint32
	pieces    int // of the salted key, as readers read it; 0 = not salted
}

// maxShardName is the longest name of a shard, in bytes, that a document can hold.
const maxShardName = 255

func (p *places) init(cfg *Config) error {
	p.fleet = cfg.Fleet
	p.names = map[string]routing.ShardID{}
	p.explicit = cfg.Discover
	p.tenantKeys = cfg.Discover
	if cfg.Document == nil {
		return nil
	}
	table, err := routing.NewTable(cfg.Document)
	if err != nil {
		return err
	}
	placement := table.Document().Placement
	p.table = table
	p.explicit = placement.Map == routing.Explicit
	p.hasKey, p.hasTenant = placement.HasKey(), placement.HasTenant()
	p.tenantKeys = placement.IdentifiesTenant()
	p.pieces = cfg.LogPoint == policy.LogPointShard
	p.folds = p.pieces && len(table.Document().Salts) > 0
	p.mapped = mapped(table)
	p.shards = slices.Clone(table.Document().Shards)
	for i, s := range p.shards {
		p.names[s.Name] = routing.ShardID(i)
	}
	return nil
}

// locate places a record. It is false if the log names more shards than a document holds, or one with a name that none
// can hold.
func (p *places) locate(rec *record.Record) (place, bool) {
	switch {
	case p.explicit:
		return p.locateNamed(rec)
	case p.table == nil:
		return place{vshard: routing.NoVShard, shard: routing.NoShard}, true
	case p.hasKey && rec.FullKey == nil || p.hasTenant && rec.FullTenant == nil:
		return place{vshard: routing.NoVShard, shard: routing.NoShard}, true
	}
	at := place{}
	table, obeyed := p.inForce(rec.Time)
	if p.folds {
		p.foldPiece(table, rec, &at)
	}
	served := routing.NoShard
	if at.pieces > 0 && at.suffix > 0 {
		at.vshard, served = table.PiecePlace(rec.FullTenant, at.logical, at.suffix)
	} else {
		at.vshard = table.VShard(rec.FullTenant, rec.FullKey)
	}
	at.shard = p.table.Owner(at.vshard)
	if at.again = p.again(table, rec, &at); at.again {
		return at, true
	}
	if rec.Shard != nil && obeyed {
		if p.mapped && table == p.table {
			served = at.shard
		} else if served == routing.NoShard {
			served = table.Locate(rec.FullTenant, rec.FullKey).Shard
		}
		at.named, at.elsewhere = true, !p.called(served, rec.Shard)
	}
	return at, true
}

// again says whether a record of what shards served is the second write to a place that is written twice. Reads go to one shard.
func (p *places) again(table *routing.Table, rec *record.Record, at *place) bool {
	other := table.Other()
	if other == nil || !p.pieces || rec.Shard == nil || rec.Op == record.OpRead || table.Doubled(rec.FullTenant, at.vshard) == nil {
		return false
	}
	return !p.called(p.ownerBy(table, rec, at), rec.Shard) && p.called(p.ownerBy(other, rec, at), rec.Shard)
}

// ownerBy is the shard that a table sends a record to.
func (p *places) ownerBy(table *routing.Table, rec *record.Record, at *place) routing.ShardID {
	if at.pieces > 0 && at.suffix > 0 {
		_, shard := table.PiecePlace(rec.FullTenant, at.logical, at.suffix)
		return shard
	}
	return table.Locate(rec.FullTenant, rec.FullKey).Shard
}

// inForce is the table that requests of a time, ns, were routed by. obeyed is false where nobody knows which one who sent them had.
func (p *places) inForce(at int64) (table *routing.Table, obeyed bool) {
	switch {
	case p.changed == 0 || at >= p.settled:
		return p.table, true
	case at < p.changed && p.was != nil:
		return p.was, true
	}
	return p.table, false
}

// rule places by the document of a fleet, which has the base map of the one before.
func (p *places) rule(r *Routed) {
	p.table, p.was, p.changed, p.settled = r.Table, r.was, 0, 0
	if !r.Since.IsZero() {
		p.changed, p.settled = r.from.Add(-leadRouting).UnixNano(), r.Since.Add(SettleRouting).UnixNano()
	}
	doc := r.Table.Document()
	p.folds = p.pieces && (len(doc.Salts) > 0 || r.was != nil && len(r.was.Document().Salts) > 0)
	p.mapped = mapped(r.Table)
	if !p.explicit {
		p.shards = slices.Clone(doc.Shards)
		return
	}
	for i := range p.shards { // the log says which there are, the document what they are for
		if i < len(doc.Shards) && doc.Shards[i].Name == p.shards[i].Name {
			p.shards[i] = doc.Shards[i]
		}
	}
}

// withNamed is a document with the shards that the log has named besides.
func (p *places) withNamed(doc *routing.Document) (*routing.Document, error) {
	if !p.explicit {
		return doc, nil
	}
	if len(doc.Shards) > len(p.shards) {
		return nil, errUnnamed
	}
	for i := range doc.Shards {
		if doc.Shards[i].Name != p.shards[i].Name {
			return nil, errRenamed
		}
	}
	doc = doc.Clone()
	doc.Shards = append(doc.Shards, p.shards[len(doc.Shards):]...)
	return doc, nil
}

// mapped tells whether a key lies where the map puts it.
func mapped(t *routing.Table) bool { return len(t.Document().Tenants)+len(t.Document().Salts) == 0 }

// foldPiece finds the salted key that a physical key is a piece of, the bare one included.
func (p *places) foldPiece(table *routing.Table, rec *record.Record, at *place) {
	if salt, ok := table.Salt(rec.FullTenant, rec.FullKey); ok {
		at.logical, at.pieces = rec.FullKey, salt.Read
		return
	}
	logical, suffix, ok := table.LogicalKey(rec.FullKey)
	if !ok {
		return
	}
	// Any other suffix is no piece: the separator may occur in keys of spaces that nobody declared.
	if salt, ok := table.Salt(rec.FullTenant, logical); ok && (slices.Contains(salt.Suffixes[1:], suffix) || slices.Contains(salt.Tombstones, suffix)) {
		at.logical, at.suffix, at.pieces = logical, suffix, salt.Read
	}
}

// called tells whether a log that names shards by name, or by bare number where they are numbered, means shard id.
func (p *places) called(id routing.ShardID, name []byte) bool {
	if id < 0 || int(id) >= len(p.shards) {
		return false
	}
	if string(name) == p.shards[id].Name {
		return true
	}
	n, err := strconv.Atoi(string(name))
	return err == nil && n == int(id) && bytes.HasPrefix([]byte(p.shards[id].Name), []byte("shard-"))
}

// locateNamed places a record on the shard that it names, which may be a new one.
func (p *places) locateNamed(rec *record.Record) (place, bool) {
	if rec.Shard == nil {
		return place{vshard: routing.NoVShard, shard: routing.NoShard}, true
	}
	id, known := p.names[string(rec.Shard)]
	if !known {
		if id, known = p.learn(string(rec.Shard)); !known {
			return place{}, false
		}
	}
	at := place{shard: id}
	key := rec.FullKey
	if p.folds {
		table, _ := p.inForce(rec.Time)
		p.foldPiece(table, rec, &at)
	}
	bucket := p.table.ExplicitVShard(0, rec.FullTenant, key)
	at.vshard = routing.VShard(id)*routing.ExplicitBuckets + bucket
	return at, true
}

// learn gives a shard that the log names its number. It is false if there are too many, or the name is too long.
func (p *places) learn(name string) (routing.ShardID, bool) {
	if len(p.shards) == routing.MaxShards || len(name) > maxShardName || name == "" {
		return 0, false
	}
	id := routing.ShardID(len(p.shards))
	p.shards = append(p.shards, routing.Shard{Name: name, Role: routing.Serving})
	p.names[name] = id
	if p.table == nil && p.refresh() != nil {
		return 0, false
	}
	return id, true
}

// refresh brings the table up to the shards known so far. Its error says which part of the document is not valid.
func (p *places) refresh() error {
	if !p.explicit || len(p.shards) == 0 || p.table != nil && p.table.Shards() == len(p.shards) {
		return nil
	}
	if p.table == nil {
		doc, err := routing.Adopt(p.fleet, routing.Placement{Map: routing.Explicit}, p.shards)
		if err != nil {
			return err
		}
		p.table, err = routing.NewTable(doc)
		return err
	}
	doc := p.table.Document().Clone()
	doc.Shards = slices.Clone(p.shards)
	if doc.Epoch == 0 { // nobody keeps it: a version that was written says what was written
		doc.Version++
	}
	table, err := p.table.With(doc)
	if err == nil {
		p.table = table
	}
	return err
}

// identity writes what makes two records the same key: the key; or the tenant and the key; and, where the log names the
// shard, the shard too, because what one shard bears of a key does not lie on another. Nil without a key. It
// is written into buf, or is the key itself.
func (p *places) identity(buf []byte, rec *record.Record, at place) []byte {
	key := rec.Key
	if at.pieces > 0 {
		key = at.logical
	}
	if key == nil {
		return nil
	}
	if p.bare() {
		return key
	}
	shard, tenant := uint32(0), rec.Tenant
	if p.explicit && at.pieces == 0 {
		shard = uint32(at.shard + 1)
	}
	if !p.tenantKeys {
		tenant = nil
	}
	b := binary.BigEndian.AppendUint32(buf[:0], shard)
	b = binary.BigEndian.AppendUint32(b, uint32(len(tenant)))
	b = append(b, tenant...)
	return append(b, key...)
}

// bare says that a key's identity is the key and nothing else.
func (p *places) bare() bool { return !p.explicit && !p.tenantKeys }

// parts takes an identity apart.
func (p *places) parts(identity string) (tenant, key string) {
	if p.bare() {
		return "", identity
	}
	n := binary.BigEndian.Uint32([]byte(identity[4:8]))
	return identity[8 : 8+n], identity[8+n:]
}

package routing

// Route is where a key lies and what its salt says: all that a request needs to know, found at once. It belongs to the table that gave it.
type Route struct {
	Location

	salted *saltEntry // nil = the key has no salt
	table  *Table     // of the rest, where it has one
	placed []ShardID  // of the tenant; nil = it is not placed
}

// Locate says where a key lies: the tenant's placement first, if there is one, then the virtual shard's owner. A placed
// tenant's key lies on shard xxh64(key) mod n of its n shards. For a salted key it is the place of the bare piece.
func (t *Table) Locate(tenant, key []byte) Location {
	placed, _ := t.PlacedTenant(tenant)
	return t.locate(t.saltEntry(tenant, key), placed, tenant, key)
}

// Route is Locate with what the salt of the key says, put into r, whatever that held.
func (t *Table) Route(r *Route, tenant, key []byte) {
	placed, _ := t.PlacedTenant(tenant)
	r.salted = t.saltEntry(tenant, key)
	if r.Location = t.locate(r.salted, placed, tenant, key); r.salted != nil {
		r.table, r.placed = t, placed
	}
}

// locate is Locate with what the maps of the document say of key and tenant.
func (t *Table) locate(e *saltEntry, placed []ShardID, tenant, key []byte) Location {
	switch {
	case e != nil:
		v, s := t.piecePlace(placed, &e.pieces[0])
		return Location{Shard: s, VShard: v, Salted: len(e.pieces) > 1}
	case placed != nil:
		s := spread(placed, key)
		return Location{Shard: s, VShard: t.vshardOn(s, tenant, key)}
	}
	v := t.VShard(tenant, key)
	return Location{Shard: t.Owner(v), VShard: v}
}

// vshardOn is the virtual shard of a key that lies on s.
func (t *Table) vshardOn(s ShardID, tenant, key []byte) VShard {
	if t.base.placement.Map == Explicit {
		return t.ExplicitVShard(s, tenant, key)
	}
	return t.base.vshard(tenant, key)
}

// Salt is what Table.Salt gives.
func (r *Route) Salt() (*Salt, bool) {
	if r.salted == nil {
		return nil, false
	}
	return r.salted.salt, true
}

// Piece is what Table.Piece gives.
func (r *Route) Piece(index int) (Piece, bool) {
	if r.salted == nil || index < 0 || index >= len(r.salted.pieces) {
		return Piece{VShard: NoVShard, Shard: NoShard}, false
	}
	return r.table.piece(r.salted, r.placed, index), true
}

// piece is one of the pieces of a key that has a salt.
func (t *Table) piece(e *saltEntry, placed []ShardID, index int) Piece {
	p := &e.pieces[index]
	v, s := t.piecePlace(placed, p)
	return Piece{Index: index, Suffix: p.suffix, VShard: v, Shard: s}
}

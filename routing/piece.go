package routing

import (
	"bytes"
	"slices"
	"strconv"

	"github.com/cespare/xxhash/v2"
)

// Piece is one physical key of a logical one.
type Piece struct {
	// Index counts from 0, the bare key.
	Index int
	// Suffix is what the piece's key ends in; 0 and without meaning for the bare key.
	Suffix uint32
	// VShard and Shard are where the piece lies, as in Location.
	VShard VShard
	Shard  ShardID
}

// saltEntry is a salt with the places of its pieces worked out.
type saltEntry struct {
	salt   *Salt
	pieces []placedPiece
}

type placedPiece struct {
	suffix uint32
	local  VShard // virtual shard; the bucket where the map is Explicit
	spread uint64 // picks one of the shards of a placed tenant
}

func (t *Table) compileSalts() {
	if len(t.doc.Salts) == 0 {
		return
	}
	t.salts = make(map[string]map[string]*saltEntry, len(t.doc.Salts))
	for i := range t.doc.Salts {
		salt := &t.doc.Salts[i]
		tenant, key := []byte(salt.Tenant), []byte(salt.Key)
		e := &saltEntry{salt: salt, pieces: make([]placedPiece, len(salt.Suffixes))}
		e.pieces[0] = placedPiece{local: t.base.vshard(tenant, key), spread: xxhash.Sum64(key)}
		for j := 1; j < len(e.pieces); j++ {
			e.pieces[j] = t.candidate(tenant, key, salt.Suffixes[j])
		}
		if t.salts[salt.Key] == nil {
			t.salts[salt.Key] = make(map[string]*saltEntry, 1)
		}
		t.salts[salt.Key][salt.Tenant] = e
	}
}

// candidate works out the place of a piece. Where the key is not among the placement bytes the suffix is put behind them:
// a salt changes the bytes, whatever the placement. (With RedisSlot a hash tag that a template or a tenant brings along stays
// as it is, because the store hashes it: all pieces then lie on one slot, and a search of suffixes finds no other shard.)
func (t *Table) candidate(tenant, key []byte, suffix uint32) placedPiece {
	var keyBuf, bytesBuf, pieceBuf [smallBuffer]byte
	physical := t.AppendPieceKey(keyBuf[:0], key, suffix)
	p := placedPiece{suffix: suffix, spread: xxhash.Sum64(physical)}
	if t.base.hasKey {
		p.local = t.base.vshard(tenant, physical)
		return p
	}
	bare := appendParts(bytesBuf[:0], t.base.parts, tenant, key)
	p.local = t.base.bytesVShard(t.AppendPieceKey(pieceBuf[:0], bare, suffix))
	return p
}

// piecePlace is where a piece lies: the tenant's placement, if there is one, names the shards over which pieces spread; else
// the virtual shard map decides.
func (t *Table) piecePlace(placed []ShardID, p *placedPiece) (VShard, ShardID) {
	explicit := t.base.placement.Map == Explicit
	if placed != nil {
		s := placed[p.spread%uint64(len(placed))]
		if explicit {
			return VShard(s)*ExplicitBuckets + p.local, s
		}
		return p.local, s
	}
	if explicit {
		return NoVShard, NoShard
	}
	return p.local, t.owners[p.local]
}

func (t *Table) saltEntry(tenant, key []byte) *saltEntry {
	if len(t.salts) == 0 {
		return nil
	}
	tenants, ok := t.salts[string(key)]
	if !ok {
		return nil
	}
	if t.base.identifiesTenant {
		return tenants[string(tenant)]
	}
	return tenants[""]
}

// Salt returns the salt of a key, one that is no longer spread included. It must not be modified.
func (t *Table) Salt(tenant, key []byte) (*Salt, bool) {
	if e := t.saltEntry(tenant, key); e != nil {
		return e.salt, true
	}
	return nil, false
}

// Pieces appends the pieces of a key to dst in the order of its salt, all of them whatever readers and writers use now: one
// for a key that is not salted.
func (t *Table) Pieces(tenant, key []byte, dst []Piece) []Piece {
	e := t.saltEntry(tenant, key)
	if e == nil {
		at := t.Locate(tenant, key)
		return append(dst, Piece{VShard: at.VShard, Shard: at.Shard})
	}
	placed, _ := t.PlacedTenant(tenant)
	for i := range e.pieces {
		dst = append(dst, t.piece(e, placed, i))
	}
	return dst
}

// Piece is the one of Pieces with this index; false where the key has no such piece, as one that is not salted has none.
func (t *Table) Piece(tenant, key []byte, index int) (Piece, bool) {
	var r Route
	t.Route(&r, tenant, key)
	return r.Piece(index)
}

// PieceShard is where the piece of a key with this suffix would lie, whether or not a salt lists it: for the search of
// suffixes that land on distinct cold shards. NoShard where the log names the shard and the tenant is not placed.
func (t *Table) PieceShard(tenant, key []byte, suffix uint32) ShardID {
	_, s := t.PiecePlace(tenant, key, suffix)
	return s
}

// PiecePlace is PieceShard with the piece's virtual shard.
func (t *Table) PiecePlace(tenant, key []byte, suffix uint32) (VShard, ShardID) {
	p := t.candidate(tenant, key, suffix)
	placed, _ := t.PlacedTenant(tenant)
	return t.piecePlace(placed, &p)
}

// AppendPieceKey appends the physical key of a piece to dst: key + separator + suffix in decimal. Where placement is by
// RedisSlot and the key has a hash tag, they go inside the tag: {user1#3}:cart. The bare piece's key is the key itself.
func (t *Table) AppendPieceKey(dst, key []byte, suffix uint32) []byte {
	end := len(key)
	if t.base.function == RedisSlot {
		if _, tagEnd, ok := tagBounds(key); ok {
			end = tagEnd
		}
	}
	dst = append(dst, key[:end]...)
	dst = append(dst, t.base.placement.Separator...)
	dst = strconv.AppendUint(dst, uint64(suffix), 10)
	return append(dst, key[end:]...)
}

// LogicalKey takes a physical key apart: the inverse of AppendPieceKey, for any bytes. ok says that the key has the form of
// a piece; it is one only where a Salt for logical exists. logical shares memory with physical unless a hash tag had to be
// put together again.
func (t *Table) LogicalKey(physical []byte) (logical []byte, suffix uint32, ok bool) {
	start, end := 0, len(physical)
	if t.base.function == RedisSlot {
		if tagStart, tagEnd, tagged := tagBounds(physical); tagged {
			start, end = tagStart, tagEnd
		}
	}
	head := physical[start:end]
	separator := t.base.placement.Separator
	at := lastIndex(head, separator)
	if at < 0 || (at == 0 && start > 0) {
		return nil, 0, false
	}
	suffix, ok = parseSuffix(head[at+len(separator):])
	if !ok {
		return nil, 0, false
	}
	if end == len(physical) {
		return physical[:start+at], suffix, true
	}
	return slices.Concat(physical[:start+at], physical[end:]), suffix, true
}

func lastIndex(s []byte, separator string) int {
	for i := len(s) - len(separator); i >= 0; i-- {
		next := bytes.LastIndexByte(s[:i+1], separator[0])
		if next < 0 {
			return -1
		}
		if i = next; string(s[i:i+len(separator)]) == separator {
			return i
		}
	}
	return -1
}

// parseSuffix reads a suffix as AppendPieceKey writes it: no sign, no leading zero.
func parseSuffix(s []byte) (uint32, bool) {
	if len(s) == 0 || len(s) > 10 || (s[0] == '0' && len(s) > 1) {
		return 0, false
	}
	var n uint64
	for _, c := range s {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + uint64(c-'0')
	}
	return uint32(n), n <= 1<<32-1
}

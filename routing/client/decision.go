package client

import (
	"time"

	"firebreak/routing"
)

// Decision says where one request goes.
type Decision struct {
	Op Op
	// Err is why the request may not proceed: nil, ErrStale, or ErrFenced, for which Do and Gather wait. A stale decision is not ErrFenced:
	// what is fenced by a document that nobody can read again, its shard knows better.
	Err error
	// Stale says that a later document than this decision's may be in force.
	Stale bool
	// Limited says that the tenant has a quota: Router.Admit comes before the request.
	Limited bool
	// Cached is how old an answer to a read may be, counted from when it was asked for; 0 = it may not come from a cache.
	Cached time.Duration
	// Version is of the document that the decision was taken by.
	Version uint64
	// Piece is where the request goes: of a read, the bare key; of a write to a salted key, the piece that was drawn. Its shard is
	// routing.NoShard where only the application knows.
	Piece routing.Piece
	// Pieces is how many pieces a read asks for: 1 unless the key is salted.
	Pieces int
	// Also is where a write goes a second time, with the same version of its row, after the shard of Piece has taken it; routing.NoShard =
	// nowhere. Both says that it is not done before both have taken it.
	Also routing.ShardID
	Both bool

	view        *view
	tenant, key []byte
	salted      bool // the key has more than one piece
}

// Shard is how the store calls the shard of Piece; empty where only the application knows it.
func (d *Decision) Shard() string { return d.view.shardName(d.Piece.Shard) }

// AlsoShard is how the store calls the shard of Also; empty where there is none.
func (d *Decision) AlsoShard() string { return d.view.shardName(d.Also) }

// ShardOf is how the store calls the shard of a piece.
func (d *Decision) ShardOf(p routing.Piece) string { return d.view.shardName(p.Shard) }

// AppendKey appends the key under which the store has a piece. A write under the key of a piece with an Index above 0 must be made
// conditional on there being no tombstone: the piece may have been folded since.
func (d *Decision) AppendKey(dst []byte, p routing.Piece) []byte {
	return d.view.appendKey(dst, d.key, p)
}

func (v *view) appendKey(dst, key []byte, p routing.Piece) []byte {
	if p.Index == 0 {
		return append(dst, key...)
	}
	return v.table.AppendPieceKey(dst, key, p.Suffix)
}

// AppendPieces appends the pieces that a read asks for, the bare key first.
func (d *Decision) AppendPieces(dst []routing.Piece) []routing.Piece {
	if d.Op == Write {
		return append(dst, d.Piece)
	}
	return d.view.reads(d.tenant, d.key, dst)
}

// reads appends the pieces that readers of a key ask for.
func (v *view) reads(tenant, key []byte, dst []routing.Piece) []routing.Piece {
	from := len(dst)
	dst = v.table.Pieces(tenant, key, dst)
	if salt, ok := v.table.Salt(tenant, key); ok {
		dst = dst[:from+salt.Read]
	}
	return dst
}

// refused is why the request is not sent; one for a place that is fenced is, after a wait.
func (d *Decision) refused() error {
	if d.Err == ErrFenced { //nolint:errorlint // Decide sets it as it is
		return nil
	}
	return d.Err
}

// covers says whether a read by d asked all that a read by another view would ask, in the places where that would.
func (d *Decision) covers(now *view, asked []routing.Piece) bool {
	if asked == nil {
		asked = d.view.reads(d.tenant, d.key, nil)
	}
	for _, want := range now.reads(d.tenant, d.key, nil) {
		found := false
		for _, p := range asked {
			found = found || p.Shard == want.Shard && (p.Index == 0) == (want.Index == 0) && p.Suffix == want.Suffix
		}
		if !found {
			return false
		}
	}
	return true
}

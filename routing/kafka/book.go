package kafka

import (
	"maps"

	"firebreak/routing"
)

// book is what a reader of the log has of all fleets.
//
// A reader that begins at the log's first entry of all has it from there. One that begins where the log was cut has nothing to go by:
// the snapshots that it finds may be of a decider that had lost its fleet, or of one that gave up. It keeps all of them as offers and
// takes those that the entry of the cut names: who appended that had read them back, and found each to say just what stood where it was
// appended, before anything was deleted.
type book struct {
	fleets  map[string]*fold
	begun   bool             // what stood before the first entry that was read is known
	offered map[int64]*offer // by offset; while it has not begun
}

// offer is what a fleet is if the snapshot that it began with is one of a cut.
type offer struct {
	fleet string
	fold  *fold
}

// newBook makes that of a reader that begins at an offset.
func newBook(from int64) *book {
	return &book{fleets: map[string]*fold{}, begun: from == 0, offered: map[int64]*offer{}}
}

// of gives the fold of a fleet.
func (b *book) of(fleet string) *fold {
	f := b.fleets[fleet]
	if f == nil {
		f = &fold{}
		b.fleets[fleet] = f
	}
	return f
}

// apply takes the next entry of the log; nil is one that cannot be read.
func (b *book) apply(offset int64, fleet string, e *entry) {
	if e == nil {
		b.of(fleet).void++
		return
	}
	if !b.begun {
		b.offer(offset, fleet, e)
	}
	if e.Cut == nil {
		b.of(fleet).apply(e)
	}
}

// offer follows the snapshots until a cut names those that count.
func (b *book) offer(offset int64, fleet string, e *entry) {
	for _, o := range b.offered {
		if o.fleet == fleet {
			o.fold.apply(e)
		}
	}
	if e.Snapshot != nil {
		if f, err := e.Snapshot.restore(); err == nil {
			b.offered[offset] = &offer{fleet: fleet, fold: f}
		}
	}
	if e.Cut == nil {
		return
	}
	taken := map[string]*fold{}
	for escaped, at := range e.Cut {
		name, err := routing.Unescape(escaped)
		if err != nil || b.offered[at] == nil || b.offered[at].fleet != name {
			return // of a cut before the one behind which we began
		}
		taken[name] = b.offered[at].fold
	}
	maps.Copy(b.fleets, taken)
	b.begun, b.offered = true, nil
}

package pipeline

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"time"

	"firebreak/routing"
)

// Routed is the routing document by which a fleet is judged, from the entry of the log of deltas on that names it. Before the
// first such entry it is the configuration's. Nobody changes it; a newer one takes its place.
//
// Loads are counted per virtual shard, so a newer document moves the whole window at once and nothing is counted anew. Two things
// are not by virtual shard and go by the records' own time: whether the shard that the log names is the one that the routing
// names, and of which key a piece is.
type Routed struct {
	// Table is the document's.
	Table *routing.Table
	// Since is when what it says of places and roles changed last, in the log's time; zero = no change is known.
	Since time.Time

	was  *routing.Table // in force before Since; nil = not known
	from time.Time      // the first of the changes that clients may not have read yet, or Since
}

const (
	// SettleRouting is within how long after a change every client that lives routes by it: what the clients' polling is proved to.
	SettleRouting = 15 * time.Second
	// leadRouting is by how much the clocks of who logs may be ahead of the log's.
	leadRouting = 5 * time.Second
)

// Why a document that the log of deltas names is not what a fleet is judged by.
var (
	errUnnamed = errors.New("it has shards that the log has not named")
	errRenamed = errors.New("the log named its shards in another order")
)

// Route is the entry by which a document becomes the one that everybody judges by; since is when what it says of places changed
// last, zero = not known.
func Route(doc *routing.Document, since time.Time) ([]byte, error) {
	body, err := doc.Encode()
	if err != nil {
		return nil, fmt.Errorf("route: %w", err)
	}
	b := binary.AppendVarint([]byte{entryRoute, entryVersion}, nanos(since))
	return appendBytes(b, body), nil
}

func decodeRoute(entry []byte) (doc *routing.Document, since time.Time, err error) {
	r := &wireReader{b: entry}
	if head := r.fixed(2, "head"); len(head) < 2 || head[0] != entryRoute || head[1] != entryVersion {
		return nil, since, fmt.Errorf("%w: no route of version %d", errWire, entryVersion)
	}
	since = timeOf(r.int("since"))
	body := r.bytes("document")
	if err := r.end(); err != nil {
		return nil, since, fmt.Errorf("route: %w", err)
	}
	if doc, err = routing.ParseDocument(body); err != nil {
		return nil, since, fmt.Errorf("route: %w", err)
	}
	return doc, since, nil
}

// newer tells whether a document is of a later write than the one that is held: what is judged by never goes back.
func (r *Routed) newer(doc *routing.Document) bool {
	if r == nil {
		return true
	}
	is := r.Table.Document()
	return doc.Version > is.Version && doc.Epoch >= is.Epoch
}

// relays tells whether two documents place load otherwise: quotas and caches change what is asked for, not where it lies, and a
// shard that is has not is one that the log named.
func relays(was, is *routing.Document) bool {
	return slices.ContainsFunc(routing.Diff(was, is), func(c routing.Change) bool {
		switch c.Entry.Kind {
		case routing.EntryQuota, routing.EntryCache:
			return false
		case routing.EntryShard:
			return c.Is != ""
		case routing.EntryVShard, routing.EntrySalt, routing.EntryTenant, routing.EntryUnknown:
		}
		return true
	})
}

// route takes over a document that the log names, unless it has that one already. The error says why it is not for this fleet.
func (f *sharedFleet) route(doc *routing.Document, since, now time.Time) error {
	if f.live.Document == nil || !f.opened || !f.routed.newer(doc) {
		return nil
	}
	if err := f.live.Document.SameBase(doc); err != nil {
		return err
	}
	doc, err := f.places.withNamed(doc)
	if err != nil {
		return err
	}
	table, err := f.places.table.With(doc)
	if err != nil {
		return err
	}
	if since.After(now) {
		since = now
	}
	r := &Routed{Table: table, Since: since, from: since}
	if old := f.routed; old != nil && since.After(old.Since) {
		r.was = old.Table
		if !old.from.IsZero() && since.Before(old.Since.Add(SettleRouting+leadRouting)) {
			r.was, r.from = old.was, old.from // who routes by the one before that has not read the last one either
		}
	} else if old != nil {
		r.was, r.Since, r.from = old.was, old.Since, old.from
	}
	return f.rule(r)
}

// rule judges by a document from now on. The pieces of salted keys are told apart from the first salt on.
func (f *sharedFleet) rule(r *Routed) error {
	f.routed = r
	f.places.rule(r)
	if !f.places.folds || f.salted != nil {
		return nil
	}
	return f.tellPieces()
}

// routes are the entries by which a joiner judges as everybody does.
func (l *Ledger) routes() ([][]byte, error) {
	var out [][]byte
	for _, f := range l.fleets {
		if f.routed == nil {
			continue
		}
		b, err := Route(f.routed.Table.Document(), f.routed.Since)
		if err != nil {
			return nil, fmt.Errorf("fleet %s: %w", routing.Escape(f.live.Fleet), err)
		}
		out = append(out, b)
	}
	return out, nil
}

// applyRoute takes an entry that names a document.
func (l *Ledger) applyRoute(entry []byte) Outcome {
	doc, since, err := decodeRoute(entry)
	if err != nil {
		return Outcome{Why: err.Error(), Rejected: RejectedMalformed}
	}
	out := Outcome{}
	if f := l.fleet(doc.Fleet); f != nil {
		if err := f.route(doc, since, l.at); err != nil {
			out.Unrouted = fmt.Errorf("fleet %s: the document of epoch %d, version %d: %w", routing.Escape(doc.Fleet), doc.Epoch, doc.Version, err)
		}
	}
	return out
}

// Route is the entry by which a document becomes the one that its fleet is judged by, from a moment of the log's time on; nil
// where that is so already, or the document is older.
func (l *Live) Route(doc *routing.Document, now time.Time) ([]byte, error) {
	f := l.ledger.fleet(doc.Fleet)
	if f == nil || !f.opened || !f.routed.newer(doc) {
		return nil, nil
	}
	since := time.Time{}
	if old := f.routed; old != nil {
		since = old.Since
		if relays(old.Table.Document(), doc) {
			since = now
		}
	}
	return Route(doc, since)
}

// Routes are the entries that stand beside a checkpoint: by them a joiner judges by the documents that everybody judges by.
func (l *Live) Routes() ([][]byte, error) { return l.ledger.routes() }

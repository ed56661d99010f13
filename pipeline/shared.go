package pipeline

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/cespare/xxhash/v2"

	"firebreak/pipeline/record"
	"firebreak/policy"
	"firebreak/routing"
	"firebreak/sketch"
)

// sharedFleet is the window of a fleet as the accepted deltas make it.
type sharedFleet struct {
	window

	live   *LiveFleet
	print  uint64
	count  *sketch.Sliding
	salted *sketch.Sliding // pieces of salted keys; nil where there are none
	size   int             // bytes of both
	sizes  sketch.Config   // of count
	ahead  int64           // panes with traffic that may lie ahead of the newest complete one
	opened bool            // its windows are made
	begun  bool            // the first pane is known
	lowest int64           // the lowest pane with traffic, before that
	any    bool            // a pane had traffic
	cover  map[int64]cover
	routed *Routed // nil = the configuration's document is what it is judged by
}

// cover is how much of the log was reported in a stretch of time.
type cover struct {
	counted, skipped int64  // offsets
	taken, lost      uint64 // records of the fleet's own
}

// open makes the window.
func (f *sharedFleet) open(seed uint64) error {
	size, err := f.live.Counting(seed)
	if err != nil {
		return err
	}
	count, pieces, bytes, err := NewCounters(f.live.Config, seed)
	if err != nil {
		return err
	}
	w, err := newWindow(f.live.Config, count, pieces)
	if err != nil {
		return err
	}
	f.window, f.count, f.size, f.ahead, f.sizes, f.opened = w, count, bytes, int64(size.Ahead), size, true
	f.salted, _ = pieces.(*sketch.Sliding)
	return nil
}

// tellPieces makes room for the pieces of salted keys.
func (f *sharedFleet) tellPieces() error {
	pieces, err := sketch.NewSliding(salted(f.sizes))
	if err != nil {
		return fmt.Errorf("pieces of salted keys: %w", err)
	}
	if f.closing {
		pieces.Slide(f.closed)
	}
	f.salted, f.pieces = pieces, pieces
	f.size += pieces.Bytes()
	return nil
}

// fingerprint tells two ways of counting a fleet apart. It is the same in every process: nothing of it is an address.
func (f *LiveFleet) fingerprint() (uint64, error) {
	way := struct {
		Config    Config
		Record    record.Config
		Topics    []string
		Placement *routing.Placement
		Shards    []string // a delta names them by number
		Salts     []routing.Salt
	}{Config: f.Config, Record: f.Record, Topics: f.Topics}
	if f.Document != nil {
		way.Placement = &f.Document.Placement
		if f.Document.Placement.Map == routing.Explicit {
			for i := range f.Document.Shards {
				way.Shards = append(way.Shards, f.Document.Shards[i].Name)
			}
		}
		if f.LogPoint == policy.LogPointShard {
			way.Salts = f.Document.Salts // pieces are folded as they are counted
		}
	}
	// How it is judged, and what else becomes of its document, is no part of how it is counted.
	c := &way.Config
	c.Document, c.Sampling, c.Skew, c.Idle = nil, 0, 0, 0
	b, err := json.Marshal(&way)
	if err != nil {
		return 0, fmt.Errorf("fingerprint: %w", err)
	}
	return xxhash.Sum64(b), nil
}

// add adds a part of an accepted delta. It is false if there is no room for its pane, or its shape is not this window's.
func (f *sharedFleet) add(w *work) bool {
	n := w.pane.number
	if f.begun && n < f.first {
		return true // of before the window, or too late for it
	}
	if f.count.Accept(n, &w.part) != nil {
		return false
	}
	if f.salted != nil && w.pieces.Events() > 0 && f.salted.Accept(n, &w.pieces) != nil {
		return false
	}
	f.facts(n).plus(&w.pane.facts)
	if !f.any || n < f.lowest {
		f.any, f.lowest = true, n
	}
	return true
}

// room is the highest pane that may have traffic now: one that is further ahead waits for the others.
func (f *sharedFleet) room() int64 {
	const margin = 2 // panes that another instance may have begun
	switch {
	case f.begun:
		return f.closed + f.ahead - margin
	case f.any:
		return f.lowest + int64(f.live.LongPanes()) + f.ahead - margin
	}
	return 1<<63 - 1
}

// coverage is the share of the window that was counted: of the offsets, and of the fleet's records at them. Where a log has become
// unreadable, its load is not known to have fallen.
func (f *sharedFleet) coverage() float64 {
	var all cover
	for _, c := range f.cover {
		all.counted += c.counted
		all.skipped += c.skipped
		all.taken += c.taken
		all.lost += c.lost
	}
	share := func(of, but float64) float64 {
		if but == 0 {
			return 1
		}
		return of / (of + but)
	}
	return share(float64(all.counted), float64(all.skipped)) * share(float64(all.taken), float64(all.lost))
}

// snapshot gives the window as policy judges it at a moment.
func (l *Ledger) snapshot(f *sharedFleet, now time.Time) (*policy.Snapshot, error) {
	s, err := f.Snapshot()
	if err != nil {
		return nil, err
	}
	s.Inputs.Coverage = f.coverage()
	s.Inputs.Missing = l.missing(f, now)
	slices.Sort(s.Inputs.Missing)
	s.Inputs.Lag = f.lag(now)
	if f.routed != nil {
		s.Routed = f.routed.Since
	}
	return s, nil
}

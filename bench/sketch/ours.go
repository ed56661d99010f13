package sketch

import (
	"encoding/binary"
	"time"

	"firebreak/bench/textbook"
	"firebreak/pipeline"
	core "firebreak/sketch"
)

// Names of ours in the table.
const (
	// Ours counts keys and tenants, with reads, writes and cost apart: what the goals are stated for.
	Ours = "firebreak"
	// oursAll counts all that a live fleet counts.
	oursAll = "firebreak, all it can count"
	// oursMerged is the sum of what several instances counted.
	oursMerged = "firebreak, merged from 8 instances"
)

// instances is how many of them a merge has.
const instances = 8

// ours returns our ways to count.
func ours() []Contender {
	return []Contender{
		{Name: Ours, Open: func(s *textbook.Stream) (Window, error) { return open(s, false) }},
		{Name: oursAll, Open: func(s *textbook.Stream) (Window, error) { return open(s, true) }},
		{Name: oursMerged, Open: openMerged},
	}
}

// sizeAll is the size that a live fleet has whose log names its shards, with a long window of that many panes.
func sizeAll(panes int) (core.Config, error) {
	cfg := pipeline.DefaultConfig("bench")
	cfg.Window = time.Duration(panes) * cfg.Pane
	return cfg.Counting(1)
}

// size is sizeAll without callers, (tenant, shard) pairs, virtual shards and distinct keys of tenants and shards.
func size(panes int) (core.Config, error) {
	cfg, err := sizeAll(panes)
	cfg.CallerSlots, cfg.PairSlots, cfg.Spread, cfg.Shards, cfg.VShards = 0, 0, 0, 0, 0
	return cfg, err
}

// feeder gives the records of a stream as events: one in four is a write, each stands for one request that costs 1.
type feeder struct {
	stream *textbook.Stream
	event  core.Event
	all    bool // callers, vshards and shards too
}

func newFeeder(s *textbook.Stream, all bool) *feeder {
	return &feeder{stream: s, event: newEvent(), all: all}
}

// newEvent makes the event of one request without a place.
func newEvent() core.Event {
	return core.Event{
		VShard: core.None, Shard: core.None,
		Sums: core.Sums{Requests: core.One, Cost: core.One, Variance: core.One, Records: core.One},
	}
}

// callers is how many of them a stream has.
const callers = 7

// at gives the i-th record in a pane.
func (f *feeder) at(i, pane int) *core.Event {
	e := &f.event
	e.Pane, e.Key = int64(pane), f.stream.Key(i)
	tenant := f.stream.TenantID(i)
	e.Tenant = f.stream.TenantName(tenant)
	readOrWrite(e, i)
	if f.all {
		// 8,192 vshards on 128 shards.
		e.VShard = int32(binary.BigEndian.Uint64(e.Key[len(e.Key)-8:]) * 0x9e3779b97f4a7c15 >> 51)
		e.Shard, e.Caller = e.VShard>>6, f.stream.TenantName(tenant%callers)
	}
	return e
}

// readOrWrite makes one record in four a write.
func readOrWrite(e *core.Event, i int) {
	e.Sums.Reads, e.Sums.Writes = core.One, 0
	if i&3 == 0 {
		e.Sums.Reads, e.Sums.Writes = 0, core.One
	}
}

// open makes a window that counts by itself.
func open(s *textbook.Stream, all bool) (Window, error) {
	sized := size
	if all {
		sized = sizeAll
	}
	cfg, err := sized(s.Panes)
	if err != nil {
		return Window{}, err
	}
	w, err := core.NewSliding(cfg)
	if err != nil {
		return Window{}, err
	}
	f := newFeeder(s, all)
	return Window{
		Count: func(pane int) {
			for i, to := Span(s, pane); i < to; i++ {
				w.Add(f.at(i, pane))
			}
		},
		Turn: func(pane int) error { w.Slide(int64(pane)); return nil },
		Top:  func(n int) []textbook.Entry { return entries(w, n) },
		Most: w.Bytes(),
	}, nil
}

// entries lists the n heaviest keys with their estimates.
func entries(w *core.Sliding, n int) []textbook.Entry {
	keys := w.Window(n).Keys
	keys = keys[:min(n, len(keys))]
	list := make([]textbook.Entry, len(keys))
	for i := range keys {
		list[i] = textbook.Entry{Key: keys[i].Name, Count: (keys[i].Cost() + core.One/2) / core.One}
	}
	return list
}

// openMerged makes a window that takes the parts of several instances, among whom records are dealt in turn. Its turn is
// all of their parts, made and taken in.
func openMerged(s *textbook.Stream) (Window, error) {
	cfg, err := size(s.Panes)
	if err != nil {
		return Window{}, err
	}
	w, err := core.NewSliding(cfg)
	if err != nil {
		return Window{}, err
	}
	f := newFeeder(s, false)
	var all [instances]*core.Summary
	for i := range all {
		all[i] = core.NewSummary(cfg)
	}
	var part core.Part
	return Window{
		Count: func(pane int) {
			for i, to := Span(s, pane); i < to; i++ {
				all[i%instances].Add(f.at(i, pane))
			}
		},
		Turn: func(pane int) error {
			for _, summary := range all {
				summary.Part(&part)
				if err := w.Accept(int64(pane), &part); err != nil {
					return err
				}
			}
			w.Slide(int64(pane))
			return nil
		},
		Top:  func(n int) []textbook.Entry { return entries(w, n) },
		Most: w.Bytes() + instances*all[0].Bytes(),
	}, nil
}

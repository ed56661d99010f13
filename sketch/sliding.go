package sketch

import (
	"cmp"
	"fmt"
	"slices"
)

// Sliding counts a sliding window in fixed memory: a ring of panes, each the sum of the Parts that were accepted for it,
// with running totals of the names they list. It counts itself, by Add, and takes Parts that others counted, by Accept.
//
// Every answer has bounds: low <= truth <= high. Where the names of each pane fit its list, answers are exact.
//
// NewSliding makes one; it belongs to one goroutine.
type Sliding struct {
	cfg    Config
	print  uint64 // fingerprint of the seed
	hasher hasher
	span   span
	open   []opened
	last   *Summary // that of the last event, whose pane is lastPane; nil = none
	clock  uint64
	ring   []*pane // ascending
	idle   []*pane
	unmade int          // panes that may still be made
	spare  []VShardSums // to merge loads into
	names  [kinds]names
	words  names
	dirty  bool // totals have saturated and must be counted anew

	lastPane int64
	refused  uint64
	backlog  backlog
	part     Part
	merging  []merged
	answer   answer
	unions   [kinds]union
	turned   int64 // see union
}

// opened is a Summary that counts a pane.
type opened struct {
	pane    int64
	busy    bool
	used    uint64 // clock of the last change to it
	summary *Summary
}

// NewSliding makes an empty window. Its memory has a bound that follows from the Config, see Bytes; panes are made when
// they are first needed.
func NewSliding(cfg Config) (*Sliding, error) {
	if err := cfg.Validate(); err != nil {
		return nil, fmt.Errorf("sketch: %w", err)
	}
	s := &Sliding{
		cfg: cfg, print: fingerprint(cfg.Seed), hasher: newHasher(cfg.Seed), span: span{newest: nothingComplete, long: int64(cfg.Panes)},
		turned:  nothingTurned,
		backlog: newBacklog(), words: newNames(wordsListed*cfg.Listed, 32*wordsListed*cfg.Listed+longestName),
	}
	for range cfg.Open {
		s.open = append(s.open, opened{summary: NewSummary(cfg)})
	}
	s.unmade = cfg.Panes + cfg.Ahead
	s.ring, s.idle = make([]*pane, 0, s.unmade), make([]*pane, 0, s.unmade)
	s.spare = make([]VShardSums, 0, cfg.VShards)
	for k := range kinds {
		s.answer.lines[k] = newLines(cfg.Panes)
		if cfg.counts(k) {
			s.unions[k] = newUnion()
		}
		if cfg.lists(k) {
			s.names[k] = newNames(namesListed*cfg.listed(k), namesListed*cfg.nameBytes(k))
		}
	}
	s.merging = make([]merged, 0, cfg.most(keyKind)+cfg.listed(keyKind))
	return s, nil
}

const (
	namesListed = 5 // the window lists so many times what a pane lists of a kind
	wordsListed = 2 // and knows so many times as many dominant tenants and callers
)

// Add counts one event in its pane, complete or not. A pane that has left the window is not counted.
func (s *Sliding) Add(e *Event) {
	if s.last != nil && e.Pane == s.lastPane {
		s.last.Add(e)
		return
	}
	s.addElsewhere(e)
}

// addElsewhere counts an event of another pane than the last one.
func (s *Sliding) addElsewhere(e *Event) {
	if s.span.past(e.Pane) {
		return
	}
	if s.find(e.Pane) == nil && !slices.ContainsFunc(s.open, func(o opened) bool { return !o.busy }) {
		if s.backlog.put(e) {
			return
		}
		s.work()
	}
	s.last, s.lastPane = s.summary(e.Pane), e.Pane
	if s.last != nil {
		s.last.Add(e)
	}
}

// find gives the open Summary of a pane, nil if none is.
func (s *Sliding) find(number int64) *opened {
	for i := range s.open {
		if o := &s.open[i]; o.busy && o.pane == number {
			return o
		}
	}
	return nil
}

// summary gives the open Summary of a pane, and opens it; nil if the pane cannot be counted.
func (s *Sliding) summary(number int64) *Summary {
	if s.span.past(number) {
		return nil
	}
	s.clock++
	if o := s.find(number); o != nil {
		o.used = s.clock
		return o.summary
	}
	if s.pane(number) == nil {
		s.refused++
		return nil
	}
	at := 0
	for i := range s.open {
		// One that is free, and of those the one whose memory is warm; else the one that was idle longest.
		if o, a := &s.open[i], &s.open[at]; !o.busy && (a.busy || o.used > a.used) || o.busy && a.busy && o.used < a.used {
			at = i
		}
	}
	o := &s.open[at]
	s.close(o)
	o.pane, o.busy, o.used = number, true, s.clock
	return o.summary
}

// close puts what an open Summary has counted into its pane.
func (s *Sliding) close(o *opened) {
	if !o.busy {
		return
	}
	if s.last == o.summary {
		s.last = nil
	}
	o.busy = false
	o.summary.Part(&s.part)
	if p := s.pane(o.pane); p != nil && s.part.events > 0 {
		s.merge(p, &s.part)
	}
}

// closeUpTo works off the backlog and closes the Summaries of panes up to newest.
func (s *Sliding) closeUpTo(newest int64) {
	s.work()
	for i := range s.open {
		if o := &s.open[i]; o.busy && o.pane <= newest {
			s.close(o)
		}
	}
}

// pane finds a pane of the ring, and makes it; nil if there is no room for one more.
func (s *Sliding) pane(number int64) *pane {
	i, found := slices.BinarySearchFunc(s.ring, number, func(p *pane, n int64) int { return cmp.Compare(p.number, n) })
	if found {
		return s.ring[i]
	}
	n := len(s.idle)
	switch {
	case n > 0:
	case s.unmade > 0:
		s.unmade--
		n, s.idle = 1, append(s.idle, newPane(&s.cfg))
	default:
		return nil
	}
	p := s.idle[n-1]
	s.idle = s.idle[:n-1]
	p.reset(number)
	s.ring = slices.Insert(s.ring, i, p)
	s.inherit(i)
	return p
}

// Refused is the number of events that were not counted because more panes had traffic ahead of the window than
// Config.Ahead.
func (s *Sliding) Refused() uint64 { return s.refused }

package pipeline

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"firebreak/pipeline/record"
	"firebreak/policy"
	"firebreak/routing"
	"firebreak/sketch"
)

// LiveFleet is a fleet as it is counted from topics.
type LiveFleet struct {
	Config

	Record record.Config
	Judge  policy.Config
	Topics []string // "cluster/topic"
}

// Ledger is what everybody who follows the log of deltas derives from it: how far each partition of the request log was
// counted, and every fleet's window. It is a pure function of the log, so all instances hold the same. Only the log's
// order decides:
//
//  1. A delta is accepted whole, or not at all. It is accepted if each of its ranges begins where that partition was
//     counted to; then it was counted to the range's end. So no record is counted twice or lost, whoever crashes,
//     is frozen, or wakes up.
//  2. The first life of a topic that a delta names is in force until a delta names one that is new; what was counted of
//     lives before is over.
//  3. A delta of a fleet that is counted in another way than here moves the partitions, and lowers that fleet's coverage.
//
// NewLedger makes it; it belongs to one goroutine.
type Ledger struct {
	fleets []*sharedFleet
	seed   uint64
	seeded bool
	topics map[string]*life // by name
	ended  map[TopicID]bool // lives that are over
	parts  map[Partition]*Progress
	at     time.Time // of the newest entry; never goes back
	next   int64     // the log's position after it
	stats  LedgerStats
	work   []work // its memory is used again
	ready  int    // how many are of the delta at hand
}

// life is one life of a topic.
type life struct {
	Topic

	since time.Time // when it was named, or grew
}

// Progress is how far a partition was counted.
type Progress struct {
	To    int64
	End   int64         // as it was known then; -1 = not known
	Time  int64         // the latest event time, ns; record.NoTime = none
	First int64         // event time of the first record that was counted; record.NoTime = none
	Lag   time.Duration // between Time and the moment it was reported, when records came last
	Clock int64         // event time up to which nothing more is expected, disorder aside; record.NoTime = nothing is known
	At    time.Time     // of the newest accepted delta about it
	Thin  uint8
}

// LedgerStats counts the entries of the log.
type LedgerStats struct {
	Accepted, Rejected, Malformed, Foreign uint64
	Bytes                                  uint64
	Crowded                                uint64 // panes that no room was left for
}

// NewLedger makes the ledger of a group before its first entry.
func NewLedger(fleets []LiveFleet) (*Ledger, error) {
	l := &Ledger{topics: map[string]*life{}, ended: map[TopicID]bool{}, parts: map[Partition]*Progress{}}
	names := map[string]bool{}
	for i := range fleets {
		f := &fleets[i]
		if names[f.Fleet] {
			return nil, fmt.Errorf("fleet %s: the name of two fleets", routing.Escape(f.Fleet))
		}
		names[f.Fleet] = true
		if err := f.Validate(); err != nil {
			return nil, fmt.Errorf("fleet %s: %w", routing.Escape(f.Fleet), err)
		}
		l.fleets = append(l.fleets, &sharedFleet{live: f, print: f.fingerprint(), cover: map[int64]cover{}})
	}
	return l, nil
}

// seedWith makes the windows, once the seed of the group is known.
func (l *Ledger) seedWith(seed uint64) error {
	for _, f := range l.fleets {
		if err := f.open(seed); err != nil {
			return err
		}
	}
	l.seed, l.seeded = seed, true
	return nil
}

// Outcome is what the ledger made of one entry of the log.
type Outcome struct {
	Delta      bool     // the entry is a delta
	By         Instance // whose
	Number     uint64   // and which
	Accepted   bool
	Mismatched []Partition // that were counted to another position than a range begins at
	Why        string      // it was not accepted; empty if it was
	Checkpoint *Checkpoint // the entry is a checkpoint; it changes nothing here
}

// Apply takes the next entry of the log: its offset, when the broker appended it, and its bytes. Entries that are malformed
// change nothing. The error is one of the configuration: the windows could not be made.
func (l *Ledger) Apply(offset int64, at time.Time, entry []byte) (Outcome, error) {
	l.next = offset + 1
	if at.After(l.at) {
		l.at = at
	}
	l.stats.Bytes += uint64(len(entry))
	if len(entry) > 0 && entry[0] != entryDelta {
		return l.applyOther(entry)
	}
	d, err := decodeDelta(entry)
	if err != nil {
		l.stats.Malformed++
		return Outcome{Why: err.Error()}, nil //nolint:nilerr // told by the outcome
	}
	out := Outcome{Delta: true, By: d.by, Number: d.number}
	out.Mismatched, err = l.check(d)
	if err != nil {
		l.stats.Rejected++
		out.Why = err.Error()
		return out, nil //nolint:nilerr // told by the outcome
	}
	l.accept(d)
	out.Accepted = true
	l.stats.Accepted++
	return out, nil
}

// applyOther takes an entry that is no delta.
func (l *Ledger) applyOther(entry []byte) (Outcome, error) {
	if seed, ok := decodeGenesis(entry); ok {
		if l.seeded {
			return Outcome{}, nil // of the second of two that began the log
		}
		return Outcome{}, l.seedWith(seed)
	}
	if isHello(entry) {
		return Outcome{}, nil
	}
	c, err := decodeCheckpoint(entry)
	if err != nil {
		l.stats.Malformed++
		return Outcome{Why: err.Error()}, nil //nolint:nilerr // told by the outcome
	}
	return Outcome{Checkpoint: c}, nil
}

// Why a delta is rejected.
var (
	errUnseeded = errors.New("no seed is known yet")
	errPosition = errors.New("a range does not begin where its partition was counted to")
	errOldLife  = errors.New("of a topic that was deleted since")
	errShards   = errors.New("names shards that were named by another before")
)

// work is one part of a delta, ready to be added.
type work struct {
	fleet  *sharedFleet
	pane   *paneDelta
	part   sketch.Part
	pieces sketch.Part
}

// check says why a delta cannot be accepted. It changes nothing.
func (l *Ledger) check(d *delta) (mismatched []Partition, err error) {
	if !l.seeded {
		return nil, errUnseeded
	}
	for _, t := range d.topics {
		if l.ended[t.ID] {
			return nil, errOldLife
		}
	}
	for i := range d.ranges {
		r := &d.ranges[i]
		if p, known := l.parts[r.Partition]; known && p.To != r.From {
			mismatched = append(mismatched, r.Partition)
		}
	}
	if len(mismatched) > 0 {
		return mismatched, errPosition
	}
	return nil, l.prepare(d)
}

// prepare decodes the parts of a delta into work.
func (l *Ledger) prepare(d *delta) error {
	n := 0
	for i := range d.fleets {
		fd := &d.fleets[i]
		f := l.fleet(fd.name)
		if f == nil || f.print != fd.print {
			continue
		}
		if known := len(f.places.shards); fd.base > known || fd.base < 0 || len(fd.shards) > 0 && fd.base != known {
			return errShards
		}
		for j := range fd.panes {
			if n == len(l.work) {
				l.work = append(l.work, work{})
			}
			w := &l.work[n]
			n++
			w.fleet, w.pane = f, &fd.panes[j]
			w.pieces.Reset()
			if err := w.part.Decode(w.pane.part, l.seed); err != nil {
				return err
			}
			if len(w.pane.pieces) == 0 {
				continue
			}
			if err := w.pieces.Decode(w.pane.pieces, l.seed); err != nil {
				return err
			}
		}
	}
	l.ready = n
	return nil
}

func (l *Ledger) fleet(name string) *sharedFleet {
	for _, f := range l.fleets {
		if f.live.Fleet == name {
			return f
		}
	}
	return nil
}

// accept adds a delta that was checked.
func (l *Ledger) accept(d *delta) {
	for _, t := range d.topics {
		l.name(t)
	}
	for i := range d.ranges {
		l.move(&d.ranges[i])
	}
	for i := range d.fleets {
		fd := &d.fleets[i]
		f := l.fleet(fd.name)
		switch {
		case f == nil:
		case f.print != fd.print:
			l.stats.Foreign++
		default:
			for _, name := range fd.shards {
				f.places.learn(name)
			}
			f.says = f.says.or(fd.says)
		}
	}
	for i := range l.work[:l.ready] {
		w := &l.work[i]
		if !w.fleet.add(w) {
			l.stats.Crowded++
		}
	}
	l.cover(d)
}

// name keeps what a delta says of a topic; one that is new ends the life before.
func (l *Ledger) name(t Topic) {
	old := l.topics[t.Name]
	switch {
	case old == nil:
		l.topics[t.Name] = &life{t, l.at}
	case old.ID == t.ID:
		if t.Partitions > old.Partitions {
			old.Partitions, old.since = t.Partitions, l.at // the new ones have time to be counted first
		}
	default:
		if len(l.ended) >= maxEnded {
			clear(l.ended)
		}
		l.ended[old.ID] = true
		maps.DeleteFunc(l.parts, func(p Partition, _ *Progress) bool { return p.Topic == old.ID })
		l.topics[t.Name] = &life{t, l.at}
	}
}

// maxEnded bounds the lives that are remembered as over.
const maxEnded = 1024

// move counts a partition to the end of a range.
func (l *Ledger) move(r *Range) {
	p := l.parts[r.Partition]
	if p == nil {
		p = &Progress{Time: record.NoTime, First: r.First, Clock: record.NoTime}
		l.parts[r.Partition] = p
	}
	p.To, p.End, p.Thin, p.At = r.To, r.End, r.Thin, l.at
	if r.Time != record.NoTime && r.Time > p.Time {
		p.Time = r.Time
	}
	if p.First == record.NoTime {
		p.First = r.First
	}
	if p.Time != record.NoTime && r.Records > 0 {
		p.Lag = max(0, time.Duration(l.at.UnixNano()-p.Time))
	}
	clock := p.Time
	if r.idle() {
		// Nothing is there: its clock runs on, as far behind as its records last were, but for old ones.
		clock = max(clock, l.at.UnixNano()-int64(min(p.Lag, idleLag)))
	}
	p.Clock = max(p.Clock, clock)
}

// idleLag is how far behind the clock of a partition without records may be.
const idleLag = 30 * time.Second

// cover keeps how much of the log was read, by the time at which it was reported.
func (l *Ledger) cover(d *delta) {
	for _, f := range l.fleets {
		at := floorDiv(l.at.UnixNano(), int64(f.live.Pane))
		c := f.cover[at]
		counted := false
		for i := range d.fleets {
			counted = counted || d.fleets[i].name == f.live.Fleet && d.fleets[i].print == f.print
		}
		for i := range d.ranges {
			r := &d.ranges[i]
			if !l.reads(f, r.Topic) {
				continue
			}
			read := max(0, r.To-r.From-r.Skipped)
			if counted {
				c.counted += read
				c.skipped += r.skipped()
			} else {
				c.skipped += read + r.skipped()
			}
		}
		f.cover[at] = c
		maps.DeleteFunc(f.cover, func(k int64, _ cover) bool { return k <= at-int64(f.live.LongPanes()) })
	}
}

// skipped are the offsets that should have been read: where a new group starts is nobody's loss.
func (r *Range) skipped() int64 {
	if r.Why == SkipStart {
		return 0
	}
	return r.Skipped
}

// reads tells whether a fleet reads a topic.
func (l *Ledger) reads(f *sharedFleet, id TopicID) bool {
	for _, name := range f.live.Topics {
		if t := l.topics[name]; t != nil && t.ID == id {
			return true
		}
	}
	return false
}

// partitions lists the partitions that a fleet should have, in a fixed order; of those that nobody counted yet progress is nil.
func (l *Ledger) partitions(f *sharedFleet, each func(t *life, number int32, p *Progress)) {
	for _, name := range f.live.Topics {
		t := l.topics[name]
		if t == nil {
			continue
		}
		for n := range t.Partitions {
			each(t, n, l.parts[Partition{t.ID, n}])
		}
	}
}

// sortedParts lists what was counted, in a fixed order.
func (l *Ledger) sortedParts() []Partition {
	return slices.SortedFunc(maps.Keys(l.parts), func(a, b Partition) int {
		return cmp.Or(slices.Compare(a.Topic[:], b.Topic[:]), cmp.Compare(a.Number, b.Number))
	})
}

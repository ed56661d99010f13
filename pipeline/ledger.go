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
//  3. Whether a delta is accepted depends on the log alone, never on the configuration of who reads it. A fleet that is
//     counted in another way than here, or whose part cannot be read, moves the partitions and lowers its coverage.
//
// NewLedger makes it; it belongs to one goroutine.
type Ledger struct {
	fleets []*sharedFleet
	seed   uint64
	print  uint64 // of the seed
	seeded bool
	topics map[string]*life // by name
	ended  map[TopicID]bool // lives that are over
	parts  map[Partition]*Progress

	dictionaries map[counting]*dictionary

	at    time.Time // of the newest entry; never goes back
	next  int64     // the log's position after it
	stats LedgerStats
	work  []work // its memory is used again
	ready int    // how many are of the delta at hand
}

// life is one life of a topic.
type life struct {
	Topic

	born  time.Time // when it was named first
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
	Crowded                                uint64 // parts of panes that no room was left for, or that cannot be read
}

// NewLedger makes the ledger of a group before its first entry.
func NewLedger(fleets []LiveFleet) (*Ledger, error) {
	l := &Ledger{topics: map[string]*life{}, ended: map[TopicID]bool{}, parts: map[Partition]*Progress{}, dictionaries: map[counting]*dictionary{}}
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
		print, err := f.fingerprint()
		if err != nil {
			return nil, fmt.Errorf("fleet %s: %w", routing.Escape(f.Fleet), err)
		}
		l.fleets = append(l.fleets, &sharedFleet{live: f, print: print, cover: map[int64]cover{}})
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
	l.seed, l.print, l.seeded = seed, seedPrint(seed), true
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
	Rejected   Rejection   // the same, of a closed list
	Checkpoint *Checkpoint // the entry is a checkpoint; it changes nothing here
}

// Apply takes the next entry of the log: its offset, when the broker appended it, and its bytes. Entries that are malformed
// change nothing. The error is one of the configuration: the windows could not be made.
func (l *Ledger) Apply(offset int64, at time.Time, entry []byte) (Outcome, error) {
	l.next = offset + 1
	if at.After(l.at) {
		l.at = at.Round(0).UTC() // what is decided must not depend on where it is read
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
		out.Why, out.Rejected = err.Error(), rejectionOf(err)
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
	errSeed     = errors.New("counted with another seed")
	errPosition = errors.New("a range does not begin where its partition was counted to")
	errOldLife  = errors.New("of a topic that was deleted since")
	errShards   = errors.New("names shards that were named by another before")
	errFuture   = errors.New("of a time that is yet to come")
	errTopics   = errors.New("names more topics than there may be")
)

// maxFuture is how far ahead of the log an event time may be: beyond it arithmetic with times ends, not what is allowed.
const maxFuture = 1000 * 24 * time.Hour

// check says why a delta cannot be accepted. It changes nothing, and looks at nothing but the log.
func (l *Ledger) check(d *delta) (mismatched []Partition, err error) {
	switch {
	case !l.seeded:
		return nil, errUnseeded
	case d.seed != l.print:
		return nil, errSeed
	}
	lives := len(l.topics)
	for _, t := range d.topics {
		if l.ended[t.ID] {
			return nil, errOldLife
		}
		if l.topics[t.Name] == nil {
			lives++
		}
	}
	if lives > maxTopics {
		return nil, errTopics
	}
	last := l.at.Add(maxFuture).UnixNano()
	for i := range d.ranges {
		r := &d.ranges[i]
		if r.Time > last || r.First > last {
			return nil, errFuture
		}
		if p, known := l.parts[r.Partition]; known && p.To != r.From {
			mismatched = append(mismatched, r.Partition)
		}
	}
	if len(mismatched) > 0 {
		return mismatched, errPosition
	}
	for i := range d.fleets {
		if !l.fits(&d.fleets[i]) {
			return nil, errShards
		}
	}
	return nil, nil
}

// work is one part of a delta, ready to be added.
type work struct {
	fleet  *sharedFleet
	pane   *paneDelta
	part   sketch.Part
	pieces sketch.Part
}

// prepare decodes the parts of a delta into work. It marks what this ledger cannot count.
func (l *Ledger) prepare(d *delta) {
	l.ready = 0
	for i := range d.fleets {
		fd := &d.fleets[i]
		f := l.fleet(fd.name)
		if f == nil {
			continue
		}
		if f.print != fd.print {
			l.stats.Foreign++
			continue
		}
		before := l.ready
		fd.counted = true
		for j := range fd.panes {
			if !l.decode(f, &fd.panes[j]) {
				l.stats.Crowded++
				l.ready, fd.counted = before, false
				break
			}
		}
	}
}

// decode makes work of a pane. It is false if its bytes are not what this version writes.
func (l *Ledger) decode(f *sharedFleet, pane *paneDelta) bool {
	if most := l.at.Add(maxFuture).UnixNano() / f.paneLen; pane.number > most || pane.number < -most {
		return false
	}
	if l.ready == len(l.work) {
		l.work = append(l.work, work{})
	}
	w := &l.work[l.ready]
	w.fleet, w.pane = f, pane
	w.pieces.Reset()
	if w.part.Decode(pane.part, l.seed) != nil || len(pane.pieces) > 0 && w.pieces.Decode(pane.pieces, l.seed) != nil {
		return false
	}
	l.ready++
	return true
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
	l.prepare(d)
	for _, t := range d.topics {
		l.name(t)
	}
	for i := range d.ranges {
		l.move(&d.ranges[i])
	}
	for i := range d.fleets {
		fd := &d.fleets[i]
		l.learn(fd)
		if f := l.fleet(fd.name); f != nil && f.print == fd.print {
			for _, name := range fd.shards {
				f.places.learn(name)
			}
			f.says = f.says.or(fd.says)
		}
	}
	lost := map[*sharedFleet]int64{}
	for i := range l.work[:l.ready] {
		if w := &l.work[i]; !w.fleet.add(w) {
			l.stats.Crowded++
			lost[w.fleet] += int64(min(w.part.Events(), 1<<40))
		}
	}
	l.cover(d, lost)
}

// name keeps what a delta says of a topic; one that is new ends the life before.
func (l *Ledger) name(t Topic) {
	old := l.topics[t.Name]
	switch {
	case old == nil:
		l.topics[t.Name] = &life{t, l.at, l.at}
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
		l.topics[t.Name] = &life{t, l.at, l.at}
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

// cover keeps how much of the log was read, by the time at which it was reported. lost are records that were read and for
// which the windows have no room.
func (l *Ledger) cover(d *delta, lost map[*sharedFleet]int64) {
	for _, f := range l.fleets {
		at := floorDiv(l.at.UnixNano(), int64(f.live.Pane))
		c := f.cover[at]
		counted := false
		for i := range d.fleets {
			counted = counted || d.fleets[i].name == f.live.Fleet && d.fleets[i].counted
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
		gone := min(lost[f], c.counted)
		c.counted -= gone
		c.skipped += gone
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

package pipeline

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"firebreak/pipeline/record"
	"firebreak/policy"
	"firebreak/routing"
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
	work  []work    // its memory is used again
	ready int       // how many are of the delta at hand
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
		way, err := f.fingerprint()
		if err != nil {
			return nil, fmt.Errorf("fleet %s: %w", routing.Escape(f.Fleet), err)
		}
		l.fleets = append(l.fleets, &sharedFleet{live: f, print: way, cover: map[int64]cover{}})
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
	By         Instance // whose; zero where it cannot be read
	Number     uint64   // and which
	Accepted   bool
	Mismatched []Partition // that were counted to another position than a range begins at
	Why        string      // it was not accepted, or what no delta is cannot be read; empty otherwise
	Rejected   Rejection   // the same, of a closed list; RejectedMalformed for every entry that cannot be read
	Foreign    int         // fleets of an accepted delta that are counted in another way than here: of them only the positions count
	Crowded    int         // and parts of its panes that no room was left for, or that cannot be read
	Checkpoint *Checkpoint // the entry is a checkpoint; it changes nothing here
	Unrouted   error       // why the document that the entry names is not what its fleet is judged by here; nil where it is, or a later one
	Forgotten  error       // why a memory of watching that was to be taken over, see [Live], could not be, or not all of it
}

// Apply takes the next entry of the log: its offset, when the broker appended it, and its bytes. Entries that are malformed
// change nothing. The error is one of the configuration: the windows could not be made.
func (l *Ledger) Apply(offset int64, at time.Time, entry []byte) (Outcome, error) {
	l.next = offset + 1
	if at.After(l.at) {
		l.at = at.Round(0).UTC() // what is decided must not depend on where it is read
	}
	if len(entry) > 0 && entry[0] != entryDelta {
		return l.applyOther(entry)
	}
	d, err := decodeDelta(entry)
	if err != nil {
		return Outcome{Delta: true, Why: err.Error(), Rejected: RejectedMalformed}, nil //nolint:nilerr // told by the outcome
	}
	out := Outcome{Delta: true, By: d.by, Number: d.number}
	out.Mismatched, err = l.check(d)
	if err != nil {
		out.Why, out.Rejected = err.Error(), rejectionOf(err)
		return out, nil
	}
	l.accept(d, &out)
	out.Accepted = true
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
	if entry[0] == entryRoute {
		return l.applyRoute(entry), nil
	}
	c, err := decodeCheckpoint(entry)
	if err != nil {
		return Outcome{Why: err.Error(), Rejected: RejectedMalformed}, nil //nolint:nilerr // told by the outcome
	}
	return Outcome{Checkpoint: c}, nil
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

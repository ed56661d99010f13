package pipeline

import (
	"encoding/binary"
	"maps"
	"slices"
	"time"
)

// Genesis is the first entry of a group's log: the seed of its hashes. Where two instances begin a log at once, the first
// in its order holds.
func Genesis(seed uint64) []byte {
	return binary.LittleEndian.AppendUint64([]byte{entryGenesis, entryVersion}, seed)
}

func decodeGenesis(entry []byte) (seed uint64, ok bool) {
	if len(entry) != 10 || entry[0] != entryGenesis || entry[1] != entryVersion {
		return 0, false
	}
	return binary.LittleEndian.Uint64(entry[2:]), true
}

// Hello is the entry with which an instance says that it is there. It changes nothing; its time tells the instance how far
// its clock is off the broker's.
func Hello(by Instance) []byte { return append([]byte{entryHello, entryVersion}, by[:]...) }

func isHello(entry []byte) bool {
	return len(entry) == 2+len(Instance{}) && entry[0] == entryHello && entry[1] == entryVersion
}

// IsGenesis tells the entry that begins a log.
func IsGenesis(entry []byte) bool {
	_, ok := decodeGenesis(entry)
	return ok
}

// IsCheckpoint tells an entry from which a joiner may start.
func IsCheckpoint(entry []byte) bool { return len(entry) > 0 && entry[0] == entryCheckpoint }

// DecodeCheckpoint reads the wire form of a checkpoint.
func DecodeCheckpoint(entry []byte) (*Checkpoint, error) { return decodeCheckpoint(entry) }

// Checkpoint is what a joiner needs of the log before an offset: all but the window, which the deltas after it bring.
type Checkpoint struct {
	Offset  int64 // all entries before it are in
	Seed    uint64
	At      time.Time // of the newest of them
	Topics  []Topic
	Born    []time.Time // by topic: when it was named first
	Since   []time.Time // by topic: when it was named, or grew
	Parts   []Partition
	Counted []Progress // by part
	Fleets  []FleetCheckpoint
	Named   []Named
	Ended   []TopicID
	Watch   []byte // the decider's memory of watching; not a function of the log
}

// FleetCheckpoint is the part of one fleet.
type FleetCheckpoint struct {
	Name   string
	Print  uint64
	Says   Says
	Closed int64 // the newest complete pane; only if Begun
	Begun  bool
}

// Named is the shards that the log has named to those that count a fleet in one way, whoever they are.
type Named struct {
	Fleet  string
	Print  uint64
	Base   int // shards that their configuration names
	Shards []string
	At     time.Time // when they were last heard of
}

// Checkpoint is the ledger as it stands. The caller adds Watch.
func (l *Ledger) Checkpoint() *Checkpoint {
	c := &Checkpoint{Offset: l.next, Seed: l.seed, At: l.at, Parts: l.sortedParts()}
	for _, name := range slices.Sorted(maps.Keys(l.topics)) {
		c.Topics = append(c.Topics, l.topics[name].Topic)
		c.Born = append(c.Born, l.topics[name].born)
		c.Since = append(c.Since, l.topics[name].since)
	}
	for _, p := range c.Parts {
		c.Counted = append(c.Counted, *l.parts[p])
	}
	for _, f := range l.fleets {
		fc := FleetCheckpoint{Name: f.live.Fleet, Print: f.print, Says: f.says, Closed: f.closed, Begun: f.begun}
		c.Fleets = append(c.Fleets, fc)
	}
	for _, way := range sortedCountings(l.dictionaries) {
		d := l.dictionaries[way]
		c.Named = append(c.Named, Named{way.fleet, way.print, d.base, slices.Clone(d.shards), d.at})
	}
	c.Ended = slices.SortedFunc(maps.Keys(l.ended), func(a, b TopicID) int { return slices.Compare(a[:], b[:]) })
	return c
}

// Restore makes a ledger that has seen nothing stand where a checkpoint was made, with empty windows. The entries from
// c.Offset on are to be applied next.
func (l *Ledger) Restore(c *Checkpoint) error {
	if err := l.seedWith(c.Seed); err != nil {
		return err
	}
	l.at, l.next = c.At, c.Offset
	for i, t := range c.Topics {
		l.topics[t.Name] = &life{t, c.Born[i], c.Since[i]}
	}
	for i, p := range c.Parts {
		v := c.Counted[i]
		// What was counted of a pane before the checkpoint is not in this window: only panes after it are whole.
		v.First = max(v.First, v.Time)
		l.parts[p] = &v
	}
	for _, id := range c.Ended {
		l.ended[id] = true
	}
	for i := range c.Fleets {
		fc := &c.Fleets[i]
		f := l.fleet(fc.Name)
		if f == nil || f.print != fc.Print {
			continue
		}
		f.says = fc.Says
	}
	for i := range c.Named {
		n := &c.Named[i]
		l.dictionaries[counting{n.Fleet, n.Print}] = &dictionary{n.Base, slices.Clone(n.Shards), n.At}
		f := l.fleet(n.Fleet)
		if f == nil || f.print != n.Print {
			continue
		}
		for _, name := range n.Shards {
			if _, known := f.places.names[name]; !known {
				f.places.learn(name)
			}
		}
	}
	return nil
}

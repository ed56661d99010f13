package pipeline

import (
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
	"time"

	"firebreak/routing"
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

// Append appends the wire form.
func (c *Checkpoint) Append(b []byte) []byte {
	b = append(b, entryCheckpoint, entryVersion)
	b = binary.AppendVarint(b, c.Offset)
	b = binary.LittleEndian.AppendUint64(b, c.Seed)
	b = binary.AppendVarint(b, nanos(c.At))
	b = appendTopics(b, c.Topics)
	for i := range c.Topics {
		b = binary.AppendVarint(b, nanos(c.Born[i]))
		b = binary.AppendVarint(b, nanos(c.Since[i]))
	}
	place := map[TopicID]uint64{}
	for i, t := range c.Topics {
		place[t.ID] = uint64(i)
	}
	b = binary.AppendUvarint(b, uint64(len(c.Parts)))
	for i, p := range c.Parts {
		v := &c.Counted[i]
		b = binary.AppendUvarint(b, place[p.Topic])
		b = binary.AppendUvarint(b, uint64(p.Number))
		for _, n := range []int64{v.To, v.End, v.Time, v.First, int64(v.Lag), v.Clock, nanos(v.At)} {
			b = binary.AppendVarint(b, n)
		}
		b = append(b, v.Thin)
	}
	b = binary.AppendUvarint(b, uint64(len(c.Fleets)))
	for i := range c.Fleets {
		f := &c.Fleets[i]
		b = appendBytes(b, []byte(f.Name))
		b = binary.LittleEndian.AppendUint64(b, f.Print)
		b = append(b, f.Says.bits())
		begun := byte(0)
		if f.Begun {
			begun = 1
		}
		b = append(binary.AppendVarint(b, f.Closed), begun)
	}
	b = appendNamed(b, c.Named)
	b = binary.AppendUvarint(b, uint64(len(c.Ended)))
	for _, id := range c.Ended {
		b = append(b, id[:]...)
	}
	return appendBytes(b, c.Watch)
}

func appendNamed(b []byte, named []Named) []byte {
	b = binary.AppendUvarint(b, uint64(len(named)))
	for i := range named {
		n := &named[i]
		b = appendBytes(b, []byte(n.Fleet))
		b = binary.LittleEndian.AppendUint64(b, n.Print)
		b = binary.AppendUvarint(b, uint64(n.Base))
		b = binary.AppendVarint(b, nanos(n.At))
		b = binary.AppendUvarint(b, uint64(len(n.Shards)))
		for _, s := range n.Shards {
			b = appendBytes(b, []byte(s))
		}
	}
	return b
}

// nanos is a time as it travels; the zero time is 0.
func nanos(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixNano()
}

func timeOf(nanos int64) time.Time {
	if nanos == 0 {
		return time.Time{}
	}
	return time.Unix(0, nanos).UTC()
}

func decodeCheckpoint(entry []byte) (*Checkpoint, error) {
	r := &wireReader{b: entry}
	if head := r.fixed(2, "head"); len(head) < 2 || head[0] != entryCheckpoint || head[1] != entryVersion {
		return nil, fmt.Errorf("%w: no checkpoint of version %d", errWire, entryVersion)
	}
	c := &Checkpoint{Offset: r.int("offset")}
	if b := r.fixed(8, "seed"); b != nil {
		c.Seed = binary.LittleEndian.Uint64(b)
	}
	c.At = timeOf(r.int("time"))
	c.Topics = r.topics()
	for range c.Topics {
		c.Born = append(c.Born, timeOf(r.int("born")))
		c.Since = append(c.Since, timeOf(r.int("since")))
	}
	r.progress(c)
	r.fleetCheckpoints(c)
	r.named(c)
	for range r.count(16, "ended") {
		var id TopicID
		copy(id[:], r.fixed(len(id), "topic id"))
		c.Ended = append(c.Ended, id)
	}
	c.Watch = r.bytes("watch")
	if err := r.end(); err != nil {
		return nil, fmt.Errorf("checkpoint: %w", err)
	}
	return c, nil
}

// progress reads how far each partition was counted; the partitions ascend as in topics.
func (r *wireReader) progress(c *Checkpoint) {
	for range r.count(10, "partitions") {
		at, number := r.uint("topic"), r.uint("partition")
		if at >= uint64(len(c.Topics)) || number >= maxPartitions {
			r.fail("no partition")
			return
		}
		var v Progress
		v.To, v.End, v.Time, v.First = r.int("to"), r.int("end"), r.int("time"), r.int("first")
		v.Lag, v.Clock, v.At = time.Duration(r.int("lag")), r.int("clock"), timeOf(r.int("at"))
		if b := r.fixed(1, "thin"); b != nil {
			v.Thin = b[0]
		}
		c.Parts = append(c.Parts, Partition{c.Topics[at].ID, int32(number)})
		if v.To < 0 || v.End < -1 || v.Thin > maxThin {
			r.fail("progress")
			return
		}
		c.Counted = append(c.Counted, v)
	}
}

func (r *wireReader) fleetCheckpoints(c *Checkpoint) {
	for range r.count(12, "fleets") {
		f := FleetCheckpoint{Name: string(r.bytes("fleet"))}
		if b := r.fixed(9, "fingerprint"); b != nil {
			f.Print = binary.LittleEndian.Uint64(b)
			f.Says.setBits(b[8])
		}
		f.Closed = r.int("closed")
		if b := r.fixed(1, "begun"); b != nil {
			f.Begun = b[0] == 1
		}
		c.Fleets = append(c.Fleets, f)
	}
}

func (r *wireReader) named(c *Checkpoint) {
	for range r.count(11, "ways of counting") {
		n := Named{Fleet: string(r.bytes("fleet"))}
		if b := r.fixed(8, "fingerprint"); b != nil {
			n.Print = binary.LittleEndian.Uint64(b)
		}
		base := r.uint("base")
		n.At = timeOf(r.int("at"))
		for range r.count(1, "shards") {
			n.Shards = append(n.Shards, string(r.bytes("shard")))
		}
		if base > routing.MaxShards || base+uint64(len(n.Shards)) > routing.MaxShards {
			r.fail("shards")
			return
		}
		n.Base = int(base)
		c.Named = append(c.Named, n)
	}
}

package pipeline

import (
	"encoding/binary"
	"fmt"
)

// delta is what one instance counted in one tick, of all its partitions: a pure function of the records of its ranges and
// of where their partitions stood. It is accepted whole or not at all.
type delta struct {
	by     Instance
	number uint64 // counts the deltas of that instance
	seed   uint64 // fingerprint of the seed that it was counted with
	topics []Topic
	ranges []Range
	fleets []fleetDelta
}

// Instance names one life of one process: 16 random bytes.
type Instance [16]byte

// fleetDelta is what a delta says of one fleet.
type fleetDelta struct {
	name   string
	print  uint64 // fingerprint of how it is counted
	says   Says
	taken  uint64   // records that are counted here
	lost   uint64   // and those that are not, although they are of this fleet, and of now: nothing understands them, or has room
	base   int      // shards that were known, where the log names them
	shards []string // and those it names besides
	panes  []paneDelta

	counted bool // by the ledger that reads it; does not travel
}

// paneDelta is what was counted of one pane.
type paneDelta struct {
	number int64
	facts  paneFacts
	part   []byte // wire form of a sketch.Part
	pieces []byte // the same of the pieces of salted keys; empty = none
}

// The first byte of an entry of the log says what it is; the second one is the version.
const (
	entryDelta      = 'd'
	entryCheckpoint = 'c'
	entryGenesis    = 'g'
	entryHello      = 'h'
	entryVersion    = 1
)

// entry is the wire form.
func (d *delta) entry() []byte {
	b := []byte{entryDelta, entryVersion}
	b = append(b, d.by[:]...)
	b = binary.AppendUvarint(b, d.number)
	b = binary.LittleEndian.AppendUint64(b, d.seed)
	b = appendTopics(b, d.topics)
	b = appendRanges(b, d.topics, d.ranges)
	b = binary.AppendUvarint(b, uint64(len(d.fleets)))
	for i := range d.fleets {
		b = d.fleets[i].append(b)
	}
	return b
}

func appendTopics(b []byte, topics []Topic) []byte {
	b = binary.AppendUvarint(b, uint64(len(topics)))
	for _, t := range topics {
		b = append(b, t.ID[:]...)
		b = appendBytes(b, []byte(t.Name))
		b = binary.AppendUvarint(b, uint64(t.Partitions))
	}
	return b
}

// appendRanges writes ranges; their topics are named by their place in topics.
func appendRanges(b []byte, topics []Topic, ranges []Range) []byte {
	place := map[TopicID]uint64{}
	for i, t := range topics {
		place[t.ID] = uint64(i)
	}
	b = binary.AppendUvarint(b, uint64(len(ranges)))
	for i := range ranges {
		r := &ranges[i]
		b = binary.AppendUvarint(b, place[r.Topic])
		b = binary.AppendUvarint(b, uint64(r.Number))
		b = binary.AppendVarint(b, r.From)
		b = binary.AppendVarint(b, r.To-r.From)
		b = binary.AppendVarint(b, r.End-r.To)
		b = binary.AppendVarint(b, r.Time)
		b = binary.AppendVarint(b, r.First)
		b = binary.AppendVarint(b, r.Records)
		b = binary.AppendVarint(b, r.Skipped)
		b = append(b, byte(r.Why), r.Thin)
	}
	return b
}

func (f *fleetDelta) append(b []byte) []byte {
	b = appendBytes(b, []byte(f.name))
	b = binary.LittleEndian.AppendUint64(b, f.print)
	b = append(b, f.says.bits())
	b = binary.AppendUvarint(b, f.taken)
	b = binary.AppendUvarint(b, f.lost)
	b = binary.AppendUvarint(b, uint64(f.base))
	b = binary.AppendUvarint(b, uint64(len(f.shards)))
	for _, s := range f.shards {
		b = appendBytes(b, []byte(s))
	}
	b = binary.AppendUvarint(b, uint64(len(f.panes)))
	for i := range f.panes {
		p := &f.panes[i]
		b = binary.AppendVarint(b, p.number)
		for _, v := range p.facts.floats() {
			b = appendFloat(b, *v)
		}
		b = binary.AppendUvarint(b, p.facts.cost)
		b = appendBytes(b, p.part)
		b = appendBytes(b, p.pieces)
	}
	return b
}

func (p *paneFacts) floats() [6]*float64 {
	return [...]*float64{&p.records, &p.unrated, &p.rated, &p.stoodFor, &p.located, &p.disagreed}
}

func (s *Says) flags() [6]*bool {
	return [...]*bool{&s.Tenants, &s.Keys, &s.Callers, &s.Shards, &s.Ops, &s.Rates}
}

func (s *Says) bits() (b byte) {
	for i, v := range s.flags() {
		if *v {
			b |= 1 << i
		}
	}
	return b
}

func (s *Says) setBits(b byte) {
	for i, v := range s.flags() {
		*v = b>>i&1 == 1
	}
}

// decodeDelta reads an entry. What it gives refers to the bytes.
func decodeDelta(entry []byte) (*delta, error) {
	r := &wireReader{b: entry}
	if head := r.fixed(2, "head"); len(head) < 2 || head[0] != entryDelta || head[1] != entryVersion {
		return nil, fmt.Errorf("%w: no delta of version %d", errWire, entryVersion)
	}
	d := &delta{}
	copy(d.by[:], r.fixed(len(d.by), "instance"))
	d.number = r.uint("number")
	if b := r.fixed(8, "seed"); b != nil {
		d.seed = binary.LittleEndian.Uint64(b)
	}
	d.topics = r.topics()
	d.ranges = r.ranges(d.topics)
	for range r.count(10, "fleets") {
		d.fleets = append(d.fleets, r.fleet())
	}
	if err := r.end(); err != nil {
		return nil, fmt.Errorf("delta: %w", err)
	}
	return d, nil
}

// topics reads topics; each has a name and an id of its own.
func (r *wireReader) topics() (topics []Topic) {
	names, ids := map[string]bool{}, map[TopicID]bool{}
	for range r.count(18, "topics") {
		t := Topic{}
		copy(t.ID[:], r.fixed(len(t.ID), "topic id"))
		t.Name = string(r.bytes("topic name"))
		n := r.uint("partitions")
		if n > maxPartitions || names[t.Name] || ids[t.ID] || len(topics) == maxTopics {
			r.fail("topic")
			return nil
		}
		t.Partitions = int32(n)
		names[t.Name], ids[t.ID] = true, true
		topics = append(topics, t)
	}
	return topics
}

const (
	// maxPartitions bounds what a hostile entry may make us wait for: a topic with more is not counted.
	maxPartitions = 1 << 16
	// mostRecords is more than a tick has.
	mostRecords = 1 << 40
	// maxTopics bounds the topics of an entry, and the lives that are in force at once.
	maxTopics = 4096
)

// ranges reads ranges; they ascend, so that no partition has two.
func (r *wireReader) ranges(topics []Topic) (ranges []Range) {
	last := uint64(0)
	for i := range r.count(11, "ranges") {
		at, number := r.uint("topic"), r.uint("partition")
		if at >= uint64(len(topics)) || number >= uint64(max(topics[at].Partitions, 0)) {
			r.fail("range of no partition")
			return nil
		}
		place := at<<32 | number
		v := Range{Partition: Partition{topics[at].ID, int32(number)}}
		v.From = r.int("from")
		v.To = v.From + r.int("to")
		v.End = v.To + r.int("end")
		v.Time, v.First = r.int("time"), r.int("first")
		v.Records, v.Skipped = r.int("records"), r.int("skipped")
		if flags := r.fixed(2, "flags"); flags != nil {
			v.Why, v.Thin = Skip(flags[0]), flags[1]
		}
		if !v.valid() || i > 0 && place <= last {
			r.fail("range")
			return nil
		}
		last = place
		ranges = append(ranges, v)
	}
	return ranges
}

// valid tells a range that can be: only a broker that lost records makes one go back.
func (r *Range) valid() bool {
	way := r.To - r.From
	if r.To < r.From {
		if r.Why != SkipLost || r.Records > 0 {
			return false
		}
		way = -way
	}
	return r.From >= 0 && r.To >= 0 && r.End >= -1 && r.Records >= 0 && r.Skipped >= 0 && r.Skipped <= way && r.Thin <= maxThin
}

func (r *wireReader) fleet() fleetDelta {
	f := fleetDelta{name: string(r.bytes("fleet"))}
	if b := r.fixed(9, "fingerprint"); b != nil {
		f.print = binary.LittleEndian.Uint64(b)
		f.says.setBits(b[8])
	}
	if f.taken, f.lost = r.uint("taken"), r.uint("lost"); f.taken > mostRecords || f.lost > mostRecords {
		r.fail("records of a tick")
	}
	f.base = int(r.uint("shards"))
	for range r.count(1, "new shards") {
		f.shards = append(f.shards, string(r.bytes("shard")))
	}
	for range r.count(50, "panes") {
		p := paneDelta{number: r.int("pane")}
		for _, v := range p.facts.floats() {
			*v = r.float("facts")
		}
		p.facts.cost = r.uint("cost")
		p.part, p.pieces = r.bytes("part"), r.bytes("pieces")
		f.panes = append(f.panes, p)
	}
	return f
}

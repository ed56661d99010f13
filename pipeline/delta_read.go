package pipeline

import (
	"encoding/binary"
	"fmt"
)

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
	return r.From >= 0 && r.To >= 0 && r.End >= -1 && r.Records >= 0 && r.Skipped >= 0 && r.Skipped <= way && r.Thin <= MaxThin
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

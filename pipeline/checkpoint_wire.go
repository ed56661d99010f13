package pipeline

import (
	"encoding/binary"
	"fmt"
	"time"

	"firebreak/routing"
)

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
		if v.To < 0 || v.End < -1 || v.Thin > MaxThin {
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

package pipeline

import "encoding/binary"

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
	entryRoute      = 'r'
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

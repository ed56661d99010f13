package pipeline

import (
	"fmt"
	"slices"

	"firebreak/pipeline/record"
	"firebreak/routing"
	"firebreak/sketch"
)

// Tick is what one instance counts of its partitions between two deltas. It starts empty after every Seal and depends on
// the records of its ranges, and on where their partitions stood, alone.
//
//	Sync(view) -> Assign -> Offer, Pass, Skip ... -> Seal -> a delta for the log
//
// Its memory is fixed but for the state of its partitions. NewTick makes it; it belongs to one goroutine.
type Tick struct {
	by      Instance
	number  uint64
	fleets  []*tickFleet
	topics  map[TopicID]*tickTopic
	parts   map[Partition]*Part
	horizon int64 // now, ns: no record may be later by more than its fleet's skew
	dirty   bool  // something was counted since the last Seal
	seed    uint64
	print   uint64 // of the seed
	loose   int    // bytes that may be taken by what cannot be left out, before a tick is sealed early

	part   sketch.Part
	refuse Refuse
}

// Refuse is told of every record that gave none: of which fleet, why, and the message.
type Refuse func(fleet string, why record.Reason, m *record.Message)

// tickTopic is a topic with the fleets that read it.
type tickTopic struct {
	Topic

	fleets []*tickFleet
}

// Offered is the answer of Offer.
type Offered uint8

// The answers.
const (
	Taken   Offered = iota // counted, or refused for good
	Full                   // not taken: Seal, then offer it again
	Ahead                  // not taken: its partition is too far ahead of the others; offer it again after the next Sync
	Pending                // not taken: its schema is being asked for, see Learn; offer it again later
)

// NewTick makes the counting of an instance that counts with a seed.
func NewTick(by Instance, fleets []LiveFleet, seed uint64, refuse Refuse) (*Tick, error) {
	t := &Tick{by: by, topics: map[TopicID]*tickTopic{}, parts: map[Partition]*Part{}, refuse: refuse, seed: seed, print: seedPrint(seed), loose: looseDelta}
	for i := range fleets {
		f, err := newTickFleet(&fleets[i], seed)
		if err != nil {
			return nil, fmt.Errorf("fleet %s: %w", routing.Escape(fleets[i].Fleet), err)
		}
		t.fleets = append(t.fleets, f)
	}
	return t, nil
}

// Sync takes over what the log says by now, and the time, ns: a record that is later by more than its fleet's skew is
// refused.
func (t *Tick) Sync(v *View, now int64) {
	t.horizon = now
	for i, f := range t.fleets {
		f.sync(&v.Fleets[i], t.dirty)
	}
}

// Assign begins to count a partition at an offset. from is where the log says it was counted to; known is what the log says
// of it, nil if it was never counted.
func (t *Tick) Assign(topic Topic, number int32, from int64, known *Progress) *Part {
	of := t.topics[topic.ID]
	if of == nil {
		of = &tickTopic{}
		for _, f := range t.fleets {
			if f.reads(topic.Name) {
				of.fleets = append(of.fleets, f)
			}
		}
		t.topics[topic.ID] = of
	}
	topic.Partitions = max(topic.Partitions, of.Partitions)
	of.Topic = topic
	p := &Part{
		Partition: Partition{topic.ID, number}, topic: of, from: from, to: from, time: record.NoTime, first: record.NoTime, fresh: known == nil || known.First == record.NoTime,
		gates: make([]gate, len(of.fleets)),
	}
	if known != nil {
		p.time, p.thin = known.Time, known.Thin
	}
	for i, f := range of.fleets {
		g := &p.gates[i]
		*g = gate{skew: int64(f.live.Skew), window: int64(f.live.Window), longest: int64(f.live.Window)}
		if p.time != record.NoTime {
			g.started, g.front = true, p.time
		}
		g.accept = func(_ int, at int64, rec *record.Record) { f.take(p, at, rec) }
		g.refuse = func(_ *held, late bool) { f.turnAway(late) }
	}
	t.parts[p.Partition] = p
	return p
}

// Grown keeps how many partitions a topic has.
func (t *Tick) Grown(topic Topic) {
	if of := t.topics[topic.ID]; of != nil {
		of.Partitions = max(of.Partitions, topic.Partitions)
	}
}

// Release forgets a partition. What was counted of it since the last Seal must have been sealed, or be discarded.
func (t *Tick) Release(p Partition) { delete(t.parts, p) }

// Part finds an assigned partition; nil if it is not.
func (t *Tick) Part(p Partition) *Part { return t.parts[p] }

// Parts is the number of assigned partitions.
func (t *Tick) Parts() int { return len(t.parts) }

// Skip moves the position past offsets that cannot be read any more, and keeps why.
func (t *Tick) Skip(p *Part, to int64, why Skip) {
	if to > p.to {
		p.skipped += to - p.to
		p.why, p.to = why, to
		t.dirty = true
	}
}

// Rewind moves the position back to the end of a partition whose broker lost what was counted beyond it. The tick must have
// nothing else of the partition, see Moved: Seal first.
func (t *Tick) Rewind(p *Part, end int64) {
	if end < p.to && p.to == p.from {
		p.skipped += p.to - end
		p.why, p.to = SkipLost, end
		t.dirty = true
	}
}

// Offer counts the record at an offset of a partition, or says why it cannot be counted now. The message is not kept.
func (t *Tick) Offer(p *Part, offset int64, m *record.Message) Offered {
	if p.thin > 0 && mix(uint64(offset))&(1<<p.thin-1) != 0 {
		for _, f := range p.topic.fleets {
			f.tally.stats.Thinned++
		}
		p.records++
		p.to = offset + 1
		return Taken
	}
	loose, open := 0, false
	for i, f := range p.topic.fleets {
		f.read(m)
		if answer := f.fits(p, &p.gates[i], t.horizon); answer != Taken {
			return answer
		}
	}
	for _, f := range t.fleets {
		loose += f.loose()
		open = open || len(f.open) > 0
	}
	if open && loose > t.loose {
		return Full
	}
	t.dirty = true
	for i, f := range p.topic.fleets {
		f.observe(&p.gates[i], t.horizon, t.refuse)
	}
	p.records++
	p.to = offset + 1
	return Taken
}

// mix scatters an offset, so that no rhythm of the log meets that of the sample (the finalizer of splitmix64).
func mix(v uint64) uint64 {
	v = (v ^ v>>30) * 0xbf58476d1ce4e5b9
	v = (v ^ v>>27) * 0x94d049bb133111eb
	return v ^ v>>31
}

// Discard drops all that was counted since the last Seal. Every partition must be assigned anew, where the log says it was
// counted to.
func (t *Tick) Discard() error {
	t.empty()
	clear(t.parts)
	for _, f := range t.fleets {
		if err := f.resetPlaces(); err != nil {
			return err
		}
	}
	return nil
}

func (t *Tick) empty() {
	for _, f := range t.fleets {
		f.empty()
	}
	t.dirty = false
}

// Stats gives, for every fleet, what was seen since the Tick was made, and how many records gave none by record.Reason.
func (t *Tick) Stats(each func(fleet string, stats *Stats, refused []uint64)) {
	for _, f := range t.fleets {
		each(f.live.Fleet, &f.tally.stats, f.refused)
	}
}

// ReadsHeaders tells whether any fleet reads headers: else messages need not have them.
func (t *Tick) ReadsHeaders() bool {
	return slices.ContainsFunc(t.fleets, func(f *tickFleet) bool { return f.headers })
}

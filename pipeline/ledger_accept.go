package pipeline

import (
	"errors"
	"maps"
	"time"

	"firebreak/pipeline/record"
	"firebreak/sketch"
)

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

// prepare decodes the parts of a delta into work. It marks and tells what this ledger cannot count.
func (l *Ledger) prepare(d *delta, out *Outcome) {
	l.ready = 0
	for i := range d.fleets {
		fd := &d.fleets[i]
		f := l.fleet(fd.name)
		if f == nil {
			continue
		}
		if f.print != fd.print {
			out.Foreign++
			continue
		}
		before := l.ready
		fd.counted = true
		for j := range fd.panes {
			if !l.decode(f, &fd.panes[j]) {
				out.Crowded++
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

// accept adds a delta that was checked, and tells what of it is not counted here.
func (l *Ledger) accept(d *delta, out *Outcome) {
	l.prepare(d, out)
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
			out.Crowded++
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
			if fd := &d.fleets[i]; fd.name == f.live.Fleet && fd.counted {
				counted = true
				c.taken += fd.taken
				c.lost += fd.lost
			}
		}
		for i := range d.ranges {
			r := &d.ranges[i]
			if !l.reads(f, r.Topic) {
				continue
			}
			read := max(0, r.To-r.From-r.Skipped)
			if counted {
				c.counted += read
				c.skipped += r.Skipped
			} else {
				c.skipped += read + r.Skipped
			}
		}
		gone := min(lost[f], c.counted)
		c.counted -= gone
		c.skipped += gone
		f.cover[at] = c
		maps.DeleteFunc(f.cover, func(k int64, _ cover) bool { return k <= at-int64(f.live.LongPanes()) })
	}
}

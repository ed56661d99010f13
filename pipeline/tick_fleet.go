package pipeline

import (
	"slices"

	"firebreak/pipeline/record"
	"firebreak/sketch"
)

// tickFleet is one fleet's part of a Tick.
type tickFleet struct {
	live    *LiveFleet
	routed  *Routed // nil = the configuration's document
	print   uint64
	places  places
	tally   tally
	decoder *record.Decoder
	headers bool
	size    sketch.Config
	base    int    // shards that the log knew
	summed  int    // shards whose names are in named
	taken   uint64 // what heard gave when this tick began
	lost    uint64
	named   int   // bytes of the names of shards that the log does not know
	room    int64 // the highest pane that may have traffic
	past    int64 // panes up to it have left the window
	slow    int64 // up to where the slowest partition is, ns
	open    []*openPane
	idle    []*openPane // not in use: their memory is used again
	held    []int64     // panes that are not open, and are kept free: fits said Taken to a record of theirs, which the gate may hold back for now

	line    record.Message // the record at hand and what is left of its message
	rest    []byte
	rec     record.Record
	reason  record.Reason
	pending bool     // its schema is being asked for
	refused []uint64 // by reason, of all ticks
	schemas Schemas  // nil = none are learned
}

// openPane is a pane that is being counted.
type openPane struct {
	number  int64
	facts   paneFacts
	summary *sketch.Summary
	pieces  *sketch.Summary // nil without salts
}

const (
	// mostOpen is how many panes a delta has; the records of another one wait for the next.
	mostOpen = 4
	// mostForced is how many it may have where one message needs more.
	mostForced = 8
	// loadBytes is what a vshard's sums take at most, as a rule.
	loadBytes = 28
)

func newTickFleet(live *LiveFleet, seed uint64) (*tickFleet, error) {
	f := &tickFleet{live: live, room: 1<<63 - 1, past: -1 << 62, slow: record.NoTime, refused: make([]uint64, len(record.Reasons())+1)}
	var err error
	if f.print, err = live.fingerprint(); err != nil {
		return nil, err
	}
	if f.decoder, err = record.NewDecoder(live.Record); err != nil {
		return nil, err
	}
	f.headers = f.decoder.ReadsHeaders()
	if f.size, err = live.Counting(seed); err != nil {
		return nil, err
	}
	return f, f.resetPlaces()
}

// resetPlaces begins with the shards of the configuration.
func (f *tickFleet) resetPlaces() error {
	f.places = places{}
	if err := f.places.init(&f.live.Config); err != nil {
		return err
	}
	f.base = len(f.places.shards)
	f.summed, f.named = f.base, 0
	if f.routed != nil {
		f.places.rule(f.routed)
	}
	stats := f.tally.stats
	f.tally = tally{cfg: &f.live.Config, places: &f.places, stats: stats}
	return nil
}

// sync takes over the shards that the log has named, as far as nothing that is counted depends on others.
func (f *tickFleet) sync(v *FleetView, dirty bool) {
	f.room, f.past, f.slow = v.Room, v.Past, v.Slow
	if v.Routed != nil && v.Routed != f.routed { // a log that is read anew has yet to say it
		f.routed = v.Routed
		f.places.rule(f.routed)
	}
	if !f.places.explicit || dirty && len(f.places.shards) > f.base {
		return
	}
	known := min(len(v.Shards), len(f.places.shards))
	for i := range known {
		if f.places.shards[i].Name != v.Shards[i] {
			if f.resetPlaces() != nil {
				return
			}
			break
		}
	}
	for _, name := range v.Shards[min(len(f.places.shards), len(v.Shards)):] {
		if _, ok := f.places.learn(name); !ok {
			return
		}
	}
	f.base = max(f.base, len(v.Shards))
}

func (f *tickFleet) reads(topic string) bool { return slices.Contains(f.live.Topics, topic) }

// read decodes the first record of a message.
func (f *tickFleet) read(m *record.Message) {
	f.line, f.rest = *m, m.Value
	f.next()
}

// next decodes the next record of the message.
func (f *tickFleet) next() {
	f.line.Value, f.rest = f.decoder.First(f.rest)
	f.decode()
}

// observe takes the records of the message that was read, or refuses them.
func (f *tickFleet) observe(g *gate, horizon int64, refuse Refuse) {
	for {
		f.tally.stats.Records++
		f.refused[f.reason]++
		if f.reason == record.ReasonNone && f.rec.Time == record.NoTime {
			f.rec.Time = f.arrived(horizon)
			f.tally.stats.Untimed++
		}
		switch {
		case f.reason == record.ReasonNone && f.rec.Time > horizon+g.skew:
			f.tally.stats.Future++
		case f.reason == record.ReasonNone:
			g.observe(0, f.rec.Time, &f.rec)
		case f.reason.Refusal() && refuse != nil:
			refuse(f.live.Fleet, f.reason, &f.line)
		}
		if len(f.rest) == 0 {
			return
		}
		f.next()
	}
}

// arrived is the time of a record that carries none: its message's, or now.
func (f *tickFleet) arrived(now int64) int64 {
	if f.line.Time == record.NoTime {
		return now
	}
	return f.line.Time
}

func (f *tickFleet) find(pane int64) *openPane {
	for _, p := range f.open {
		if p.number == pane {
			return p
		}
	}
	return nil
}

// pane finds an open pane or opens it; nil if there is no room.
func (f *tickFleet) pane(number int64) *openPane {
	if p := f.find(number); p != nil {
		return p
	}
	if len(f.open) >= mostForced {
		return nil
	}
	p := &openPane{}
	if n := len(f.idle); n > 0 {
		p, f.idle = f.idle[n-1], f.idle[:n-1]
	} else {
		p.summary = sketch.NewSummary(f.size)
	}
	if f.places.folds && p.pieces == nil {
		p.pieces = sketch.NewSummary(salted(f.size))
	}
	p.number, p.facts = number, paneFacts{}
	f.open = append(f.open, p)
	f.held = slices.DeleteFunc(f.held, func(n int64) bool { return n == number })
	return p
}

// take counts a record whose time is accepted.
func (f *tickFleet) take(p *Part, at int64, rec *record.Record) {
	if p.time == record.NoTime || at > p.time {
		p.time = at
	}
	if p.first == record.NoTime {
		p.first = at
	}
	number := floorDiv(at, int64(f.live.Pane))
	if number <= f.past {
		f.tally.stats.Late++
		return
	}
	pane := f.pane(number)
	if pane == nil {
		f.tally.stats.Crowded++
		return
	}
	f.tally.keep = 1 / float64(int(1)<<p.thin)
	if !f.tally.count(rec, number, &pane.facts) {
		return
	}
	pane.summary.Add(&f.tally.event)
	if len(f.tally.piece.Key) > 0 && pane.pieces != nil {
		pane.pieces.Add(&f.tally.piece)
	}
}

func (f *tickFleet) turnAway(late bool) {
	if late {
		f.tally.stats.Late++
	} else {
		f.tally.stats.Future++
	}
}

// heard gives how many records of all ticks were counted, and how many that should have been were not. Those that are late are
// in neither: panes that are closed do not miss them, or have left the window.
func (f *tickFleet) heard() (taken, lost uint64) {
	for reason, n := range f.refused {
		if record.Reason(reason).Refusal() {
			lost += n
		}
	}
	s := &f.tally.stats
	return s.Counted, lost + s.Future + s.Refused + s.TooHeavy + s.TooManyShards + s.Crowded
}

// empty drops what was counted.
func (f *tickFleet) empty() {
	f.taken, f.lost = f.heard()
	for _, p := range f.open {
		p.summary.Reset()
		if p.pieces != nil {
			p.pieces.Reset()
		}
	}
	f.idle = append(f.idle, f.open...)
	f.open, f.held = f.open[:0], f.held[:0]
	f.base = len(f.places.shards)
}

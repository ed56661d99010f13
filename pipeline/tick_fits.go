package pipeline

import (
	"slices"

	"firebreak/pipeline/record"
	"firebreak/routing"
)

// fits tells whether all records of the message that was read can be counted in this tick: their panes are open, or may be
// opened, also for those that will be held back. horizon is now.
func (f *tickFleet) fits(p *Part, g *gate, horizon int64) Offered {
	if len(g.held) == maxHeld {
		return Full // one more would be lost
	}
	if len(f.rest) == 0 {
		return f.fitsOne(p, g, horizon)
	}
	line, rest, empty := f.line, f.rest, len(f.open)+len(f.held) == 0
	answer := f.fitsOne(p, g, horizon)
	for answer == Taken && len(f.rest) > 0 {
		f.next()
		answer = f.fitsOne(p, g, horizon)
	}
	f.line, f.rest = line, rest
	f.decode()
	if answer == Full && empty {
		return Taken // it will not fit any better
	}
	return answer
}

// fitsOne does so for the record at hand.
func (f *tickFleet) fitsOne(p *Part, g *gate, horizon int64) Offered {
	if f.pending {
		return Pending
	}
	at := f.rec.Time
	if at == record.NoTime {
		at = f.arrived(horizon)
	}
	if f.reason != record.ReasonNone || at > horizon+g.skew {
		return Taken // refused
	}
	pane := floorDiv(at, int64(f.live.Pane))
	switch {
	case pane <= f.past || f.find(pane) != nil:
		return Taken
	case pane > f.room && p.time != record.NoTime && p.time > f.slow:
		return Ahead // others are slower, and there is no room to wait for them
	case len(f.open)+len(f.held) >= mostOpen && !slices.Contains(f.held, pane):
		return Full
	}
	f.hold(pane)
	return Taken
}

// hold keeps room for the pane of a record that is about to be counted, or is held back until it may be.
func (f *tickFleet) hold(pane int64) {
	if !slices.Contains(f.held, pane) {
		f.held = append(f.held, pane)
	}
}

// loose is about how many bytes of the delta cannot be left out.
func (f *tickFleet) loose() (bytes int) {
	vshards := f.size.VShards
	if f.places.explicit {
		vshards = routing.ExplicitBuckets * len(f.places.shards)
	}
	for _, p := range f.open {
		bytes += loadBytes * min(int(p.summary.Events()), vshards)
	}
	if f.summed < f.base { // the log has named more shards by now: those do not travel, and the rest is summed anew
		f.summed, f.named = f.base, 0
	}
	for ; f.summed < len(f.places.shards); f.summed++ {
		f.named += 2 + len(f.places.shards[f.summed].Name)
	}
	return bytes + f.named
}

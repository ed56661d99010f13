package history

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"time"

	"firebreak/actuator"
)

const (
	// peakDays is how far back a default quota looks; a day more is kept, because a hotspot may be open for a while.
	peakDays = 7
	// peakHours is how long the highest rate of each hour is kept; then that of its day.
	peakHours = 24
	// peakTenants is how many tenants of a fleet are remembered at most.
	peakTenants = 1024
	// peakRoom bounds what is remembered of all fleets together, in bytes of a checkpoint: with the rest it fits an entry
	// of the log of deltas. peakCost is what a tenant takes beside its name: 25 hours, 8 days, and what tells them.
	peakRoom = 256 << 10
	peakCost = 24 + 3*(peakHours+1) + 4*(peakDays+1)
)

// Peaks knows the highest rate over a long window (5 minutes) that each listed tenant had: hour by hour for a day, day by day
// for a week before that. Rates are rounded up to 8 bits: at most 0.8 % too high. It is fed with minutes in their order; one
// that comes twice changes nothing. What it knows is a function of them: it travels in checkpoints, so that every instance
// answers alike.
//
// Memory is bounded: of a fleet it remembers so many tenants, and as many as fit the fleet's part of the room; those whose
// highest rate is the lowest go first. NewPeaks makes it; it belongs to one goroutine.
type Peaks struct {
	redact actuator.Redact
	most   int // tenants of a fleet
	room   int // bytes of a fleet
	fleets map[string]*fleetPeaks
}

type fleetPeaks struct {
	newest  int64 // hour since 1970
	tenants map[string]*series
}

// series is what is known of one tenant: steps by rising number.
type series struct {
	hours []step // since newest - peakHours
	days  []step // of hours before that
}

// step is the highest rate of an hour or a day, by its number since 1970.
type step struct {
	number uint32
	rate   rate16
}

// rate16 is the upper half of a float32: 8 bits of a positive rate. Larger rates have larger numbers; 0 = none.
type rate16 uint16

// rateOf rounds up.
func rateOf(rate float64) rate16 {
	if rate > 0 { // and a number
		bits := (math.Float32bits(float32(rate)) + 0xffff) >> 16
		return rate16(min(bits, 0x7f7f)) // the largest that is finite
	}
	return 0
}

func (r rate16) value() float64 { return float64(math.Float32frombits(uint32(r) << 16)) }

// NewPeaks makes one that knows nothing. redact is what the minutes were made with; fleets is how many share the room, 0 = 1.
func NewPeaks(redact actuator.Redact, fleets int) *Peaks {
	return &Peaks{redact: redact, most: peakTenants, room: peakRoom / max(1, fleets), fleets: map[string]*fleetPeaks{}}
}

// Fold takes the next minute. One of an hour before the newest is dropped.
func (p *Peaks) Fold(m *Minute) {
	hour := floor(minuteOf(m.Start), 60)
	if hour < 0 || hour > math.MaxUint32 || len(m.Peaks) == 0 {
		return
	}
	f := p.fleets[m.Fleet]
	if f == nil {
		f = &fleetPeaks{newest: hour, tenants: map[string]*series{}}
		p.fleets[m.Fleet] = f
	}
	if hour < f.newest {
		return
	}
	if hour > f.newest {
		f.newest = hour
		f.sweep()
	}
	for _, peak := range m.Peaks {
		rate := rateOf(peak.Rate)
		if rate == 0 {
			continue
		}
		s := f.tenants[peak.Tenant]
		if s == nil {
			s = &series{}
			f.tenants[peak.Tenant] = s
		}
		s.hours = raise(s.hours, step{uint32(hour), rate})
	}
	f.forget(p.most, p.room)
}

// raise takes a step that is the last one or a later one.
func raise(steps []step, x step) []step {
	if n := len(steps); n > 0 && steps[n-1].number == x.number {
		steps[n-1].rate = max(steps[n-1].rate, x.rate)
		return steps
	}
	return append(steps, x)
}

// sweep puts hours of more than a day ago together and drops days that no answer needs.
func (f *fleetPeaks) sweep() {
	oldest := f.newest/24 - peakDays - 1
	for name, s := range f.tenants {
		old := 0
		for ; old < len(s.hours) && int64(s.hours[old].number) < f.newest-peakHours; old++ {
			s.days = raise(s.days, step{s.hours[old].number / 24, s.hours[old].rate})
		}
		s.hours = slices.Delete(s.hours, 0, old)
		s.days = slices.DeleteFunc(s.days, func(x step) bool { return int64(x.number) < oldest })
		if len(s.hours)+len(s.days) == 0 {
			delete(f.tenants, name)
		}
	}
}

// highest is the highest rate of all that is known.
func (s *series) highest() (high rate16) {
	for _, steps := range [2][]step{s.hours, s.days} {
		for _, x := range steps {
			high = max(high, x.rate)
		}
	}
	return high
}

// forget drops tenants beyond the most, or beyond the room.
func (f *fleetPeaks) forget(most, room int) {
	took := 0
	for name := range f.tenants {
		took += len(name) + peakCost
	}
	if len(f.tenants) <= most && took <= room {
		return
	}
	names := slices.Collect(maps.Keys(f.tenants))
	highest := make(map[string]rate16, len(names))
	for _, name := range names {
		highest[name] = f.tenants[name].highest()
	}
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(cmp.Compare(highest[b], highest[a]), cmp.Compare(a, b))
	})
	took = 0
	for i, name := range names {
		if took += len(name) + peakCost; i >= most || took > room {
			delete(f.tenants, name)
		}
	}
}

// Peak gives the highest rate of a tenant over the 7 days before a moment, in load/s, 0 = not known. It is of whole hours that
// ended by then, and of whole days before the last 24 hours: the moment is to be the onset of what is judged, and the load that
// is to be limited must not be its own history.
func (p *Peaks) Peak(fleet, tenant string, before time.Time) float64 {
	f := p.fleets[fleet]
	if f == nil || tenant == "" {
		return 0
	}
	if p.redact != nil {
		tenant = p.redact([]byte(tenant))
	}
	s := f.tenants[tenant]
	if s == nil {
		return 0
	}
	end := minuteOf(before)
	var high rate16
	for _, steps := range [...]struct {
		of      []step
		minutes int64
	}{{s.hours, 60}, {s.days, 24 * 60}} {
		for _, x := range steps.of {
			if over := (int64(x.number) + 1) * steps.minutes; over <= end && over > end-peakDays*24*60 {
				high = max(high, x.rate)
			}
		}
	}
	return high.value()
}

// floor divides downwards.
func floor(n, by int64) int64 {
	if n < 0 {
		return (n - by + 1) / by
	}
	return n / by
}

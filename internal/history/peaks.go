package history

import (
	"cmp"
	"slices"
	"time"

	"firebreak/actuator"
	"firebreak/policy"
)

const (
	// peakSpan is how far back a default quota looks, peakFine how far in steps of a minute, peakStep the steps
	// before that, in minutes.
	peakSpan = 7 * 24 * 60
	peakFine = 24 * 60
	peakStep = 10
	// DefaultPeakTenants is how many tenants of a fleet are remembered: at most 20 KB each.
	DefaultPeakTenants = 1024
)

// Peaks knows the highest rate over a long window (5 minutes) that each listed tenant had, minute by minute for a day and in
// steps of 10 minutes for 7 days. It is fed with minutes in the order of the log; one that comes twice changes nothing. Memory
// is bounded: where more tenants were listed than it remembers, those that were listed longest ago go first, the lighter
// before the heavier. NewPeaks makes it; it belongs to one goroutine.
type Peaks struct {
	redact actuator.Redact
	most   int
	fleets map[string]*fleetPeaks
}

type fleetPeaks struct {
	newest  int64 // minute
	swept   int64 // step of minutes in which old points were last put together
	tenants map[string]*series
}

// series is the points of one tenant, by rising minute.
type series struct {
	points []point
}

type point struct {
	minute int32   // since 1970; the first of the step
	rate   float32 // of minutes, which are rounded to it
}

func (s *series) last() point { return s.points[len(s.points)-1] }

// NewPeaks makes one that knows nothing. redact is what the minutes were made with; most is how many tenants of each fleet
// are remembered, 0 = DefaultPeakTenants.
func NewPeaks(redact actuator.Redact, most int) *Peaks {
	if most <= 0 {
		most = DefaultPeakTenants
	}
	return &Peaks{redact: redact, most: most, fleets: map[string]*fleetPeaks{}}
}

// Fold takes the next minute. One that is 7 days behind the newest of its fleet, or lies beyond what 32 bits of minutes
// hold, is dropped.
func (p *Peaks) Fold(m *Minute) {
	at := minuteOf(m.Start)
	f := p.fleets[m.Fleet]
	if f == nil {
		f = &fleetPeaks{newest: at, tenants: map[string]*series{}}
		p.fleets[m.Fleet] = f
	}
	if at < 0 || at > 1<<31-1 || at < f.newest-peakSpan {
		return
	}
	f.newest = max(f.newest, at)
	for _, peak := range m.Peaks {
		s := f.tenants[peak.Tenant]
		if s == nil {
			s = &series{}
			f.tenants[peak.Tenant] = s
		}
		s.add(int32(at), float32(peak.Rate))
	}
	if f.newest/peakStep != f.swept {
		f.swept = f.newest / peakStep
		f.sweep()
	}
	f.forget(p.most)
}

// add puts a point where it belongs: at the end, as a rule.
func (s *series) add(minute int32, rate float32) {
	at, found := slices.BinarySearchFunc(s.points, minute, func(x point, m int32) int { return cmp.Compare(x.minute, m) })
	if found {
		s.points[at].rate = max(s.points[at].rate, rate)
		return
	}
	s.points = slices.Insert(s.points, at, point{minute, rate})
}

// sweep puts points of more than a day ago together and drops those of more than 7 days.
func (f *fleetPeaks) sweep() {
	for name, s := range f.tenants {
		kept := s.points[:0]
		for _, x := range s.points {
			switch minute := int64(x.minute); {
			case minute < f.newest-peakSpan:
				continue
			case minute < f.newest-peakFine:
				x.minute -= x.minute % peakStep
			}
			if n := len(kept); n > 0 && kept[n-1].minute == x.minute {
				kept[n-1].rate = max(kept[n-1].rate, x.rate)
				continue
			}
			kept = append(kept, x)
		}
		if s.points = kept; len(kept) == 0 {
			delete(f.tenants, name)
		}
	}
}

// forget drops tenants beyond the most.
func (f *fleetPeaks) forget(most int) {
	if len(f.tenants) <= most {
		return
	}
	names := make([]string, 0, len(f.tenants))
	for name := range f.tenants {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int {
		x, y := f.tenants[a].last(), f.tenants[b].last()
		return cmp.Or(cmp.Compare(y.minute, x.minute), cmp.Compare(y.rate, x.rate), cmp.Compare(a, b))
	})
	for _, name := range names[most:] {
		delete(f.tenants, name)
	}
}

// Histories gives the highest rate of each tenant that is known, over the 7 days before a moment, in the order given. The
// moment is to be before the onset of what is judged: of the oldest open hotspot, or a long window ago, or the load that is
// to be limited would be its own history.
func (p *Peaks) Histories(fleet string, before time.Time, tenants []string) []policy.TenantHistory {
	f := p.fleets[fleet]
	if f == nil {
		return nil
	}
	end := minuteOf(before)
	var out []policy.TenantHistory
	for _, tenant := range tenants {
		name := tenant
		if p.redact != nil && name != "" {
			name = p.redact([]byte(name))
		}
		s := f.tenants[name]
		if s == nil {
			continue
		}
		var peak float32
		for _, x := range s.points {
			if m := int64(x.minute); m < end && m >= end-peakSpan {
				peak = max(peak, x.rate)
			}
		}
		if peak > 0 {
			out = append(out, policy.TenantHistory{Tenant: tenant, Peak: float64(peak)})
		}
	}
	return out
}

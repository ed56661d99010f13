package report

import (
	"cmp"
	"slices"
	"time"

	"firebreak/internal/history"
	"firebreak/routing"
)

// maxLeaders bounds the names that a period remembers while it is read, of keys and of tenants.
const maxLeaders = 20_000

// measured is what the minutes of a period come to.
type measured struct {
	from, to time.Time
	minutes  []minuteState

	load        float64 // sum of load x seconds
	mean        float64 // sum of the serving shards' mean x seconds
	hottest     float64 // sum of the hottest's load x seconds
	utilization float64 // sum of the serving shards' mean utilisation x seconds ...
	limited     float64 // ... over the seconds in which a capacity is known
	above       float64 // of those, in which a shard was above peakGoal
	peak        float64 // highest utilisation of a serving shard in a minute
	peakShard   string
	peakAt      time.Time
	samples     float64
	coverage    float64 // sum of coverage x seconds
	least       float64 // lowest coverage
	lag         time.Duration
	keys        map[string]*leader
	tenants     map[string]*leader
}

// minuteState is whether one minute was recorded. The zero value was not.
type minuteState struct {
	covered uint8 // seconds
	blind   bool
}

// leader is a key or a tenant over a period.
type leader struct {
	key, tenant   string
	load          float64 // sum of load x seconds in minutes that name it
	reads, writes float64
	peak          float64 // highest load of a minute
}

func newMeasured(from, to time.Time) *measured {
	return &measured{
		from: from.UTC(), to: to.UTC(), minutes: make([]minuteState, (to.Sub(from)+time.Minute-1)/time.Minute), least: 1,
		keys: map[string]*leader{}, tenants: map[string]*leader{},
	}
}

// add takes a minute; false if it is not of the period.
func (p *measured) add(m *history.Minute) bool {
	if m.Start.Before(p.from) || !m.Start.Before(p.to) {
		return false
	}
	seconds := min(60, max(0, m.Covered.Seconds()))
	p.minutes[m.Start.Sub(p.from)/time.Minute] = minuteState{uint8(seconds), m.Blind}
	p.load += m.Load * seconds
	p.mean += m.Mean * seconds
	p.hottest += m.Hottest * seconds
	p.samples += m.Samples
	p.coverage += m.Coverage * seconds
	p.least, p.lag = min(p.least, m.Coverage), max(p.lag, m.Lag)
	p.utilize(m, seconds)
	for _, of := range []struct {
		into map[string]*leader
		list []history.Heavy
	}{{p.keys, m.TopKeys}, {p.tenants, m.Top}} {
		for i := range of.list {
			lead(of.into, &of.list[i], seconds)
		}
	}
	return true
}

// utilize takes the shares of their capacities that the serving shards had.
func (p *measured) utilize(m *history.Minute, seconds float64) {
	serving, sum, most := 0, 0.0, 0.0
	for i := range m.Shards {
		s := &m.Shards[i]
		u, known := utilizationOf(s)
		if !known || s.Role != routing.Serving {
			continue
		}
		serving++
		sum += u
		most = max(most, u)
		if u > p.peak {
			p.peak, p.peakShard, p.peakAt = u, s.Name, m.Start
		}
	}
	if serving == 0 {
		return
	}
	p.limited += seconds
	p.utilization += sum / float64(serving) * seconds
	if most > peakGoal {
		p.above += seconds
	}
}

// utilizationOf is a shard's load / capacity, in the dimension that is fuller.
func utilizationOf(s *history.Shard) (u float64, known bool) {
	for _, d := range []struct{ load, capacity float64 }{{s.Load, s.Capacity}, {s.Reads, s.ReadCapacity}, {s.Writes, s.WriteCapacity}} {
		if d.capacity > 0 {
			u, known = max(u, d.load/d.capacity), true
		}
	}
	return u, known
}

// lead adds one heavy name of a minute. Of too many names the lighter half is forgotten.
func lead(into map[string]*leader, h *history.Heavy, seconds float64) {
	id := h.Key
	if id == "" {
		id = h.Tenant
	}
	l := into[id]
	if l == nil {
		if len(into) >= maxLeaders {
			loads := make([]float64, 0, len(into))
			for _, o := range into {
				loads = append(loads, o.load)
			}
			slices.Sort(loads)
			for id, o := range into {
				if o.load <= loads[len(loads)/2] {
					delete(into, id)
				}
			}
		}
		l = &leader{key: h.Key, tenant: h.Tenant}
		into[id] = l
	}
	l.load += h.Load * seconds
	l.reads += h.Reads * seconds
	l.writes += h.Writes * seconds
	l.peak = max(l.peak, h.Load)
}

// heaviest are the leaders by their load, at most n.
func heaviest(all map[string]*leader, n int) []*leader {
	out := make([]*leader, 0, len(all))
	for _, l := range all {
		out = append(out, l)
	}
	slices.SortFunc(out, func(a, b *leader) int {
		return cmp.Or(cmp.Compare(b.load, a.load), cmp.Compare(a.key, b.key), cmp.Compare(a.tenant, b.tenant))
	})
	return out[:min(len(out), n)]
}

// per is a sum over seconds as its mean.
func per(sum, seconds float64) float64 {
	if seconds <= 0 {
		return 0
	}
	return sum / seconds
}

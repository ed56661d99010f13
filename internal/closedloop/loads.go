package closedloop

import (
	"slices"
	"time"

	"firebreak/actuator/operation"
	"firebreak/policy"
	"firebreak/routing"
	"firebreak/routing/control"
)

// demand is what is asked for now.
func (l *Loop) demand() {
	if l.loads == nil {
		l.loads = make([]float64, len(l.fleet.Streams))
	}
	since := l.Since()
	hot := l.o.Onset > 0 && since >= l.o.Onset
	if l.o.Spike > 0 && l.Spiked == 0 && len(l.Began) > 0 && l.now.Sub(l.Began[0].Began) >= l.o.Spike {
		l.Spiked, l.AtSpike = since, l.judged.table.Document()
	}
	for i := range l.fleet.Streams {
		s := &l.fleet.Streams[i]
		load := s.Before
		switch {
		case l.Spiked > 0:
			load = s.Spike
		case hot:
			load = s.After
		}
		if l.o.Factor != nil {
			load *= l.o.Factor(since, i)
		}
		l.loads[i] = load
	}
}

// allowed is the share of a stream that its quota lets through at a client.
func (l *Loop) allowed(p *placing, stream int) float64 {
	if !l.fleet.ByTenant() || l.loads[stream] <= 0 {
		return 1
	}
	for _, q := range p.table.Document().Quotas {
		if q.Tenant == l.fleet.Streams[stream].Name {
			return min(1, q.Rate/l.loads[stream])
		}
	}
	return 1
}

// Served is what every shard serves now, in shares of its capacity.
func (l *Loop) Served() []float64 {
	out := make([]float64, l.fleet.Table.Shards())
	for _, c := range l.clients {
		for i := range l.fleet.Streams {
			s := &l.fleet.Streams[i]
			load := c.share * l.loads[i] * l.allowed(c.placed, i) / l.fleet.Capacity
			for _, p := range c.placed.to[i] {
				out[p.shard] += load * (s.Reads*p.reads + (1-s.Reads)*p.writes)
			}
		}
	}
	return out
}

// logged is what the log has of each stream: what was asked for, or what shards served where they log. Reads of pieces count once.
func (l *Loop) logged() []float64 {
	out := make([]float64, len(l.loads))
	shard := l.fleet.Kind == KindReadKey || l.fleet.Kind == KindWhale
	for i := range l.loads {
		if !shard {
			out[i] = l.loads[i]
			continue
		}
		s := &l.fleet.Streams[i]
		for _, c := range l.clients {
			load := c.share * l.loads[i] * l.allowed(c.placed, i)
			for _, p := range c.placed.to[i] {
				out[i] += load * (s.Reads*p.reads + (1-s.Reads)*p.writes)
			}
		}
	}
	return out
}

// refused is what clients refuse of tenants.
func (l *Loop) refused() []policy.Demand {
	if !l.fleet.ByTenant() {
		return nil
	}
	var out []policy.Demand
	for i := range l.loads {
		var rate float64
		for _, c := range l.clients {
			rate += c.share * l.loads[i] * (1 - l.allowed(c.placed, i))
		}
		if rate > 0 {
			out = append(out, policy.Demand{Tenant: l.fleet.Streams[i].Name, Rate: rate})
		}
	}
	return out
}

// reads is within how long after a change clients may still route by the document before, without a word: what the log of deltas allows.
const reads = 20 * time.Second

// disagree is the share of the load that goes to other shards than the document names, or the one before while that is fresh.
func (l *Loop) disagree() float64 {
	var wrong, all float64
	for _, c := range l.clients {
		for i := range l.fleet.Streams {
			load := c.share * l.loads[i]
			all += load
			if c.placed == l.judged.is || same(c.placed.to[i], l.judged.is.to[i]) {
				continue
			}
			if l.judged.was != nil && l.now.Sub(l.judged.since) < reads+Pane && same(c.placed.to[i], l.judged.was.to[i]) {
				continue
			}
			wrong += load * elsewhere(c.placed.to[i], l.judged.is.to[i])
		}
	}
	return wrong / max(all, 1)
}

func same(a, b []part) bool { return elsewhere(a, b) == 0 && elsewhere(b, a) == 0 }

// elsewhere is the share of what a sends that goes to shards to which b sends nothing.
func elsewhere(a, b []part) float64 {
	var wrong, all float64
	for _, p := range a {
		all += p.reads + p.writes
		found := false
		for _, q := range b {
			found = found || q.shard == p.shard
		}
		if !found {
			wrong += p.reads + p.writes
		}
	}
	return wrong / max(all, 1e-9)
}

// record keeps what a new state tells of operations and of virtual shards.
func (l *Loop) record(was *routing.Document, s *control.State) {
	for i := range s.Operations {
		o := &s.Operations[i]
		if !o.Began.IsZero() && !has(l.Began, o.Number) {
			l.Began = append(l.Began, o.Copy())
		}
		if o.Outcome != "" && !o.Began.IsZero() && !has(l.Ended, o.Number) {
			l.Ended = append(l.Ended, o.Copy())
		}
	}
	if was.Version == s.Document.Version {
		return
	}
	is, err := l.placingOf()
	if err != nil {
		return // take says so
	}
	for v := range routing.VShard(l.fleet.Table.VShards()) {
		if from, to := l.judged.table.Owner(v), is.table.Owner(v); from != to {
			back := slices.ContainsFunc(s.Operations, func(o control.Operation) bool {
				return o.Back && slices.Contains(o.Entries(), routing.VShardEntry(v))
			})
			l.Moved = append(l.Moved, Moved{l.Since(), v, from, to, back})
		}
	}
}

func has(list []control.Operation, number uint64) bool {
	for i := range list {
		if list[i].Number == number {
			return true
		}
	}
	return false
}

// Open says that an operation works or is planned.
func (l *Loop) Open() bool {
	for i := range l.state.Operations {
		if operation.Open(&l.state.Operations[i]) {
			return true
		}
	}
	return false
}

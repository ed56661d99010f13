package pipeline

import (
	"math"

	"firebreak/pipeline/record"
	"firebreak/sketch"
)

// count places a record and counts it.
func (f *Fleet) count(rec *record.Record, pane int64) {
	requests := rec.Requests(f.cfg.Rate)
	switch {
	case !(rec.Count > 0) || math.IsInf(requests, 0):
		f.stats.Refused++
		return
	case requests > record.MaxRequests:
		f.stats.TooHeavy++
		return
	}
	at, ok := f.places.locate(rec)
	if !ok {
		f.stats.TooManyShards++
		return
	}
	facts := f.facts(pane)
	f.note(rec, requests, at, facts)
	f.weigh(rec, requests)
	facts.cost += f.event.Sums.Cost
	e := &f.event
	e.Pane, e.VShard, e.Shard = pane, int32(at.vshard), int32(at.shard)
	e.Key, e.SoleTenant = f.identity(rec, at), f.places.tenantKeys
	e.Tenant, e.Caller, e.KeySums = rec.Tenant, rec.Caller, nil
	if at.pieces > 0 {
		f.fold(rec, at)
	}
	f.counter.Add(e)
}

// note keeps what a record says about the log.
func (f *Fleet) note(rec *record.Record, requests float64, at place, facts *paneFacts) {
	s := &f.stats
	s.Counted++
	s.Requests += requests
	s.Tenants = s.Tenants || rec.Tenant != nil
	s.Keys = s.Keys || rec.Key != nil
	s.Callers = s.Callers || rec.Caller != nil
	s.Shards = s.Shards || rec.Shard != nil
	s.Ops = s.Ops || rec.Op != record.OpUnknown
	facts.records++
	if rec.Rate == 0 {
		s.Unrated++
		facts.unrated++
	} else {
		s.Rated++
		facts.rated += rec.Count
		facts.stoodFor += requests
	}
	if at.vshard < 0 && (f.places.explicit || f.places.table != nil) {
		s.Unplaced++
	}
	if at.named {
		facts.located += requests
		if at.elsewhere {
			facts.disagreed += requests
		}
	}
}

// weigh fills the event's sums. Variance is of Cost: cost^2 times (requests + requests^2 (1 - rate)).
func (f *Fleet) weigh(rec *record.Record, requests float64) {
	rate := rec.Rate
	if rate == 0 {
		rate = f.cfg.Rate
	}
	cost := f.cfg.Cost.of(rec)
	s := &f.event.Sums
	*s = sketch.Sums{
		Requests: sketch.Fixed(requests), Cost: sketch.Fixed(requests * cost), Records: sketch.One,
		Variance: sketch.Fixed(cost * cost * (requests + requests*requests*(1-rate))),
	}
	switch rec.Op {
	case record.OpRead:
		s.Reads = s.Cost
	case record.OpWrite:
		s.Writes = s.Cost
	case record.OpUnknown:
	}
	if rec.Throttled {
		s.Throttled = s.Cost
	}
}

package pipeline

import (
	"encoding/binary"
	"math"

	"firebreak/pipeline/record"
	"firebreak/sketch"
)

// tally turns the records of a fleet into what is counted of them.
type tally struct {
	cfg    *Config
	places *places
	stats  Stats
	keep   float64 // the part of the records that is looked at, as a further sample; 0 = all

	event   sketch.Event // of the last record
	piece   sketch.Event // the same as a piece of a salted key; without a key where it is none
	keySums sketch.Sums
	ident   []byte
}

// count places a record and weighs it: then event, and piece, are what is to be counted in that pane. It is false if the
// record cannot be counted.
func (t *tally) count(rec *record.Record, pane int64, facts *paneFacts) bool {
	requests := rec.Requests(t.cfg.Rate) / t.kept()
	switch {
	case !(rec.Count > 0) || math.IsInf(requests, 0):
		t.stats.Refused++
		return false
	case requests > record.MaxRequests:
		t.stats.TooHeavy++
		return false
	}
	at, ok := t.places.locate(rec)
	if !ok {
		t.stats.TooManyShards++
		return false
	}
	if at.again {
		t.stats.Counted++ // with its first write
		return false
	}
	t.note(rec, requests, at, facts)
	t.weigh(rec, requests)
	facts.cost += t.event.Sums.Cost
	e := &t.event
	e.Pane, e.VShard, e.Shard = pane, int32(at.vshard), int32(at.shard)
	e.Key, e.SoleTenant = t.places.identity(t.ident, rec, at), t.places.tenantKeys
	if e.Key != nil && !t.places.bare() {
		t.ident = e.Key
	}
	e.Tenant, e.Caller, e.KeySums = rec.Tenant, rec.Caller, nil
	t.piece.Key = t.piece.Key[:0]
	if at.pieces > 0 {
		t.fold(rec, at)
	}
	return true
}

// kept is the part of the records that is looked at.
func (t *tally) kept() float64 {
	if t.keep == 0 {
		return 1
	}
	return t.keep
}

// note keeps what a record says about the log.
func (t *tally) note(rec *record.Record, requests float64, at place, facts *paneFacts) {
	s := &t.stats
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
		s.Rates = true
		facts.rated += rec.Count
		facts.stoodFor += requests
	}
	if at.vshard < 0 && (t.places.explicit || t.places.table != nil) {
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
func (t *tally) weigh(rec *record.Record, requests float64) {
	rate := rec.Rate
	if rate == 0 {
		rate = t.cfg.Rate
	}
	rate *= t.kept()
	cost := t.cfg.Cost.of(rec)
	s := &t.event.Sums
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

// fold counts a piece of a salted key under its logical key: readers ask every piece, so a read is 1/pieces of one.
func (t *tally) fold(rec *record.Record, at place) {
	e := &t.event
	t.keySums = e.Sums
	if rec.Op == record.OpRead && at.pieces > 1 {
		n := uint64(at.pieces)
		k := &t.keySums
		k.Requests, k.Cost, k.Reads, k.Throttled = k.Requests/n, k.Cost/n, k.Reads/n, k.Throttled/n
		k.Variance /= n * n
	}
	e.KeySums = &t.keySums
	t.piece = sketch.Event{Pane: e.Pane, VShard: e.VShard, Shard: sketch.None, Sums: e.Sums, Key: t.piece.Key[:0]}
	t.piece.Key = binary.BigEndian.AppendUint32(append(t.piece.Key, e.Key...), at.suffix)
}

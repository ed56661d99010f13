package model

import (
	"fmt"

	"firebreak/routing"
	"firebreak/routing/control"
)

// Phase is where an operation stands. Its values are of each protocol; 0 is that there is none.
type Phase uint8

// entry is one control state with what a document does not have yet: the operation that is open.
type entry struct {
	*control.State

	// attempt counts the operations from 1, phase is where this one stands; both 0 where there are none.
	attempt uint8
	phase   Phase
	table   *routing.Table
	at      control.At
}

// ref names an entry of a pool; 0 is none. A state of a model holds refs instead of documents.
type ref uint16

// pool keeps each control state once, so that states of a model stay small and what was worked out once is not again.
type pool struct {
	entries []*entry
	known   map[string]ref
	memo    map[memo]ref
	shapes  map[uint32]ref
}

// memo names what was made of an entry.
type memo struct {
	what string
	of   ref
	with uint64
}

func newPool() *pool {
	return &pool{entries: []*entry{nil}, known: map[string]ref{}, memo: map[memo]ref{}, shapes: map[uint32]ref{}}
}

func (p *pool) get(r ref) *entry { return p.entries[r] }

// at is where the entry stands, the zero At for none.
func (p *pool) at(r ref) control.At {
	if r == 0 {
		return control.At{}
	}
	return p.entries[r].at
}

func (p *pool) version(r ref) uint64 { return p.at(r).Version }

// shape is the first entry in which the operation stood where it stands in r.
func (p *pool) shape(r ref) ref {
	e := p.get(r)
	return p.like(uint32(e.attempt)<<8|uint32(e.phase), r)
}

// like is the first entry that was asked for by this key: of states that a process can not tell apart one stands for all, so that states of
// a model that differ in nothing else are one.
func (p *pool) like(key uint32, r ref) ref {
	if first, ok := p.shapes[key]; ok {
		return first
	}
	p.shapes[key] = r
	return r
}

// newer says whether clients go from b to a: see control.Head.
func (p *pool) newer(a, b ref) bool {
	x, y := p.at(a), p.at(b)
	return control.Head{Epoch: x.Epoch, Version: x.Version}.Newer(control.Head{Epoch: y.Epoch, Version: y.Version})
}

// put keeps e. It panics where e is not valid: then the model is wrong, not the protocol.
func (p *pool) put(e entry) ref {
	encoded, err := e.Encode()
	if err != nil {
		panic(fmt.Sprintf("model: %v", err))
	}
	key := fmt.Sprintf("%d %d %s", e.attempt, e.phase, encoded)
	if r, ok := p.known[key]; ok {
		return r
	}
	e.at = e.At()
	if e.table, err = routing.NewTable(e.Document); err != nil {
		panic(fmt.Sprintf("model: %v", err))
	}
	r := ref(len(p.entries))
	p.entries, p.known[key] = append(p.entries, &e), r
	return r
}

// first keeps the state of a fleet that d is adopted as, and that the decider with this tenure claimed.
func (p *pool) first(d *routing.Document, tenure string) ref {
	s := control.First(d)
	if tenure != "" {
		claimed, err := s.Claim(0, tenure)
		if err != nil {
			panic(fmt.Sprintf("model: %v", err))
		}
		s = claimed
	}
	e := entry{State: s}
	if tenure != "" {
		e.attempt = 1
		e.number()
	}
	return p.put(e)
}

// claim is the state by which a decider takes r.
func (p *pool) claim(r ref, tenure string) ref {
	return p.once(memo{"claim " + tenure, r, 0}, func() ref {
		e := *p.get(r)
		claimed, err := e.Claim(0, tenure)
		if err != nil {
			panic(fmt.Sprintf("model: %v", err))
		}
		if e.State = claimed; e.attempt > 0 {
			e.number()
		}
		return p.put(e)
	})
}

// phased is r one write further on, its operation in another phase and its document changed.
func (p *pool) phased(r ref, phase Phase, change func(*routing.Document)) ref {
	return p.once(memo{"phase", r, uint64(phase)}, func() ref {
		e := *p.get(r)
		e.State = e.Next()
		if e.phase = phase; phase == 0 {
			e.attempt++
		}
		e.number()
		if change != nil {
			change(e.Document)
		}
		return p.put(e)
	})
}

// number gives e the version by where it stands: two ways to the same place are one state. Versions rise all the same, though not by one.
func (e *entry) number() {
	e.Document.Version = e.Document.Epoch<<8 | uint64(e.attempt)<<4 | uint64(e.phase)
}

// rebased is what next would be if it were written at another version: who does not mind that the fleet was taken from him.
func (p *pool) rebased(next ref, version uint64) ref {
	return p.once(memo{"rebase", next, version}, func() ref {
		e := *p.get(next)
		e.State = e.Next()
		e.Document.Version = version
		return p.put(e)
	})
}

func (p *pool) once(key memo, work func() ref) ref {
	if r, ok := p.memo[key]; ok {
		return r
	}
	r := work()
	p.memo[key] = r
	return r
}

// adopted is the fleet of the models: a vshard a shard, owner = vshard.
func adopted() *routing.Document {
	d, err := routing.Adopt("model", routing.Placement{Bytes: "key", Function: routing.XXH64, Map: routing.ModN, VShards: 2},
		routing.NumberedShards(2))
	if err != nil {
		panic(fmt.Sprintf("model: %v", err))
	}
	return d
}

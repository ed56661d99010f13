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

	// attempt counts the operations, phase is where the last one stands.
	attempt uint8
	phase   Phase
	// since is the version by which the phase began.
	since uint64
	table *routing.Table
	at    control.At
}

// ref names an entry of a pool; 0 is none. A state of a model holds refs instead of documents.
type ref uint16

// pool keeps each control state once, so that states of a model stay small and what was worked out once is not again.
type pool struct {
	entries []*entry
	known   map[string]ref
	memo    map[string]ref
}

func newPool() *pool {
	return &pool{entries: []*entry{nil}, known: map[string]ref{}, memo: map[string]ref{}}
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

// put keeps e. It panics where e is not valid: then the model is wrong, not the protocol.
func (p *pool) put(e entry) ref {
	encoded, err := e.Encode()
	if err != nil {
		panic(fmt.Sprintf("model: %v", err))
	}
	key := fmt.Sprintf("%d %d %d %s", e.attempt, e.phase, e.since, encoded)
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
func (p *pool) first(d *routing.Document, phase Phase, tenure string) ref {
	s := control.First(d)
	if tenure != "" {
		claimed, err := s.Claim(0, tenure)
		if err != nil {
			panic(fmt.Sprintf("model: %v", err))
		}
		s = claimed
	}
	return p.put(entry{State: s, phase: phase, since: s.Document.Version})
}

// claim is the state by which a decider takes r.
func (p *pool) claim(r ref, tenure string) ref {
	return p.once(fmt.Sprintf("claim %s %d", tenure, r), func() ref {
		e := *p.get(r)
		claimed, err := e.Claim(0, tenure)
		if err != nil {
			panic(fmt.Sprintf("model: %v", err))
		}
		e.State = claimed
		return p.put(e)
	})
}

// phased is r one write further on, its operation in another phase and its document changed.
func (p *pool) phased(r ref, phase Phase, change func(*routing.Document)) ref {
	return p.once(fmt.Sprintf("phase %d %d", phase, r), func() ref {
		e := *p.get(r)
		e.State = e.Next()
		if e.phase == 0 {
			e.attempt++
		}
		e.phase, e.since = phase, e.Document.Version
		if change != nil {
			change(e.Document)
		}
		return p.put(e)
	})
}

// rebased is what next would be if it were written at another version: who does not mind that the fleet was taken from him.
func (p *pool) rebased(next ref, version uint64) ref {
	return p.once(fmt.Sprintf("rebase %d %d", next, version), func() ref {
		e := *p.get(next)
		e.State = e.Next()
		e.Document.Version = version
		return p.put(e)
	})
}

func (p *pool) once(key string, make func() ref) ref {
	if r, ok := p.memo[key]; ok {
		return r
	}
	r := make()
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

package pipeline

import (
	"errors"

	"firebreak/pipeline/record"
	"firebreak/routing"
)

// Asker is a Counter that answers for any name, listed or not, over the complete panes of its window: low <= truth <=
// high, in 1/256 cost units.
type Asker interface {
	Ask(key []byte) (estimate, low, high uint64)
	AskTenant(tenant []byte) (estimate, low, high uint64)
}

// Answer is what a key or a tenant has in the window, in the unit of the fleet's load: Low <= truth <= High.
type Answer struct {
	Estimate, Low, High float64
}

var (
	// ErrNoAnswers says that the counter knows listed names only.
	ErrNoAnswers = errors.New("this counter answers for listed names only")
	// ErrTenantNeeded says that the same key of two tenants is two keys here.
	ErrTenantNeeded = errors.New("a key is told by its tenant and itself here: name both")
)

// Ask gives what a key has; tenant is needed where it is part of a key's identity, and ignored elsewhere. Where the log
// names the shards it is the sum over all of them. An empty key asks for the tenant.
func (f *Fleet) Ask(tenant, key []byte) (Answer, error) {
	asker, ok := f.counter.(Asker)
	if !ok {
		return Answer{}, ErrNoAnswers
	}
	tenant, _, _ = record.Cut(tenant, nil)
	key, _, _ = record.Cut(key, nil)
	if len(key) == 0 {
		return f.answer(asker.AskTenant(tenant)), nil
	}
	if f.places.tenantKeys && tenant == nil {
		return Answer{}, ErrTenantNeeded
	}
	if !f.places.explicit {
		return f.answer(asker.Ask(f.identity(&record.Record{Tenant: tenant, Key: key}, place{}))), nil
	}
	var sum Answer
	for id := range f.places.shards {
		a := f.answer(asker.Ask(f.identity(&record.Record{Tenant: tenant, Key: key}, place{shard: routing.ShardID(id)})))
		sum = Answer{sum.Estimate + a.Estimate, sum.Low + a.Low, sum.High + a.High}
	}
	return sum, nil
}

func (f *Fleet) answer(estimate, low, high uint64) Answer {
	return Answer{f.cost(estimate), f.cost(low), f.cost(high)}
}

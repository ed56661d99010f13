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
func (w *window) Ask(tenant, key []byte) (Answer, error) {
	asker, ok := w.counter.(Asker)
	if !ok {
		return Answer{}, ErrNoAnswers
	}
	tenant, _, _ = record.Cut(tenant, nil)
	key, _, _ = record.Cut(key, nil)
	if len(key) == 0 {
		return w.answer(asker.AskTenant(tenant)), nil
	}
	if w.places.tenantKeys && tenant == nil {
		return Answer{}, ErrTenantNeeded
	}
	if !w.places.explicit {
		return w.answer(asker.Ask(w.places.identity(nil, &record.Record{Tenant: tenant, Key: key}, place{}))), nil
	}
	var sum Answer
	for id := range w.places.shards {
		a := w.answer(asker.Ask(w.places.identity(nil, &record.Record{Tenant: tenant, Key: key}, place{shard: routing.ShardID(id)})))
		sum = Answer{sum.Estimate + a.Estimate, sum.Low + a.Low, sum.High + a.High}
	}
	return sum, nil
}

func (w *window) answer(estimate, low, high uint64) Answer {
	return Answer{w.cost(estimate), w.cost(low), w.cost(high)}
}

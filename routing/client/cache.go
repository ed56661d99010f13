package client

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

// Cache answers reads of the keys that the document declares to be cached. What it gives was in the store at most the declared time before
// it was asked for: ages count from when a load began. At most one load of a key runs at a time. It has as many values as the document
// declares keys, so its memory is bounded by theirs; a key that is no longer declared is let go with the next load. Make it with NewCache.
type Cache[V any] struct {
	router *Router
	mu     sync.Mutex // orders changes of slots
	slots  atomic.Pointer[slots[V]]
}

// slots are of one view: a slot for each key that it declares.
type slots[V any] struct {
	view  *view
	byKey map[string]map[string]*slot[V]
}

// slot is one key's value and the load that is under way.
type slot[V any] struct {
	mu     sync.Mutex
	value  V
	began  time.Time // of the load that gave value; zero = none
	flight *flight[V]
}

// flight is a load under way.
type flight[V any] struct {
	began   time.Time
	waiting int // guarded by the slot; the load is cancelled when nobody waits
	cancel  context.CancelFunc
	dropped bool // its value must not be kept, nor given to who asks from now on
	done    chan struct{}
	value   V // of a load that is done
	err     error
}

// NewCache makes a cache for values of one kind.
func NewCache[V any](r *Router) *Cache[V] { return &Cache[V]{router: r} }

// Load gives a key's value: a kept one, that of a load under way which began no longer ago than the declared time, or one by load. A key
// that is not declared is loaded each time. The context of load ends when nobody waits for it any more; errors are given to all who
// wait and not kept. The value is shared: it must not be changed.
func (c *Cache[V]) Load(ctx context.Context, tenant, key []byte, load func(ctx context.Context) (V, error)) (V, error) {
	asked := time.Now()
	count := c.router.met.cache
	v := c.router.held.Load()
	bound := v.staleness(tenant, key)
	if bound == 0 {
		c.at(v) // lets go what is no longer declared
		count.WithLabelValues("passed").Inc()
		return load(ctx)
	}
	s := c.at(v).slot(tenant, key)
	for {
		s.mu.Lock()
		if !s.began.IsZero() && age(asked, s.began) <= bound {
			value := s.value
			s.mu.Unlock()
			count.WithLabelValues("hit").Inc()
			return value, nil
		}
		f := s.flight
		switch {
		case f == nil:
			f = s.take(ctx, load)
			count.WithLabelValues("miss").Inc()
			return s.wait(ctx, f)
		case !f.dropped && age(asked, f.began) <= bound:
			f.waiting++
			s.mu.Unlock()
			count.WithLabelValues("joined").Inc()
			return s.wait(ctx, f)
		}
		s.mu.Unlock()
		select { // too old for this caller: the next one is not
		case <-f.done:
		case <-ctx.Done():
			var none V
			return none, ctx.Err()
		}
	}
}

// Drop forgets a key's value, and keeps what is being loaded from those who ask from now on: for who wrote the key and wants to read what
// it wrote. Other clients' caches know nothing of it.
func (c *Cache[V]) Drop(tenant, key []byte) {
	v := c.router.held.Load()
	if v.staleness(tenant, key) == 0 {
		return
	}
	s := c.at(v).slot(tenant, key)
	s.mu.Lock()
	defer s.mu.Unlock()
	var none V
	s.value, s.began = none, time.Time{}
	if s.flight != nil {
		s.flight.dropped = true
	}
}

// at is the slots of a view; those of keys that it declares still are taken over.
func (c *Cache[V]) at(v *view) *slots[V] {
	if s := c.slots.Load(); s != nil && s.view == v {
		return s
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	prior := c.slots.Load()
	if prior != nil && (prior.view == v || headOf(prior.view.doc).Newer(headOf(v.doc))) {
		return prior
	}
	next := &slots[V]{view: v, byKey: make(map[string]map[string]*slot[V], len(v.cached))}
	for key, tenants := range v.cached {
		next.byKey[key] = make(map[string]*slot[V], len(tenants))
		for tenant := range tenants {
			s := &slot[V]{}
			if prior != nil && prior.byKey[key][tenant] != nil {
				s = prior.byKey[key][tenant]
			}
			next.byKey[key][tenant] = s
		}
	}
	c.slots.Store(next)
	return next
}

// slot is of a declared key. A key that a later view than the caller's does not declare has one of its own, which is not kept.
func (s *slots[V]) slot(tenant, key []byte) *slot[V] {
	tenants := s.byKey[string(key)]
	name := ""
	if s.view.identifiesTenant {
		name = string(tenant)
	}
	if tenants[name] != nil {
		return tenants[name]
	}
	return &slot[V]{}
}

// take starts a load. The caller holds s.mu, which take lets go.
func (s *slot[V]) take(ctx context.Context, load func(context.Context) (V, error)) *flight[V] {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	f := &flight[V]{began: time.Now(), waiting: 1, cancel: cancel, done: make(chan struct{})}
	s.flight = f
	s.mu.Unlock()
	go func() {
		defer cancel()
		defer s.end(f)
		defer func() {
			if p := recover(); p != nil {
				f.err = fmt.Errorf("load: panic: %v", p)
			}
		}()
		f.value, f.err = load(ctx)
	}()
	return f
}

func (s *slot[V]) end(f *flight[V]) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.flight = nil
	if f.err == nil && !f.dropped {
		s.value, s.began = f.value, f.began
	}
	close(f.done)
}

// wait is for a load that the caller is counted among those who wait for.
func (s *slot[V]) wait(ctx context.Context, f *flight[V]) (V, error) {
	select {
	case <-f.done:
		return f.value, f.err
	case <-ctx.Done():
		s.mu.Lock()
		defer s.mu.Unlock()
		if f.waiting--; f.waiting == 0 {
			f.dropped = true
			f.cancel()
		}
		var none V
		return none, ctx.Err()
	}
}

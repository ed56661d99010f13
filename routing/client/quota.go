package client

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"sync"
	"time"
)

// bucket is a tenant's quota on this client: tokens of one request each, at the client's share of the fleet-wide rate, up to one second's
// worth and at least one. Each tenant has its own, with its own queue, so that no tenant waits for another. The zero value is full.
type bucket struct {
	mu     sync.Mutex
	rate   float64 // fleet-wide, requests a second
	spent  float64 // tokens that are missing; above what fits they are of requests that wait
	at     time.Time
	queue  int // requests that wait
	demand Demand
}

// Demand is what a tenant with a quota asked of this client since its quota was set. Refused and queued requests count as demand: an undo
// is judged by what would come, not by what got through.
type Demand struct {
	Tenant string
	// Admitted were let in at once, Queued after a wait (or gave up waiting), Refused not.
	Admitted, Queued, Refused uint64
}

// OverQuota is a request that its tenant's quota refuses.
type OverQuota struct {
	// RetryAfter is when a request of the tenant would be let in again, by what is queued now.
	RetryAfter time.Duration
}

// Error says when to come back; it has no name in it.
func (o *OverQuota) Error() string {
	return fmt.Sprintf("the tenant is over its quota: a request would be let in after %v", o.RetryAfter.Round(time.Millisecond))
}

func (b *bucket) setRate(rate float64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.rate = rate
}

// refill gives back what time has earned. The caller holds mu.
func (b *bucket) refill(now time.Time, share float64) {
	if !b.at.IsZero() {
		b.spent = max(0, b.spent-now.Sub(b.at).Seconds()*share)
	}
	b.at = now
}

// ask takes a token, now or after a wait: it is taken at once either way, so that who comes first is let in first. Refused where the queue
// is full or the wait too long.
func (b *bucket) ask(now time.Time, clients, queue int, most time.Duration) (wait time.Duration, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	share := b.rate / float64(max(clients, 1))
	b.refill(now, share)
	over := b.spent + 1 - max(share, 1)
	if over <= 0 {
		b.spent++
		b.demand.Admitted++
		return 0, nil
	}
	seconds := over / share
	wait = time.Duration(min(seconds*float64(time.Second), math.MaxInt64/2))
	if b.queue >= queue || wait > most {
		b.demand.Refused++
		return 0, &OverQuota{RetryAfter: wait}
	}
	b.spent++
	b.queue++
	b.demand.Queued++
	return wait, nil
}

// leave ends a wait. A request that gave up gives its token back.
func (b *bucket) leave(letIn bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.queue--
	if !letIn {
		b.spent = max(0, b.spent-1)
	}
}

// Admit lets a request of a tenant pass by its quota: at once, after a wait of at most Config.QueueFor, or not (*OverQuota). A tenant
// without a quota passes. The quota is of the whole fleet, divided by the number of clients; what one client leaves of its share another
// one cannot have. A wait that ctx would not outlast is refused at once.
func (r *Router) Admit(ctx context.Context, tenant []byte) error {
	b := r.held.Load().quota(tenant)
	if b == nil {
		return nil
	}
	most := r.cfg.QueueFor
	now := time.Now()
	if deadline, ok := ctx.Deadline(); ok {
		most = min(most, deadline.Sub(now))
	}
	wait, err := b.ask(now, r.clientsNow(r.cfg.Clients), r.cfg.Queue, most)
	if err != nil {
		r.met.quota.WithLabelValues("refused").Inc()
		return err
	}
	if wait == 0 {
		r.met.quota.WithLabelValues("admitted").Inc()
		return nil
	}
	r.met.quota.WithLabelValues("queued").Inc()
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		b.leave(true)
		r.met.quotaWait.Observe(wait.Seconds())
		return nil
	case <-ctx.Done():
		b.leave(false)
		return ctx.Err()
	}
}

// Demand lists what the tenants with a quota asked for, by tenant. Who writes the request log before the quota has it there already.
func (r *Router) Demand() []Demand {
	v := r.held.Load()
	out := make([]Demand, 0, len(v.quotas))
	for tenant, b := range v.quotas {
		b.mu.Lock()
		d := b.demand
		b.mu.Unlock()
		d.Tenant = tenant
		out = append(out, d)
	}
	slices.SortFunc(out, func(a, b Demand) int { return cmp.Compare(a.Tenant, b.Tenant) })
	return out
}

package client

import (
	"context"
	"fmt"
	"slices"
	"time"

	"firebreak/routing"
	"firebreak/routing/control"
)

// Guard is for a shard: it says whether a key is this shard's. What it lets in by a document counts as under way until it leaves, and a
// version is confirmed only when nothing by an older one is: that is how a shard says that it serves no longer what it gave away.
type Guard struct {
	*follower

	shard string
}

// Pass is what a Guard let in. Leave it once, when the request has taken effect or never will.
type Pass struct {
	guard *Guard
	view  *view
}

// OpenGuard starts a Guard for the shard that the document calls so. It returns at once and lets nothing in before it has read a document
// from the source; ctx ends nothing of it. cfg.File is not used: a shard that starts from an old document would serve what it gave away.
func OpenGuard(ctx context.Context, src Source, shard string, cfg Config) (*Guard, error) {
	cfg.File = ""
	if shard == "" || len(shard) > maxName {
		return nil, fmt.Errorf("guard: shard: %d bytes, want the name of one, 1 to %d", len(shard), maxName)
	}
	f, err := newFollower(src, &cfg)
	if err != nil {
		return nil, fmt.Errorf("guard: %w", err)
	}
	f.guarded = shard
	f.start(context.WithoutCancel(ctx))
	return &Guard{f, shard}, nil
}

// Close ends the Guard's loops and waits for them. It goes on by the last document.
func (g *Guard) Close() { g.close() }

// Status says how the Guard stands.
func (g *Guard) Status() Status { return g.status() }

// Shard is the shard that the Guard is for.
func (g *Guard) Shard() string { return g.shard }

// Table is what the Guard judges by, with its document; nil before the first one.
func (g *Guard) Table() *routing.Table { return g.table() }

// Enter lets a request for a physical key in: nil, *Moved where the key is another shard's, ErrFenced while nobody may serve it, or
// ErrNotReady. Reads are asked for too: a shard does not see that its successor was written to. The pass must be left, also by a write that
// failed. A write to a place that is written twice is let in by EnterWrite.
func (g *Guard) Enter(tenant, key []byte) (Pass, error) { return g.enter(asking{}, tenant, key) }

// EnterWrite is Enter for a write by who holds a version of the document, as Target.Holds says. Where the place is written twice, both
// shards let it in, but *Moved is the answer to who may not know of that: nothing but a newer document helps then.
func (g *Guard) EnterWrite(tenant, key []byte, holds uint64) (Pass, error) {
	return g.enter(asking{true, holds}, tenant, key)
}

// asking is what a request says of itself.
type asking struct {
	write bool
	holds uint64 // the version that who asks holds
}

func (g *Guard) enter(a asking, tenant, key []byte) (Pass, error) {
	for {
		v := g.held.Load()
		if v == nil {
			g.met.guardNotReady.Inc()
			return Pass{}, ErrNotReady
		}
		if !g.count(v) {
			continue
		}
		to, vshard := v.owner(g.shard, tenant, key)
		if !v.lets(a, g.shard, to, tenant, key, vshard) {
			g.leave(v)
			g.met.guardMoved.Inc()
			return Pass{}, &Moved{Shard: to, Epoch: v.doc.Epoch, Version: v.doc.Version}
		}
		if v.table.Fenced(tenant, vshard) {
			g.leave(v)
			g.met.guardFenced.Inc()
			return Pass{}, ErrFenced
		}
		g.met.guardServed.Inc()
		return Pass{g, v}, nil
	}
}

// lets says whether a shard takes a request for what another one, or itself, owns: reads where it owns; of what is written twice, writes too
// where it is the other one, by who knows of it.
func (v *view) lets(a asking, own, owner string, tenant, physical []byte, vshard routing.VShard) bool {
	if !a.write {
		return owner == own
	}
	is := v.table.Doubled(tenant, vshard)
	if is == nil {
		return owner == own
	}
	if owner != own {
		if other, _ := v.ownerBy(v.table.Other(), own, tenant, physical); other != own {
			return false
		}
	}
	return a.holds >= is.Since
}

// count takes a request for one that is under way by v; false where v was replaced before that could be seen.
func (g *Guard) count(v *view) bool {
	v.passes.Add(1)
	if g.held.Load() == v {
		return true
	}
	g.leave(v)
	return false
}

// Leave ends what Enter began.
func (p Pass) Leave() { p.guard.leave(p.view) }

func (g *Guard) leave(v *view) {
	if v.passes.Add(-1) == 0 && g.held.Load() != v {
		wake(g.changed)
		g.mu.Lock()
		close(g.moved)
		g.moved = make(chan struct{})
		g.mu.Unlock()
	}
}

// Check says whether a physical key is this shard's, as Enter does, for what takes no effect.
func (g *Guard) Check(tenant, key []byte) error {
	p, err := g.Enter(tenant, key)
	if err == nil {
		p.Leave()
	}
	return err
}

// Settled waits until the Guard holds a version or a later one, and nothing that it let in by an older one is under way: from then on the
// shard serves nothing that this version gave away. It asks the source for it at once.
func (g *Guard) Settled(ctx context.Context, version uint64) error {
	for {
		g.mu.Lock()
		moved := g.moved
		g.mu.Unlock()
		h, ok := g.confirmable()
		if ok && h.Version >= version {
			return nil
		}
		if v := g.held.Load(); v == nil || v.doc.Version < version {
			if v != nil {
				g.hear(control.Head{Epoch: v.doc.Epoch, Version: version})
			}
			wake(g.urgent)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-moved:
		case <-time.After(outOfTurn):
		}
	}
}

// owner is the shard that has a physical key, by name, and the virtual shard of it; own where only the log knows and this shard has it.
func (v *view) owner(own string, tenant, physical []byte) (string, routing.VShard) {
	return v.ownerBy(v.table, own, tenant, physical)
}

// ownerBy is owner by one of the view's tables.
func (v *view) ownerBy(t *routing.Table, own string, tenant, physical []byte) (string, routing.VShard) {
	if logical, suffix, ok := t.LogicalKey(physical); ok {
		if salt, salted := t.Salt(tenant, logical); salted && hasSuffix(salt, suffix) {
			vshard, shard := t.PiecePlace(tenant, logical, suffix)
			return v.nameOr(own, shard), vshard
		}
	}
	at := t.Locate(tenant, physical)
	if at.Shard == routing.NoShard {
		id, known := v.byName[own]
		if !known {
			return own, at.VShard
		}
		at.VShard = t.ExplicitVShard(id, tenant, physical)
		at.Shard = t.Owner(at.VShard)
	}
	return v.nameOr(own, at.Shard), at.VShard
}

func (v *view) nameOr(own string, s routing.ShardID) string {
	if s == routing.NoShard {
		return own
	}
	return v.shardName(s)
}

// hasSuffix says whether a piece other than the bare one has the suffix, folded or not.
func hasSuffix(s *routing.Salt, suffix uint32) bool {
	return slices.Contains(s.Suffixes[1:], suffix) || slices.Contains(s.Tombstones, suffix)
}

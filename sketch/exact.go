package sketch

import (
	"cmp"
	"slices"
)

// Exact counts a sliding window exactly. New makes one; the zero value is not usable.
type Exact struct {
	span    span
	keys    table[string]
	tenants table[string]
	callers table[string]
	pairs   table[uint64] // (tenant slot, shard)

	keyTenants, keyCallers, tenantCallers, pairCallers relation

	vshards vshards
	hints   []hint // by key slot
}

// hint is where the last record of a key was counted; the next one mostly belongs there too. Slots are used again, so a
// hint is checked against the name before it is taken.
type hint struct{ tenant, pair int32 }

// NewExact makes a counter whose long window has that many panes, at least 1.
func NewExact(panes int) *Exact {
	return &Exact{
		span: span{newest: nothingComplete, long: int64(max(panes, 1))},
		keys: newTable[string](), tenants: newTable[string](), callers: newTable[string](), pairs: newTable[uint64](),
		keyTenants: newRelation(), keyCallers: newRelation(), tenantCallers: newRelation(), pairCallers: newRelation(),
		vshards: newVShards(),
	}
}

// pack makes one key of two slots.
func pack(a, b int32) uint64 { return uint64(uint32(a))<<32 | uint64(uint32(b)) }

// unpack is the inverse of pack.
func unpack(k uint64) (a, b int32) { return int32(k >> 32), int32(uint32(k)) }

// Add counts one event in its pane, complete or not. A pane that has left the window is not counted.
func (x *Exact) Add(e *Event) {
	if x.span.past(e.Pane) {
		return
	}
	if e.VShard >= 0 {
		x.vshards.add(e.Pane, e.VShard, &e.Sums, x.span)
	}
	key, tenant, caller := int32(None), int32(None), int32(None)
	last := &hint{None, None}
	if len(e.Key) > 0 {
		key = x.named(&x.keys, e.Key, &x.keyTenants, &x.keyCallers)
		for int(key) >= len(x.hints) {
			x.hints = append(x.hints, hint{None, None})
		}
		last = &x.hints[key]
	}
	if len(e.Caller) > 0 {
		caller = x.named(&x.callers, e.Caller)
		x.callers.add(caller, e.Pane, &e.Sums, x.span)
	}
	if len(e.Tenant) > 0 {
		if t := last.tenant; t >= 0 && int(t) < len(x.tenants.entries) && x.tenants.entries[t].key == string(e.Tenant) {
			tenant = t
		} else {
			tenant = x.named(&x.tenants, e.Tenant, &x.tenantCallers)
		}
		last.tenant = tenant
		x.tenantCallers.add(tenant, caller, e.Pane, e.Sums.Cost, x.tenants.entries[tenant].cells, x.span)
		x.tenants.add(tenant, e.Pane, &e.Sums, x.span)
	}
	if key >= 0 {
		x.addKey(e, key, tenant, caller)
	}
	if tenant >= 0 && e.Shard >= 0 {
		x.addPair(e, last, tenant, caller)
	}
}

func (x *Exact) addKey(e *Event, key, tenant, caller int32) {
	sums := &e.Sums
	if e.KeySums != nil {
		sums = e.KeySums
	}
	entry := &x.keys.entries[key]
	if len(entry.cells) == 0 {
		entry.vshard = e.VShard
	}
	if !e.SoleTenant {
		x.keyTenants.add(key, tenant, e.Pane, sums.Cost, entry.cells, x.span)
	}
	x.keyCallers.add(key, caller, e.Pane, sums.Cost, entry.cells, x.span)
	x.keys.add(key, e.Pane, sums, x.span)
}

func (x *Exact) addPair(e *Event, last *hint, tenant, caller int32) {
	k := pack(tenant, e.Shard)
	pair := last.pair
	if pair < 0 || int(pair) >= len(x.pairs.entries) || x.pairs.entries[pair].key != k || len(x.pairs.entries[pair].cells) == 0 {
		var ok bool
		if pair, ok = x.pairs.index[k]; !ok {
			pair = x.pairs.insert(k, None)
			x.pairCallers.born(pair)
		}
		last.pair = pair
	}
	x.pairCallers.add(pair, caller, e.Pane, e.Sums.Cost, x.pairs.entries[pair].cells, x.span)
	x.pairs.add(pair, e.Pane, &e.Sums, x.span)
}

// named finds the slot of a name, and makes it.
func (x *Exact) named(t *table[string], name []byte, relations ...*relation) int32 {
	if slot, ok := t.index[string(name)]; ok {
		return slot
	}
	slot := t.insert(string(name), None)
	for _, r := range relations {
		r.born(slot)
	}
	return slot
}

// Slide makes the panes up to newest complete and drops what leaves the window. A newest that is not later does nothing.
func (x *Exact) Slide(newest int64) {
	if newest <= x.span.newest {
		return
	}
	from, to := x.span, span{newest: newest, long: x.span.long}
	x.span = to
	for _, t := range x.names() {
		t.slide(from, to)
	}
	for _, t := range x.parts() {
		t.slide(from, to)
	}
	x.vshards.slide(to)
	x.shrink()
}

func (x *Exact) names() []*table[string] {
	return []*table[string]{&x.keys, &x.tenants, &x.callers}
}

func (x *Exact) parts() []*table[uint64] {
	return []*table[uint64]{
		&x.pairs, &x.keyTenants.parts, &x.keyCallers.parts, &x.tenantCallers.parts, &x.pairCallers.parts,
	}
}

// shrink gives memory back once most of a table stands empty.
func (x *Exact) shrink() {
	sparse := false
	for _, t := range x.names() {
		sparse = sparse || t.sparse()
	}
	for _, t := range x.parts() {
		sparse = sparse || t.sparse()
	}
	if !sparse {
		return
	}
	live := func(cells func(int32) []Cell) func(int32) bool {
		return func(slot int32) bool { return len(cells(slot)) > 0 }
	}
	keysLive, tenantsLive, pairsLive := live(x.keys.cells()), live(x.tenants.cells()), live(x.pairs.cells())
	same := func(name string) string { return name }
	keys, tenants, callers := x.keys.compact(same), x.tenants.compact(same), x.callers.compact(same)
	pairs := x.pairs.compact(func(k uint64) uint64 { a, shard := unpack(k); return pack(tenants[a], shard) })
	x.keyTenants.compact(keys, tenants, keysLive)
	x.keyCallers.compact(keys, callers, keysLive)
	x.tenantCallers.compact(tenants, callers, tenantsLive)
	x.pairCallers.compact(pairs, callers, pairsLive)
	x.hints = nil
}

// Coarsen merges each pair of panes 2n and 2n+1 into pane n, for a window that grows with its input. It may be called
// only before the first Slide.
func (x *Exact) Coarsen() {
	for _, t := range x.names() {
		t.coarsen()
	}
	for _, t := range x.parts() {
		t.coarsen()
	}
	x.vshards.coarsen()
}

// Window lists the n heaviest keys, tenants and pairs by Cost over the long window, and the n heaviest over its newest
// three panes where these are others.
func (x *Exact) Window(n int) Window {
	w := Window{
		Panes:    x.vshards.complete(x.span),
		Keys:     list(&x.keys, n, x.span, func(k string) string { return k }),
		Tenants:  list(&x.tenants, n, x.span, func(k string) string { return k }),
		Distinct: Distinct{Keys: len(x.keys.index), Tenants: len(x.tenants.index), Callers: len(x.callers.index)},
	}
	w.Pairs = list(&x.pairs, n, x.span, func(k uint64) string {
		tenant, _ := unpack(k)
		return x.tenants.entries[tenant].key
	})
	dominant(w.Keys, &x.keyTenants, &x.keys, &x.tenants, func(l *Listed, name string, share float64) { l.Tenant, l.TenantShare = name, share })
	setCaller := func(l *Listed, name string, share float64) { l.Caller, l.CallerShare = name, share }
	dominant(w.Keys, &x.keyCallers, &x.keys, &x.callers, setCaller)
	dominant(w.Tenants, &x.tenantCallers, &x.tenants, &x.callers, setCaller)
	dominant(w.Pairs, &x.pairCallers, &x.pairs, &x.callers, setCaller)
	return w
}

// list gives the heaviest names of a table with their complete cells, heaviest first, ties by name and shard.
func list[K comparable](t *table[K], n int, w span, name func(K) string) []Listed {
	slots := heaviest(t.long, t.recent, n)
	slices.SortFunc(slots, func(a, b int32) int {
		if c := cmp.Compare(t.long[b], t.long[a]); c != 0 {
			return c
		}
		c := cmp.Compare(name(t.entries[a].key), name(t.entries[b].key))
		if c == 0 {
			c = cmp.Compare(shardOf(t.entries[a].key), shardOf(t.entries[b].key))
		}
		return c
	})
	out := make([]Listed, 0, len(slots))
	for _, slot := range slots {
		e := &t.entries[slot]
		l := Listed{Name: name(e.key), VShard: e.vshard, Shard: shardOf(e.key), Cells: e.cells, slot: slot, weight: t.long[slot]}
		for len(l.Cells) > 0 && !w.holds(l.Cells[len(l.Cells)-1].Pane) {
			l.Cells = l.Cells[:len(l.Cells)-1]
		}
		out = append(out, l)
	}
	return out
}

// shardOf is the shard of a pair's key, None for any other.
func shardOf[K comparable](k K) int32 {
	if pair, ok := any(k).(uint64); ok {
		_, shard := unpack(pair)
		return shard
	}
	return None
}

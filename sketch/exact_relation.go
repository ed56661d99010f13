package sketch

// relation counts how the Cost of each name splits among others: a key's among tenants, a tenant's among callers. Most
// names have one other for as long as they are in the window; only those with several are counted part by part.
type relation struct {
	parts table[uint64] // (slot of the name, slot of the other): only Cost
	only  []int32       // by slot of the name: the one other it has, or one of the below
}

const (
	fresh   = -1 // no record yet
	nobody  = -2 // no record named another
	several = -3 // counted in parts
)

func newRelation() relation { return relation{parts: newTable[uint64]()} }

// born prepares the slot of a new name.
func (r *relation) born(slot int32) {
	for int(slot) >= len(r.only) {
		r.only = append(r.only, fresh)
	}
	r.only[slot] = fresh
}

// add counts one record of name a with other b, None for none. cells are those of a before this record.
func (r *relation) add(a, b int32, pane int64, cost uint64, cells []Cell, w span) {
	seen := b
	if b < 0 {
		seen = nobody
	}
	switch was := r.only[a]; {
	case was == seen:
		return
	case was == fresh:
		r.only[a] = seen
		return
	case was >= 0:
		for i := range cells {
			r.part(a, was, cells[i].Pane, cells[i].Sums.Cost, w)
		}
		r.only[a] = several
	case was == nobody:
		r.only[a] = several
	}
	if b >= 0 {
		r.part(a, b, pane, cost, w)
	}
}

func (r *relation) part(a, b int32, pane int64, cost uint64, w span) {
	k := pack(a, b)
	slot, ok := r.parts.index[k]
	if !ok {
		slot = r.parts.insert(k, None)
	}
	r.parts.add(slot, pane, &Sums{Cost: cost}, w)
}

// compact follows the names and the others to their new slots.
func (r *relation) compact(names, others []int32, live func(slot int32) bool) {
	r.parts.compact(func(k uint64) uint64 { a, b := unpack(k); return pack(names[a], others[b]) })
	only := r.only
	r.only = nil
	for slot, other := range only {
		if !live(int32(slot)) {
			continue
		}
		r.born(names[slot])
		if other >= 0 {
			other = others[other]
		}
		r.only[names[slot]] = other
	}
}

// dominant finds for each listed name the other with the most Cost over the long window, ties by name: one pass over all
// parts.
func dominant[K comparable](listed []Listed, r *relation, whole *table[K], names *table[string], set func(*Listed, string, float64)) {
	at := make([]int32, len(whole.entries)) // by slot: 1 + place in listed
	parts := false
	for i := range listed {
		switch other := r.only[listed[i].slot]; {
		case other >= 0:
			set(&listed[i], names.entries[other].key, 1)
		case other == several:
			at[listed[i].slot] = int32(i) + 1
			parts = true
		}
	}
	if !parts {
		return
	}
	best := make([]int32, len(listed)) // 1 + slot of the part
	for slot, cost := range r.parts.long {
		if cost == 0 {
			continue
		}
		a, b := unpack(r.parts.entries[slot].key)
		i := at[a] - 1
		if i < 0 {
			continue
		}
		if best[i] > 0 {
			held := best[i] - 1
			_, other := unpack(r.parts.entries[held].key)
			most := r.parts.long[held]
			if cost < most || cost == most && names.entries[b].key > names.entries[other].key {
				continue
			}
		}
		best[i] = int32(slot) + 1
	}
	for i := range listed {
		if best[i] == 0 {
			continue
		}
		_, b := unpack(r.parts.entries[best[i]-1].key)
		set(&listed[i], names.entries[b].key, float64(r.parts.long[best[i]-1])/float64(max(listed[i].weight, 1)))
	}
}

package sketch

// contexts remembers for each candidate key with which tenant and caller, on which shard, its records come.
type contexts struct {
	known []context
	names []piece // two by key slot: tenant and caller
	bytes slab
	held  []uint64 // a bit for each piece that counts
}

type context struct {
	tenant, caller uint64 // hashes
	shard, vshard  int32
	misfits        uint8 // records since it was bound that came with another context
	tenants        bool  // there is a tenant
	callers        bool
	sole           bool // the key has no other tenant
	voted          bool // the key's votes are its own; else they are those of a key before it
}

const contextBytes = 16 // room for the names of a key's tenant and caller, on average

func newContexts(slots int) contexts {
	return contexts{
		known: make([]context, slots), names: make([]piece, 2*slots), bytes: newSlab(contextBytes * slots),
		held: make([]uint64, (2*slots+ways-1)/ways),
	}
}

func (c *contexts) reset() {
	c.bytes.reset()
	clear(c.held)
}

// release forgets the names of a slot.
func (c *contexts) release(slot int) {
	for i := 2 * slot; i < 2*slot+2; i++ {
		if tagged(c.held, i) {
			c.bytes.free(c.names[i])
			c.held[i/ways] &^= 0xff << (8 * (uint(i) % ways))
		}
	}
}

// put remembers a name of a slot. It is false if there is no room.
func (c *contexts) put(i int, name []byte) bool {
	if !c.bytes.fits(len(name)) {
		if !c.bytes.packs(len(name)) {
			return false
		}
		c.bytes.pack(c.names, c.held)
	}
	c.names[i] = c.bytes.put(name)
	c.held[i/ways] |= 1 << (8 * (uint(i) % ways))
	return true
}

// bind makes the context of an event the one that a key's records are counted for. What the key has so far is settled.
func (s *Summary) bind(slot int, e *Event, c *counted) {
	s.bound[slot] = 0
	s.contexts.release(slot)
	k := &s.contexts.known[slot]
	k.tenant, k.caller, k.shard, k.vshard, k.misfits = c.tenant, c.caller, e.Shard, e.VShard, 0
	k.tenants, k.callers, k.sole = len(e.Tenant) > 0, len(e.Caller) > 0 && s.called, e.SoleTenant
	if k.tenants && !s.contexts.put(2*slot, e.Tenant) || k.callers && !s.contexts.put(2*slot+1, e.Caller) {
		s.contexts.release(slot)
		return
	}
	s.bound[slot] = c.word
}

// rebindAfter is how many records must come with other contexts before a key's records are counted for another one.
const rebindAfter = 16

// settle counts for its tenant, caller, pair, shard and vshard what a key has had since it was last settled.
func (s *Summary) settle(slot int) {
	if s.bound[slot] == 0 {
		return
	}
	k, now := &s.contexts.known[slot], &s.keys.rows[slot].sums
	more := now.minus(&s.base[slot])
	if more == (Sums{}) {
		return
	}
	s.base[slot] = *now
	c := counted{key: slot, keyHash: s.keys.rows[slot].hash, tenant: k.tenant, caller: k.caller}
	e := Event{VShard: k.vshard, Shard: k.shard, SoleTenant: k.sole, Sums: more}
	if k.tenants {
		e.Tenant = s.contexts.bytes.get(s.contexts.names[2*slot])
	}
	if k.callers {
		e.Caller = s.contexts.bytes.get(s.contexts.names[2*slot+1])
	}
	s.attribute(&e, &c, more.Cost)
}

// votes gives the votes of a key, empty at the first; nil for what is not counted.
func (s *Summary) votes(slot int) (tenants, callers *votes) {
	k := &s.contexts.known[slot]
	if len(s.keyTenants) > 0 {
		tenants = &s.keyTenants[slot]
	}
	if s.called {
		callers = &s.keyCallers[slot]
	}
	if !k.voted {
		k.voted = true
		if tenants != nil {
			*tenants = votes{}
		}
		if callers != nil {
			*callers = votes{}
		}
	}
	return tenants, callers
}

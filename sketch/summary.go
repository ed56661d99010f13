package sketch

// Summary is what one goroutine counted of one pane. It starts empty and is a pure function of the records it was given,
// in their order; nothing of an earlier pane is in it, so that Parts of any panes and goroutines add up and their bounds
// hold. Its memory is fixed by the Config, but for vshards and shards beyond those announced. The event's Pane is not
// looked at.
//
// Most records are of a key that is a candidate, with the tenant, caller and shard that it came with before. Such a
// record is one addition: what it means for its tenant, caller, pair and vshard is settled once, when the key leaves or
// the Part is made.
type Summary struct {
	seed    uint64
	hasher  hasher
	called  bool // callers are counted
	heavy   bool // sums may come near their end
	events  uint64
	keys    candidates
	tenants candidates
	callers candidates
	pairs   candidates

	bound    []uint64 // by key slot: the word of the context that its records are counted for; 0 = none
	contexts contexts
	base     []Sums // by key slot: the part of its sums that has been settled; of those that are bound

	keyTenants, keyCallers, tenantCallers, pairCallers []votes

	loads      loads
	whole      [kinds]registers // distinct keys, tenants, callers
	tenantKeys tenantKeys
	shardKeys  shardKeys
	cfg        Config
	ship       shipping
}

const (
	keySlotBytes    = 48 // bytes of names for each candidate; longer names leave room for fewer
	tenantSlotBytes = 24
)

// NewSummary makes an empty Summary. The Config must be valid.
func NewSummary(cfg Config) *Summary {
	s := &Summary{
		cfg: cfg, seed: cfg.Seed, hasher: newHasher(cfg.Seed),
		keys: newCandidates(cfg.Slots, cfg.Width, keySlotBytes), loads: newLoads(cfg.VShards),
		bound: make([]uint64, cfg.Slots), base: make([]Sums, cfg.Slots), contexts: newContexts(cfg.Slots),
	}
	s.keys.leaving = s.settle
	for k := range s.whole {
		if cfg.counts(kind(k)) {
			s.whole[k] = make(registers, 1<<wholeBits)
		}
	}
	if cfg.TenantSlots > 0 {
		s.tenants = newCandidates(cfg.TenantSlots, cfg.TenantWidth, tenantSlotBytes)
		s.keyTenants = make([]votes, cfg.Slots)
		s.tenantKeys = newTenantKeys(cfg.TenantSlots, 4*cfg.Spread)
	}
	if cfg.lists(pairKind) {
		s.pairs = newCandidates(cfg.PairSlots, cfg.TenantWidth, tenantSlotBytes)
	}
	if cfg.CallerSlots > 0 {
		s.called = true
		s.callers = newCandidates(cfg.CallerSlots, cfg.TenantWidth, tenantSlotBytes)
		s.keyCallers, s.tenantCallers = make([]votes, cfg.Slots), make([]votes, len(s.tenants.rows))
		s.pairCallers = make([]votes, len(s.pairs.rows))
	}
	if cfg.Spread > 0 {
		s.shardKeys = newShardKeys(cfg.Shards)
	}
	slabs := []*slab{&s.contexts.bytes}
	for _, t := range s.tables() {
		slabs = append(slabs, &t.bytes)
	}
	share(slabs...)
	s.ship = newShipping(&cfg)
	return s
}

// Reset makes the Summary empty again.
func (s *Summary) Reset() {
	for _, t := range [...]*candidates{&s.keys, &s.tenants, &s.callers, &s.pairs} {
		if len(t.rows) > 0 {
			t.reset()
		}
	}
	s.contexts.reset()
	s.loads.reset()
	for _, h := range s.whole {
		clear(h)
	}
	s.tenantKeys.reset()
	s.shardKeys.reset()
	s.events, s.heavy = 0, false
}

// tables are the candidate tables there are.
func (s *Summary) tables() []*candidates {
	all := []*candidates{&s.keys}
	for _, t := range []*candidates{&s.tenants, &s.callers, &s.pairs} {
		if len(t.rows) > 0 {
			all = append(all, t)
		}
	}
	return all
}

// Events is the number of records since the last Reset.
func (s *Summary) Events() uint64 { return s.events }

// Add counts one event, whatever its Pane. It allocates nothing.
func (s *Summary) Add(e *Event) {
	s.events++
	if len(e.Key) == 0 {
		s.count(e, &counted{key: None})
		return
	}
	key := s.hasher.key(e.Key)
	// The context's word: equal words, equal tenant, caller and place. The only tenant of a key is not looked at.
	word := (uint64(uint32(e.Shard))<<32 | uint64(uint32(e.VShard))) * placeWord
	var tenant, caller uint64
	if e.SoleTenant {
		word += soleWord
	} else if len(e.Tenant) > 0 {
		tenant = s.hasher.name(e.Tenant)
		word += tenant
	}
	if s.called && len(e.Caller) > 0 {
		caller = s.hasher.name(e.Caller)
		word ^= caller * callerWord
	}
	word |= 1
	slot := s.keys.find(key)
	if slot >= 0 && s.bound[slot] == word && e.Sums.light() && e.KeySums == nil && !s.heavy {
		s.keys.rows[slot].sums.plain(&e.Sums)
		return
	}
	if slot < 0 && e.Sums.light() && e.KeySums == nil && !s.heavy && s.events <= lightest && !e.SoleTenant {
		s.addFresh(e, key, tenant, caller)
		return
	}
	s.addSlow(e, slot, key, tenant, caller, word)
}

// addSlow counts an event that is not one addition. It keeps what that takes off the stack of Add.
//
//go:noinline
func (s *Summary) addSlow(e *Event, slot int, key, tenant, caller, word uint64) {
	s.count(e, &counted{key: slot, keyHash: key, tenant: tenant, caller: caller, word: word})
}

// counted is what one event has become so far.
type counted struct {
	key            int // its slot
	keyHash        uint64
	tenant, caller uint64 // hashes
	word           uint64 // of the context
	fresh          bool   // the key was no candidate before
}

const (
	placeWord  = 0x9e3779b97f4a7c15 // odd constants that keep the parts of a context's word apart
	callerWord = 0xc2b2ae3d27d4eb4f
	soleWord   = 0x165667b19e3779f9
)

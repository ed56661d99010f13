package sketch

// count counts an event that is not one addition.
func (s *Summary) count(e *Event, c *counted) {
	sums := &e.Sums
	if e.KeySums != nil {
		sums = e.KeySums
	}
	if !s.heavy && (s.events > lightest || !e.Sums.light() || !sums.light()) {
		s.heavy, s.keys.heavy, s.tenants.heavy, s.callers.heavy, s.pairs.heavy = true, true, true, true, true
	}
	if c.tenant == 0 && len(e.Tenant) > 0 {
		c.tenant = s.hasher.name(e.Tenant)
	}
	if c.caller == 0 && len(e.Caller) > 0 && s.called {
		c.caller = s.hasher.name(e.Caller)
	}
	switch {
	case len(e.Key) == 0:
	case c.key >= 0:
		s.countKnown(e, c, sums)
	default:
		s.countFresh(e, c, sums)
	}
	s.attribute(e, c, sums.Cost)
}

// countKnown counts a candidate whose record is settled at once.
func (s *Summary) countKnown(e *Event, c *counted, sums *Sums) {
	row, k := &s.keys.rows[c.key].sums, &s.contexts.known[c.key]
	switch {
	case s.heavy:
		// Near their end sums no longer tell what was added: all there is is settled, and what comes too.
		s.settle(c.key)
		row.add(sums)
		s.base[c.key] = *row
		return
	case s.bound[c.key] == 0:
		row.plain(sums)
		if s.base[c.key] = *row; e.KeySums == nil {
			s.bind(c.key, e, c)
		}
		return
	}
	row.plain(sums)
	s.base[c.key].plain(sums)
	if k.misfits++; e.KeySums == nil && k.misfits >= rebindAfter {
		s.settle(c.key)
		s.bind(c.key, e, c)
	}
}

// countFresh counts a key that was no candidate. Its context is bound with its second record: most keys have no second.
func (s *Summary) countFresh(e *Event, c *counted, sums *Sums) {
	s.whole[keyKind].insert(c.keyHash)
	c.key, c.fresh = s.keys.miss(c.keyHash, e.Key, e.VShard, sums), true
	if c.key >= 0 {
		s.bound[c.key], s.contexts.known[c.key].voted = 0, false
	}
}

// addFresh counts a light event of a key that is no candidate. An attack is made of them: where the key does not become one
// and there is nothing to count but its tenant, they end here.
func (s *Summary) addFresh(e *Event, key, tenant, caller uint64) {
	c := counted{keyHash: key, tenant: tenant, caller: caller}
	s.countFresh(e, &c, &e.Sums)
	if c.key < 0 && e.VShard < 0 && e.Shard < 0 && !s.called && s.cfg.Spread == 0 {
		if len(e.Tenant) == 0 || len(s.tenants.rows) == 0 {
			return
		}
		if slot := s.tenants.find(tenant); slot >= 0 {
			s.tenants.rows[slot].sums.plain(&e.Sums)
			return
		}
	}
	s.attribute(e, &c, e.Sums.Cost)
}

// attribute counts sums for the vshard, shard, tenant, caller and pair of an event. cost is what its key had of it.
func (s *Summary) attribute(e *Event, c *counted, cost uint64) {
	if e.VShard >= 0 {
		s.loads.add(e.VShard, &e.Sums)
	}
	if e.Shard >= 0 && s.cfg.Spread > 0 {
		s.shardKeys.add(e.Shard, e.Sums.Cost, c)
	}
	if len(e.Caller) > 0 && s.called {
		if _, known := s.callers.add(c.caller, e.Caller, None, &e.Sums); !known {
			s.whole[callerKind].insert(c.caller)
		}
		if c.key >= 0 {
			_, callers := s.votes(c.key)
			callers.add(c.caller, cost)
		}
	}
	if len(e.Tenant) > 0 && len(s.tenants.rows) > 0 {
		s.attributeTenant(e, c, cost)
	}
}

func (s *Summary) attributeTenant(e *Event, c *counted, cost uint64) {
	slot, known := s.tenants.add(c.tenant, e.Tenant, None, &e.Sums)
	if !known {
		s.whole[tenantKind].insert(c.tenant)
		if slot >= 0 && s.called {
			s.tenantCallers[slot] = votes{}
		}
	}
	fresh := c.fresh
	if c.key >= 0 && !e.SoleTenant {
		tenants, _ := s.votes(c.key)
		fresh = !tenants.add(c.tenant, cost) || fresh
	}
	if slot >= 0 {
		if fresh && c.keyHash != 0 && s.cfg.Spread > 0 {
			s.tenantKeys.add(&s.tenants, slot, c.keyHash)
		}
		if len(e.Caller) > 0 && s.called {
			s.tenantCallers[slot].add(c.caller, e.Sums.Cost)
		}
	}
	if e.Shard < 0 || len(s.pairs.rows) == 0 {
		return
	}
	slot, known = s.pairs.add(pairHash(c.tenant, e.Shard), e.Tenant, e.Shard, &e.Sums)
	if slot < 0 || !s.called {
		return
	}
	if !known {
		s.pairCallers[slot] = votes{}
	}
	if len(e.Caller) > 0 {
		s.pairCallers[slot].add(c.caller, e.Sums.Cost)
	}
}

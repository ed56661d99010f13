package quality

import (
	"fmt"
	"slices"

	"firebreak/policy"
	"firebreak/routing"
)

// Applied is what a plan makes of the exact rates.
type Applied struct {
	Shard  float64 // load/s of the hot shard afterwards
	Worst  float64 // highest load / target among the hot shard and the receivers
	Where  string  // that shard
	Meets  bool    // Worst is at most 1
	Broken string  // why the plan could not be carried out; empty if it could
}

// rewrite is a plan being carried out.
type rewrite struct {
	f      *Fleet
	b      *borne
	doc    *routing.Document
	table  *routing.Table
	cached map[int32]bool    // keys
	scale  map[int32]float64 // what a limit leaves of a key, 0 to 1
	placed map[int32]bool    // tenants
	quotas map[int32]float64 // tenants, requests/s
	salted map[int32]bool    // keys
}

// apply carries out steps on the exact rates. b is the hot shard.
func (f *Fleet) apply(b *borne, target float64, steps []policy.Step) Applied {
	w := &rewrite{
		f: f, b: b, doc: f.Table.Document().Clone(), cached: map[int32]bool{}, scale: map[int32]float64{},
		placed: map[int32]bool{}, quotas: map[int32]float64{}, salted: map[int32]bool{},
	}
	for i := range steps {
		if err := w.step(&steps[i]); err != nil {
			return Applied{Broken: err.Error()}
		}
	}
	table, err := f.Table.With(w.doc)
	if err != nil {
		return Applied{Broken: err.Error()}
	}
	w.table = table
	return w.judge(w.loads(), target)
}

// step lays one step into the document, or notes what no document says.
func (w *rewrite) step(s *policy.Step) error {
	switch s.Kind {
	case policy.StepMove, policy.StepNative:
		w.move(s.Moves)
	case policy.StepAddShards:
		w.shards(s.Shards, routing.Serving)
	case policy.StepPlaceKey:
		w.shards(s.Shards, routing.Dedicated)
		w.move(s.Moves)
	case policy.StepPlaceTenant:
		t, err := w.tenant(s.Tenant)
		if err != nil {
			return err
		}
		w.placed[t] = true
		w.doc.Tenants = append(w.doc.Tenants, routing.TenantPlacement{Tenant: s.Tenant, Shards: w.shards(s.Shards, routing.Dedicated)})
	case policy.StepQuota:
		t, err := w.tenant(s.Tenant)
		if err != nil {
			return err
		}
		w.quotas[t] = s.Rate
	case policy.StepSalt, policy.StepCache:
		k, err := w.key(s.Key, s.Tenant)
		if err != nil {
			return err
		}
		if s.Kind == policy.StepCache {
			w.cached[k] = true
			return nil
		}
		w.salted[k] = true
		w.doc.Salts = append(w.doc.Salts, *s.Salt)
	case policy.StepLimitCaller:
		return w.limit(s)
	case policy.StepNone, policy.StepUnsalt, policy.StepReturnTenant, policy.StepLiftQuota, policy.StepUncache, policy.StepDrain:
		return fmt.Errorf("step %s takes back what no drawn fleet has", s.Kind)
	}
	return nil
}

func (w *rewrite) move(moves []routing.Move) {
	for _, m := range moves {
		w.doc.Moves = slices.DeleteFunc(w.doc.Moves, func(o routing.Move) bool { return o.VShard == m.VShard })
		w.doc.Moves = append(w.doc.Moves, m)
	}
}

// shards finds shards by name and adds those that do not exist yet.
func (w *rewrite) shards(names []string, role routing.Role) []routing.ShardID {
	ids := make([]routing.ShardID, 0, len(names))
	for _, name := range names {
		i := slices.IndexFunc(w.doc.Shards, func(s routing.Shard) bool { return s.Name == name })
		if i < 0 {
			i = len(w.doc.Shards)
			w.doc.Shards = append(w.doc.Shards, routing.Shard{Name: name, Role: role})
		}
		ids = append(ids, routing.ShardID(i))
	}
	return ids
}

func (w *rewrite) tenant(name string) (int32, error) {
	i := slices.Index(w.f.Tenants, name)
	if i < 0 {
		return 0, fmt.Errorf("tenant %q does not exist", name)
	}
	return int32(i), nil
}

// key finds a key of the hot shard.
func (w *rewrite) key(name, tenant string) (int32, error) {
	for i := range w.b.keys {
		k := &w.f.Keys[w.b.keys[i].key]
		if k.Name == name && (!w.f.identifiesTenant() || w.f.Tenants[k.Tenant] == tenant) {
			return w.b.keys[i].key, nil
		}
	}
	return 0, fmt.Errorf("key %q of tenant %q does not lie on the shard", name, tenant)
}

// limit takes a caller's requests above the limit off a key, or off all keys of a tenant.
func (w *rewrite) limit(s *policy.Step) error {
	sent := func(k *Key) float64 {
		own := 0.0
		if k.Called {
			own = w.f.CallerShare
		}
		if s.Caller == w.f.Caller {
			return own
		}
		return (1 - own) / otherCalls
	}
	var keys []int32
	if s.Key != "" {
		k, err := w.key(s.Key, s.Tenant)
		if err != nil {
			return err
		}
		keys = []int32{k}
	} else {
		t, err := w.tenant(s.Tenant)
		if err != nil {
			return err
		}
		for i := range w.f.Keys {
			if w.f.Keys[i].Tenant == t {
				keys = append(keys, int32(i))
			}
		}
	}
	load := 0.0
	for _, k := range keys {
		load += w.f.Keys[k].After * sent(&w.f.Keys[k])
	}
	if load <= 0 {
		return nil
	}
	for _, k := range keys {
		w.scale[k] = 1 - sent(&w.f.Keys[k])*max(0, 1-s.Rate/load)
	}
	return nil
}

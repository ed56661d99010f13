package console

import (
	"slices"

	"firebreak/policy"
)

// picture is the load of every shard behind a verdict, and the heaviest of its shard.
type picture struct {
	shard     int
	loads     []float64            // as it is, by shard
	projected map[string][]float64 // by fix
	targets   map[string][]float64 // what each shard may bear, by fix
	keys      []heavy
	tenants   []heavy
}

// heavy is one key or tenant on a hot shard.
type heavy struct {
	key, tenant string
	load        float64
	share       policy.Bounds
	reads       float64
	unknown     float64 // share of it whose op is not known
	alone       bool    // its own load is over the target
	blamed      bool
}

// pictures draws what is behind the verdicts of a tick.
func (m *Model) pictures(t *Tick) map[string]*picture {
	out := map[string]*picture{}
	for i := range t.Decision.Verdicts {
		v := &t.Decision.Verdicts[i]
		if v.Phase == policy.PhaseResolved {
			continue
		}
		behind := policy.Behind(t.Snapshot, t.Config, v, maxListed)
		p := &picture{shard: int(v.ShardID), loads: behind.Loads, projected: map[string][]float64{}, targets: map[string][]float64{}}
		for j := range v.Projected {
			if loads := v.Projected[j].Loads; loads != nil {
				p.projected[v.Projected[j].Fix.String()], p.targets[v.Projected[j].Fix.String()] = loads, v.Projected[j].Targets
			}
		}
		p.keys, p.tenants = m.heaviest(v, behind.Keys), m.heaviest(v, behind.Tenants)
		out[v.Hotspot] = p
	}
	return out
}

func (m *Model) heaviest(v *policy.Verdict, list []policy.Contribution) []heavy {
	hide := func(name string) string {
		if m.redact == nil || name == "" {
			return name
		}
		return m.redact([]byte(name))
	}
	out := make([]heavy, 0, len(list))
	for i := range list {
		c := &list[i]
		out = append(out, heavy{
			key: hide(c.Key), tenant: hide(c.Tenant), load: c.Load, share: c.Share, reads: c.ReadShare, unknown: c.OpUnknown, alone: c.AboveTarget,
			blamed: v.Cause != policy.CauseUnknown && slices.ContainsFunc(v.Contribute, func(o policy.Contribution) bool {
				return o.Cause == c.Cause && o.Key == c.Key && (o.Tenant == c.Tenant || o.Key != "")
			}),
		})
	}
	return out
}

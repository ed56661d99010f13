package report

import (
	"slices"
	"time"

	"firebreak/internal/line"
	"firebreak/policy"
)

// toldOf is a verdict of the journal as policy gave it, without what a line does not hold: the loads of projections. Words that a
// newer firebreak wrote are unknown, the safe value.
func toldOf(v *line.Verdict) policy.Verdict {
	out := policy.Verdict{
		Fleet: string(v.Fleet), Time: time.Time(v.Time), Hotspot: string(v.Hotspot), Phase: policy.PhaseFiring, Onset: time.Time(v.Onset),
		Shard: string(v.Shard), Placement: string(v.Placement), Key: string(v.Key), Tenant: string(v.Tenant), Caller: string(v.Caller),
		Load: float64(v.Load), Mean: float64(v.Mean), Imbalance: float64(v.Imbalance), Capacity: float64(v.Capacity), Line: float64(v.Line),
		Target: float64(v.Target), From: time.Time(v.Window.From), To: time.Time(v.Window.To), Coverage: float64(v.Coverage),
		Samples: float64(v.Samples), Share: boundsOf(v.Share), ReadShare: float64(v.ReadShare), OpUnknown: float64(v.OpUnknown), Reason: string(v.Reason),
	}
	if v.Severity == policy.SeverityCritical.String() {
		out.Severity = policy.SeverityCritical
	}
	dimensions := []policy.Dimension{policy.DimensionTotal, policy.DimensionReads, policy.DimensionWrites}
	if i := slices.IndexFunc(dimensions, func(d policy.Dimension) bool { return d.String() == v.Dimension }); i >= 0 {
		out.Dimension = dimensions[i]
	}
	out.Cause, out.Fix = causeOf(v.Cause), fixOf(v.Fix)
	_ = out.LogPoint.UnmarshalText([]byte(v.LogPoint)) // stays unknown
	for _, m := range v.Missing {
		out.Missing = append(out.Missing, string(m))
	}
	for i := range v.Contributors {
		c := &v.Contributors[i]
		out.Contribute = append(out.Contribute, policy.Contribution{
			Cause: causeOf(c.Cause), Key: string(c.Key), Tenant: string(c.Tenant), Caller: string(c.Caller), CallerShare: float64(c.CallerShare),
			Load: float64(c.Load), Share: boundsOf(c.Share), ReadShare: float64(c.ReadShare), AboveTarget: c.AboveTarget,
		})
	}
	for i := range v.Projections {
		p := &v.Projections[i]
		out.Projected = append(out.Projected, policy.Projection{
			Fix: fixOf(p.Fix), Hottest: float64(p.Hottest), Own: float64(p.Own), Shard: float64(p.Shard), Upper: float64(p.Upper), Utilization: float64(p.Utilization),
			Imbalance: float64(p.Imbalance), Feasible: p.Feasible, ReadMultiplier: float64(p.ReadMultiplier), KeyReadMultiplier: float64(p.KeyReadMultiplier),
			Salt: p.Salt, MovedShare: float64(p.MovedShare), Rate: float64(p.Rate), Shards: p.Shards, Beyond: string(p.Beyond), Why: string(p.Why),
		})
	}
	return out
}

func boundsOf(s line.Share) policy.Bounds {
	return policy.Bounds{Value: float64(s.Value), Low: float64(s.Low), High: float64(s.High)}
}

func causeOf(text string) (c policy.Cause) {
	_ = c.UnmarshalText([]byte(text)) // stays unknown
	return c
}

func fixOf(text string) (f policy.Fix) {
	_ = f.UnmarshalText([]byte(text)) // stays none
	return f
}

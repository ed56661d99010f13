package line

import "firebreak/policy"

// Verdict is a hotspot that fires, changes or resolves. Loads are requests/s or cost units/s; shares are 0 to 1.
type Verdict struct {
	Head

	Hotspot      Name          `json:"hotspot"`
	Phase        string        `json:"phase"`    // policy.Phase: firing or resolved
	Severity     string        `json:"severity"` // policy.Severity
	Onset        Stamp         `json:"onset"`
	Shard        Name          `json:"shard"`
	Placement    Prose         `json:"placement"`
	Routing      Written       `json:"routing,omitzero"` // the document that it was judged by, where somebody keeps one
	Cause        string        `json:"cause"`            // policy.Cause
	Key          Name          `json:"key"`
	Tenant       Name          `json:"tenant"`
	Caller       Name          `json:"caller"`
	Contributors []Contributor `json:"contributors"`
	Load         Number        `json:"load"`
	Dimension    string        `json:"dimension"` // policy.Dimension that Load is counted in
	Mean         Number        `json:"mean"`
	Imbalance    Number        `json:"imbalance"`
	Capacity     Number        `json:"capacity"`    // 0 = not known
	Utilization  Number        `json:"utilization"` // 0 = capacity not known
	Line         Number        `json:"line"`        // over which the shard is hot
	Target       Number        `json:"target"`      // under which a fix brings it
	Window       Window        `json:"window"`
	Coverage     Number        `json:"coverage"`
	LogPoint     string        `json:"log_point"` // policy.LogPoint
	Samples      Number        `json:"samples"`   // effective samples on the shard
	Share        Share         `json:"share"`
	ReadShare    Number        `json:"read_share"`
	OpUnknown    Number        `json:"op_unknown"` // share of it whose op the log does not tell
	Missing      []Prose       `json:"missing"`
	Fix          string        `json:"fix"` // policy.Fix
	Reason       Prose         `json:"reason"`
	Projections  []Projection  `json:"projections"`
}

// Contributor is one contributor that was taken away until the shard was cool; of an unknown cause, one of the heaviest.
type Contributor struct {
	Cause       string `json:"cause"`
	Key         Name   `json:"key"`
	Tenant      Name   `json:"tenant"`
	Caller      Name   `json:"caller"`
	CallerShare Number `json:"caller_share"`
	Load        Number `json:"load"`
	Share       Share  `json:"share"`
	ReadShare   Number `json:"read_share"`
	AboveTarget bool   `json:"above_target"`
}

// Written names one write of a routing document.
type Written struct {
	Epoch   uint64 `json:"epoch"`
	Version uint64 `json:"version"`
}

// Window is the time that the numbers of a verdict are of.
type Window struct {
	From Stamp `json:"from"`
	To   Stamp `json:"to"`
}

// Share is an estimate with its one-sided 95 % bounds.
type Share struct {
	Value Number `json:"value"`
	Low   Number `json:"low"`
	High  Number `json:"high"`
}

// Projection is what one fix would make of the measured loads.
type Projection struct {
	Fix               string `json:"fix"`
	Hottest           Number `json:"hottest"` // load of the hottest shard that serves; dedicated ones do not count
	Own               Number `json:"own"`     // load of the heaviest dedicated shard that an isolation fills; 0 = it fills none
	Shard             Number `json:"shard"`   // load of the hot shard then
	Upper             Number `json:"upper"`   // upper bound of Shard
	Utilization       Number `json:"utilization"`
	Imbalance         Number `json:"imbalance"`
	Feasible          bool   `json:"feasible"`
	ReadMultiplier    Number `json:"read_multiplier"`
	KeyReadMultiplier Number `json:"key_read_multiplier"`
	Salt              int    `json:"salt"`
	MovedShare        Number `json:"moved_share"`
	Rate              Number `json:"rate"`
	Shards            int    `json:"shards"`           // added
	Beyond            Prose  `json:"beyond,omitempty"` // another shard that it leaves over its line, a clause
	Why               Prose  `json:"why"`
}

// NewVerdict is the line of a verdict.
func NewVerdict(v *policy.Verdict) *Verdict {
	line := &Verdict{
		Head:    NewHead("verdict", v.Fleet, Stamp(v.Time)),
		Hotspot: Name(v.Hotspot), Phase: v.Phase.String(), Severity: v.Severity.String(), Onset: Stamp(v.Onset),
		Shard: Name(v.Shard), Placement: Prose(v.Placement), Cause: v.Cause.String(),
		Key: Name(v.Key), Tenant: Name(v.Tenant), Caller: Name(v.Caller), Contributors: []Contributor{},
		Load: Number(v.Load), Dimension: v.Dimension.String(), Mean: Number(v.Mean), Imbalance: Number(v.Imbalance), Capacity: Number(v.Capacity),
		Line: Number(v.Line), Target: Number(v.Target), OpUnknown: Number(v.OpUnknown),
		Window: Window{From: Stamp(v.From), To: Stamp(v.To)}, Coverage: Number(v.Coverage), LogPoint: v.LogPoint.String(),
		Samples: Number(v.Samples), Share: newShare(v.Share), ReadShare: Number(v.ReadShare), Fix: v.Fix.String(),
		Missing: []Prose{}, Reason: Prose(v.Reason), Projections: []Projection{},
	}
	if v.Epoch > 0 {
		line.Routing = Written{Epoch: v.Epoch, Version: v.Version}
	}
	for _, m := range v.Missing {
		line.Missing = append(line.Missing, Prose(m))
	}
	if v.Capacity > 0 {
		line.Utilization = Number(v.Load / v.Capacity)
	}
	for i := range v.Contribute {
		c := &v.Contribute[i]
		line.Contributors = append(line.Contributors, Contributor{
			Cause: c.Cause.String(), Key: Name(c.Key), Tenant: Name(c.Tenant), Caller: Name(c.Caller), CallerShare: Number(c.CallerShare),
			Load: Number(c.Load), Share: newShare(c.Share), ReadShare: Number(c.ReadShare), AboveTarget: c.AboveTarget,
		})
	}
	for i := range v.Projected {
		line.Projections = append(line.Projections, newProjection(&v.Projected[i]))
	}
	return line
}

func newShare(b policy.Bounds) Share {
	return Share{Value: Number(b.Value), Low: Number(b.Low), High: Number(b.High)}
}

func newProjection(p *policy.Projection) Projection {
	return Projection{
		Fix: p.Fix.String(), Hottest: Number(p.Hottest), Own: Number(p.Own), Shard: Number(p.Shard), Upper: Number(p.Upper), Utilization: Number(p.Utilization), Imbalance: Number(p.Imbalance),
		Feasible: p.Feasible, ReadMultiplier: Number(p.ReadMultiplier), KeyReadMultiplier: Number(p.KeyReadMultiplier),
		Salt: p.Salt, MovedShare: Number(p.MovedShare), Rate: Number(p.Rate), Shards: p.Shards, Beyond: Prose(p.Beyond), Why: Prose(p.Why),
	}
}

package main

import (
	"encoding/json"
	"io"

	"firebreak/policy"
	"firebreak/routing"
)

// printer writes what a replay says, as it says it.
type printer interface {
	verdict(v *policy.Verdict) error
	// follows says that the line is printed below the verdict of its hotspot.
	plan(fleet string, at stamp, p *policy.Plan, table *routing.Table, follows bool) error
	hold(fleet string, at stamp, h policy.Hold, follows bool) error
	advice(fleet string, at stamp, a policy.Advice) error
	summary(s *summaryLine) error
}

// jsonPrinter writes one object a line.
type jsonPrinter struct{ w io.Writer }

func (p jsonPrinter) line(v any) error {
	e := json.NewEncoder(p.w)
	e.SetEscapeHTML(false)
	return e.Encode(v)
}

func newHead(kind, fleet string, at stamp) head {
	return head{Type: kind, Schema: outputSchema, Fleet: name(fleet), Time: at}
}

func (p jsonPrinter) verdict(v *policy.Verdict) error { return p.line(newVerdictLine(v)) }

func newVerdictLine(v *policy.Verdict) *verdictLine {
	line := &verdictLine{
		head:    newHead("verdict", v.Fleet, stamp(v.Time)),
		Hotspot: name(v.Hotspot), Phase: v.Phase.String(), Severity: v.Severity.String(), Onset: stamp(v.Onset),
		Shard: name(v.Shard), Placement: prose(v.Placement), Cause: v.Cause.String(),
		Key: name(v.Key), Tenant: name(v.Tenant), Caller: name(v.Caller), Contributors: []contributorPart{},
		Load: number(v.Load), Mean: number(v.Mean), Imbalance: number(v.Imbalance), Capacity: number(v.Capacity),
		Window: windowPart{From: stamp(v.From), To: stamp(v.To)}, Coverage: number(v.Coverage), LogPoint: v.LogPoint.String(),
		Samples: number(v.Samples), Share: newShare(v.Share), ReadShare: number(v.ReadShare), Fix: v.Fix.String(),
		Missing: []prose{}, Reason: prose(v.Reason), Projections: []projectionPart{},
	}
	for _, m := range v.Missing {
		line.Missing = append(line.Missing, prose(m))
	}
	if v.Capacity > 0 {
		line.Utilization = number(v.Load / v.Capacity)
	}
	for i := range v.Contribute {
		c := &v.Contribute[i]
		line.Contributors = append(line.Contributors, contributorPart{
			Cause: c.Cause.String(), Key: name(c.Key), Tenant: name(c.Tenant), Caller: name(c.Caller), CallerShare: number(c.CallerShare),
			Load: number(c.Load), Share: newShare(c.Share), ReadShare: number(c.ReadShare), AboveTarget: c.AboveTarget,
		})
	}
	for i := range v.Projected {
		line.Projections = append(line.Projections, newProjection(&v.Projected[i]))
	}
	return line
}

func newShare(b policy.Bounds) sharePart {
	return sharePart{Value: number(b.Value), Low: number(b.Low), High: number(b.High)}
}

func newProjection(p *policy.Projection) projectionPart {
	return projectionPart{
		Fix: p.Fix.String(), Hottest: number(p.Hottest), Utilization: number(p.Utilization), Imbalance: number(p.Imbalance),
		Feasible: p.Feasible, ReadMultiplier: number(p.ReadMultiplier), KeyReadMultiplier: number(p.KeyReadMultiplier),
		Salt: p.Salt, MovedShare: number(p.MovedShare), Rate: number(p.Rate), Why: prose(p.Why),
	}
}

func (p jsonPrinter) plan(fleet string, at stamp, plan *policy.Plan, table *routing.Table, _ bool) error {
	line := planLine{
		head: newHead("plan", fleet, at), Hotspot: name(plan.Hotspot), ID: name(plan.ID), Undo: plan.Undo, Ready: plan.Ready, Expires: stamp(plan.Expires),
		Steps: []stepPart{}, Footprint: []entryPart{}, Projection: newProjection(&plan.Projection),
	}
	for i := range plan.Steps {
		line.Steps = append(line.Steps, newStep(plan, &plan.Steps[i], table))
	}
	for _, e := range plan.Footprint {
		line.Footprint = append(line.Footprint, entryPart{Kind: e.Kind.String(), Tenant: name(e.Tenant), Name: name(e.Name)})
	}
	return p.line(line)
}

func newStep(plan *policy.Plan, s *policy.Step, table *routing.Table) stepPart {
	part := stepPart{
		Kind: s.Kind.String(), Key: name(s.Key), Tenant: name(s.Tenant), Caller: name(s.Caller), Moves: []movePart{}, Suffixes: []uint32{},
		Shards: []name{}, Rate: number(s.Rate), Refused: number(s.Refused), Operations: s.Operations, Text: prose(s.Text),
	}
	for _, m := range s.Moves {
		part.Moves = append(part.Moves, movePart{VShard: int(m.VShard), To: name(plan.ShardName(table, m.To))})
	}
	if s.Salt != nil {
		part.Suffixes = append(part.Suffixes, s.Salt.Suffixes...)
	}
	for _, n := range s.Shards {
		part.Shards = append(part.Shards, name(n))
	}
	return part
}

func (p jsonPrinter) hold(fleet string, at stamp, h policy.Hold, _ bool) error {
	return p.line(holdLine{newHead("hold", fleet, at), name(h.Hotspot), h.Reason.String(), prose(h.Detail)})
}

func (p jsonPrinter) advice(fleet string, at stamp, a policy.Advice) error {
	return p.line(adviceLine{newHead("advice", fleet, at), name(a.Shard), a.Topic.String(), a.Level.String(), prose(a.Reason)})
}

func (p jsonPrinter) summary(s *summaryLine) error { return p.line(s) }

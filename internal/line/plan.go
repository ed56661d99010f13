package line

import (
	"firebreak/policy"
	"firebreak/routing"
)

// Plan is a fix with its steps and its proof.
type Plan struct {
	Head

	Hotspot    Name       `json:"hotspot"`
	ID         Name       `json:"id"` // changes with what the plan does
	Undo       bool       `json:"undo"`
	Ready      bool       `json:"ready"`
	Steps      []Step     `json:"steps"`
	Expires    Stamp      `json:"expires"`
	Footprint  []Entry    `json:"footprint"`
	Projection Projection `json:"projection"`
}

// Step is one change of the document, or one thing that a person does.
type Step struct {
	Kind       string   `json:"kind"` // policy.StepKind
	Key        Name     `json:"key"`
	Tenant     Name     `json:"tenant"`
	Caller     Name     `json:"caller"`
	Moves      []Move   `json:"moves"`
	Suffixes   []uint32 `json:"suffixes"` // of a salt's pieces; the first is the bare key
	Shards     []Name   `json:"shards"`
	Rate       Number   `json:"rate"`    // load/s
	Refused    Number   `json:"refused"` // load/s
	Operations int      `json:"operations"`
	Text       Prose    `json:"text"`
	InStore    *InStore `json:"in_store,omitzero"` // nil = the fleet names no profile
}

// Move sends a virtual shard to a shard.
type Move struct {
	VShard int  `json:"vshard"`
	To     Name `json:"to"`
}

// Entry is one entry of the document that a plan reads or writes.
type Entry struct {
	Kind   string `json:"kind"` // routing.EntryKind
	Tenant Name   `json:"tenant"`
	Name   Name   `json:"name"`
}

// NewPlan is the line of a plan. table names the shards that its moves go to.
func NewPlan(fleet string, at Stamp, plan *policy.Plan, table *routing.Table) *Plan {
	line := &Plan{
		Head: NewHead("plan", fleet, at), Hotspot: Name(plan.Hotspot), ID: Name(plan.ID), Undo: plan.Undo, Ready: plan.Ready, Expires: Stamp(plan.Expires),
		Steps: []Step{}, Footprint: []Entry{}, Projection: newProjection(&plan.Projection),
	}
	for i := range plan.Steps {
		line.Steps = append(line.Steps, newStep(plan, &plan.Steps[i], table))
	}
	for _, e := range plan.Footprint {
		line.Footprint = append(line.Footprint, Entry{Kind: e.Kind.String(), Tenant: Name(e.Tenant), Name: Name(e.Name)})
	}
	return line
}

func newStep(plan *policy.Plan, s *policy.Step, table *routing.Table) Step {
	step := Step{
		Kind: s.Kind.String(), Key: Name(s.Key), Tenant: Name(s.Tenant), Caller: Name(s.Caller), Moves: []Move{}, Suffixes: []uint32{},
		Shards: []Name{}, Rate: Number(s.Rate), Refused: Number(s.Refused), Operations: s.Operations, Text: Prose(s.Text),
	}
	for _, m := range s.Moves {
		step.Moves = append(step.Moves, Move{VShard: int(m.VShard), To: Name(plan.ShardName(table, m.To))})
	}
	if s.Salt != nil {
		step.Suffixes = append(step.Suffixes, s.Salt.Suffixes...)
	}
	for _, n := range s.Shards {
		step.Shards = append(step.Shards, Name(n))
	}
	return step
}

// Hold is a refusal to act.
type Hold struct {
	Head

	Hotspot Name   `json:"hotspot"` // empty = the fleet's
	Reason  string `json:"reason"`  // policy.HoldReason
	Detail  Prose  `json:"detail"`
}

// NewHold is the line of a hold.
func NewHold(fleet string, at Stamp, h policy.Hold) *Hold {
	return &Hold{NewHead("hold", fleet, at), Name(h.Hotspot), h.Reason.String(), Prose(h.Detail)}
}

// Advice is something a person should look at that is no hotspot.
type Advice struct {
	Head

	Shard  Name   `json:"shard"` // empty = the fleet
	Topic  string `json:"topic"` // policy.Topic
	Level  string `json:"level"` // policy.Severity
	Reason Prose  `json:"reason"`
}

// NewAdvice is the line of an advice.
func NewAdvice(fleet string, at Stamp, a policy.Advice) *Advice {
	return &Advice{NewHead("advice", fleet, at), Name(a.Shard), a.Topic.String(), a.Level.String(), Prose(a.Reason)}
}

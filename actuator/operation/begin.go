package operation

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"firebreak/policy"
	"firebreak/routing"
	"firebreak/routing/control"
)

// Cut parts the moves of a split, so that no part moves more of the fleet's load than one operation may.
type Cut func(moves []routing.Move) [][]routing.Move

// Terms are what a plan is made into operations by.
type Terms struct {
	Cut Cut
	// Staleness is how old a cached answer for a key may be.
	Staleness func(tenant, key string) time.Duration
	// Shard is the hot one's name.
	Shard string
}

// Begin is the state in which the operations of a plan stand, planned, and in which its approval is used up. Nothing but that changes
// yet. Errors say why a plan cannot be carried out by us.
func Begin(s *control.State, plan *policy.Plan, t *Terms, now time.Time) (*control.State, error) {
	if was := s.Document.Digest(plan.Footprint); was != plan.Digest {
		return nil, errors.New("the plan was made for another document")
	}
	for i := range s.Operations {
		if s.Operations[i].Plan == plan.ID && Open(&s.Operations[i]) {
			return nil, errors.New("the plan is being carried out")
		}
	}
	ops, err := compile(s.Document, plan, t)
	if err != nil {
		return nil, err
	}
	by := ""
	n := s.Next()
	n.Approvals = slices.DeleteFunc(n.Approvals, func(a control.Approval) bool {
		if a.Plan == plan.ID && !a.No {
			by = a.By
		}
		return a.Plan == plan.ID
	})
	for i := range ops {
		o := &ops[i]
		n.Operated++
		o.Number, o.Phase, o.Since, o.Version, o.By = n.Operated, Planned, now.UTC(), n.Document.Version, by
		o.Plan, o.Hotspot, o.Fix, o.Shard = plan.ID, plan.Hotspot, plan.Fix.String(), t.Shard
		n.Operations = append(n.Operations, *o)
	}
	if _, err := told(s, n, &n.Operations[len(n.Operations)-len(ops)], begun(ops), now); err != nil {
		return nil, err
	}
	return n, n.Validate()
}

func begun(ops []control.Operation) string {
	first, last := ops[0].Number, ops[len(ops)-1].Number
	if first == last {
		return fmt.Sprintf("operation %d is planned", first)
	}
	return fmt.Sprintf("operations %d to %d are planned", first, last)
}

// compile makes operations of a plan's steps, in their order. Steps that are advice are left out.
func compile(doc *routing.Document, plan *policy.Plan, t *Terms) ([]control.Operation, error) {
	if len(plan.Added) > 0 {
		return nil, fmt.Errorf("it wants %d shards that the fleet does not have", len(plan.Added))
	}
	var out []control.Operation
	for i := range plan.Steps {
		ops, err := compileStep(doc, &plan.Steps[i], t)
		if err != nil {
			return nil, err
		}
		out = append(out, ops...)
	}
	if len(out) == 0 {
		return nil, errors.New("it has no step that firebreak can take")
	}
	was := doc.Clone() // an operation finds what those before it have done
	for i := range out {
		for _, e := range out[i].Do {
			out[i].Was = append(out[i].Was, control.Edit{Entry: e.Entry, Value: was.Value(e.Entry)})
		}
		if err := lay(was, out[i].Do); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func compileStep(doc *routing.Document, step *policy.Step, t *Terms) ([]control.Operation, error) {
	tenant := ""
	if doc.Placement.IdentifiesTenant() {
		tenant = step.Tenant
	}
	one := func(machine string, edits ...control.Edit) ([]control.Operation, error) {
		return []control.Operation{{Machine: machine, Do: edits}}, nil
	}
	switch step.Kind {
	case policy.StepAddShards:
		edits, err := roles(doc, step.Shards, routing.Serving)
		if err != nil {
			return nil, err
		}
		return one(MachineSet, edits...)
	case policy.StepMove:
		return moves(doc, step.Moves, t)
	case policy.StepPlaceKey:
		edits, err := roles(doc, step.Shards, routing.Dedicated)
		if err != nil {
			return nil, err
		}
		return one(MachineMove, append(edits, moved(doc, step.Moves)...)...)
	case policy.StepPlaceTenant:
		edits, err := roles(doc, step.Shards, routing.Dedicated)
		if err != nil {
			return nil, err
		}
		return one(MachineMove, append(edits, control.Edit{Entry: routing.TenantEntry(step.Tenant), Value: routing.ShardNames(step.Shards...)})...)
	case policy.StepReturnTenant:
		return one(MachineMove, append([]control.Edit{{Entry: routing.TenantEntry(step.Tenant)}}, freed(doc, step.Shards, routing.Spare)...)...)
	case policy.StepLiftQuota:
		return one(MachineSet, control.Edit{Entry: routing.QuotaEntry(step.Tenant)})
	case policy.StepUncache:
		return one(MachineSet, control.Edit{Entry: routing.CacheEntry(tenant, step.Key)})
	case policy.StepDrain:
		return drain(doc, step, t)
	case policy.StepSalt:
		return one(MachineSalt, control.Edit{Entry: routing.SaltEntry(step.Salt.Tenant, step.Salt.Key), Value: step.Salt.Value()})
	case policy.StepUnsalt:
		return unsalt(doc, routing.SaltEntry(tenant, step.Key))
	case policy.StepQuota:
		return one(MachineSet, control.Edit{Entry: routing.QuotaEntry(step.Tenant), Value: routing.RateText(step.Rate)})
	case policy.StepCache:
		staleness := t.Staleness(step.Tenant, step.Key)
		if staleness <= 0 {
			return nil, errors.New("no key space says how stale a cached answer may be")
		}
		return one(MachineSet, control.Edit{Entry: routing.CacheEntry(tenant, step.Key), Value: staleness.String()})
	case policy.StepNone, policy.StepNative, policy.StepLimitCaller:
		return nil, nil
	}
	return nil, fmt.Errorf("step %s is not known", step.Kind)
}

// roles gives shards a role, where they do not have it. Only a spare may be taken.
func roles(doc *routing.Document, names []string, role routing.Role) ([]control.Edit, error) {
	var out []control.Edit
	for _, name := range names {
		i := slices.IndexFunc(doc.Shards, func(s routing.Shard) bool { return s.Name == name })
		switch {
		case i < 0:
			return nil, fmt.Errorf("there is no shard %q", name)
		case doc.Shards[i].Role == role:
			continue
		case doc.Shards[i].Role != routing.Spare:
			return nil, fmt.Errorf("shard %q is %s, and only a spare one is taken", name, doc.Shards[i].Role)
		}
		shard := doc.Shards[i]
		shard.Role = role
		out = append(out, control.Edit{Entry: routing.ShardEntry(name), Value: shard.Value()})
	}
	return out, nil
}

// freed gives shards a role, whatever they have now.
func freed(doc *routing.Document, names []string, role routing.Role) []control.Edit {
	var out []control.Edit
	for _, shard := range doc.Shards {
		if slices.Contains(names, shard.Name) {
			shard.Role = role
			out = append(out, control.Edit{Entry: routing.ShardEntry(shard.Name), Value: shard.Value()})
		}
	}
	return out
}

// drain gives a shard nothing new, sends home what it has, and makes it a spare.
func drain(doc *routing.Document, step *policy.Step, t *Terms) ([]control.Operation, error) {
	out := []control.Operation{{Machine: MachineSet, Do: freed(doc, step.Shards, routing.Draining)}}
	if len(out[0].Do) == 0 {
		return nil, fmt.Errorf("there is no shard %q", step.Shards)
	}
	home, err := moves(doc, step.Moves, t)
	if err != nil {
		return nil, err
	}
	return append(append(out, home...), control.Operation{Machine: MachineSet, Do: freed(doc, step.Shards, routing.Spare)}), nil
}

// moves are as many operations as the cap wants.
func moves(doc *routing.Document, all []routing.Move, t *Terms) ([]control.Operation, error) {
	var out []control.Operation
	for _, part := range t.Cut(all) {
		out = append(out, control.Operation{Machine: MachineMove, Do: moved(doc, part)})
	}
	return out, nil
}

func moved(doc *routing.Document, moves []routing.Move) []control.Edit {
	out := make([]control.Edit, 0, len(moves))
	for _, m := range moves {
		out = append(out, control.Edit{Entry: routing.VShardEntry(m.VShard), Value: routing.ShardNames(doc.Shards[m.To].Name)})
	}
	return out
}

// unsalt leaves the bare piece; the tombstones come with the fold.
func unsalt(doc *routing.Document, e routing.Entry) ([]control.Operation, error) {
	s, ok := doc.SaltOf(e)
	if !ok {
		return nil, fmt.Errorf("%s: there is no such salt", e)
	}
	s.Tombstones = append(s.Tombstones, s.Suffixes[1:]...)
	s.Suffixes, s.Read, s.Write = s.Suffixes[:1], 1, 1
	return []control.Operation{{Machine: MachineUnsalt, Do: []control.Edit{{Entry: e, Value: s.Value()}}}}, nil
}

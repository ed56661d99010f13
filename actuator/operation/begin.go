package operation

import (
	"cmp"
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
	Cut    Cut
	Moving Moving
	// Provisions says that shards can be made.
	Provisions bool
	// Staleness is how old a cached answer for a key may be.
	Staleness func(tenant, key string) time.Duration
	// Merges says whether the pieces of a key may be added up.
	Merges func(tenant, key string) bool
	// Shard is the hot one's name.
	Shard string
	// Mode is that of the fix: observe carries nothing out, approve wants the word of one of Approvers that is no older than Expiry.
	Mode      policy.Mode
	Approvers []string
	Expiry    time.Duration
}

// maxBegun bounds a state in which operations are planned, in bytes: the rest is for notes, and for people's words.
const maxBegun = control.MaxBytes * 2 / 3

// Begin is the state in which the operations of a plan stand, planned, and in which its approval is used up. Nothing but that changes
// yet. Errors say why a plan cannot be carried out by us.
func Begin(s *control.State, plan *policy.Plan, t *Terms, now time.Time) (*control.State, error) {
	if was := s.Document.Digest(plan.Footprint); was != plan.Digest {
		return nil, errors.New("the plan was made for another document")
	}
	for i := range s.Operations {
		o := &s.Operations[i]
		if Open(o) && (o.Plan == plan.ID || o.Hotspot != "" && o.Hotspot == plan.Hotspot) {
			return nil, fmt.Errorf("operation %d is open for it", o.Number)
		}
	}
	by, err := allowed(s, plan, t, now)
	if err != nil {
		return nil, err
	}
	ops, err := compile(s.Document, plan, t)
	if err != nil {
		return nil, err
	}
	for i := range ops {
		for _, e := range ops[i].Do {
			if o := s.Working(e.Entry); o != nil {
				return nil, fmt.Errorf("%s: operation %d works on it", e.Entry, o.Number)
			}
		}
	}
	n := s.Next()
	n.Approvals = slices.DeleteFunc(n.Approvals, func(a control.Approval) bool { return a.Plan == plan.ID })
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
	b, err := n.Encode()
	if err == nil && len(b) > maxBegun {
		err = fmt.Errorf("the state would take %d bytes, at most %d: operations that are over soon make room", len(b), maxBegun)
	}
	return n, err
}

// allowed says who allowed a plan, empty = nobody has to. The state is asked, and not the decision, which may be of before the last word.
func allowed(s *control.State, plan *policy.Plan, t *Terms, now time.Time) (by string, err error) {
	if t.Mode == policy.ModeObserve {
		return "", fmt.Errorf("firebreak only observes: it carries out no %s", plan.Fix)
	}
	if s.Document.Stop {
		return "", errors.New("acting is stopped")
	}
	if now.After(plan.Expires) {
		return "", fmt.Errorf("the plan expired at %s", plan.Expires.UTC().Format(time.RFC3339))
	}
	for _, h := range s.Holds {
		if h.Hotspot == plan.Hotspot {
			return "", fmt.Errorf("held by %s: %s", h.By, h.Reason)
		}
	}
	for _, a := range s.Approvals {
		switch {
		case a.Plan != plan.ID:
		case a.No:
			return "", fmt.Errorf("rejected by %s: %s", a.By, a.Reason)
		case slices.Contains(t.Approvers, a.By) && now.Sub(a.At) <= t.Expiry:
			by = a.By
		}
	}
	if t.Mode == policy.ModeApprove && by == "" {
		return "", errors.New("nobody who may has approved it lately")
	}
	return by, nil
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
	after := doc.Clone() // so that a shard is taken once
	out, err := added(plan, t)
	if err != nil {
		return nil, err
	}
	for i := range out {
		if err := lay(after, out[i].Do); err != nil {
			return nil, err
		}
	}
	steps := slices.Clone(plan.Steps)
	slices.SortStableFunc(steps, cacheFirst)
	for i := range steps {
		ops, err := compileStep(after, &steps[i], t)
		if err != nil {
			return nil, err
		}
		for j := range ops {
			if err := lay(after, ops[j].Do); err != nil {
				return nil, err
			}
		}
		out = append(out, ops...)
	}
	if len(out) == 0 {
		return nil, errors.New("it has no step that firebreak can take")
	}
	found := doc.Clone() // an operation finds what those before it have done
	for i := range out {
		was := found.Values()
		for _, e := range out[i].Do {
			out[i].Was = append(out[i].Was, control.Edit{Entry: e.Entry, Value: was[e.Entry]})
		}
		if err := lay(found, out[i].Do); err != nil {
			return nil, err
		}
	}
	return out, after.Validate()
}

// cacheFirst puts a cache before a salt of the same key: until it answers the key's reads, every piece would bear them.
func cacheFirst(a, b policy.Step) int {
	rank := func(s *policy.Step) int {
		if s.Kind == policy.StepCache {
			return 0
		}
		return 1
	}
	return cmp.Compare(rank(&a), rank(&b))
}

// added makes the shards of a plan that the fleet does not have, as what its steps want of them.
func added(plan *policy.Plan, t *Terms) ([]control.Operation, error) {
	if len(plan.Added) == 0 {
		return nil, nil
	}
	if !t.Provisions {
		return nil, fmt.Errorf("it wants %d shards that the fleet does not have", len(plan.Added))
	}
	op := control.Operation{Machine: MachineAdd}
	for _, name := range plan.Added {
		shard := routing.Shard{Name: name, Role: routing.Serving}
		if slices.ContainsFunc(plan.Steps, func(s policy.Step) bool {
			return (s.Kind == policy.StepPlaceTenant || s.Kind == policy.StepPlaceKey) && slices.Contains(s.Shards, name)
		}) {
			shard.Role = routing.Dedicated
		}
		op.Do = append(op.Do, control.Edit{Entry: routing.ShardEntry(name), Value: shard.Value()})
	}
	return []control.Operation{op}, nil
}

// Moving is how virtual shards and tenants of a fleet change hands. The zero value is that nobody said how: then none does, because data
// that is not carried would be where nobody asks for it.
type Moving uint8

// The ways.
const (
	MovingUnsaid  Moving = iota
	MovingRouting        // clients go elsewhere, and find what they need there, as of caches
	MovingCarried        // data lies on its shard and is carried
	MovingDoubled        // the same, and clients write twice meanwhile
)

// change is an operation by which places change hands.
func (t *Terms) change(edits []control.Edit) (control.Operation, error) {
	switch t.Moving {
	case MovingRouting:
		return control.Operation{Machine: MachineMove, Do: edits}, nil
	case MovingCarried:
		return control.Operation{Machine: MachineCarry, Do: edits}, nil
	case MovingDoubled:
		return control.Operation{Machine: MachineDouble, Do: edits}, nil
	case MovingUnsaid:
	}
	return control.Operation{}, errors.New("the fleet does not say who carries its data: see mover.moves")
}

func compileStep(doc *routing.Document, step *policy.Step, t *Terms) ([]control.Operation, error) {
	tenant := ""
	if doc.Placement.IdentifiesTenant() {
		tenant = step.Tenant
	}
	one := func(machine string, edits ...control.Edit) ([]control.Operation, error) {
		if len(edits) == 0 {
			return nil, nil
		}
		return []control.Operation{{Machine: machine, Do: edits}}, nil
	}
	change := func(edits ...control.Edit) ([]control.Operation, error) {
		op, err := t.change(edits)
		return []control.Operation{op}, err
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
		moves, err := moved(doc, step.Moves)
		if err != nil {
			return nil, err
		}
		return change(append(edits, moves...)...)
	case policy.StepPlaceTenant:
		edits, err := roles(doc, step.Shards, routing.Dedicated)
		if err != nil {
			return nil, err
		}
		return change(append(edits, control.Edit{Entry: routing.TenantEntry(step.Tenant), Value: routing.ShardNames(step.Shards...)})...)
	case policy.StepReturnTenant:
		return change(append([]control.Edit{{Entry: routing.TenantEntry(step.Tenant)}}, freed(doc, step.Shards, routing.Spare)...)...)
	case policy.StepLiftQuota:
		return one(MachineSet, control.Edit{Entry: routing.QuotaEntry(step.Tenant)})
	case policy.StepUncache:
		return one(MachineSet, control.Edit{Entry: routing.CacheEntry(tenant, step.Key)})
	case policy.StepDrain:
		return drain(doc, step, t)
	case policy.StepSalt:
		if !t.Merges(step.Tenant, step.Key) {
			return nil, errors.New("no key space says how the pieces of the key are merged")
		}
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
	gives := freed(doc, step.Shards, routing.Draining)
	if len(gives) == 0 {
		return nil, fmt.Errorf("there is no shard %q", step.Shards)
	}
	var out []control.Operation
	if gives = slices.DeleteFunc(gives, func(e control.Edit) bool { return doc.Value(e.Entry) == e.Value }); len(gives) > 0 { // else a drain was given up
		out = append(out, control.Operation{Machine: MachineSet, Do: gives})
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
		edits, err := moved(doc, part)
		if err != nil {
			return nil, err
		}
		op, err := t.change(edits)
		if err != nil {
			return nil, err
		}
		out = append(out, op)
	}
	return out, nil
}

// moved sends virtual shards to shards. One that goes to where the base map has it needs no exception any more.
func moved(doc *routing.Document, moves []routing.Move) ([]control.Edit, error) {
	plain := doc.Clone()
	plain.Moves = nil
	home, err := routing.NewTable(plain)
	if err != nil {
		return nil, err
	}
	out := make([]control.Edit, 0, len(moves))
	for _, m := range moves {
		if m.To < 0 || int(m.To) >= len(doc.Shards) {
			return nil, fmt.Errorf("%s: there is no shard %d", routing.VShardEntry(m.VShard), m.To)
		}
		e := control.Edit{Entry: routing.VShardEntry(m.VShard)}
		if home.Owner(m.VShard) != m.To {
			e.Value = routing.ShardNames(doc.Shards[m.To].Name)
		}
		out = append(out, e)
	}
	return out, nil
}

// unsalt leaves the bare piece; the tombstones come with the fold.
func unsalt(doc *routing.Document, e routing.Entry) ([]control.Operation, error) {
	s, ok := doc.SaltOf(e)
	if !ok {
		return nil, fmt.Errorf("%s: there is no such salt", e)
	}
	s.Tombstones = append(s.Tombstones, s.Suffixes[1:]...)
	slices.Sort(s.Tombstones)
	s.Suffixes, s.Read, s.Write = s.Suffixes[:1], 1, 1
	return []control.Operation{{Machine: MachineUnsalt, Do: []control.Edit{{Entry: e, Value: s.Value()}}}}, nil
}

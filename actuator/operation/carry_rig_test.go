package operation_test

import (
	"fmt"
	"slices"

	"pgregory.net/rapid"

	"firebreak/actuator/operation"
	"firebreak/policy"
	"firebreak/routing"
	"firebreak/routing/control"
)

// mover does what it is told to in one round, or what a test says of a phase.
type mover struct {
	cannot   []operation.Ask
	says     map[string]operation.Result // by phase
	done     map[string]bool             // by operation and phase, at a version
	of       uint64
	asked    []string                   // of that operation, in their order, each once
	unserved func(operation.Task) error // of what is asked for while nobody may serve
}

func (m *mover) can(a operation.Ask) bool { return !slices.Contains(m.cannot, a) }

func (m *mover) key(operation uint64, phase string, version uint64) string {
	return fmt.Sprint(operation, " ", phase, " ", version)
}

func (m *mover) result(s *control.State) func(uint64, string) operation.Result {
	return func(number uint64, phase string) operation.Result {
		if r, ok := m.says[phase]; ok {
			return r
		}
		return operation.Result{Done: m.done[m.key(number, phase, s.Operation(number).Version)]}
	}
}

func (m *mover) take(t rapid.TB, tasks []operation.Task) {
	for _, task := range tasks {
		if (task.Ask == operation.AskDrain || task.Ask == operation.AskReturn) && m.unserved != nil {
			if err := m.unserved(task); err != nil {
				t.Fatal(err)
			}
		}
		key := m.key(task.Operation, task.Phase, task.Version)
		if !m.done[key] && task.Operation == m.of {
			m.asked = append(m.asked, task.Ask.String())
		}
		m.done[key] = true
	}
}

// carried is a rig whose shards have a guard each, which take each document within a round, and a mover.
func carried(t rapid.TB) *rig { return carriedOf(newRig(t)) }

// carriedOf gives a rig what data is carried by.
func carriedOf(r *rig) *rig {
	r.mover = &mover{of: 1, says: map[string]operation.Result{}, done: map[string]bool{}}
	for _, s := range r.state.Document.Shards {
		r.guards = append(r.guards, control.Confirmation{Client: "guard of " + s.Name, Epoch: 1, Version: 1, Guard: true, Shard: s.Name})
	}
	r.mover.unserved = func(task operation.Task) error {
		for _, c := range task.Carries {
			if !slices.Contains(r.state.Document.Fenced, c.Entry) {
				return fmt.Errorf("%s of %s is asked for, and it is not fenced", task.Ask, c.Entry)
			}
			gives := c.From
			if task.Ask == operation.AskReturn {
				gives = c.To
			}
			for _, g := range r.guards {
				if slices.Contains(gives, g.Shard) && g.Version < task.Version {
					return fmt.Errorf("%s is asked for, and %s serves by version %d", task.Ask, g.Shard, g.Version)
				}
			}
		}
		return nil
	}
	return r
}

// confirm lets the guards that a test does not keep from it take the document.
func (r *rig) confirm(but ...string) {
	for i := range r.guards {
		g := &r.guards[i]
		if !slices.Contains(but, g.Shard) {
			g.Version = r.state.Document.Version
			g.Beat++
		}
	}
}

// carry goes on until the first operation stands in a phase, or is over or gone; the guards of some shards take no documents.
func (r *rig) carry(phase string, but ...string) {
	r.t.Helper()
	for range 20_000 {
		o := r.state.Operation(1)
		if o != nil && o.Phase == phase || o == nil && r.state.Operated > 0 && phase == operation.Over {
			return
		}
		r.round()
		r.confirm(but...)
		r.pass()
	}
	r.t.Fatalf("operation 1 never stood in %s: %+v, asked %v", phase, r.state.Operation(1), r.mover.asked)
}

func whale() policy.Step {
	return policy.Step{Kind: policy.StepPlaceTenant, Tenant: "mega", Shards: []string{"spare-0"}}
}

func fenced(s *control.State) []routing.Entry { return s.Document.Fenced }

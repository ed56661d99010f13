package operation

import (
	"errors"
	"fmt"
	"slices"

	"firebreak/routing/control"
)

// Stage is a phase on the way of an operation, for people.
type Stage struct {
	Name, Does string
	// Done says that the operation has left it, Now that it stands in it; neither = it is to come.
	Done, Now bool
	// Until is what must hold before it is left.
	Until []Condition
}

// Path are the phases that an operation goes through if nobody changes its way, one after the other; of one on its way back those of that
// way. Exactly one of them is now. Errors say that this version does not know its phase.
func Path(op *control.Operation) ([]Stage, error) {
	m, ok := machineOf(Machines(), op.Machine)
	at := m.at(op.Phase)
	if !ok || at < 0 {
		return nil, fmt.Errorf("operation %d: %s/%s is no phase that this version knows", op.Number, op.Machine, op.Phase)
	}
	first := 0
	if m.Phases[at].Returns {
		for first = at; m.Phases[first-1].Returns && m.after(first-1) == m.Phases[first].Name; {
			first--
		}
	}
	way := m.from(first)
	if !slices.Contains(way, at) { // a phase to which only a failure leads
		way = m.from(at)
	}
	out := make([]Stage, 0, len(way))
	for i, place := range way {
		p := &m.Phases[place]
		out = append(out, Stage{Name: p.Name, Does: p.Does, Done: i < slices.Index(way, at), Now: place == at, Until: p.Until})
	}
	return out, nil
}

// from are the places of the phases from one on to the end.
func (m *Machine) from(at int) []int {
	out := []int{at}
	for name := m.Phases[at].Name; name != Over && name != Undone; {
		name = m.after(at)
		at = m.at(name)
		out = append(out, at)
	}
	return out
}

// ErrNoPlan says that the last judgement has no such plan.
var ErrNoPlan = errors.New("there is no such plan now")

// Lines are the writes that a plan of the last judgement would make from a state on, cut and merged as it would be carried out now.
// Errors say why it cannot be; ErrNoPlan.
func (n *Numbers) Lines(s *control.State, plan string, a *Around) ([]Line, error) {
	if n.Decision == nil {
		return nil, ErrNoPlan
	}
	for i := range n.Decision.Plans {
		if p := &n.Decision.Plans[i]; p.ID == plan {
			return Steps(s, p, n.terms(p, a))
		}
	}
	return nil, ErrNoPlan
}

package operation

import (
	"fmt"
	"strings"

	"firebreak/policy"
	"firebreak/routing"
	"firebreak/routing/control"
)

// Line is a write that an operation would make.
type Line struct {
	// Operation is its number; of a plan that is not begun the one that it gets if the plan is begun next.
	Operation uint64
	Machine   string
	// Phase is the one that the write enters, and Does says what the phase does.
	Phase, Does string
	// Changes are the entries that it changes; none = it changes no routing.
	Changes []routing.Change
}

// String is the line for people, with its changes in lines of their own:
//
//	operation 1, flip: clients are sent to the new shards
//	  vshard/17: not there -> "shard-3"
func (l *Line) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "operation %d, %s: %s", l.Operation, l.Phase, l.Does)
	for _, c := range l.Changes {
		fmt.Fprintf(&b, "\n  %s: %s -> %s", c.Entry, orNone(c.Was), orNone(c.Is))
	}
	return b.String()
}

// Steps are the writes that a plan would make from a state on, in their order, if nothing came between: one operation after the other,
// each to its end. It asks for no approval and looks at no loads. Errors say why the plan cannot be carried out by us.
func Steps(s *control.State, plan *policy.Plan, t *Terms) ([]Line, error) {
	doc := s.Document
	ops, err := compile(doc, plan, t)
	if err != nil {
		return nil, err
	}
	var out []Line
	for i := range ops {
		op := &ops[i]
		op.Number = s.Operated + uint64(i) + 1
		m, _ := machineOf(Machines(), op.Machine)
		if doc, out, err = follow(doc, op, &m, m.after(m.at(Planned)), out); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// Back are the writes that would take an operation back from where it stands. Errors say why it has no way back.
func Back(s *control.State, number uint64) ([]Line, error) {
	op := s.Operation(number)
	if op == nil {
		return nil, fmt.Errorf("operation %d: there is none", number)
	}
	m, ok := machineOf(Machines(), op.Machine)
	if !ok || m.at(op.Phase) < 0 {
		return nil, fmt.Errorf("operation %d: %s/%s is no phase that this version knows", number, op.Machine, op.Phase)
	}
	if err := wayBack(s, op, &m); err != nil {
		return nil, err
	}
	_, out, err := follow(s.Document, op, &m, m.Phases[m.at(op.Phase)].Back, nil)
	return out, err
}

// follow makes the writes of an operation from a phase on to its end, on a copy of the document.
func follow(doc *routing.Document, op *control.Operation, m *Machine, name string, out []Line) (*routing.Document, []Line, error) {
	for {
		at := m.at(name)
		p := &m.Phases[at]
		next := doc.Clone()
		if p.edit != nil {
			if err := p.edit(next, op); err != nil {
				return nil, nil, fmt.Errorf("operation %d: %s: %w", op.Number, name, err)
			}
		}
		out = append(out, Line{op.Number, op.Machine, name, p.Does, routing.Diff(doc, next)})
		if doc = next; name == Over || name == Undone {
			return doc, out, nil
		}
		name = m.after(at)
	}
}

package operation

import (
	"fmt"

	"firebreak/routing/control"
)

// Stored is what a state, and the confirmations beside it, tell of what an operation waits for. The zero value: it waits for nothing.
type Stored struct {
	// Waits are conditions that do not hold.
	Waits []Wait
	// Unseen are conditions that only who decides can tell: they want the numbers of now, or a mover's word.
	Unseen []Condition
}

// WaitsStored says what an operation waits for to who reads the store and decides nothing. Of a it takes Now, Roll, Can and the
// configuration of Numbers. Clocks of deciders are believed, and a roll that was observed once takes every client for alive. Errors say
// that this version does not know the operation.
func WaitsStored(s *control.State, number uint64, a *Around) (Stored, error) {
	op := s.Operation(number)
	if op == nil {
		return Stored{}, fmt.Errorf("operation %d: there is none", number)
	}
	m, ok := machineOf(Machines(), op.Machine)
	at := m.at(op.Phase)
	if !ok || at < 0 {
		return Stored{}, fmt.Errorf("operation %d: %s/%s is no phase that this version knows", number, op.Machine, op.Phase)
	}
	p, v := &m.Phases[at], a.stored(s, op)
	if op.Back && !p.Returns {
		if why, ok := mayReturn(s, op, &m, v); !ok && wayBack(s, op, &m) == nil {
			return Stored{Waits: []Wait{{Guarded, why}}}, nil
		}
		return Stored{}, nil
	}
	if why := stayed(s, op, p); why != "" {
		return Stored{Waits: []Wait{{Free, why}}}, nil
	}
	var out Stored
	for _, c := range p.Until {
		switch why, ok := c.holds(s, op, v); {
		case c == Fresh || c == Fits || c == Asked || c == Free && ok: // that the traffic follows the table is a number too
			out.Unseen = append(out.Unseen, c)
		case !ok:
			out.Waits = append(out.Waits, Wait{c, why})
		}
	}
	if p.Name == Settle { // its effect is judged all the time
		out.Unseen = append(out.Unseen, Fresh)
	}
	return out, nil
}

// stored is the view of who reads the store.
func (a *Around) stored(s *control.State, op *control.Operation) *View {
	e := Executor{known: map[uint64]known{op.Number: {op.Version, op.Since}}}
	v := e.view(s, op, &Around{Now: a.Now, Roll: a.Roll, Can: a.Can})
	v.Result = func(uint64, string) Result { return Result{} }
	if cfg := a.Numbers.Config; cfg != nil {
		v.Busy, v.Grace = busy(s, cfg, a.Now), max(grace, cfg.Grace)
	}
	return v
}

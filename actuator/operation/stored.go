package operation

import (
	"fmt"

	"firebreak/routing/control"
)

// Stored is what a state, and the confirmations beside it, tell of what an operation waits for. The zero value: it waits for nothing.
type Stored struct {
	// Waits are conditions that do not hold.
	Waits []Wait
	// Unseen are conditions that only who decides can tell: they want the numbers of now, a mover's word, or clients that could not be listed.
	Unseen []Condition
}

// WaitsStored says what an operation waits for to who reads the store and decides nothing. Of a it takes Now, Roll, Can and the
// configuration of Numbers; a nil Roll is that the clients could not be listed. Clocks of deciders are believed, and a roll that was
// observed once takes every client for alive. Errors say that this version does not know the operation.
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
		switch why, ok := mayReturn(s, op, &m, v); {
		case ok || wayBack(s, op, &m) != nil:
			return Stored{}, nil //nolint:nilerr // it stays, or goes in the next round
		case a.Roll == nil:
			return Stored{Unseen: []Condition{Guarded}}, nil
		default:
			return Stored{Waits: []Wait{{Guarded, why}}}, nil
		}
	}
	if why := stayed(s, op, p); why != "" {
		return Stored{Waits: []Wait{{Free, why}}}, nil
	}
	var out Stored
	for _, c := range p.Until {
		switch why, ok := c.holds(s, op, v); {
		case a.unseen(c) || c == Free && ok: // that the traffic follows the table is a number too
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

// unseen says that the store does not tell whether a condition holds.
func (a *Around) unseen(c Condition) bool {
	switch c {
	case Fresh, Fits, Asked:
		return true
	case Confirmed, Guarded, Acknowledged:
		return a.Roll == nil
	case InTurn, Free, Minute, Able, Settled, Graced:
	}
	return false
}

// stored is the view of who reads the store.
func (a *Around) stored(s *control.State, op *control.Operation) *View {
	roll := a.Roll
	if roll == nil {
		roll = &control.Roll{}
	}
	e := Executor{known: map[uint64]known{op.Number: {op.Version, op.Since}}}
	v := e.view(s, op, &Around{Now: a.Now, Roll: roll, Can: a.Can})
	v.Result = func(uint64, string) Result { return Result{} }
	if cfg := a.Numbers.Config; cfg != nil {
		v.Busy, v.Grace = busy(s, cfg, a.Now), max(grace, cfg.Grace)
	}
	return v
}

package operation

import (
	"fmt"
	"slices"
	"time"

	"firebreak/routing"
	"firebreak/routing/control"
)

// Outcomes of operations.
const (
	Effective  = "effective"  // the shard is cooler than by the table of before, and the traffic follows
	Unverified = "unverified" // by the table it is; nothing independent says so
	Misrouted  = "misrouted"  // the traffic does not follow the table
	NoEffect   = "no_effect"  // it is as hot as it would be without
	Reverted   = "undone"     // taken back
	NotNeeded  = "not_needed" // never begun: the hotspot was over
	Overtaken  = "overtaken"  // never begun, or not taken back: somebody changed its entries
	GivenUp    = "given_up"   // never begun: an operation before it failed, or its time was over
)

// View is what is known at a moment of the world around an operation.
type View struct {
	Now time.Time
	// Known is since when this process knows that the phase was written: no earlier than when its head was.
	Known time.Time
	// Routed says that a client reads the table, Behind names the live ones that hold an older document than the phase's.
	Routed bool
	Behind []string
	// Blind is why the numbers of now cannot be judged; empty = they can.
	Blind string
	// Busy is why no operation may begin now; empty = one may.
	Busy string
	// Needed says that the hotspot of the operation is open, or that it has none.
	Needed bool
	// Fits says whether no shard that gains by is gets over its target on the loads of now, and not too much moves at once.
	Fits func(was, is *routing.Document) error
	// Effect judges an operation by both tables on the loads of now. Outcome is empty as long as it cannot be told.
	Effect func(was, is *routing.Document) Effect
	// Result is what became of what a phase asks for.
	Result func(operation uint64, phase string) Result
}

// Effect is what an operation did, measured.
type Effect struct {
	Outcome string // Effective, Unverified, Misrouted, NoEffect
	Worse   bool   // the hottest shard is hotter than by the table of before
	Text    string
}

// Step is what an operation does next: a write, or something asked for, or waiting.
type Step struct {
	// Write is the next state; nil = none yet.
	Write *control.State
	// Ask is what is to be done outside the document, again until its result is there.
	Ask *Task
	// Waits are the conditions that do not hold.
	Waits []Wait
}

// moving says that an operation has not brought about yet what it is for.
func moving(o *control.Operation) bool {
	return o.Outcome == "" && o.Phase != Settle
}

// Open says that an operation is not settled.
func Open(o *control.Operation) bool { return o.Outcome == "" }

// Next says what the operation of a number does now. The state is not changed; what is to be written follows it.
func Next(s *control.State, number uint64, v *View) (Step, error) {
	op := s.Operation(number)
	if op == nil {
		return Step{}, fmt.Errorf("operation %d: there is none", number)
	}
	m, ok := machineOf(op.Machine)
	at := m.at(op.Phase)
	if !ok || at < 0 {
		return Step{}, fmt.Errorf("operation %d: %s/%s is no phase that this version knows", number, op.Machine, op.Phase)
	}
	p := &m.Phases[at]
	if op.Back && !p.Returns {
		return back(s, op, &m, p, v)
	}
	if p.Name == Planned {
		if end, why := superfluous(s, op, v); end != "" {
			return finish(s, op, end, why, v.Now)
		}
	}
	if why := held(s, op); why != "" && !p.Returns && p.Name != Settle && p.Name != Grace {
		return Step{Waits: []Wait{{Free, why}}}, nil
	}
	var step Step
	for _, c := range p.Until {
		if why, ok := c.holds(s, op, v); !ok {
			step.Waits = append(step.Waits, Wait{c, why})
			if c == Asked {
				step.Ask = p.ask(s, op)
			}
		}
	}
	if p.Name == Settle {
		return judge(s, op, &m, step, v)
	}
	if len(step.Waits) > 0 {
		return step, nil
	}
	next := p.Next
	if next == "" {
		next = m.Phases[at+1].Name
	}
	return enter(s, op, &m, next, v.Now)
}

// held is why nothing is done now.
func held(s *control.State, op *control.Operation) string {
	switch {
	case op.Held != "":
		return "held by " + op.Held
	case s.Document.Stop:
		return "acting is stopped"
	}
	return ""
}

// superfluous says why an operation that has not begun never will.
func superfluous(s *control.State, op *control.Operation, v *View) (outcome, why string) {
	if !v.Needed {
		return NotNeeded, "the hotspot is over"
	}
	if err := stands(s.Document, op.Was); err != nil {
		return Overtaken, err.Error()
	}
	for i := range s.Operations {
		o := &s.Operations[i]
		if o.Plan == op.Plan && o.Number < op.Number && (o.Back || o.Outcome != "" && o.Outcome != Effective && o.Outcome != Unverified) {
			return GivenUp, fmt.Sprintf("operation %d of the same plan is %s", o.Number, orText(o.Outcome, "on its way back"))
		}
	}
	return "", ""
}

func orText(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

// judge decides over an operation that settles: worse is taken back at once, the rest is said when the time is over.
func judge(s *control.State, op *control.Operation, m *Machine, step Step, v *View) (Step, error) {
	if v.Effect == nil || v.Blind != "" {
		return Step{Waits: append(step.Waits, Wait{Fresh, orText(v.Blind, "there are no numbers of now")})}, nil
	}
	without := s.Document.Clone()
	if err := lay(without, op.Was); err != nil {
		return Step{}, err
	}
	e := v.Effect(without, s.Document)
	watched := v.Now.Sub(op.Since) >= settle/3 // the long window is all of its time
	if e.Worse && watched && held(s, op) == "" && m.Phases[m.at(op.Phase)].Back != "" {
		n := s.Next()
		o := n.Operation(op.Number)
		o.Back, o.Why = true, e.Text
		return told(s, n, o, "it is taken back: "+e.Text, v.Now)
	}
	if len(step.Waits) > 0 || e.Outcome == "" {
		return step, nil
	}
	n := s.Next()
	o := n.Operation(op.Number)
	o.Phase, o.Since, o.Settled, o.Outcome, o.Version = Grace, v.Now.UTC(), v.Now.UTC(), e.Outcome, n.Document.Version
	return told(s, n, o, e.Text, v.Now)
}

// back enters the way back, where there is one.
func back(s *control.State, op *control.Operation, m *Machine, p *Phase, v *View) (Step, error) {
	if p.Back == "" {
		n := s.Next()
		o := n.Operation(op.Number)
		o.Back = false
		return told(s, n, o, "it is not taken back: "+p.NoBack, v.Now)
	}
	if p.Back == Undone {
		return finish(s, op, Reverted, op.Why, v.Now)
	}
	target := &m.Phases[m.at(p.Back)]
	if err := stands(s.Document, op.Do); err != nil && p.Name != Readers {
		n := s.Next()
		o := n.Operation(op.Number)
		o.Back = false
		return told(s, n, o, "it is not taken back, somebody changed it since: "+err.Error(), v.Now)
	}
	return enter(s, op, m, target.Name, v.Now)
}

// enter is the state in which an operation stands in a phase.
func enter(s *control.State, op *control.Operation, m *Machine, name string, now time.Time) (Step, error) {
	p := &m.Phases[m.at(name)]
	if p.Name == Undone {
		return finish(s, op, Reverted, op.Why, now)
	}
	n := s.Next()
	o := n.Operation(op.Number)
	if p.Name == Over {
		drop(n, op.Number)
		return Step{Write: n}, nil
	}
	if p.edit != nil {
		if err := p.edit(n.Document, o); err != nil {
			return Step{}, fmt.Errorf("operation %d: %s: %w", op.Number, name, err)
		}
	}
	if p.Returns { // it is open again, if it was settled
		o.Settled, o.Outcome = time.Time{}, ""
	}
	if o.Phase == Planned {
		o.Began = now.UTC()
	}
	o.Phase, o.Since, o.Version = p.Name, now.UTC(), n.Document.Version
	return told(s, n, o, p.Does, now)
}

func drop(s *control.State, number uint64) {
	s.Operations = slices.DeleteFunc(s.Operations, func(o control.Operation) bool { return o.Number == number })
}

// finish ends an operation for good.
func finish(s *control.State, op *control.Operation, outcome, why string, now time.Time) (Step, error) {
	n := s.Next()
	o := n.Operation(op.Number)
	o.Phase, o.Since, o.Settled, o.Outcome, o.Version = Undone, now.UTC(), now.UTC(), outcome, n.Document.Version
	return told(s, n, o, why, now)
}

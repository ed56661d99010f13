package operation

import (
	"fmt"
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
	// Lasts is how long an operation may wait for its first write, 0 = for ever. Grace is how long its way back is kept, 0 = not known.
	Lasts, Grace time.Duration
	// Fits says whether no shard that gains by is gets over its target on the loads of now, and not too much moves at once.
	Fits func(was, is *routing.Document) error
	// Effect judges an operation by both tables on the loads of now. Outcome is empty as long as it cannot be told.
	Effect func(was, is *routing.Document) Effect
	// Guards lists the guards of a shard, silent ones too.
	Guards func(shard string) []control.Guarding
	// Can says what may be asked for; nil = that pieces are folded, where there is a Result.
	Can func(Ask) bool
	// Result is what became of what a phase asks for.
	Result func(operation uint64, phase string) Result
}

// Effect is what an operation did, measured.
type Effect struct {
	Outcome string // Effective, Unverified, Misrouted, NoEffect
	Worse   bool   // the hottest shard is hotter than by the table of before
	Text    string
	// Before and After are the load of the operation's shard in shares of its target, by the table of before and by that of now; 0 = not
	// known.
	Before, After float64
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
	return next(Machines(), s, number, v)
}

// next is Next by other tables.
func next(tables []Machine, s *control.State, number uint64, v *View) (Step, error) {
	op := s.Operation(number)
	if op == nil {
		return Step{}, fmt.Errorf("operation %d: there is none", number)
	}
	m, ok := machineOf(tables, op.Machine)
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
	if why := stayed(s, op, p); why != "" {
		return Step{Waits: []Wait{{Free, why}}}, nil
	}
	var step Step
	for _, c := range p.Until {
		if why, ok := c.holds(s, op, v); !ok {
			step.Waits = append(step.Waits, Wait{c, why})
			if c == Asked && len(step.Waits) == 1 { // what comes before it holds
				step.Ask = p.ask(s, op)
			}
		}
	}
	if p.Name == Settle {
		return judge(s, op, &m, step, v)
	}
	if p.Alone && abandoned(s, op) {
		return enter(s, op, &m, Over, v.Now)
	}
	if why := tooLate(op, p, &step, v); why != "" {
		return goBack(s, op, &m, p, why, v)
	}
	if why := misfit(op, p, step.Waits, v); why != "" && wayBack(s, op, &m) == nil {
		n := s.Next()
		o := n.Operation(op.Number)
		o.Back, o.Why = true, why
		return told(s, n, o, "it is taken back: "+why, v.Now)
	}
	if len(step.Waits) > 0 {
		return step, nil
	}
	return enter(s, op, &m, m.after(at), v.Now)
}

// tooLate is why an operation does not wait any longer where it stands: nobody serves meanwhile, or what it asked for will never be done.
func tooLate(op *control.Operation, p *Phase, step *Step, v *View) string {
	if len(step.Waits) == 0 {
		return ""
	}
	why := step.Waits[0].Why
	if p.Asks != AskNothing && v.Result != nil && (p.Back != "" || p.Late != "") {
		if r := v.Result(op.Number, op.Phase); r.Failed {
			return r.Why
		}
	}
	if p.Within > 0 && max(v.Now.Sub(op.Since), v.Now.Sub(v.Known)) >= p.Within {
		return fmt.Sprintf("not within %s: %s", p.Within, why)
	}
	return ""
}

// goBack takes an operation by itself to where it waits for nothing.
func goBack(s *control.State, op *control.Operation, m *Machine, p *Phase, why string, v *View) (Step, error) {
	to := orText(p.Late, p.Back)
	from := s.Copy()
	o := from.Operation(op.Number)
	if o.Back, o.Why = to != Stay, why; !o.Back {
		o.Why = ""
	}
	step, err := enter(from, o, m, to, v.Now)
	if err == nil && to != Undone && len(step.Write.Outbox) > len(s.Outbox) {
		last := &step.Write.Outbox[len(s.Outbox)].Act
		last.Text = why + ": " + last.Text
	}
	return step, err
}

// misfit is why an operation that has begun gives up by itself: what it would do next has not fitted the loads for as long as it may wait
// to begin.
func misfit(op *control.Operation, p *Phase, waits []Wait, v *View) string {
	if p.Name == Planned || v.Lasts <= 0 || v.Now.Sub(op.Since) <= v.Lasts {
		return ""
	}
	for _, w := range waits {
		if w.Condition == Fits && v.Blind == "" {
			return w.Why
		}
	}
	return ""
}

// stayed is why an operation may not leave its phase, by a word of people; empty = it may. A way back, a phase in which nobody serves, and
// watching go on.
func stayed(s *control.State, op *control.Operation, p *Phase) string {
	if p.Returns || p.Name == Settle || p.Within > 0 {
		return ""
	}
	return held(s, op)
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
	since, lasts := op.Since, v.Lasts
	for i := range s.Operations {
		o := &s.Operations[i]
		if o.Plan != op.Plan || o.Number >= op.Number {
			continue
		}
		if o.Back || o.Outcome != "" && o.Outcome != Effective && o.Outcome != Unverified {
			return GivenUp, fmt.Sprintf("operation %d of the same plan is %s", o.Number, orText(o.Outcome, "on its way back"))
		}
		if moving(o) {
			return "", "" // it goes first, and takes its time
		}
		if o.Since.After(since) {
			since = o.Since
		}
		lasts = v.Lasts + time.Hour // the hourly budget may be used up by those before
	}
	if err := stands(s.Document, op.Was); err != nil { // with what those before it have done
		return Overtaken, err.Error()
	}
	if waited := v.Now.Sub(since); v.Lasts > 0 && op.Held == "" && waited > lasts {
		return GivenUp, fmt.Sprintf("it could not begin for %s", waited.Round(time.Second))
	}
	return "", ""
}

func orText(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

package operation

import (
	"fmt"
	"strings"
	"time"

	"firebreak/routing"
	"firebreak/routing/control"
)

const (
	// cutOff is how long after a head was written a client that cannot poll says so with each answer: 30 s to notice, and as long again
	// for a read that began just before. See docs/protocols.md, MinuteForOthers.
	cutOff = time.Minute
	// settle is how long an operation is watched before its effect is judged for good.
	settle = 15 * time.Minute
	// grace is how long the way back of a settled operation is kept, where the fleet says nothing else.
	grace = 24 * time.Hour
)

// Condition is what must hold before an operation leaves a phase. The list is closed.
type Condition uint8

// The conditions, in the order in which they are looked at.
const (
	// InTurn: the operations of the same plan that come before it are done.
	InTurn Condition = iota
	// Free: the fleet's budget and maintenance windows let an operation begin.
	Free
	// Fresh: the numbers of now can be judged.
	Fresh
	// Fits: on the loads of now no shard that gains is over its target, and the operation moves no more than it may.
	Fits
	// Confirmed: every live client holds the document that entered the phase.
	Confirmed
	// Minute: the head that names the phase has been there for a minute, as far as this process knows.
	Minute
	// Able: somebody is configured who does what the machine asks for.
	Able
	// Guarded: every shard that gives or takes has a guard, and none of them is silent.
	Guarded
	// Acknowledged: every guard of the shards that serve what moves serves it no longer.
	Acknowledged
	// Asked: what the phase asks for outside the document is done.
	Asked
	// Settled: it was watched for 15 minutes, and its effect is judged.
	Settled
	// Graced: it has been settled for the grace, a day.
	Graced
)

func conditionNames() [12]string {
	return [12]string{"in turn", "free", "fresh", "fits", "confirmed", "minute", "able", "guarded", "acknowledged", "asked", "settled", "graced"}
}

// String is the condition's name in tables and holds.
func (c Condition) String() string {
	names := conditionNames()
	if int(c) < len(names) {
		return names[c]
	}
	return fmt.Sprintf("condition(%d)", uint8(c))
}

// Wait is a condition that does not hold, and why.
type Wait struct {
	Condition Condition
	Why       string
}

// holds says whether c lets op leave its phase; why not is for people.
func (c Condition) holds(s *control.State, op *control.Operation, v *View) (why string, ok bool) {
	switch c {
	case InTurn:
		return inTurn(s, op)
	case Free:
		return notEmpty(v.Busy)
	case Fresh:
		return notEmpty(v.Blind)
	case Fits:
		return fits(s, op, v)
	case Confirmed:
		if len(v.Behind) > 0 {
			return "waiting for " + strings.Join(v.Behind, ", "), false
		}
		return "no client reads the table", v.Routed
	case Minute:
		return left("after the head was written", cutOff-v.Now.Sub(v.Known))
	case Able:
		return v.able(op)
	case Guarded:
		return guarded(s, op, v)
	case Acknowledged:
		return acknowledged(s, op, v)
	case Asked:
		return v.asked(op)
	case Settled:
		return left("of watching", settle-v.Now.Sub(op.Since))
	case Graced:
		if v.Grace == 0 {
			return "how long the grace is: the first judgement tells", false
		}
		return left("of grace", v.Grace-v.Now.Sub(op.Settled))
	}
	return c.String(), false
}

func notEmpty(why string) (string, bool) { return why, why == "" }

func left(of string, d time.Duration) (string, bool) {
	return fmt.Sprintf("%s more %s", d.Round(time.Second), of), d <= 0
}

// inTurn: what a plan does first is done first. One that ended without being done ends those behind it too, see superfluous.
func inTurn(s *control.State, op *control.Operation) (string, bool) {
	for i := range s.Operations {
		o := &s.Operations[i]
		if o.Plan == op.Plan && o.Number < op.Number && moving(o) {
			return fmt.Sprintf("operation %d goes first", o.Number), false
		}
		// A shard that is drained gets its next role before the effect of the one before is judged: within a plan, roles are of no effect by themselves.
		if o.Number != op.Number && !o.Began.IsZero() && o.Works() && (o.Plan != op.Plan || o.Machine != MachineSet) && overlaps(o, op) {
			return fmt.Sprintf("operation %d works on the same", o.Number), false
		}
	}
	return "", true
}

// fits asks for the loads under the document that the operation would end with, after those that were planned before it: what they send to
// a shard is not there yet, and has its room.
func fits(s *control.State, op *control.Operation, v *View) (string, bool) {
	if v.Fits == nil {
		return "there are no numbers of now", false
	}
	was := s.Document.Clone()
	for i := range s.Operations {
		o := &s.Operations[i]
		if o.Number >= op.Number || !moving(o) || o.Back || shares(o, op) {
			continue
		}
		if err := lay(was, o.Do); err != nil {
			return err.Error(), false
		}
	}
	for _, from := range [...]*routing.Document{s.Document, was} { // what those before take away is still there, and what they bring is to come
		next := from.Clone()
		if err := lay(next, op.Do); err != nil {
			return err.Error(), false
		}
		if err := receives(next, op); err != nil {
			return err.Error(), false
		}
		if err := v.Fits(from, next); err != nil {
			return err.Error(), false
		}
	}
	return "", true
}

// receives says whether the shards to which an operation moves something take load: their role may have changed since it was planned.
func receives(d *routing.Document, op *control.Operation) error {
	for _, e := range op.Do {
		var to []routing.ShardID
		for _, m := range d.Moves {
			if routing.VShardEntry(m.VShard) == e.Entry {
				to = append(to, m.To)
			}
		}
		for _, t := range d.Tenants {
			if routing.TenantEntry(t.Tenant) == e.Entry {
				to = append(to, t.Shards...)
			}
		}
		for _, id := range to {
			if s := &d.Shards[id]; !bears(s.Role) {
				return fmt.Errorf("%s would go to %s, which is %s now", e.Entry, routing.ShardEntry(s.Name), s.Role)
			}
		}
	}
	return nil
}

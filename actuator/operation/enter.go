package operation

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"firebreak/routing"
	"firebreak/routing/control"
)

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
	if e.Worse && watched && held(s, op) == "" && !strings.HasPrefix(op.Needs, couldNot) && wayBack(s, op, m) == nil {
		if why, ok := mayReturn(s, op, m, v); !ok {
			return Step{Waits: append([]Wait{{Guarded, "it is to be taken back, for " + e.Text + "; " + why}}, step.Waits...)}, nil
		}
		n := s.Next()
		o := n.Operation(op.Number)
		o.Back, o.Why = true, e.Text
		return told(s, n, o, "it is taken back: "+e.Text, v.Now)
	}
	if len(step.Waits) > 0 {
		return step, nil
	}
	if e.Outcome == "" {
		return Step{Waits: []Wait{{Fresh, orText(e.Text, "the effect cannot be told")}}}, nil
	}
	n := s.Next()
	o := n.Operation(op.Number)
	next := &m.Phases[m.at(m.after(m.at(Settle)))]
	if next.edit != nil {
		if err := next.edit(n.Document, o); err != nil {
			return Step{}, fmt.Errorf("operation %d: %s: %w", op.Number, next.Name, err)
		}
	}
	o.Phase, o.Since, o.Settled, o.Outcome, o.Version = next.Name, v.Now.UTC(), v.Now.UTC(), e.Outcome, n.Document.Version
	judged, err := told(s, n, o, e.Text, v.Now)
	if err == nil {
		act := &n.Outbox[len(n.Outbox)-1].Act
		act.Before, act.After = e.Before, e.After
	}
	return judged, err
}

// back enters the way back, where there is one.
func back(s *control.State, op *control.Operation, m *Machine, p *Phase, v *View) (Step, error) {
	if err := wayBack(s, op, m); err != nil {
		n := s.Next()
		o := n.Operation(op.Number)
		o.Back, o.Why = false, ""
		stays, failed := told(s, n, o, "it is not taken back: "+err.Error(), v.Now)
		if failed == nil {
			n.Outbox[len(n.Outbox)-1].Refused = err.Error()
		}
		return stays, failed
	}
	if why, ok := mayReturn(s, op, m, v); !ok {
		return Step{Waits: []Wait{{Guarded, why}}}, nil
	}
	return enter(s, op, m, p.Back, v.Now)
}

// wayBack says why an operation cannot be taken back from where it stands; nil = it can.
func wayBack(s *control.State, op *control.Operation, m *Machine) error {
	at := m.at(op.Phase)
	if m.Phases[at].Back == "" {
		return errors.New(m.Phases[at].NoBack)
	}
	edited := at
	for edited >= 0 && (m.Phases[edited].edit == nil || m.Phases[edited].Returns) {
		edited--
	}
	if edited < 0 {
		return nil // nothing was changed yet
	}
	asLeft := s.Document.Clone()
	if err := m.Phases[edited].edit(asLeft, op); err != nil {
		return err
	}
	for _, e := range op.Do {
		if left, now := asLeft.Value(e.Entry), s.Document.Value(e.Entry); left != now {
			return fmt.Errorf("somebody changed %s since: it was %s and is %s now", e.Entry, orNone(left), orNone(now))
		}
	}
	return emptied(s.Document, op)
}

// emptied says whether something would lie on a shard that is a spare again.
func emptied(d *routing.Document, op *control.Operation) error {
	n := d.Clone()
	if err := lay(n, op.Was); err != nil {
		return err
	}
	for _, e := range op.Was {
		i := slices.IndexFunc(n.Shards, func(s routing.Shard) bool { return routing.ShardEntry(s.Name) == e.Entry })
		if i >= 0 && !bears(n.Shards[i].Role) && placed(n, routing.ShardID(i)) {
			return fmt.Errorf("%s would be %s, and other load lies there: take that away first", e.Entry, n.Shards[i].Role)
		}
	}
	return nil
}

// bears says whether load may be sent to shards of a role.
func bears(r routing.Role) bool { return r == routing.Serving || r == routing.Dedicated }

// placed says whether an exception sends load to a shard.
func placed(d *routing.Document, id routing.ShardID) bool {
	return slices.ContainsFunc(d.Moves, func(m routing.Move) bool { return m.To == id }) ||
		slices.ContainsFunc(d.Tenants, func(t routing.TenantPlacement) bool { return slices.Contains(t.Shards, id) })
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
		over := *o
		over.Phase = Over
		n.Operations = slices.DeleteFunc(n.Operations, func(o control.Operation) bool { return o.Number == op.Number })
		return told(s, n, &over, p.Does, now)
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
	o.Busy = o.Outcome != "" && p.Asks != AskNothing
	o.Phase, o.Since, o.Version = p.Name, now.UTC(), n.Document.Version
	return told(s, n, o, p.Does, now)
}

// finish ends an operation for good. What was taken back is not begun again by itself: nothing is begun for its hotspot until a person
// approves, or a day has passed.
func finish(s *control.State, op *control.Operation, outcome, why string, now time.Time) (Step, error) {
	n := s.Next()
	o := n.Operation(op.Number)
	o.Phase, o.Since, o.Settled, o.Outcome, o.Version = Undone, now.UTC(), now.UTC(), outcome, n.Document.Version
	if outcome == Reverted && o.Hotspot != "" {
		n.Keep(control.Held{Hotspot: o.Hotspot, By: fmt.Sprintf("operation %d", o.Number), At: now.UTC(), Reason: "taken back: " + why})
	}
	return told(s, n, o, why, now)
}

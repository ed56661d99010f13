package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"firebreak/actuator"
	"firebreak/actuator/operation"
	"firebreak/actuator/steward"
	"firebreak/dashboards/console"
	"firebreak/routing"
	"firebreak/routing/control"
)

// actor is what the console knows of how fleets are acted on, and asks of who decides: a console.Actor.
type actor struct {
	stewards []*steward.Steward
	redact   actuator.Redact
}

// actor is that of this process; nil = it looks after no routing.
func (d *daemon) actor() console.Actor {
	if d.routing == nil {
		return nil
	}
	return &actor{d.routing.of, d.cfg.Redact()}
}

// of is the steward of a fleet; nil = the fleet is not routed by a document.
func (a *actor) of(fleet string) *steward.Steward {
	for _, s := range a.stewards {
		if s.Fleet() == fleet {
			return s
		}
	}
	return nil
}

// Acting implements console.Actor.
func (a *actor) Acting(fleet string) *console.Acting {
	s := a.of(fleet)
	if s == nil {
		return nil
	}
	v := s.View()
	if v.State == nil {
		return nil
	}
	return a.shown(&v)
}

// shown is what there is to show, as the console has it.
func (a *actor) shown(v *steward.View) *console.Acting {
	state, d := v.State, v.State.Document
	out := &console.Acting{
		At: v.Seen, Epoch: d.Epoch, Version: d.Version, Decides: v.Decides, Approvers: v.Approvers, Barred: map[string]string{},
		Base: fmt.Sprintf("%s of %s, %s, %d virtual shards", d.Placement.Function, d.Placement.Bytes, d.Placement.Map, d.Placement.VShards),
	}
	if d.Stop {
		out.Stop = &console.Held{}
		if by := state.Stopped; by != nil {
			*out.Stop = console.Held{By: by.By, Reason: by.Reason, At: by.At}
		}
	}
	for _, e := range d.Entries() {
		out.Entries = append(out.Entries, console.Entry{Name: a.redact.Entry(e).String(), Value: d.Value(e)})
	}
	for _, e := range d.Fenced {
		out.Fenced = append(out.Fenced, a.redact.Entry(e).String())
	}
	for _, is := range d.Doubled {
		out.Doubled = append(out.Doubled, console.Doubled{Name: a.redact.Entry(is.Entry).String(), Value: is.Value, Both: is.Both})
	}
	for i := range v.Clients {
		c := &v.Clients[i]
		out.Clients = append(out.Clients, console.Client{Name: c.Client, Version: c.Version, Guard: c.Guard, Live: c.Live})
	}
	for i := range state.Operations {
		o := &state.Operations[i]
		out.Operations = append(out.Operations, a.operation(state, o, v.Waits[o.Number], v.Clients))
	}
	for _, p := range state.Approvals {
		out.Approvals = append(out.Approvals, console.Approval{Plan: p.Plan, By: p.By, Reason: p.Reason, At: p.At, Rejected: p.No})
	}
	for _, h := range state.Holds {
		out.Held = append(out.Held, console.Held{Hotspot: h.Hotspot, By: h.By, Reason: h.Reason, At: h.At})
	}
	for plan, err := range v.Holds {
		out.Barred[plan] = a.redact.Text(oneLine(err).Error())
	}
	return out
}

// operation is one as the console has it.
func (a *actor) operation(state *control.State, o *control.Operation, waits []operation.Wait, clients []control.Listed) console.Operation {
	out := console.Operation{
		Number: o.Number, Plan: o.Plan, Hotspot: o.Hotspot, Fix: o.Fix, Shard: o.Shard, By: o.By, Phase: o.Phase, Since: o.Since, Outcome: o.Outcome,
		Back: o.Back, Why: a.said(o, o.Why), Held: o.Held,
	}
	if way, err := operation.Path(o); err == nil {
		for _, s := range way {
			stage := console.Stage{Name: s.Name, Does: s.Does, Done: s.Done, Now: s.Now}
			for _, c := range s.Until {
				stage.Until = append(stage.Until, c.String())
			}
			out.Stages = append(out.Stages, stage)
		}
	}
	for _, w := range waits {
		out.Waits = append(out.Waits, a.said(o, w.Condition.String()+": "+w.Why))
	}
	for i := range clients {
		if c := &clients[i]; o.Outcome == "" && c.Live && c.Version < o.Version {
			out.Behind = append(out.Behind, c.Client)
		}
	}
	for i, e := range o.Do {
		out.Changes = append(out.Changes, console.Change{Entry: a.redact.Entry(e.Entry).String(), Was: o.Was[i].Value, Is: e.Value})
	}
	lines, err := operation.Back(state, o.Number)
	if out.Undo = a.lines(lines); err != nil {
		out.NoUndo = a.said(o, err.Error())
	}
	return out
}

// said is what is said of an operation, with the names of its entries hidden where they are to be.
func (a *actor) said(o *control.Operation, text string) string {
	if a.redact == nil {
		return text
	}
	for _, e := range o.Do {
		text = strings.ReplaceAll(text, e.Entry.String(), a.redact.Entry(e.Entry).String())
	}
	return a.redact.Text(text)
}

func (a *actor) lines(lines []operation.Line) []console.Line {
	var out []console.Line
	for _, l := range lines {
		line := console.Line{Operation: l.Operation, Phase: l.Phase, Does: l.Does}
		for _, c := range l.Changes {
			line.Changes = append(line.Changes, a.change(c))
		}
		out = append(out, line)
	}
	return out
}

func (a *actor) change(c routing.Change) console.Change {
	return console.Change{Entry: a.redact.Entry(c.Entry).String(), Was: c.Was, Is: c.Is}
}

// Lines implements console.Actor.
func (a *actor) Lines(fleet, plan string) ([]console.Line, error) {
	s := a.of(fleet)
	if s == nil {
		return nil, errNotRouted
	}
	lines, err := s.Lines(plan)
	if err != nil {
		return nil, errors.New(a.redact.Text(oneLine(err).Error()))
	}
	return a.lines(lines), nil
}

// errNotRouted says that a fleet has no document.
var errNotRouted = errors.New("the fleet is not routed by firebreak: it has no placement, or the log names the shards")

// unanswered is why nobody answered: a console.ErrUnanswered.
type unanswered struct{ error }

// Is says so.
func (u unanswered) Is(target error) bool { return target == console.ErrUnanswered }

// Say implements console.Actor: any instance may put a request, and who decides answers it.
func (a *actor) Say(ctx context.Context, fleet string, q *control.Request) (control.Answer, error) {
	s := a.of(fleet)
	if s == nil {
		return control.Answer{}, errNotRouted
	}
	answer, err := steward.Ask(ctx, s.Store(), q)
	if err != nil {
		return control.Answer{}, unanswered{oneLine(err)}
	}
	answer.Refused = a.redact.Text(answer.Refused)
	return answer, nil
}

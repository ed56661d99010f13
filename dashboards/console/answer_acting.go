package console

import (
	"errors"
	"net/http"
	"slices"
	"strings"

	"firebreak/internal/line"
)

// maxListedChanges bounds the changes of one line that are listed.
const maxListedChanges = 100

// actionsOf answers with what is done of a fleet's fixes, and what is to be.
func (a *api) actionsOf(r *http.Request) (any, error) {
	f, now, err := a.actedOn(r)
	if err != nil {
		return nil, err
	}
	out := actionsAnswer{Fleet: line.Name(f.Name), Approvers: names(now.Approvers), Plans: []planAnswer{}, Operations: []operationAnswer{}, Held: []heldAnswer{}}
	out.At, out.Epoch, out.Version, out.Decides, out.Stop = stampOf(now.At), now.Epoch, now.Version, now.Decides, stopAnswer(now.Stop)
	a.model.mu.RLock()
	plans := f.plans()
	a.model.mu.RUnlock()
	for _, p := range plans {
		out.Plans = append(out.Plans, a.planAnswer(f.Name, p, now))
	}
	for i := range now.Operations {
		out.Operations = append(out.Operations, operationOf(&now.Operations[i]))
	}
	for i := range now.Held {
		out.Held = append(out.Held, *stopAnswer(&now.Held[i]))
	}
	return out, nil
}

// actedOn is the fleet of a path, and how it is acted on; nothing known is the zero value.
func (a *api) actedOn(r *http.Request) (*fleet, *Acting, error) {
	name, err := pathName(r)
	if err != nil {
		return nil, nil, err
	}
	a.model.mu.RLock()
	f := a.model.fleet(name)
	a.model.mu.RUnlock()
	if f == nil {
		return nil, nil, missing("there is no fleet %s", r.PathValue("fleet"))
	}
	return f, a.acting(f.Name), nil
}

// acting is how a fleet is acted on; where nothing is known the zero value.
func (a *api) acting(fleet string) *Acting {
	if a.actor != nil {
		if now := a.actor.Acting(fleet); now != nil {
			return now
		}
	}
	return &Acting{}
}

// lines are what a plan would write now, or why it cannot be carried out.
func (a *api) lines(fleet, plan string) ([]Line, error) {
	if a.actor == nil {
		return nil, errors.New("nothing is carried out here: this process does not look after the routing")
	}
	return a.actor.Lines(fleet, plan)
}

func (a *api) planAnswer(fleet string, p *plan, now *Acting) planAnswer {
	out := planAnswer{
		Plan: p.ID, Hotspot: p.Hotspot, Shard: line.Name(p.shard), Fix: p.fix(), Undo: p.Undo, Since: stampOf(p.since), Expires: p.Expires,
		Steps: []line.Prose{}, Waits: proses(p.waits(now)), Lines: []lineAnswer{},
	}
	for i := range p.Steps {
		out.Steps = append(out.Steps, p.Steps[i].Text)
	}
	if w := now.wordOn(string(p.ID)); w != nil {
		out.Word = &wordAnswer{line.Name(w.By), stampOf(w.At), line.Prose(w.Reason), w.Rejected}
	}
	lines, err := a.lines(fleet, string(p.ID))
	if out.Lines = linesAnswer(lines); err != nil {
		out.Cannot = line.Prose(err.Error())
	}
	return out
}

// waits are why a plan is not begun; none = it may be.
func (p *plan) waits(now *Acting) []string {
	var out []string
	for _, h := range p.holds {
		out = append(out, strings.TrimSuffix(spaced(h.Reason)+": "+string(h.Detail), ": "))
	}
	if why := now.Barred[string(p.ID)]; why != "" {
		out = append(out, why)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// wordOn is what a person said of a plan; nil = nothing that counts.
func (a *Acting) wordOn(plan string) *Approval {
	if i := slices.IndexFunc(a.Approvals, func(o Approval) bool { return o.Plan == plan }); i >= 0 {
		return &a.Approvals[i]
	}
	return nil
}

func operationOf(o *Operation) operationAnswer {
	out := operationAnswer{
		Operation: o.Number, Plan: line.Name(o.Plan), Hotspot: line.Name(o.Hotspot), Fix: o.Fix, Shard: line.Name(o.Shard), By: line.Name(o.By), Phase: o.Phase,
		Since: stampOf(o.Since), Outcome: o.Outcome, Back: o.Back, Why: line.Prose(o.Why), Held: line.Prose(o.Held), Stages: []stageAnswer{}, Waits: proses(o.Waits),
		Behind: names(o.Behind), Changes: changesAnswer(o.Changes), Undo: linesAnswer(o.Undo), NoUndo: line.Prose(o.NoUndo),
	}
	for _, s := range o.Stages {
		out.Stages = append(out.Stages, stageAnswer{s.Name, s.Does, s.Done, s.Now, append([]string{}, s.Until...)})
	}
	return out
}

func linesAnswer(lines []Line) []lineAnswer {
	out := []lineAnswer{}
	for _, l := range lines {
		more := max(0, len(l.Changes)-maxListedChanges)
		out = append(out, lineAnswer{l.Operation, l.Phase, l.Does, changesAnswer(l.Changes[:len(l.Changes)-more]), more})
	}
	return out
}

func changesAnswer(changes []Change) []changeAnswer {
	out := []changeAnswer{}
	for _, c := range changes {
		out = append(out, changeAnswer{line.Prose(c.Entry), line.Prose(c.Was), line.Prose(c.Is)})
	}
	return out
}

func stopAnswer(h *Held) *heldAnswer {
	if h == nil {
		return nil
	}
	return &heldAnswer{line.Name(h.Hotspot), line.Name(h.By), stampOf(h.At), line.Prose(h.Reason)}
}

func names(all []string) []line.Name {
	out := []line.Name{}
	for _, s := range all {
		out = append(out, line.Name(s))
	}
	return out
}

func proses(all []string) []line.Prose {
	out := []line.Prose{}
	for _, s := range all {
		out = append(out, line.Prose(s))
	}
	return out
}

// routingOf answers with what clients of a fleet route by, and how that came about.
func (a *api) routingOf(r *http.Request) (any, error) {
	f, now, err := a.actedOn(r)
	if err != nil {
		return nil, err
	}
	out := routingOfAnswer{
		Fleet: line.Name(f.Name), At: stampOf(now.At), Epoch: now.Epoch, Version: now.Version, Base: line.Prose(now.Base), Stop: stopAnswer(now.Stop),
		Entries: []entryAnswer{}, Fenced: proses(now.Fenced), Doubled: []doubleAnswer{}, Clients: []clientAnswer{}, History: []changedRow{},
	}
	for _, e := range now.Entries {
		out.Entries = append(out.Entries, entryAnswer{line.Prose(e.Name), line.Prose(e.Value)})
	}
	for _, d := range now.Doubled {
		out.Doubled = append(out.Doubled, doubleAnswer{line.Prose(d.Name), line.Prose(d.Value), d.Both})
	}
	for _, c := range now.Clients {
		out.Clients = append(out.Clients, clientAnswer{line.Name(c.Name), c.Version, c.Guard, c.Live, c.Live && c.Version < now.Version})
	}
	a.model.mu.RLock()
	defer a.model.mu.RUnlock()
	for _, c := range slices.Backward(f.changed) {
		row := changedRow{
			ID: c.id, At: stampOf(c.at), Version: c.version, Do: c.do, By: line.Name(c.by), Reason: line.Prose(c.reason), Refused: line.Prose(c.refused),
			Operation: c.operation, Text: c.text.Quoted(), Changes: []changeAnswer{}, More: c.more,
		}
		for _, d := range c.changes {
			row.Changes = append(row.Changes, changeAnswer{line.Prose(d.Entry), line.Prose(d.Was), line.Prose(d.Is)})
		}
		out.History = append(out.History, row)
	}
	return out, nil
}

package console

import (
	"fmt"
	"net/http"
	"slices"

	"firebreak/actuator"
	"firebreak/dashboards/draw"
	"firebreak/internal/words"
)

// actionsView is what is done of the fixes of a fleet, on its page.
type actionsView struct {
	Fleet, FleetHref, Routing string
	Headline                  phrase
	Done                      phrase // what became of what was asked for just now; nil = nothing was
	Who                       phrase // asks, and what that person may
	Stop                      sayForm
	Stopped                   phrase // nil = acting is not stopped
	Plans                     []planView
	Operations                []operationView
	Held                      []phrase
	JSON                      string
}

// planView is a plan that stands.
type planView struct {
	ID, Fix, Shard, Hotspot string // Hotspot is the address of its page; empty = it has none
	Facts                   []fact
	Steps                   []phrase
	Would                   wouldView
	Form                    sayForm
}

// wouldView is what would be written.
type wouldView struct {
	Head   string
	Lines  []lineView
	Cannot phrase // why nothing would be; nil = something is
}

type lineView struct {
	Phase, Does string
	Changes     []Change // as they are shown
	More        int
}

// maxLines bounds the lines of a plan, and the changes of a line, that a page shows.
const maxLines = 50

// actionsPage is the page of what is done.
func (p *pages) actionsPage(r *http.Request) (string, frame, error) {
	p.model.mu.RLock()
	defer p.model.mu.RUnlock()
	f, err := p.pathFleet(r)
	if err != nil {
		return "", frame{}, err
	}
	now, m := p.acting(f.Name), p.may(r, f.Name)
	v := actionsView{
		Fleet: draw.Name(f.Name, draw.MaxName), FleetHref: fleetPath(f.Name), Routing: fleetPath(f.Name) + "/routing", Who: m.says(),
		Done: f.doneOf(r.URL.Query().Get("done")), JSON: "/api/v1/fleets/" + pathEscaped(f.Name) + "/actions",
	}
	for i, plan := range f.plans() {
		v.Plans = append(v.Plans, p.planOn(f, plan, now, m, i))
	}
	for i := range slices.Backward(now.Operations) { // the newest first
		v.Operations = append(v.Operations, m.operation(f, &now.Operations[i]))
	}
	for i := range now.Held {
		h := &now.Held[i]
		v.Held = append(v.Held, words.Say("Hotspot ", words.Name(h.Hotspot), ": held by ", words.Name(h.By), " since ", words.Clock(h.At), ": ", words.Ended(h.Reason)))
	}
	v.Headline = headlineOf(now, len(v.Plans))
	v.Stop, v.Stopped = m.stop(now), stoppedPhrase(now.Stop)
	return "actions", frame{Title: "Actions of " + v.Fleet, Live: true, Body: v}, nil
}

// headlineOf says how much there is.
func headlineOf(now *Acting, plans int) phrase {
	open := 0
	for i := range now.Operations {
		if now.Operations[i].Outcome == "" {
			open++
		}
	}
	if now.At.IsZero() {
		return words.Say("How this fleet is acted on is not known here.")
	}
	return words.Say(words.Capital(some(plans, "plan")), verb(plans, " stands, ", " stand, "), some(open, "operation"), verb(open, " is under way.", " are under way."))
}

func some(n int, noun string) string {
	if n == 0 {
		return "no " + noun
	}
	return words.Count(n, noun)
}

func verb(n int, one, more string) string {
	if n <= 1 {
		return one
	}
	return more
}

// stoppedPhrase says who stopped acting; nil = nobody did.
func stoppedPhrase(s *Held) phrase {
	switch {
	case s == nil:
		return nil
	case s.By == "":
		return words.Say("Acting is stopped; nobody knows by whom.")
	}
	return words.Say("Acting is stopped, by ", words.Name(s.By), " since ", words.Clock(s.At), ": ", words.Ended(s.Reason))
}

// doneOf says what became of a request, as the journal has it; nil = none is asked about.
func (f *fleet) doneOf(request string) phrase {
	if request == "" {
		return nil
	}
	for _, c := range f.changed {
		if c.id == actuator.NewID("acted", f.Name, request) || c.id == actuator.NewID("routed", f.Name, request) {
			return append(words.Say("In the journal: "), c.says()...)
		}
	}
	return words.Say("What was asked for is not in the journal here, or not yet.")
}

// planOn is a plan with what a person may say of it.
func (p *pages) planOn(f *fleet, plan *plan, now *Acting, m *may, at int) planView {
	v := planView{ID: string(plan.ID), Fix: words.Capital(words.Fix(plan.fix())), Shard: draw.Name(plan.shard, draw.MaxName), Form: m.plan(plan, fmt.Sprintf("plan%d", at))}
	if plan.Hotspot != "" {
		v.Hotspot = hotspotPath(f.Name, string(plan.Hotspot))
	}
	for i := range plan.Steps {
		v.Steps = append(v.Steps, words.Say(words.Capital(string(plan.Steps[i].Text))).Apart())
	}
	v.Facts = append(planFacts(plan, now), fact{Label: "Stands since", Text: words.Say(words.Clock(plan.since), ", good until ", words.Clock(timeOf(plan.Expires)))})
	v.Would = p.would(f.Name, string(plan.ID))
	return v
}

// planFacts say what a plan waits for, and what a person said of it.
func planFacts(plan *plan, now *Acting) []fact {
	var out []fact
	waits := plan.waits(now)
	for _, why := range waits {
		out = append(out, fact{Label: "Waits for", Text: words.Say(why).Apart()})
	}
	if len(waits) == 0 {
		out = append(out, fact{Label: "Waits for", Text: words.Say("Nothing: it may be carried out.")})
	}
	if w := now.wordOn(string(plan.ID)); w != nil {
		label := "Approved"
		if w.Rejected {
			label = "Rejected"
		}
		out = append(out, fact{Label: label, Text: words.Say("By ", words.Name(w.By), " at ", words.Clock(w.At), ": ", words.Ended(w.Reason))})
	}
	return out
}

// would is what a plan would write now.
func (p *pages) would(fleet, plan string) wouldView {
	lines, err := p.lines(fleet, plan)
	if err != nil {
		return wouldView{Cannot: words.Say("firebreak cannot carry it out: ", words.Ended(err.Error())).Apart()}
	}
	return wouldView{Head: "It would write, each step when what the one before waits for has come", Lines: linesOf(lines)}
}

func linesOf(lines []Line) []lineView {
	var out []lineView
	several := len(lines) > 0 && lines[0].Operation != lines[len(lines)-1].Operation
	for i, l := range lines {
		if i == maxLines {
			return append(out, lineView{Phase: "…", Does: words.Count(len(lines)-i, "more line")})
		}
		v := lineView{Phase: l.Phase, Does: l.Does}
		v.Changes, v.More = shownChanges(l.Changes)
		if several {
			v.Phase = fmt.Sprintf("operation %d, %s", l.Operation, l.Phase)
		}
		out = append(out, v)
	}
	return out
}

// shownChanges are changes as text of a page.
func shownChanges(changes []Change) (out []Change, more int) {
	value := func(v string) string {
		if v == "" {
			return "not there"
		}
		return words.Flat(v, words.MaxPhrase)
	}
	for _, c := range changes[:min(len(changes), maxLines)] {
		out = append(out, Change{words.Flat(c.Entry, words.MaxPhrase), value(c.Was), value(c.Is)})
	}
	return out, len(changes) - len(out)
}

// actionsForm has carried out what a form of the page asks for, and shows the page after it; else it says why it was not.
func (p *pages) actionsForm(w http.ResponseWriter, r *http.Request) {
	p.model.mu.RLock()
	f, err := p.pathFleet(r)
	p.model.mu.RUnlock()
	if err == nil {
		err = allowed(r, nil)
	}
	var done *askedAnswer
	if err == nil {
		done, err = p.ask(r.Context(), w, r, f.Name)
	}
	if err != nil {
		status, name, frame := p.problem(err)
		frame.Title = "Not carried out"
		if f != nil {
			frame.Back = link{Text: "Back to the actions", Href: fleetPath(f.Name) + "/actions"}
		}
		p.show(w, r, status, name, &frame)
		return
	}
	http.Redirect(w, r, fleetPath(f.Name)+"/actions?done="+done.Request, http.StatusSeeOther)
}

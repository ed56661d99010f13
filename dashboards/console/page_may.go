package console

import (
	"fmt"
	"net/http"
	"slices"

	"firebreak/internal/access"
	"firebreak/internal/words"
	"firebreak/routing"
	"firebreak/routing/control"
)

// sayForm is a form by which a person says something; without buttons Why says why there is none.
type sayForm struct {
	Action, ID, About string
	Field, Value      string // what it is about; an empty field = the fleet
	Buttons           []sayButton
	Why               string
}

type sayButton struct {
	Do, Text string
	Strong   bool
}

// may is what who looks may say of a fleet.
type may struct {
	who       access.Person
	approvers []string
	fleet     string
	acts      bool // somebody carries it out
}

func (p *pages) may(r *http.Request, fleet string) *may {
	return &may{personOf(r), p.acting(fleet).Approvers, fleet, p.actor != nil}
}

// hold and approve say whether the person may do the one, or the other too.
func (m *may) hold() bool { return m.acts && m.who.Name != "" && m.who.Role >= access.RoleOperator }

func (m *may) approve() bool {
	return m.hold() && m.who.Role >= access.RoleApprover && slices.Contains(m.approvers, m.who.Name)
}

// says who looks, and what that person may.
func (m *may) says() phrase {
	switch {
	case !m.acts:
		return words.Say("Nothing is carried out here: this process does not look after the routing.")
	case m.who.Name == "":
		return words.Say(words.Ended(words.Capital(nobody)))
	case !m.hold():
		return words.Say("You are ", words.Name(m.who.Name), ", whose role is ", m.who.Role.String(), ": you may look.")
	case m.approve():
		return words.Say("You are ", words.Name(m.who.Name), ", one of the fleet’s approvers.")
	case m.who.Role >= access.RoleApprover:
		return words.Say("You are ", words.Name(m.who.Name), " and may hold and stop. To approve, reject and take back the configuration has to list you in the approvers of the fleet.")
	}
	return words.Say("You are ", words.Name(m.who.Name), ", whose role is ", m.who.Role.String(), ": you may hold and stop.")
}

// form has those of the buttons that the person may press.
func (m *may) form(id, about, field, value string, buttons ...sayButton) sayForm {
	out := sayForm{Action: fleetPath(m.fleet) + "/actions", ID: id, About: about, Field: field, Value: value}
	for _, b := range buttons {
		var do control.Do
		if do.UnmarshalText([]byte(b.Do)) == nil && (roleFor(do) == access.RoleOperator && m.hold() || m.approve() || do == control.DoResume && m.resume()) {
			out.Buttons = append(out.Buttons, b)
		}
	}
	return out
}

// resume: where nobody is listed, nothing is approved, and whoever has the role may let acting go on.
func (m *may) resume() bool {
	return m.hold() && m.who.Role >= access.RoleApprover && len(m.approvers) == 0
}

func (m *may) plan(p *plan, id string) sayForm {
	return m.form(id, "Plan "+string(p.ID), "plan", routing.Escape(string(p.ID)), sayButton{"reject", "Reject", false}, sayButton{"approve", "Approve", true})
}

func (m *may) ofOperation(o *Operation) sayForm {
	var buttons []sayButton
	if o.Outcome == "" && !o.Back && o.Held == "" {
		buttons = append(buttons, sayButton{"hold", "Hold", false})
	}
	if o.Held != "" && !o.Back {
		buttons = append(buttons, sayButton{"approve", "Let it go on", true})
	}
	if o.NoUndo == "" && !o.Back {
		buttons = append(buttons, sayButton{"rollback", "Roll back", true})
	}
	number := fmt.Sprint(o.Number)
	return m.form("operation"+number, "Operation "+number, "operation", number, buttons...)
}

func (m *may) hotspot(id string) sayForm {
	return m.form("hold", "Hotspot "+words.Flat(id, words.MaxName), "hotspot", routing.Escape(id), sayButton{"hold", "Begin nothing here", false})
}

func (m *may) stop(now *Acting) sayForm {
	if now.At.IsZero() {
		return sayForm{}
	}
	if now.Stop != nil {
		return m.form("stop", "Acting", "", "", sayButton{"resume", "Let acting go on", true})
	}
	return m.form("stop", "Acting", "", "", sayButton{"stop", "Stop acting", false})
}

// hotActs is what may be said of a hotspot that is open, and what is carried out for it.
type hotActs struct {
	Href       string // of the actions of the fleet
	Who        phrase
	Running    []phrase
	Would      wouldView
	Plan, Hold sayForm
}

// acts is what may be said of a hotspot; nil = it is over, or nothing is carried out here.
func (p *pages) acts(f *fleet, h *hotspot, r *http.Request) *hotActs {
	if p.actor == nil || !h.open() {
		return nil
	}
	now, m := p.acting(f.Name), p.may(r, f.Name)
	out := &hotActs{Href: fleetPath(f.Name) + "/actions", Who: m.says(), Hold: m.hotspot(h.id)}
	for i := range now.Operations {
		if o := &now.Operations[i]; o.Hotspot == h.id {
			how := words.Say("Operation ", fmt.Sprint(o.Number), " (", words.Fix(o.Fix), ") stands in ", o.Phase, " since ", words.Clock(o.Since))
			if o.Outcome != "" {
				how = append(how, words.Say(": ", spaced(o.Outcome))...)
			}
			out.Running = append(out.Running, append(how, words.Say(".")...))
		}
	}
	for i := range now.Held {
		if held := &now.Held[i]; held.Hotspot == h.id {
			out.Running = append(out.Running, words.Say("Nothing is begun for it, since ", words.Clock(held.At), ": ", words.Name(held.By), ", ", words.Ended(held.Reason)))
		}
	}
	if h.plan != nil {
		out.Would = p.would(f.Name, string(h.plan.ID))
		out.Plan = m.plan(&plan{Plan: h.plan}, "plan")
	}
	return out
}

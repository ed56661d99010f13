package pagerduty

import (
	"firebreak/actuator"
	"firebreak/actuator/notify"
)

// action is what an incident is told.
type action string

// The actions of the Events API v2.
const (
	trigger     action = "trigger"
	acknowledge action = "acknowledge"
	resolve     action = "resolve"
)

// step is one event of a notice.
type step struct {
	action action
	dedup  string
}

// steps are what a notice makes of the incident of its subject, and how that is called from then on. was is how it was called; empty =
// not known. notice is the notice's key.
//
// PagerDuty calls nobody for a trigger of an incident that is open, also where it was acknowledged
// (https://support.pagerduty.com/main/docs/event-management#deduplication). So a hotspot that is told again is another incident:
// the two keys of a subject take turns, which needs no memory but the receipt, and does not rest on the order in which PagerDuty
// takes in two events of one key. Where the receipt is not known either of them may be open: both are resolved, and the incident has a key
// of this notice.
func steps(m *notify.Message, was, notice string) (all []step, is string) {
	first := dedup(m.Subject)
	second := actuator.NewID("again", first)
	is = was
	if is == "" {
		is = first
	}
	switch {
	case m.State == notify.Over && was == "" && m.Shard != "": // it may have been told again, by an instance that is gone
		return []step{{resolve, first}, {resolve, second}}, ""
	case m.State == notify.Over:
		return []step{{resolve, is}}, ""
	case m.Said == actuator.KindAccepted:
		return []step{{acknowledge, is}}, is
	case m.Said == actuator.KindDismissed:
		return []step{{resolve, is}}, is
	case m.Said == actuator.KindReopened && was == "":
		next := actuator.NewID("again", notice)
		return []step{{resolve, first}, {resolve, second}, {trigger, next}}, next
	case m.Said == actuator.KindReopened:
		next := second
		if is == second {
			next = first
		}
		return []step{{resolve, is}, {trigger, next}}, next
	}
	return []step{{trigger, is}}, is
}

package notify

import (
	"cmp"
	"strings"
	"time"

	"firebreak/actuator"
)

const (
	// peopleQueue is how many notices wait for people, and how many they are told one by one within ten minutes: of a storm they read
	// the gravest, and one line about the others.
	peopleQueue = 10
	// slackPace is the default for bot tokens: Slack takes a message a second in a channel, and 50 updates a minute.
	slackPace = 1200 * time.Millisecond
)

// Rule is what the queue needs of a receiver. guide knows whose channel a notice goes to; nil = nobody's.
func (r *Receiver) Rule(guide *Guide) Rule {
	rule := Rule{Place: r.place(guide), Name: r.Name, Kinds: r.Kinds, Fleets: r.Fleets, Pace: r.Pace, Queue: r.Queue, GiveUp: r.GiveUp}
	if guide != nil {
		rule.Owner = guide.Owner
	}
	if r.Slack != nil || r.PagerDuty != nil {
		rule.Queue = cmp.Or(rule.Queue, peopleQueue)
		rule.Burst, rule.Answers = peopleQueue, true
	}
	if r.Slack != nil && !r.Slack.Hook() {
		rule.Pace = cmp.Or(rule.Pace, slackPace)
	}
	if r.PagerDuty != nil {
		rule.Severity, rule.Steps = Critical, true // who is paged must act; operations are shown beside
		if len(rule.Kinds) == 0 {
			rule.Kinds = []actuator.Kind{actuator.KindVerdict, actuator.KindBlind, actuator.KindSighted, actuator.KindActed}
		}
	}
	if r.Severity != nil {
		rule.Severity = *r.Severity
	}
	return rule
}

// place is where the notices of a receiver go. A channel of Slack is one place for all receivers that post there, by whatever token; of the
// other kinds each receiver is its own. A channel that is called by its id here and by its name there is two.
func (r *Receiver) place(guide *Guide) func(*Notice) string {
	if r.Slack == nil || r.Slack.Hook() {
		return nil
	}
	api, channel := cmp.Or(r.Slack.APIURL, DefaultSlackAPI), r.Slack.Channel
	return func(n *Notice) string {
		to := channel
		if guide != nil {
			if o := guide.Owner(n); o != nil && o.Channel != "" {
				to = o.Channel
			}
		}
		return actuator.NewID("slack", api, strings.TrimPrefix(to, "#"))
	}
}

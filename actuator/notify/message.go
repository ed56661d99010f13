package notify

import (
	"fmt"
	"strings"
	"time"

	"firebreak/actuator"
	"firebreak/internal/line"
	"firebreak/internal/words"
)

// State is what a message says of its subject. The zero value says nothing of its life.
type State uint8

// The states.
const (
	Note   State = iota // something happened
	Firing              // it is so, until it is over
	Over                // it is over
)

// Message is a notice as a person is told of it, before a receiver gives it a form. Texts hold names: they pass through package
// words, and a receiver escapes them once more by its own rules.
type Message struct {
	Subject  string // the same for all notices of one subject; letters, digits and -
	State    State
	Severity Severity
	Said     actuator.Kind // accepted, dismissed or reopened: a person said so of it (of a summary: of all that lasts), or it is told again; else KindUnknown
	Title    words.Phrase
	Text     words.Phrase // the whole in one or two sentences; see Sentence
	Facts    []Fact       // what a person asks, in the order of reading
	Links    []Link
	Command  string    // shows the evidence, where no link does; empty = none
	Owner    *Owner    // nil = nobody is named
	Fleet    string    // bytes
	Shard    string    // bytes
	Tenant   string    // bytes
	Key      string    // bytes
	Cause    string    // policy.Cause
	Since    time.Time // when it began; zero = not known
	Blind    bool      // it is about whether a fleet can be judged
	Call     bool      // it is about whether an operation needs a person
	Step     Step      // it is about a step of an operation
	Hotspot  string    // id; empty = it is of none
	Plan     string    // that waits for a person's word; empty = none does
	More     bool      // it is a summary of several
}

// LabelRejected is of the facts why a fix that was not taken fails: where there is no room, they go first.
const LabelRejected = "Rejected"

// Fact is a question with its answer.
type Fact struct {
	Label string
	Text  words.Phrase
}

// Message tells a notice.
func (g *Guide) Message(n *Notice) *Message {
	m := &Message{Subject: n.Key, Owner: g.Owner(n)}
	m.Links = g.links(n, m.Owner)
	if g.External == "" {
		m.Command = command(n)
	}
	switch {
	case n.Test != nil:
		m.test(n.Test)
		return m
	case n.More != nil:
		m.more(n.More)
		return m
	}
	e := n.Entry
	m.Subject, m.Severity, m.Fleet = group(n), severity(e), e.Fleet
	m.Hotspot = e.Hotspot
	if n.Story != nil && n.Story.Critical && !calls(e) {
		m.Severity = Critical
	}
	switch {
	case Ends(e):
		m.State = Over
	case calls(e) || e.Kind == actuator.KindVerdict || e.Kind == actuator.KindBlind || e.Kind == actuator.KindAdvice || e.Hotspot != "" && verdictOf(n) != nil:
		m.State = Firing
	}
	m.Call, m.Step = calls(e), stepOf(e)
	m.Blind = e.Kind == actuator.KindBlind || e.Kind == actuator.KindSighted
	if e.Kind.Spoken() || e.Kind == actuator.KindReopened {
		m.Said = e.Kind
	}
	if m.State == Firing {
		m.Since = e.At
	}
	m.Title, m.Text = saying(g, n)
	switch v := verdictOf(n); {
	case calls(e):
		m.call(g, n)
	case v != nil:
		m.hotspot(g, n, v)
		m.Facts = hinted(m, v)
	default:
		m.Facts = []Fact{{"What", m.Text}}
	}
	return m
}

// what says how hot it is: as it was told, or, where it is told again, what it is now and was.
func (m *Message) what(n *Notice, t *words.Told) words.Phrase {
	if n.Entry.Kind == actuator.KindReopened {
		return m.Text
	}
	return words.Say(t.Load(), " ", t.Grade())
}

// hotspot says all of a hotspot: what, where, when, why, what to do, how sure, what happens now, why nothing else.
func (m *Message) hotspot(g *Guide, n *Notice, v *line.Verdict) {
	m.Since = time.Time(v.Onset)
	m.Shard, m.Tenant, m.Key, m.Cause = string(v.Shard), string(v.Tenant), string(v.Key), v.Cause
	t, story := g.told(n, v), n.Story
	if story == nil {
		story = &Story{}
	}
	over := n.Entry.Phase == actuator.PhaseResolved || story.Over
	m.Title = hotTitle(v, m.grade(over)) // also of a plan or a hold: the message stays about its hotspot
	if over {
		m.State = Over
		m.Facts = []Fact{
			{"What", m.Text},
			{"It was", t.Was(true)},
			{"When", words.Say(lasted(time.Time(v.Onset), n.Entry.At))},
			{"What to do", t.Over()},
			{"How sure", t.WasSure()},
		}
		m.Facts = append(m.Facts, story.doings()...)
		return
	}
	m.Facts = []Fact{
		{"What", m.what(n, t)},
		{"Where", t.Where()},
		{"When", words.Say(words.Since(time.Time(v.Onset), time.Time(story.Found)))},
		{"Why", t.Why()},
		{"What to do", t.Do()},
		{"How sure", t.Sure()},
	}
	if in := t.InStore(); in != nil {
		m.Facts = append(m.Facts, Fact{"In your store", in})
	}
	if calling := t.Calling(); calling != nil {
		m.Facts = append(m.Facts, Fact{"Caller", calling})
	}
	if text := t.Next(); text != nil && len(story.Operations) == 0 {
		m.Facts = append(m.Facts, Fact{"Next", words.Say(text, expiry(story.Plan))})
	}
	m.Facts = append(m.Facts, story.doings()...)
	if story.waits() {
		m.Plan = string(story.Plan.ID)
	}
	for _, h := range story.Held {
		m.Facts = append(m.Facts, Fact{"Held", words.Say(strings.ReplaceAll(h.Reason, "_", " "), ": ", words.Ended(string(h.Detail)))})
	}
	would, fail := t.Others()
	for _, other := range would {
		m.Facts = append(m.Facts, Fact{t.WouldLabel(), other})
	}
	for _, other := range fail {
		m.Facts = append(m.Facts, Fact{LabelRejected, other})
	}
	if m.Said != actuator.KindUnknown {
		m.Facts = append([]Fact{{words.Capital(m.Said.String()), m.Text}}, m.Facts...)
	}
}

// grade is the first word of a title.
func (m *Message) grade(over bool) string {
	switch {
	case over:
		return "RESOLVED"
	case m.Said.Spoken():
		return strings.ToUpper(m.Said.String())
	}
	return strings.ToUpper(m.Severity.String())
}

// expiry says until when a plan may be carried out; empty where that is not known.
func expiry(p *line.Plan) string {
	if p == nil || p.Expires.IsZero() {
		return ""
	}
	return " The plan is good until " + words.Clock(time.Time(p.Expires)) + "."
}

// lasted is the life of what is over.
func lasted(onset, end time.Time) string {
	return fmt.Sprintf("Since %s, for %s.", words.Clock(onset), words.Lasting(end.Sub(onset)))
}

func (m *Message) more(more *More) {
	if more.Critical > 0 {
		m.Severity = Critical
	}
	m.Subject, m.More = more.Group, true
	switch {
	case more.Open > 0:
		m.State = Firing
		if more.Again {
			m.Said = actuator.KindReopened
		}
	case more.Accepted > 0:
		m.State, m.Said = Firing, actuator.KindAccepted
	case more.Over+more.Apart+more.Dismissed > 0:
		m.State = Over
	}
	m.Title, m.Text = moreText(more)
	m.Facts = []Fact{{"What", m.Text}}
	for _, text := range fleetsText(more) {
		m.Facts = append(m.Facts, Fact{"Where", text})
		m.Text = words.Say(m.Text, " ", text)
	}
	m.Text = words.Say(m.Text, " The journal has them all.")
}

func (m *Message) test(t *Test) {
	m.Title = words.Say("TEST: firebreak reaches this receiver")
	m.Text = words.Say("TEST of " + words.Clock(t.At) + ": nothing is wrong; a person sent this by firebreak notify test.")
	if m.State = Firing; t.Over {
		m.State = Over
		m.Title, m.Text = words.Say("TEST: over"), words.Say("TEST of "+words.Clock(t.At)+" is over.")
	}
	m.Facts, m.Since = []Fact{{"What", m.Text}}, t.At
}

package notify

import (
	"strings"
	"time"

	"firebreak/actuator"
)

const (
	// summaryEvery is the shortest time between two summaries of a storm that is not over.
	summaryEvery = time.Minute
	// maxMembers is how many subjects a storm remembers; beyond, they are counted only, and their ends are told one by one.
	maxMembers = 10_000
)

// storm is what a receiver is told of as one of "N more" only, of what goes to one place. It is one subject: one message that is updated,
// one incident, which is over when all of it is. It follows from the journal.
//
//	calm --folded--> untold --summary--> told --summary, each summaryEvery--> told --all over or dismissed, summary--> calm
//	                                      | ^
//	                   the rest accepted, | | something is open again,
//	                           summary    v | summary
//	                                      quiet
type storm struct {
	id       string // the same for all its summaries
	place    string // where they go
	frozen   *item  // a summary that was tried and keeps its key; nil = none
	fold     *item  // the next one, in the making; nil = none
	owner    *Owner // who answers for all of it, as far as that is one; nil = nobody is named
	members  map[string]*member
	beyond   int
	told     bool // a summary of it was taken
	quiet    bool // by the newest one nothing of it is open
	receipt  string
	from, to time.Time // of the entries' ticks
	newest   time.Time // when the newest summary was taken
}

// holds says whether a subject is told of in its summaries only.
func (s *storm) holds(subject string) bool {
	m := s.members[subject]
	return m != nil && !m.apart
}

// take counts an entry in.
func (s *storm) take(i *item) {
	at := i.entry.At
	if s.from.IsZero() || at.Before(s.from) {
		s.from = at
	}
	if at.After(s.to) {
		s.to = at
	}
	m := s.members[i.subject]
	if i.entry.Kind.Spoken() && m != nil {
		m.said = i.entry.Kind
		return
	}
	if m == nil {
		if len(s.members) >= maxMembers {
			s.beyond++
			return
		}
		m = &member{kind: i.entry.Kind, worth: i.worth, fleet: i.entry.Fleet}
		s.share(i.owner)
		s.members[i.subject] = m
	}
	m.place(i)
	m.over, m.apart = Ends(i.entry), false
	if m.lasts = m.lasts || lasts(i.entry); m.over {
		return
	}
	m.severity, m.said = i.severity, actuator.KindUnknown
	if i.worth > m.worth {
		m.kind, m.worth = i.entry.Kind, i.worth
	}
}

// said notes what a person said of a subject.
func (s *storm) said(subject string, k actuator.Kind) {
	if m := s.members[subject]; m != nil {
		m.said = k
	}
}

// over says whether nothing of it lasts any more that a person has not called a false alarm.
func (s *storm) over() bool { return s.none((*member).stays) }

// still says whether nothing of it is open.
func (s *storm) still() bool { return s.none((*member).open) }

func (s *storm) none(is func(*member) bool) bool {
	for _, m := range s.members {
		if is(m) {
			return false
		}
	}
	return true
}

// heard notes that a summary was taken, and whether nothing was open by it.
func (s *storm) heard(receipt string, quiet bool, now time.Time) {
	s.told, s.quiet, s.newest = true, quiet, now
	if receipt != "" && len(receipt) <= actuator.MaxReceipt {
		s.receipt = receipt
	}
}

// due is when its next summary may be told: at once where that changes what people do.
func (s *storm) due() time.Time {
	if !s.told || s.still() != s.quiet || s.over() {
		return time.Time{}
	}
	return s.newest.Add(summaryEvery)
}

// next is the summary whose turn it is; nil = there is none to tell.
func (s *storm) next() *item {
	if s.frozen != nil {
		return s.frozen
	}
	return s.fold
}

// note has an entry recorded with the next summary.
func (s *storm) note(p part, at time.Time) {
	if s.fold == nil {
		s.fold = &item{more: &folded{of: s}, at: at, place: s.place}
	}
	if f := s.fold.more; len(f.parts) < maxFolded {
		f.parts = append(f.parts, p)
	}
}

// share takes in who answers for one more of it: what they have in common remains.
func (s *storm) share(o *Owner) {
	var with Owner
	if o != nil {
		with = Owner{Team: o.Team, Channel: o.Channel, Runbook: o.Runbook}
	}
	if s.owner == nil && len(s.members) == 0 {
		s.owner = &with
		return
	}
	if s.owner == nil {
		return
	}
	if s.owner.Team != with.Team {
		s.owner.Team = ""
	}
	if strings.TrimPrefix(s.owner.Channel, "#") != strings.TrimPrefix(with.Channel, "#") {
		s.owner.Channel = ""
	}
	if s.owner.Runbook != with.Runbook {
		s.owner.Runbook = ""
	}
}

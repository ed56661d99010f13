package notify

import (
	"slices"
	"time"

	"firebreak/actuator"
	"firebreak/internal/line"
)

const (
	// summaryEvery is the shortest time between two summaries of a storm that is not over.
	summaryEvery = time.Minute
	// maxMembers is how many subjects a storm remembers; beyond, they are counted only, and their ends are told one by one.
	maxMembers = 10_000
)

// storm is what a receiver is told of as one of "N more" only. It is one subject: one message that is updated, one incident, which
// is over when all of it is. It follows from the journal.
//
//	calm --folded--> untold --summary--> told --summary, each summaryEvery--> told --all over or dismissed, summary--> calm
//	                                      | ^
//	                   the rest accepted, | | something is open again,
//	                           summary    v | summary
//	                                      quiet
type storm struct {
	id       string // the same for all its summaries
	members  map[string]*member
	beyond   int
	told     bool // a summary of it was taken
	quiet    bool // by the newest one nothing of it is open
	receipt  string
	from, to time.Time // of the entries' ticks
	newest   time.Time // when the newest summary was taken
}

// holds says whether a subject is told of in summaries only; a storm may be nil.
func (s *storm) holds(subject string) bool {
	if s == nil {
		return false
	}
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
	if i.entry.Kind.Spoken() {
		s.said(i.subject, i.entry.Kind)
		return
	}
	if m == nil {
		if len(s.members) >= maxMembers {
			s.beyond++
			return
		}
		m = &member{kind: i.entry.Kind, worth: i.worth}
		s.members[i.subject] = m
	}
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

// summary is what is to be said of it.
func (s *storm) summary() *More {
	m := &More{Group: s.id, N: len(s.members) + s.beyond, From: line.Stamp(s.from), To: line.Stamp(s.to), Kinds: map[string]int{}}
	for _, one := range s.members {
		m.Kinds[one.kind.String()]++
		switch {
		case one.over:
			m.Over++
		case one.apart:
			m.Apart++
		case one.said == actuator.KindAccepted:
			m.Accepted++
		case one.said == actuator.KindDismissed:
			m.Dismissed++
		case one.lasts:
			m.Open++
			if one.severity == Critical {
				m.Critical++
			}
		}
	}
	m.Again = s.quiet && m.Open > 0
	return m
}

// pointless says that an entry brings nothing by which a receiver must be told one by one what it was told of in a summary: it
// ends, or is not graver. That a fleet cannot be judged it is told each time, and so the end of that; before is what waits before it.
func (r *receiver) pointless(i *item, before []*item) bool {
	if !r.storm.holds(i.subject) || r.told.has(i.subject) || i.entry.Kind == actuator.KindBlind {
		return false
	}
	for _, o := range slices.Backward(before) {
		if o.subject == i.subject && o.entry.Kind == actuator.KindBlind {
			return false
		}
	}
	return Ends(i.entry) || i.entry.Kind != actuator.KindReopened && i.severity <= r.storm.members[i.subject].severity
}

// join counts an entry as one that was told in a summary.
func (r *receiver) join(i *item) {
	if r.storm == nil {
		r.storm = &storm{id: actuator.NewID("more", r.rule.Name, i.entry.ID), members: map[string]*member{}}
	}
	r.storm.take(i)
}

// summarized learns that another instance's summary was taken.
func (r *receiver) summarized(d *actuator.Delivered, at time.Time) {
	if r.storm == nil {
		return
	}
	if d.Summary != "" {
		r.storm.id = d.Summary
	}
	r.storm.heard(d.Receipt, d.Quiet, at)
	r.sift()
}

// clear forgets a storm that is over and whose end was told, and one of which nobody was told or will be. What a person called a false
// alarm ends untold.
func (r *receiver) clear() {
	flying := r.flight != nil && r.flight.more != nil
	if r.storm != nil && r.summary() == nil && !flying && (!r.storm.told || r.storm.over()) {
		for about, m := range r.storm.members {
			if m.said == actuator.KindDismissed && !m.over && !m.apart {
				r.hushed.set(about, struct{}{})
			}
		}
		r.storm = nil
	}
}

// leave notes that a subject was told by itself: the storm is no longer about it. Where nothing of it is open then, its summary says so.
func (r *receiver) leave(p part, at time.Time) {
	if !r.storm.holds(p.subject) {
		return
	}
	r.storm.members[p.subject].apart = true
	if r.storm.told && r.storm.still() {
		p.id = actuator.NewID("apart", p.id) // the record of that summary is another than that of the news
		r.note(p, at)
	}
}

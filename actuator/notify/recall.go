package notify

import (
	"slices"
	"strings"
	"time"

	"firebreak/actuator"
)

// Recall takes an entry that is older than what is told as news, before all that Apply takes: what people said in it counts, and what a
// receiver was told of, by its receipts and summaries. The end of that it is still told, if it was not. now is when it is read.
func (q *Queue) Recall(e *actuator.Entry, now time.Time) {
	q.spoken.Apply(e)
	if e.Kind == actuator.KindDelivered {
		d, err := actuator.Read[actuator.Delivered](e)
		r := q.receivers[string(d.Receiver)]
		if err != nil || r == nil {
			return
		}
		switch d.Outcome {
		case actuator.OutcomeSent:
			q.recallSent(r, &d)
		case actuator.OutcomeFolded:
			q.recallFolded(r, &d, e.At)
		case actuator.OutcomeUnknown, actuator.OutcomeDead, actuator.OutcomeDeferred:
		}
		return
	}
	about := subject(e)
	if Ends(e) && e.Hotspot != "" {
		q.ended.set(about, struct{}{})
	}
	for _, r := range q.receivers {
		// What waits then is taken out by the entry that records that it was told, if there is one.
		i := &item{entry: e, subject: about, severity: severity(e), at: now}
		s := r.in(about)
		switch {
		case Ends(e) && r.told.has(about):
			i.owner, i.place = q.placeOf(r, i)
			r.items = append(r.items, i)
		case s != nil && (Ends(e) || e.Kind.Spoken()):
			s.take(i)
			s.note(i.part(), now)
		}
	}
}

// recallSent knows what was told by itself.
func (q *Queue) recallSent(r *receiver, d *actuator.Delivered) {
	for _, one := range d.Open {
		about := string(one.Subject)
		if q.ended.has(about) {
			continue
		}
		if s := r.in(about); s != nil {
			s.members[about].apart = true
		}
		r.told.set(about, d.Receipt)
	}
	for _, one := range d.Over {
		r.told.drop(string(one.Subject))
		if d.Receipt != "" {
			r.past.set(string(one.Subject), d.Receipt)
		}
		r.items = slices.DeleteFunc(r.items, func(i *item) bool { return i != r.flight && slices.Contains(d.Entries, i.entry.ID) })
	}
}

// recallFolded knows a storm by what is recorded of a summary of it. The newest of a place is the one that lasts, until all of it is over.
func (q *Queue) recallFolded(r *receiver, d *actuator.Delivered, at time.Time) {
	if d.Summary == "" || d.Place == "" {
		return
	}
	r.unfold(d.Entries)
	r.storms = slices.DeleteFunc(r.storms, func(s *storm) bool { return s.place == d.Place && s.id != d.Summary })
	s := r.recalled(d, at)
	for _, one := range d.Open {
		q.restore(s, &one, false)
	}
	for _, one := range d.Over {
		q.restore(s, &one, true)
	}
	s.heard(d.Receipt, d.Quiet, at)
	r.clear()
}

// recalled is the storm of a summary, which may have to be known anew.
func (r *receiver) recalled(d *actuator.Delivered, at time.Time) *storm {
	n := slices.IndexFunc(r.storms, func(s *storm) bool { return s.id == d.Summary })
	if n < 0 {
		n = len(r.storms)
		r.storms = append(r.storms, &storm{id: d.Summary, place: d.Place, members: map[string]*member{}, from: at})
	}
	r.storms[n].to = at
	return r.storms[n]
}

// restore makes a member of what is recorded of it.
func (q *Queue) restore(s *storm, one *actuator.Stands, over bool) {
	about := string(one.Subject)
	m := s.members[about]
	if m == nil {
		if len(s.members) >= maxMembers {
			return
		}
		m = &member{}
		s.members[about] = m
	}
	fleet, hotspot, _ := strings.Cut(about, "\x00")
	var kind actuator.Kind
	if kind.UnmarshalText([]byte(one.Kind)) != nil {
		kind = actuator.KindUnknown // of a newer firebreak: it counts all the same
	}
	*m = member{kind: kind, shard: one.Shard, fleet: fleet, lasts: true, over: over || q.ended.has(about)}
	if one.Severity == Critical.String() {
		m.severity = Critical
	}
	if w, ok := q.spoken.Of(fleet, hotspot); ok && !w.Over {
		m.said = w.Kind
	}
}

// strange says that a delivery is of an entry that Apply was not given: it was told late, and is older than what is read.
func (q *Queue) strange(d *actuator.Delivered) bool {
	return slices.ContainsFunc(d.Entries, func(id string) bool { return !q.seen.Has(id) })
}

// remember takes in of a summary what was told in it and is known by no entry.
func (q *Queue) remember(r *receiver, d *actuator.Delivered, at time.Time) {
	var s *storm
	for _, one := range d.Open {
		about := string(one.Subject)
		if d.Summary == "" || d.Place == "" || r.in(about) != nil || r.told.has(about) {
			continue
		}
		if s == nil {
			s = r.recalled(d, at)
			s.heard(d.Receipt, d.Quiet, at)
		}
		q.restore(s, &one, false)
	}
}

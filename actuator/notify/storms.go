package notify

import (
	"slices"
	"time"

	"firebreak/actuator"
)

// in is the storm in whose summaries a subject is told only; nil = it is in none.
func (r *receiver) in(subject string) *storm {
	for _, s := range r.storms {
		if s.holds(subject) {
			return s
		}
	}
	return nil
}

// pointless says that an entry brings nothing by which a receiver must be told one by one what it was told of in a summary: it
// ends, or is not graver. That a fleet cannot be judged it is told each time. before is what waits before it: where some of that is of its
// subject, the subject is about to be told by itself, and so is its end.
func (r *receiver) pointless(i *item, before []*item) bool {
	s := r.in(i.subject)
	if s == nil || r.told.has(i.subject) || i.entry.Kind == actuator.KindBlind {
		return false
	}
	if Ends(i.entry) {
		return !slices.ContainsFunc(before, func(o *item) bool { return o.subject == i.subject })
	}
	return i.entry.Kind != actuator.KindReopened && i.severity <= s.members[i.subject].severity
}

// join counts an entry as one that was told in a summary: of the storm that its subject is in, else of that where the entry goes.
func (r *receiver) join(i *item) *storm {
	s := r.in(i.subject)
	if s == nil {
		s = r.at(i)
	}
	s.take(i)
	return s
}

// at is the storm of the place where an item goes, which may begin with it.
func (r *receiver) at(i *item) *storm {
	for _, s := range r.storms {
		if s.place == i.place {
			return s
		}
	}
	s := &storm{id: actuator.NewID("more", r.rule.Name, i.entry.ID), place: i.place, members: map[string]*member{}}
	r.storms = append(r.storms, s)
	return s
}

// summarized learns that another instance's summary of a storm was taken.
func (r *receiver) summarized(s *storm, d *actuator.Delivered, at time.Time) {
	if d.Summary != "" {
		s.id = d.Summary
	}
	s.heard(d.Receipt, d.Quiet, at)
	r.sift()
}

// clear forgets the storms that are over and whose end was told, and those of which nobody was told or will be. What a person called a false
// alarm ends untold.
func (r *receiver) clear() {
	r.storms = slices.DeleteFunc(r.storms, func(s *storm) bool {
		flying := r.flight != nil && r.flight.more != nil && r.flight.more.of == s
		if s.next() != nil || flying || s.told && !s.over() {
			return false
		}
		for about, m := range s.members {
			if m.said == actuator.KindDismissed && !m.over && !m.apart {
				r.hushed.set(about, struct{}{})
			}
		}
		return true
	})
}

// leave notes that a subject was told by itself: its storm is no longer about it. Where nothing of it is open then, its summary says so.
func (r *receiver) leave(p part, at time.Time) {
	s := r.in(p.subject)
	if s == nil {
		return
	}
	s.members[p.subject].apart = true
	if s.told && s.still() {
		p.id = actuator.NewID("apart", p.id) // the record of that summary is another than that of the news
		s.note(p, at)
	}
}

// summaries are those that wait, of each storm the one whose turn it is.
func (r *receiver) summaries() []*item {
	var out []*item
	for _, s := range r.storms {
		if f := s.next(); f != nil {
			out = append(out, f)
		}
	}
	return out
}

// folds are the summaries that were not taken, those in the making too.
func (r *receiver) folds() []*item {
	var out []*item
	for _, s := range r.storms {
		for _, f := range []*item{s.frozen, s.fold} {
			if f != nil {
				out = append(out, f)
			}
		}
	}
	return out
}

// drop takes a summary out of its storm.
func (i *item) drop() {
	if s := i.more.of; s.frozen == i {
		s.frozen = nil
	} else if s.fold == i {
		s.fold = nil
	}
}

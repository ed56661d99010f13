package notify

import (
	"maps"
	"slices"
	"time"

	"firebreak/actuator"
)

// lately is how long a beginning that was told counts against Rule.Burst.
const lately = 10 * time.Minute

// opening is a subject of which a receiver began to be told.
type opening struct {
	at    time.Time
	worth int
	place string
}

// opened notes the first that is told of a subject.
func (r *receiver) opened(i *item, at time.Time) {
	if r.rule.Burst == 0 || i.entry.Kind == actuator.KindBlind || steps(i.entry) || r.told.has(i.subject) {
		return
	}
	r.begun = slices.DeleteFunc(r.begun, func(o opening) bool { return at.Sub(o.at) >= lately })
	r.begun = append(r.begun, opening{at, i.worth, i.place})
}

// oneTooMany says of an entry that begins a subject that as many were told lately as a person can take, all as grave and there: a storm need not
// come all at once. A fleet that cannot be judged is told by itself however much else there is: it is none of them.
func (r *receiver) oneTooMany(i *item, now time.Time) bool {
	if r.rule.Burst == 0 || i.attempts > 0 || i.entry.Kind == actuator.KindBlind || Ends(i.entry) || steps(i.entry) || r.told.has(i.subject) {
		return false
	}
	n := 0
	for _, o := range r.begun {
		if now.Sub(o.at) < lately && o.worth >= i.worth && o.place == i.place {
			n++
		}
	}
	return n >= r.rule.Burst
}

// greet is done once, before anything is sent to a receiver of which the journal knows nothing: it is new, or had nothing to hear for as
// long as the journal is read. What was over a while ago it is not told at all; the age of what is still so counts from now on.
func (r *receiver) greet(now time.Time) {
	if r.met {
		return
	}
	r.forget(now)
	r.met = true
	for _, i := range r.items {
		if now.Sub(i.at) >= stale {
			i.at = now
		}
	}
	r.storms = slices.DeleteFunc(r.storms, func(s *storm) bool {
		if s.fold == nil || now.Sub(s.fold.at) < stale {
			return false
		}
		if s.fold.at = now; s.told {
			return false
		}
		maps.DeleteFunc(s.members, func(_ string, m *member) bool { return m.over || !m.lasts })
		return len(s.members) == 0
	})
}

// forget drops what waits for a receiver that was told nothing yet, or not for long, and is over for a while; but not the end of what it was
// told of.
func (r *receiver) forget(now time.Time) {
	open := map[string]bool{}
	for _, i := range r.items {
		if lasts(i.entry) {
			open[i.subject] = !Ends(i.entry)
		}
	}
	r.items = slices.DeleteFunc(r.items, func(i *item) bool { return now.Sub(i.at) >= stale && !open[i.subject] && !r.told.has(i.subject) })
}

// placeOf is who answers for an entry, and where it goes.
func (q *Queue) placeOf(r *receiver, i *item) (owner *Owner, place string) {
	n := &Notice{Receiver: r.rule.Name, Entry: i.entry, Story: q.stories.of(i.entry)}
	place = own(r.rule.Name)
	if r.rule.Owner != nil {
		owner = r.rule.Owner(n)
	}
	if r.rule.Place != nil {
		place = r.rule.Place(n)
	}
	return owner, place
}

// occupy lets nothing go to a place before a time.
func (q *Queue) occupy(place string, until time.Time) {
	if until.After(q.places[place]) {
		q.places[place] = until
	}
}

// own is the place of a receiver that shares none.
func own(name string) string { return actuator.NewID("receiver", name) }

package notify

import (
	"slices"

	"firebreak/actuator"
)

// hush takes out what waits of a hotspot of which a person wants to hear no more; also that it is told again after they said so before.
func (q *Queue) hush(said *actuator.Entry) {
	at := lane(said)
	for _, r := range q.receivers {
		r.items = slices.DeleteFunc(r.items, func(i *item) bool {
			silent := i != r.flight && lane(i.entry) == at && (q.spoken.Silent(i.entry) || i.entry.Kind == actuator.KindReopened)
			if silent {
				r.hush(i)
				r.silenced.set(i.entry.ID, i)
			}
			return silent
		})
	}
}

// hush notes that an entry is not told. What the receiver was never told of need not end for it.
func (r *receiver) hush(i *item) {
	switch {
	case Ends(i.entry):
		r.hushed.drop(i.subject)
	case !r.told.has(i.subject) && r.in(i.subject) == nil:
		r.hushed.set(i.subject, struct{}{})
	}
}

// hushedEnd says of an ending that all before it was not told.
func (r *receiver) hushedEnd(i *item) bool {
	return Ends(i.entry) && r.hushed.has(i.subject) && !r.told.has(i.subject)
}

// unsilence learns that the receiver was told after all of what a person wanted to hear no more of: it was on its way.
func (r *receiver) unsilence(d *actuator.Delivered) {
	for _, id := range d.Entries {
		if i, ok := r.silenced.of[id]; ok {
			r.silenced.drop(id)
			r.hushed.drop(i.subject)
			r.told.set(i.subject, d.Receipt)
		}
	}
}

// unsilenceMore learns the same of what was told in a summary, and gives its storm; nil = nothing of it was.
func (q *Queue) unsilenceMore(r *receiver, d *actuator.Delivered) (of *storm) {
	for _, id := range d.Entries {
		i, ok := r.silenced.of[id]
		if !ok {
			continue
		}
		r.silenced.drop(id)
		r.hushed.drop(i.subject)
		of = r.join(i)
		if w, ok := q.spoken.Of(i.entry.Fleet, i.entry.Hotspot); ok && !w.Over {
			of.said(i.subject, w.Kind)
		}
	}
	return of
}

// unasked says of what a person said that the receiver does not want to hear of it: it was not told of the hotspot, and is not about to be.
func (r *receiver) unasked(i *item) bool {
	return i.entry.Kind.Spoken() && r.answersOnly(i) && !r.told.has(i.subject) && !r.flies(i.subject)
}

// flies says that news of a subject is being sent.
func (r *receiver) flies(subject string) bool {
	return r.flight != nil && r.flight.more == nil && r.flight.subject == subject
}

// answers says of what a person said that the receiver is told because it was told of the hotspot by itself, or may have been.
func (r *receiver) answers(i *item) bool {
	return r.rule.Answers && (r.told.has(i.subject) || r.hushed.has(i.subject) || r.flies(i.subject))
}

// answersOnly says that it is told for no other reason.
func (r *receiver) answersOnly(i *item) bool {
	return r.rule.Answers && !slices.Contains(r.rule.Kinds, i.entry.Kind)
}

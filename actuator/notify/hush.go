package notify

import (
	"slices"

	"firebreak/actuator"
)

// hush takes out what waits of a hotspot of which a person wants to hear no more.
func (q *Queue) hush(said *actuator.Entry) {
	at := lane(said)
	for _, r := range q.receivers {
		r.items = slices.DeleteFunc(r.items, func(i *item) bool {
			silent := i != r.flight && lane(i.entry) == at && q.spoken.Silent(i.entry)
			if silent {
				r.hush(i)
				r.silenced.set(i.entry.ID, i.subject)
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
	case !r.told.has(i.subject) && !r.storm.holds(i.subject):
		r.hushed.set(i.subject, "")
	}
}

// hushedEnd says of an ending that all before it was not told.
func (r *receiver) hushedEnd(i *item) bool {
	return Ends(i.entry) && r.hushed.has(i.subject) && !r.told.has(i.subject)
}

// unsilence learns that the receiver was told after all of what a person wanted to hear no more of: it was on its way.
func (r *receiver) unsilence(d *actuator.Delivered) {
	for _, id := range d.Entries {
		if about, ok := r.silenced.texts[id]; ok {
			r.silenced.drop(id)
			r.hushed.drop(about)
			r.told.set(about, d.Receipt)
		}
	}
}

// answers says of what a person said that the receiver is told because it was told of the hotspot, or may have been.
func (r *receiver) answers(i *item) bool {
	flying := r.flight != nil && r.flight.more == nil && r.flight.subject == i.subject
	return r.rule.Answers && (r.told.has(i.subject) || r.hushed.has(i.subject) || flying)
}

// answersOnly says that it is told for no other reason.
func (r *receiver) answersOnly(i *item) bool {
	return r.rule.Answers && !slices.Contains(r.rule.Kinds, i.entry.Kind)
}

package notify

import (
	"cmp"
	"slices"
	"time"

	"firebreak/actuator"
)

// Apply takes an entry as a Reader yields it. at is when the journal's log took it, which is what its age is measured from.
func (q *Queue) Apply(e *actuator.Entry, at time.Time) {
	if e.Kind == actuator.KindDelivered {
		if d, err := actuator.Read[actuator.Delivered](e); err == nil {
			if r := q.receivers[string(d.Receiver)]; r != nil {
				q.delivered(r, &d, e.At)
			}
		}
		return
	}
	q.applied++
	q.seen.Add(e.ID)
	q.stories.apply(e)
	q.spoken.Apply(e)
	if e.Kind.Spoken() {
		q.hush(e)
	}
	for _, r := range q.receivers {
		i := &item{entry: e, seq: q.applied, subject: subject(e), severity: severity(e), at: at}
		i.worth = worth(e, i.severity)
		if q.wanted(r, i) {
			i.owner, i.place = q.placeOf(r, i)
			q.take(r, i)
		}
	}
}

// wanted says whether a receiver is to be told of an entry. Who heard that something is critical hears all of it, and of its end; so
// does who may have, where its beginning is not known any more.
func (q *Queue) wanted(r *receiver, i *item) bool {
	matters := i.severity
	if story := q.stories.of(i.entry); story != nil && story.Critical && !calls(i.entry) {
		matters = Critical
	}
	switch {
	case Ends(i.entry):
		mild := r.mild.has(i.subject)
		r.mild.drop(i.subject)
		return r.rule.wants(i.entry, Critical) && (!mild || r.rule.wants(i.entry, matters))
	case i.entry.Kind.Spoken() && (r.answers(i) || r.in(i.subject) != nil):
		return true
	case r.rule.wants(i.entry, matters):
		r.mild.drop(i.subject)
		return true
	case r.rule.wants(i.entry, Critical):
		r.mild.set(i.subject, struct{}{})
	}
	return false
}

// take puts an entry that a receiver wants where it belongs.
func (q *Queue) take(r *receiver, i *item) {
	switch {
	case q.spoken.Silent(i.entry) || r.hushedEnd(i):
		r.hush(i)
		return
	case r.pointless(i, r.items):
		r.foldInto(i)
		return
	}
	if !i.entry.Kind.Spoken() {
		r.hushed.drop(i.subject)
	}
	if !r.met {
		r.forget(i.at)
	}
	r.items = append(r.items, i)
	r.shrink()
}

// delivered takes out what needs no sending any more, or takes over the pause that the receiver asked for.
func (q *Queue) delivered(r *receiver, d *actuator.Delivered, at time.Time) {
	r.met = true
	if d.Outcome == actuator.OutcomeDeferred {
		q.pause(r, d)
		return
	}
	if d.Outcome == actuator.OutcomeSent {
		r.outrun(d.Entries)
	}
	var of *storm // whose summary it is of
	r.items = slices.DeleteFunc(r.items, func(i *item) bool {
		if i == r.flight || !slices.Contains(d.Entries, i.entry.ID) {
			return false
		}
		switch d.Outcome {
		case actuator.OutcomeSent:
			r.heard(i, d.Receipt, at)
		case actuator.OutcomeFolded:
			of = r.join(i)
		case actuator.OutcomeUnknown, actuator.OutcomeDead, actuator.OutcomeDeferred:
		}
		return true
	})
	parts, summed := r.unfold(d.Entries)
	for _, p := range parts {
		if d.Outcome == actuator.OutcomeSent {
			r.toldAlone(p, d.Receipt, at)
		}
	}
	switch d.Outcome {
	case actuator.OutcomeSent:
		r.unsilence(d)
		if q.strange(d) {
			q.recallSent(r, d)
		}
	case actuator.OutcomeFolded:
		if of = cmp.Or(q.unsilenceMore(r, d), of, summed); of != nil {
			r.summarized(of, d, at)
		}
		if q.strange(d) {
			q.remember(r, d, at)
		}
	case actuator.OutcomeUnknown, actuator.OutcomeDead, actuator.OutcomeDeferred:
	}
	r.clear()
}

// outrun folds what waits of a subject of which another instance told something newer: that one has folded it too, or it would have been
// told first.
func (r *receiver) outrun(ids []string) {
	newest := map[string]uint64{} // by subject
	look := func(p part) {
		if slices.Contains(ids, p.id) {
			newest[p.subject] = max(newest[p.subject], p.seq)
		}
	}
	for _, i := range r.items {
		look(i.part())
	}
	for _, f := range r.folds() {
		for _, p := range f.more.parts {
			look(p)
		}
	}
	if len(newest) == 0 {
		return
	}
	r.items = slices.DeleteFunc(r.items, func(i *item) bool {
		outrun := i != r.flight && i.seq < newest[i.subject] && !slices.Contains(ids, i.entry.ID)
		if outrun {
			r.foldInto(i)
		}
		return outrun
	})
}

// pause keeps to a pause that another instance was asked for: of where the notice goes, if it is known.
func (q *Queue) pause(r *receiver, d *actuator.Delivered) {
	until := time.Time(d.Until)
	for _, i := range r.items {
		if slices.Contains(d.Entries, i.entry.ID) {
			q.occupy(i.place, until)
			return
		}
	}
	if until.After(r.free) {
		r.free = until
	}
}

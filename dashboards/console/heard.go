package console

import (
	"slices"
	"time"

	"firebreak/actuator"
	"firebreak/internal/line"
	"firebreak/internal/words"
)

// event is one entry of the journal about a hotspot.
type event struct {
	id    string
	at    time.Time
	kind  actuator.Kind
	phase actuator.Phase
	line  line.Line // nil = one that was cut, or of no schema that is known, or one that has
	text  phrase    // already: what people said, and what was done

	operation uint64 // that it is about; 0 = none
	leg       *leg   // nil = it tells no steps of one
}

// has says whether an event is known.
func (h *hotspot) has(id string) bool {
	return slices.ContainsFunc(h.events, func(o event) bool { return o.id == id || o.leg != nil && slices.Contains(o.leg.ids, id) })
}

// add keeps an event.
func (h *hotspot) add(ev *event) {
	h.events = append(h.events, *ev)
	if len(h.events) > maxEvents {
		h.events = slices.Delete(h.events, maxEvents/4, maxEvents/4+1)
		h.left++
	}
}

// heard are the events of a hotspot, the oldest first: those that are kept, before them what was said before these.
func (f *fleet) heard(h *hotspot) []event {
	w := f.word(h)
	if w == nil {
		return h.events
	}
	var out []event
	if !h.has(w.ID) {
		text := words.Dismissed(words.Name(w.By), w.Reason)
		if w.Kind == actuator.KindAccepted {
			text = words.Accepted(words.Name(w.By), w.Until, w.Reason)
		}
		out = append(out, event{id: w.ID, at: w.At, kind: w.Kind, text: text.Capital()})
	}
	if w.Over && !h.has(w.Again.ID) {
		out = append(out, event{
			id: w.Again.ID, at: w.Again.At, kind: actuator.KindReopened,
			text: words.Again(w.Again.Why, line.Number(w.Again.Load), line.Number(w.Load)).Capital(),
		})
	}
	return append(out, h.events...)
}

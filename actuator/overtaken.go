package actuator

import "time"

// toldHotspots remembers of the newest maxPending hotspots which verdicts stand in the journal.
type toldHotspots struct {
	known map[string]toldHotspot // by fleet and hotspot
	order []string
}

// toldHotspot is that of one: it fires once and resolves once.
type toldHotspot struct {
	fired, resolved bool
	at              time.Time // of the newest of both
}

// add takes an entry of the journal, and reports whether it says that a hotspot fired or resolved.
func (t *toldHotspots) add(e *Entry) bool {
	if e.Kind != KindVerdict || e.Phase != PhaseFired && e.Phase != PhaseResolved {
		return false
	}
	of := e.Fleet + "\x00" + e.Hotspot
	h, known := t.known[of]
	if !known {
		if t.order = append(t.order, of); len(t.order) > maxPending {
			delete(t.known, t.order[0])
			t.order = t.order[1:]
		}
	}
	h.fired, h.resolved = h.fired || e.Phase == PhaseFired, h.resolved || e.Phase == PhaseResolved
	if e.At.After(h.at) {
		h.at = e.At
	}
	t.known[of] = h
	return true
}

// overtakes tells whether an entry is no news any more: the journal says already that its hotspot fired, or resolved, or something
// newer than it.
func (t *toldHotspots) overtakes(e *Entry) bool {
	h, ok := t.known[e.Fleet+"\x00"+e.Hotspot]
	if !ok || e.Hotspot == "" {
		return false
	}
	return e.At.Before(h.at) || e.Kind == KindVerdict && (e.Phase == PhaseFired && h.fired || e.Phase == PhaseResolved && h.resolved)
}

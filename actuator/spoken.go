package actuator

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"firebreak/internal/line"
	"firebreak/policy"
)

const (
	// ReopenFactor times its load when it was accepted, a hotspot is told again.
	ReopenFactor = policy.Growth
	// MaxAccept is how long a hotspot can be accepted for: as far as a process reads the journal back when it starts.
	MaxAccept = 30 * 24 * time.Hour
	// maxWords bounds the hotspots of which a Spoken remembers what people said.
	maxWords = 10_000
)

// Accepted is the line of the kind accepted: the hotspot stays visible and is silent until it ends, Until has passed, or its load
// is ReopenFactor times Load.
type Accepted struct {
	line.Head

	Hotspot line.Name   `json:"hotspot"`
	By      line.Name   `json:"by"`
	Reason  line.Prose  `json:"reason"`
	Until   line.Stamp  `json:"until"`
	Load    line.Number `json:"load"` // of its shard when it was accepted, load/s
}

// Dismissed is the line of the kind dismissed: a false alarm. It is silent until it ends.
type Dismissed struct {
	line.Head

	Hotspot line.Name  `json:"hotspot"`
	By      line.Name  `json:"by"`
	Reason  line.Prose `json:"reason"`
}

// Reopened is the line of the kind reopened: the hotspot is told again.
type Reopened struct {
	line.Head

	Hotspot  line.Name   `json:"hotspot"`
	Accepted string      `json:"accepted"` // id of the entry that ends
	Why      string      `json:"why"`      // load, or until
	Load     line.Number `json:"load"`     // now, load/s
	Was      line.Number `json:"was"`      // when it was accepted
	Severity string      `json:"severity"` // policy.Severity
}

// NewAccepted makes the entry of a person who accepts a hotspot.
func NewAccepted(fleet string, at time.Time, a Accepted) (Entry, error) {
	if err := spoken(string(a.By), string(a.Reason)); err != nil {
		return Entry{}, err
	}
	until := time.Time(a.Until)
	if !until.After(at) || until.Sub(at) > MaxAccept {
		return Entry{}, fmt.Errorf("until %s: want a time to come, at most %d days from now", until.UTC().Format(time.RFC3339), int(MaxAccept.Hours()/24))
	}
	a.Head = line.NewHead(KindAccepted.String(), fleet, line.Stamp(moment(at)))
	return object(saidEntry(KindAccepted, fleet, string(a.Hotspot), at, string(a.By), string(a.Reason), strconv.FormatInt(until.UnixMilli(), 10)), &a)
}

// NewDismissed makes the entry of a person who says that a hotspot is a false alarm.
func NewDismissed(fleet string, at time.Time, d Dismissed) (Entry, error) {
	if err := spoken(string(d.By), string(d.Reason)); err != nil {
		return Entry{}, err
	}
	d.Head = line.NewHead(KindDismissed.String(), fleet, line.Stamp(moment(at)))
	return object(saidEntry(KindDismissed, fleet, string(d.Hotspot), at, string(d.By), string(d.Reason)), &d)
}

// saidEntry is stamped by author and time: the same person may say the same again.
func saidEntry(k Kind, fleet, hotspot string, at time.Time, said ...string) Entry {
	parts := append([]string{k.String(), fleet, hotspot, strconv.FormatInt(moment(at).UnixMilli(), 10)}, said...)
	return Entry{ID: NewID(parts...), Fleet: fleet, At: moment(at), Kind: k, Hotspot: hotspot}
}

// maxSaid bounds a name and a reason, in bytes.
const maxSaid = 500

func spoken(by, reason string) error {
	switch {
	case by == "" || len(by) > maxSaid:
		return fmt.Errorf("by: want who says it, 1 to %d bytes", maxSaid)
	case reason == "" || len(reason) > maxSaid:
		return fmt.Errorf("reason: want why, 1 to %d bytes", maxSaid)
	}
	return nil
}

// Word is what a person said last of a hotspot. The zero value is nothing.
type Word struct {
	ID     string // of the entry
	Kind   Kind   // KindAccepted or KindDismissed
	At     time.Time
	By     string    // bytes
	Reason string    // may hold any bytes
	Until  time.Time // of KindAccepted, as Load
	Load   float64
	Over   bool  // the hotspot is told again
	Again  Again // of Over

	asked bool // Reopen gave its end
}

// Again is why a hotspot that was accepted is told again.
type Again struct {
	ID   string // of the entry
	At   time.Time
	Why  string // load, or until
	Load float64
}

// Spoken is what people said of hotspots that are not over. It is fed by a Reader, as Pending is. The zero value is ready; not safe for
// concurrent use.
type Spoken struct {
	words map[string]*Word
	order []string
}

// Apply takes an entry of the journal.
func (s *Spoken) Apply(e *Entry) {
	at := e.Fleet + "\x00" + e.Hotspot
	switch {
	case e.Kind == KindAccepted:
		if l, err := Read[Accepted](e); err == nil {
			s.set(at, &Word{ID: e.ID, Kind: e.Kind, At: e.At, By: string(l.By), Reason: string(l.Reason), Until: time.Time(l.Until), Load: float64(l.Load)})
		}
	case e.Kind == KindDismissed:
		if l, err := Read[Dismissed](e); err == nil {
			s.set(at, &Word{ID: e.ID, Kind: e.Kind, At: e.At, By: string(l.By), Reason: string(l.Reason)})
		}
	case e.Kind == KindReopened:
		if l, err := Read[Reopened](e); err == nil && s.words[at] != nil && s.words[at].ID == l.Accepted {
			s.words[at].Over, s.words[at].Again = true, Again{ID: e.ID, At: e.At, Why: l.Why, Load: float64(l.Load)}
		}
	case e.Kind == KindVerdict && e.Phase == PhaseResolved && s.words[at] != nil:
		delete(s.words, at)
		s.order = slices.DeleteFunc(s.order, func(o string) bool { return o == at })
	}
}

func (s *Spoken) set(at string, w *Word) {
	if s.words == nil {
		s.words = map[string]*Word{}
	}
	if s.words[at] == nil {
		s.order = append(s.order, at)
	}
	s.words[at] = w
	if len(s.words) > maxWords {
		delete(s.words, s.order[0])
		s.order = s.order[1:]
	}
}

// Of is what was said last of a hotspot that is not over; false = nothing.
func (s *Spoken) Of(fleet, hotspot string) (Word, bool) {
	if w := s.words[fleet+"\x00"+hotspot]; w != nil {
		return *w, true
	}
	return Word{}, false
}

// Silent says whether nobody is to be told of an entry: it is news of a hotspot that was accepted or dismissed, and neither its
// end nor that an operation needs a person.
func (s *Spoken) Silent(e *Entry) bool {
	if e.Hotspot == "" || e.Phase == PhaseResolved || e.Kind.Spoken() || e.Kind == KindReopened || e.Kind == KindActed && e.Phase == PhaseFired {
		return false
	}
	w, ok := s.Of(e.Fleet, e.Hotspot)
	return ok && !w.Over && (w.Kind == KindDismissed || e.At.Before(w.Until))
}

// Reopen gives the entries of hotspots that are to be told again at a tick: each once, with an id that is the same from every
// instance, whenever it learned of what was said.
func (s *Spoken) Reopen(t *Tick) ([]Entry, error) {
	var out []Entry
	var errs []error
	for i := range t.Decision.Open {
		v := &t.Decision.Open[i]
		w := s.words[t.Fleet+"\x00"+v.Hotspot]
		if w == nil || w.Kind != KindAccepted || w.Over || w.asked {
			continue
		}
		why := ""
		switch {
		case !t.Now.Before(w.Until):
			why = "until"
		case !t.Decision.Blind && w.Load > 0 && v.Load >= ReopenFactor*w.Load:
			why = "load"
		default:
			continue
		}
		w.asked = true
		e, err := object(Entry{ID: NewID("reopened", w.ID), Fleet: t.Fleet, At: moment(t.Now), Kind: KindReopened, Hotspot: v.Hotspot}, &Reopened{
			Head:    line.NewHead(KindReopened.String(), t.Fleet, line.Stamp(moment(t.Now))),
			Hotspot: line.Name(v.Hotspot), Accepted: w.ID, Why: why, Load: line.Number(v.Load), Was: line.Number(w.Load), Severity: v.Severity.String(),
		})
		if err != nil {
			errs = append(errs, err)
			continue
		}
		out = append(out, e)
	}
	return out, errors.Join(errs...)
}

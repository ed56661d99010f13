package crash

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"firebreak/actuator"
	"firebreak/internal/line"
)

// Tenure is the time for which an instance decided.
type Tenure struct {
	Epoch    int64
	Instance string
	Begun    time.Time // appended to the journal
}

// Journal is what the journal of a group says. NewJournal makes it; it belongs to one goroutine.
type Journal struct {
	reader   *actuator.Reader
	tenures  []Tenure
	hotspots map[string]*Hotspot
	wanted   map[string]string // ids of entries that receivers are told, with what they are
	kinds    map[actuator.Kind]int
	bad      []string
}

// NewJournal makes the reader of a journal from its first entry on.
func NewJournal() *Journal {
	return &Journal{reader: actuator.NewReader(), hotspots: map[string]*Hotspot{}, wanted: map[string]string{}, kinds: map[actuator.Kind]int{}}
}

// Apply takes the next entry: when the broker appended it, and its bytes.
func (j *Journal) Apply(at time.Time, value []byte) {
	e, ok := j.reader.Read(value)
	if !ok {
		return // counted by the reader: a deposed decider's, or known
	}
	j.kinds[e.Kind]++
	j.tenure(&e, at)
	switch e.Kind {
	case actuator.KindVerdict:
		j.verdict(&e, at)
		j.wanted[e.ID] = fmt.Sprintf("verdict of %s, %v", e.Hotspot, e.Phase)
	case actuator.KindBlind, actuator.KindSighted:
		j.wanted[e.ID] = e.Kind.String()
	case actuator.KindAdvice:
		if e.Phase != actuator.PhaseEnded {
			j.wanted[e.ID] = "advice"
		}
	case actuator.KindUnknown, actuator.KindPlan, actuator.KindHold, actuator.KindDelivered, actuator.KindDecider,
		actuator.KindAccepted, actuator.KindDismissed, actuator.KindReopened, actuator.KindReport, actuator.KindRouted, actuator.KindActed:
	}
}

// tenure looks at who wrote: an epoch belongs to the instance that began it, and to nobody else.
func (j *Journal) tenure(e *actuator.Entry, at time.Time) {
	if e.Kind.Spoken() {
		return // by a person, who needs not decide
	}
	n := len(j.tenures)
	if e.Kind == actuator.KindDecider {
		if n > 0 && e.Epoch <= j.tenures[n-1].Epoch {
			j.bad = append(j.bad, fmt.Sprintf("epoch %d begins after epoch %d", e.Epoch, j.tenures[n-1].Epoch))
		}
		j.tenures = append(j.tenures, Tenure{e.Epoch, e.Instance, at})
		return
	}
	if n == 0 || j.tenures[n-1].Epoch != e.Epoch || j.tenures[n-1].Instance != e.Instance {
		j.bad = append(j.bad, fmt.Sprintf("%v %s of epoch %d by %s, which does not decide then", e.Kind, e.ID, e.Epoch, e.Instance))
	}
}

func (j *Journal) verdict(e *actuator.Entry, at time.Time) {
	var v line.Verdict
	if err := json.Unmarshal(e.Line, &v); err != nil {
		j.bad = append(j.bad, fmt.Sprintf("verdict %s: %v", e.ID, err))
		return
	}
	h := j.hotspots[e.Hotspot]
	if h == nil {
		h = &Hotspot{ID: e.Hotspot}
		j.hotspots[e.Hotspot] = h
	}
	h.take(&v, at, e.Phase.String(), e.Instance)
}

// Problems lists what may not be in a journal: two that decide at once, epochs that go back, verdicts that cannot be read.
func (j *Journal) Problems() []string {
	found := slices.Clone(j.bad)
	if s := j.reader.Stats(); s.Malformed > 0 || s.Newer > 0 {
		found = append(found, fmt.Sprintf("%d entries are malformed, %d of a newer version", s.Malformed, s.Newer))
	}
	if len(j.tenures) == 0 {
		found = append(found, "nobody ever decided")
	}
	return found
}

// Hotspots lists them by onset.
func (j *Journal) Hotspots() []Hotspot {
	var all []Hotspot
	for _, h := range j.hotspots {
		all = append(all, *h)
	}
	sortHotspots(all)
	return all
}

// Tenures lists them in their order.
func (j *Journal) Tenures() []Tenure { return slices.Clone(j.tenures) }

// Wanted are the ids of the entries that a receiver with the default kinds must have been told, with what they are.
func (j *Journal) Wanted() map[string]string { return j.wanted }

// String is how much was read.
func (j *Journal) String() string {
	s := j.reader.Stats()
	return fmt.Sprintf("%d entries of %d tenures; %d came twice, %d were of a deposed decider; kinds %v", s.Entries, len(j.tenures), s.Doubled, s.Fenced, j.kinds)
}

package quality

import (
	"math"
	"slices"
	"time"

	"firebreak/policy"
)

// CauseOutcome says how the causes that were told of an event compare with the truth.
type CauseOutcome uint8

// The outcomes of causes.
const (
	CauseSilent  CauseOutcome = iota // nothing fired
	CauseUnsure                      // unknown was the last word and nothing false was said
	CauseWrong                       // a firing line named something that is not true
	CauseCorrect                     // the last line names a true contributor, and no line a false one
)

// String returns the outcome's one spelling.
func (o CauseOutcome) String() string {
	return [...]string{"silent", "unknown", "wrong", "right"}[min(o, CauseCorrect)]
}

// FixOutcome says how the plans that were shown for an event compare with the truth.
type FixOutcome uint8

// The outcomes of fixes.
const (
	FixSilent    FixOutcome = iota // nothing fired
	FixAbstained                   // no plan was ever shown although one is admissible
	FixWrong                       // a plan was shown that leaves the shard or a receiver over the target, although one is admissible
	FixFutile                      // a plan was shown that does, and none is admissible
	FixCorrect                     // every plan shown meets the target, or none was shown and none is admissible
)

// String returns the outcome's one spelling.
func (o FixOutcome) String() string {
	return [...]string{"silent", "abstained", "wrong", "futile", "right"}[min(o, FixCorrect)]
}

// Detected says whether a verdict fired, and how long after the onset (after the first pane where it was hot from the
// start) the newest pane of the first one closed.
func (e *Event) Detected() (after time.Duration, ok bool) {
	for _, l := range e.Lines {
		if l.Phase == policy.PhaseFiring {
			return l.At - e.Onset, true
		}
	}
	return 0, false
}

// CauseOutcome scores the causes.
func (e *Event) CauseOutcome() CauseOutcome {
	out := CauseSilent
	for _, l := range e.Lines {
		switch {
		case l.Phase != policy.PhaseFiring:
		case l.Cause == policy.CauseUnknown:
			out = CauseUnsure
		case !e.accepts(l.Cause, l.Key, l.Tenant):
			return CauseWrong
		default:
			out = CauseCorrect
		}
	}
	return out
}

// FixOutcome scores the plans. A plan that meets the target proves that one is admissible.
func (e *Event) FixOutcome() FixOutcome {
	if _, fired := e.Detected(); !fired {
		return FixSilent
	}
	if len(e.Proposals) == 0 {
		if e.Admissible.Any() {
			return FixAbstained
		}
		return FixCorrect
	}
	meets := func(p Proposal) bool { return p.Meets }
	if !slices.ContainsFunc(e.Proposals, func(p Proposal) bool { return !p.Meets }) {
		return FixCorrect
	}
	if e.Admissible.Any() || slices.ContainsFunc(e.Proposals, meets) {
		return FixWrong
	}
	return FixFutile
}

// firedWrong says whether the plan of the first verdict line was wrong, the one that a person reads first.
func (e *Event) firedWrong() bool {
	after, fired := e.Detected()
	return fired && slices.ContainsFunc(e.Proposals, func(p Proposal) bool {
		return p.At == after+e.Onset && !p.Meets && e.Admissible.Any()
	})
}

// hot says whether the shard is at or over its line; below it causes and fixes are not scored.
func (e *Event) hot() bool { return e.Ratio >= 1 }

// clear says that neither load nor evidence leaves room for doubt.
func (e *Event) clear() bool { return e.Ratio >= 2 && e.Effective >= 100 }

// Tally counts events.
type Tally struct {
	Events, Detected                 int
	Right, Wrong, Unknown            int             // causes
	Fixed, Misfixed, Abstain, Futile int             // fixes
	MisfixedFirst                    int             // events whose first line came with a wrong plan
	Delays                           []time.Duration // of events with an onset, unordered
	Promised                         float64         // sum over events
	Found                            float64         // sum over events of the share of windows that found the shard
	Measured                         int             // events with at least one such window
}

// add counts one event.
func (t *Tally) add(e *Event) {
	t.Events++
	after, ok := e.Detected()
	if ok {
		t.Detected++
		if e.Onset > 0 {
			t.Delays = append(t.Delays, after)
		}
	}
	if e.Windows > 0 {
		t.Promised += e.Promised
		t.Found += float64(e.Found) / float64(e.Windows)
		t.Measured++
	}
	if !e.hot() {
		return
	}
	switch e.CauseOutcome() {
	case CauseCorrect:
		t.Right++
	case CauseWrong:
		t.Wrong++
	case CauseUnsure:
		t.Unknown++
	case CauseSilent:
	}
	switch e.FixOutcome() {
	case FixCorrect:
		t.Fixed++
	case FixWrong:
		t.Misfixed++
	case FixAbstained:
		t.Abstain++
	case FixFutile:
		t.Futile++
	case FixSilent:
	}
	if e.firedWrong() {
		t.MisfixedFirst++
	}
}

// Delay is the p-quantile of the detection delays, the highest of the lowest p; 0 where there are none.
func (t *Tally) Delay(p float64) time.Duration {
	if len(t.Delays) == 0 {
		return 0
	}
	sorted := slices.Clone(t.Delays)
	slices.Sort(sorted)
	return sorted[max(0, int(math.Ceil(p*float64(len(sorted))))-1)]
}

// tally counts the events that pass.
func tally(results []*Result, pass func(*Event) bool) Tally {
	var t Tally
	for _, r := range results {
		for i := range r.Events {
			if e := &r.Events[i]; pass(e) {
				t.add(e)
			}
		}
	}
	return t
}

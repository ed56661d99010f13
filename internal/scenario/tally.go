package scenario

import (
	"slices"
	"time"

	"firebreak/policy"
)

// tally is what a fleet said since its story began.
type tally struct {
	ticks      int
	firing     []policy.Verdict // every firing line
	at         []time.Duration
	hotspots   map[string]bool
	resolved   int
	holds      map[policy.HoldReason]int
	advice     map[string]bool // topics
	findings   []string        // those that differ in their numbers only once
	operations []policy.Fix
	undos      map[string]bool // by plan
}

func newTally() tally {
	return tally{hotspots: map[string]bool{}, holds: map[policy.HoldReason]int{}, advice: map[string]bool{}, undos: map[string]bool{}}
}

func (t *tally) add(d *policy.Decision, at time.Duration) {
	t.ticks++
	for i := range d.Verdicts {
		if d.Verdicts[i].Phase == policy.PhaseResolved {
			t.resolved++
			continue
		}
		t.firing, t.at = append(t.firing, d.Verdicts[i]), append(t.at, at)
		t.hotspots[d.Verdicts[i].Hotspot] = true
	}
	for _, h := range d.Holds {
		t.holds[h.Reason]++
	}
	for i := range d.Plans {
		if d.Plans[i].Undo {
			t.undos[d.Plans[i].ID] = true
		}
	}
	for _, a := range d.Advice {
		t.advice[a.Topic.String()] = true
	}
	for _, f := range d.Findings {
		same := func(other string) bool { return lettersOf(other) == lettersOf(f.Reason) }
		if !slices.ContainsFunc(t.findings, same) {
			t.findings = append(t.findings, f.Reason)
		}
	}
}

// Holds counts, by reason, the ticks at which the fleets of the story were held.
func (p *Player) Holds() map[policy.HoldReason]int {
	out := map[policy.HoldReason]int{}
	for _, f := range p.fleets {
		for r, n := range f.tally.holds {
			out[r] += n
		}
	}
	return out
}

func (t *tally) heldSet() map[string]bool {
	out := map[string]bool{}
	for r := range t.holds {
		out[r.String()] = true
	}
	return out
}

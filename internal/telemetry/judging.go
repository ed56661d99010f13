package telemetry

import (
	"github.com/prometheus/client_golang/prometheus"

	"firebreak/policy"
)

// judgingVecs are the metrics about what Evaluate said.
type judgingVecs struct {
	hotspots, holds, advice, blind *prometheus.GaugeVec
	verdicts, begun                *prometheus.CounterVec
	delay                          *prometheus.HistogramVec
}

// judging is their series of one fleet. Slices are indexed by the enumeration.
type judging struct {
	hotspots [][]prometheus.Gauge   // [cause][severity]
	verdicts [][]prometheus.Counter // [cause][phase]
	holds    []prometheus.Gauge     // [reason - 1]
	begun    []prometheus.Counter   // [reason - 1]
	advice   []prometheus.Gauge     // [topic - 1]
	blind    prometheus.Gauge
	delay    prometheus.Observer

	held, holding map[heldFor]struct{} // by the last decision, and by this one
	tally         []float64            // of one set of gauges, before they are set
}

// heldFor is a hold as people count it: its detail changes all the time.
type heldFor struct {
	hotspot string
	reason  policy.HoldReason
}

func defineJudging(d *definer) judgingVecs {
	// Detection takes 30 s at least (`for`) and 5 minutes where evidence is thin.
	delays := []float64{10, 20, 30, 40, 50, 60, 75, 90, 120, 180, 300, 600, 1800}
	return judgingVecs{
		hotspots: d.gauge("hotspots", "Hotspots that are open, by what was last told; input that cannot be judged leaves them open.", "fleet", "cause", "severity"),
		verdicts: d.counter("verdicts_total", "Verdicts told: a hotspot is firing, is revised (another cause, object or fix) or resolved.", "fleet", "cause", "phase"),
		delay:    d.histogram("detection_delay_seconds", "From the onset of a hotspot (start of the first pane over the line) to its first verdict.", delays, "fleet"),
		holds:    d.gauge("holds", "Refusals to act that are in force, each hotspot's and the fleet's.", "fleet", "reason"),
		begun:    d.counter("holds_total", "Refusals to act that began.", "fleet", "reason"),
		advice:   d.gauge("advice", "Advice in force on what is no hotspot.", "fleet", "topic"),
		blind:    d.gauge("blind", "1 while the input cannot be judged (and until it first was): nothing fires, resolves or is undone.", "fleet"),
	}
}

func (v *judgingVecs) of(fleet string) judging {
	j := judging{
		blind: v.blind.WithLabelValues(fleet), delay: v.delay.WithLabelValues(fleet),
		held: map[heldFor]struct{}{}, holding: map[heldFor]struct{}{},
	}
	j.blind.Set(1)
	for _, c := range policy.Causes() {
		var open []prometheus.Gauge
		for _, s := range severities() {
			open = append(open, v.hotspots.WithLabelValues(fleet, c.String(), s.String()))
		}
		j.hotspots = append(j.hotspots, open)
		var told []prometheus.Counter
		for p := range verdictPhases {
			told = append(told, v.verdicts.WithLabelValues(fleet, c.String(), p.String()))
		}
		j.verdicts = append(j.verdicts, told)
	}
	for _, r := range policy.HoldReasons() {
		j.holds = append(j.holds, v.holds.WithLabelValues(fleet, r.String()))
		j.begun = append(j.begun, v.begun.WithLabelValues(fleet, r.String()))
	}
	for _, t := range topics() {
		j.advice = append(j.advice, v.advice.WithLabelValues(fleet, t.String()))
	}
	j.tally = make([]float64, max(len(j.holds), len(j.advice), len(j.hotspots)*len(severities())))
	return j
}

// Judged takes over one evaluation: what was judged, what came of it, and the state after it. It belongs to the
// goroutine that evaluates the fleet.
func (f *Fleet) Judged(s *policy.Snapshot, d *policy.Decision, st *policy.State) {
	if f == nil {
		return
	}
	f.trust.judged(s, d, st)
	j := &f.judging
	set(j.blind, d.Blind)
	j.told(d.Verdicts, st)
	j.open(st)
	j.refused(d.Holds)
	j.advised(d.Advice)
}

// told counts verdicts. One that fired at this pane close is the first of its hotspot: only that has a delay. What a
// clock that is ahead makes negative is 0.
func (j *judging) told(verdicts []policy.Verdict, st *policy.State) {
	for i := range verdicts {
		v := &verdicts[i]
		phase := phaseRevised
		switch hot := st.Detection.Shards[v.Shard].Hotspot; {
		case v.Phase == policy.PhaseResolved:
			phase = phaseResolved
		case hot != nil && hot.ID == v.Hotspot && hot.Fired.Equal(v.To):
			phase = phaseFiring
			j.delay.Observe(max(0, v.Time.Sub(v.Onset).Seconds()))
		}
		j.verdicts[v.Cause][phase].Inc()
	}
}

// open counts hotspots by the state: a decision about blind input lists none although they are open.
func (j *judging) open(st *policy.State) {
	kinds := len(j.hotspots[0])
	n := j.tally[:len(j.hotspots)*kinds]
	clear(n)
	for _, t := range st.Detection.Shards {
		if h := t.Hotspot; h != nil {
			n[int(h.Told.Cause)*kinds+int(h.Severity)]++
		}
	}
	for i := range n {
		j.hotspots[i/kinds][i%kinds].Set(n[i])
	}
}

func (j *judging) refused(holds []policy.Hold) {
	n := j.tally[:len(j.holds)]
	clear(n)
	clear(j.holding)
	for i := range holds {
		h := heldFor{holds[i].Hotspot, holds[i].Reason}
		if _, twice := j.holding[h]; twice || h.reason == policy.HoldNone {
			continue
		}
		j.holding[h] = struct{}{}
		n[h.reason-1]++
		if _, before := j.held[h]; !before {
			j.begun[h.reason-1].Inc()
		}
	}
	j.held, j.holding = j.holding, j.held
	for i := range n {
		j.holds[i].Set(n[i])
	}
}

func (j *judging) advised(advice []policy.Advice) {
	n := j.tally[:len(j.advice)]
	clear(n)
	for i := range advice {
		if t := advice[i].Topic; t != policy.TopicNone {
			n[t-1]++
		}
	}
	for i := range n {
		j.advice[i].Set(n[i])
	}
}

// set makes a gauge 1 or 0.
func set(g prometheus.Gauge, on bool) {
	if on {
		g.Set(1)
		return
	}
	g.Set(0)
}

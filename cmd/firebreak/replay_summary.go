package main

import (
	"math"
	"slices"

	"firebreak/internal/line"
	"firebreak/pipeline"
	"firebreak/pipeline/record"
	"firebreak/policy"
)

// summary puts together what a replay has to say at its end about one fleet.
func (r *replay) summary(f *replayedFleet) *line.Summary {
	stats := f.fleet.Stats()
	s := &line.Summary{
		Head: line.NewHead("summary", f.cfg.Name, line.Stamp{}), Lines: r.lines, Records: stats.Records, Counted: stats.Counted, Requests: line.Number(stats.Requests),
		Refused: map[string]uint64{}, Late: stats.Late, Future: stats.Future, Untimed: stats.Untimed, Unplaced: stats.Unplaced,
		Ticks: f.said.ticks, Verdicts: map[string]int{}, Unresolved: f.said.open, Holds: map[string]int{},
		Findings: []line.Finding{}, Counting: f.counting.part(),
	}
	if stats.Rated > 0 {
		s.Unrated = stats.Unrated
	}
	r.refused(f, &stats, s)
	f.said.tell(s)
	r.warn(f, &stats)
	for _, id := range f.said.order {
		n := f.said.findings[id]
		s.Findings = append(s.Findings, line.Finding{Shard: line.Name(n.Shard), Reason: line.Prose(n.Reason)})
	}
	s.DetectionDelay = f.delay()
	s.Missing = f.missing()
	f.lastWindow(s)
	return s
}

// refused counts what never reached the window, by reason: of all files, and by the fleet itself.
func (r *replay) refused(f *replayedFleet, stats *pipeline.Stats, s *line.Summary) {
	index := slices.Index(r.fleets, f)
	for _, in := range r.inputs {
		s.OutsideCut += in.tallies[index].outside
		for _, reason := range record.Reasons() {
			if n := in.tallies[index].reasons[reason]; n > 0 && reason.Refusal() {
				s.Refused[reason.String()] += n
			}
		}
	}
	for reason, n := range map[string]uint64{
		record.ReasonCount.String(): stats.Refused, record.ReasonCountHuge.String(): stats.TooHeavy, "too_many_shards": stats.TooManyShards, "too_many_panes": stats.Crowded,
	} {
		if n > 0 {
			s.Refused[reason] += n
		}
	}
}

// tell adds hotspots by cause and holds by reason.
func (s *said) tell(into *line.Summary) {
	for _, c := range policy.Causes() {
		into.Verdicts[c.String()] = 0
	}
	for _, c := range s.causes {
		into.Verdicts[c.String()]++
	}
	for _, h := range policy.HoldReasons() {
		if n := s.holds[h]; n > 0 {
			into.Holds[h.String()] = n
		}
	}
}

// delay is the distribution of the time from onset to verdict; nil if nothing fired, or if the whole input was one
// window, which has no moment of detection.
func (f *replayedFleet) delay() *line.Delay {
	d := slices.Clone(f.said.delays)
	if len(d) == 0 || f.pipeline.Whole || f.fleet.Timeless() {
		return nil
	}
	slices.Sort(d)
	at := func(q float64) line.Number { // the nearest rank
		return line.Number(d[max(0, int(math.Ceil(q*float64(len(d))))-1)].Seconds())
	}
	return &line.Delay{P50: at(0.5), P95: at(0.95), Max: at(1)}
}

// missing says what the log does not have, and what cannot be known without it.
func (f *replayedFleet) missing() []line.Prose {
	stats := f.fleet.Stats()
	out := []line.Prose{}
	add := func(lacks bool, text line.Prose) {
		if lacks && stats.Counted > 0 {
			out = append(out, text)
		}
	}
	add(f.fleet.Table() == nil, "no shard in the log and no placement: leaderboards only; --shards and --place say where keys live")
	add(!stats.Tenants, "no tenant in the log: a whale cannot be ruled out")
	add(!stats.Keys, "no key in the log: a hot key cannot be found")
	add(!stats.Ops, "no op in the log: salt or cache: op unknown")
	add(f.fleet.Timeless(), "no time in the log: the file is one window, loads are shares")
	return out
}

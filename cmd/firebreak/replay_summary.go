package main

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"firebreak/pipeline/record"
	"firebreak/policy"
)

// progressThrottle is the shortest time between two drawings of the bar.
const progressThrottle = 100 * time.Millisecond

// buffered writes through a buffer; flush tells what went wrong.
type buffered struct {
	w io.Writer
	b *bufio.Writer
}

// Write writes to the buffer.
func (b *buffered) Write(p []byte) (int, error) {
	if b.b == nil {
		b.b = bufio.NewWriterSize(b.w, 1<<16)
	}
	return b.b.Write(p)
}

func (b *buffered) flush() error {
	if b.b == nil {
		return nil
	}
	return b.b.Flush()
}

// boardLength is how many keys and tenants the summary ranks.
const boardLength = 20

// summary puts together what a replay has to say at its end about one fleet.
func (r *replay) summary(f *replayedFleet) *summaryLine {
	stats := f.fleet.Stats()
	s := &summaryLine{
		head: newHead("summary", f.cfg.Name, stamp{}), Lines: r.lines, Records: stats.Records, Counted: stats.Counted, Requests: number(stats.Requests),
		Refused: map[string]uint64{}, Late: stats.Late, Future: stats.Future, Untimed: stats.Untimed, Unplaced: stats.Unplaced,
		Ticks: f.said.ticks, Verdicts: map[string]int{}, Unresolved: f.said.open, Holds: map[string]int{},
		Missing: []prose{}, Findings: []findingPart{}, Counting: f.counting.part(),
	}
	if stats.Rated > 0 {
		s.Unrated = stats.Unrated
	}
	if stats.Future > 0 {
		f.said.find(policy.Finding{Reason: fmt.Sprintf("%d records claim times far ahead of their log, the first one %s: refused, and time was not moved",
			stats.Future, stats.FirstFuture.Format(time.RFC3339))})
	}
	for _, in := range r.inputs {
		if len(in.unread) > 0 {
			f.said.find(policy.Finding{Reason: fmt.Sprintf("%s: columns that nothing is mapped to are not read: %s; a configuration can map them",
				in.path, strings.Join(in.unread, ", "))})
		}
	}
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
	for _, c := range policy.Causes() {
		s.Verdicts[c.String()] = 0
	}
	for _, c := range f.said.causes {
		s.Verdicts[c.String()]++
	}
	for _, h := range policy.HoldReasons() {
		if n := f.said.holds[h]; n > 0 {
			s.Holds[h.String()] = n
		}
	}
	for _, id := range f.said.order {
		s.Findings = append(s.Findings, findingPart{name(f.said.findings[id].Shard), prose(f.said.findings[id].Reason)})
	}
	s.DetectionDelay = f.delay()
	s.Missing = f.missing()
	f.lastWindow(s)
	return s
}

// delay is the distribution of the time from onset to verdict; nil if nothing fired, or if the whole input was one
// window, which has no moment of detection.
func (f *replayedFleet) delay() *delayPart {
	d := slices.Clone(f.said.delays)
	if len(d) == 0 || f.pipeline.Whole || f.fleet.Timeless() {
		return nil
	}
	slices.Sort(d)
	at := func(q float64) number { // the nearest rank
		return number(d[max(0, int(math.Ceil(q*float64(len(d))))-1)].Seconds())
	}
	return &delayPart{P50: at(0.5), P95: at(0.95), Max: at(1)}
}

// missing says what the log does not have, and what cannot be known without it.
func (f *replayedFleet) missing() []prose {
	stats := f.fleet.Stats()
	out := []prose{}
	add := func(lacks bool, text prose) {
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

// lastWindow adds the last window: what was detectable with its traffic, and its heaviest keys and tenants.
func (f *replayedFleet) lastWindow(s *summaryLine) {
	w := f.window
	if w == nil || len(w.Panes) == 0 {
		return
	}
	from, to := w.Panes[0].Start, w.Panes[len(w.Panes)-1].Start.Add(w.Pane)
	board := &boardPart{DistinctKeys: f.distinct.Keys, DistinctTenants: f.distinct.Tenants, TopKeys: []boardRank{}, TopTenants: []boardRank{}}
	if !f.fleet.Timeless() {
		board.From, board.To = stamp(from), stamp(to)
		s.Time, s.From, s.To = stamp(f.fleet.Now()), stamp(f.fleet.First()), stamp(f.fleet.Last())
	}
	total := f.distinct.Load
	board.Load = number(total)
	board.TopKeys = rank(w.Keys, total, func(c *policy.Contributor) boardRank {
		return boardRank{Key: name(c.Key), Tenant: name(c.Tenant), TenantShare: number(c.TenantShare)}
	})
	board.TopTenants = rank(w.Tenants, total, func(c *policy.Contributor) boardRank { return boardRank{Tenant: name(c.Tenant)} })
	s.Window = board
	s.Detectable = f.detectable()
}

// rank lists the heaviest contributors of a window.
func rank(all []policy.Contributor, total float64, named func(*policy.Contributor) boardRank) []boardRank {
	out := make([]boardRank, 0, len(all))
	for i := range all {
		line := named(&all[i])
		var load float64
		for _, p := range all[i].Panes {
			load += p.Load
		}
		line.Load, line.Low, line.High = number(load), number(all[i].Low), number(all[i].High)
		if line.High == 0 {
			line.Low, line.High = line.Load, line.Load
		}
		if total > 0 {
			line.Share = number(load / total)
		}
		out = append(out, line)
	}
	slices.SortStableFunc(out, func(a, b boardRank) int {
		return cmp.Or(cmp.Compare(b.Load, a.Load), cmp.Compare(a.Key, b.Key), cmp.Compare(a.Tenant, b.Tenant))
	})
	return out[:min(len(out), boardLength)]
}

// detectable is what a log of this traffic can promise.
func (f *replayedFleet) detectable() *detectablePart {
	table, stats := f.fleet.Table(), f.fleet.Stats()
	seconds := f.fleet.Last().Sub(f.fleet.First()).Seconds() + f.fleet.Pane().Seconds()/2
	if table == nil || f.fleet.Timeless() || stats.Counted == 0 || seconds <= 0 {
		return nil
	}
	watch := policy.Watch{Samples: float64(stats.Counted) / seconds, Shards: f.serving(), Line: f.judge.Lines.Relative}
	mean := stats.Requests / seconds / float64(max(1, watch.Shards))
	if c := f.judge.Capacity.Total; c > 0 && mean > 0 && f.pipeline.Cost == 0 {
		watch.Line, watch.Absolute = f.judge.Lines.Warning*c/mean, true
	}
	d := watch.Detectable()
	part := &detectablePart{Line: number(watch.Line), Samples: number(d.Samples)}
	for _, p := range []struct {
		value float64
		into  **number
	}{{d.Fast, &part.OneMinute}, {d.Long, &part.FiveMinutes}} {
		if !math.IsInf(p.value, 0) && !math.IsNaN(p.value) {
			n := number(p.value)
			*p.into = &n
		}
	}
	return part
}

// serving is the number of shards that carry the fleet.
func (f *replayedFleet) serving() int {
	n := 0
	for _, s := range f.fleet.Table().Document().Shards {
		if s.Role.String() == "serving" {
			n++
		}
	}
	return n
}

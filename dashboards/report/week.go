package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"firebreak/dashboards/draw"
	"firebreak/internal/history"
	"firebreak/policy"
	"firebreak/routing"
)

// MaxPeriod is the longest period of a Week: 35 days of the calendar, as far back as the history goes. They have an hour more where the
// clock is set back within them.
const MaxPeriod = 35*24*time.Hour + time.Hour

// pictures is how many hotspots get the pictures that only their evidence can give.
const pictures = 24

// Week gathers a period of one fleet, and the one of the same length before it, out of its journal and its history:
//
//	NewWeek -> Entry ... (the whole journal) -> Wants, Minute, Evidence ... (the whole history) -> Fleet
//
// The journal knows the hotspots, what was told of them and what people said; the history knows the loads, and the inputs of
// verdicts, which are judged again for their pictures. The same entries give the same report. One goroutine owns it.
type Week struct {
	fleet    string
	from, to time.Time
	length   time.Duration // of the period before
	r        *Recorder
	shards   []weekShard // by id, as last heard of
	capacity bool        // some shard has one

	now, before *measured
	heard       map[string]*heard
	order       []*heard // by first verdict
	blinds      []span
	acted       map[uint64]*acted  // by number
	approved    map[string]bool    // plans, by people
	plans       map[string]float64 // by id: the load of the hot shard that it promises
	stands      []standing
	deciders    int
	wanted      map[string]time.Time     // end of the pane that the evidence of a hotspot is of
	evidence    map[string]history.Entry // by hotspot
	torn        int                      // evidence that could not be used
}

type weekShard struct {
	name string
	role routing.Role
}

// span is a stretch of time; an end that is not known is zero.
type span struct {
	from, to time.Time
	why      string
}

// NewWeek begins the report of [from, to). cfg is what the fleet is judged by now.
func NewWeek(fleet string, from, to time.Time, cfg *policy.Config) (*Week, error) {
	if !from.Before(to) || to.Sub(from) > MaxPeriod {
		return nil, fmt.Errorf("report of %s to %s: want a time of at most %d days", draw.Clock(from), draw.Clock(to), int(MaxPeriod.Hours()/24))
	}
	if !from.Truncate(time.Minute).Equal(from) || !to.Truncate(time.Minute).Equal(to) {
		return nil, fmt.Errorf("report of %s to %s: want whole minutes", draw.Clock(from), draw.Clock(to))
	}
	w := &Week{
		fleet: fleet, from: from.UTC(), to: to.UTC(), length: to.Sub(from), r: &Recorder{cfg: *cfg}, heard: map[string]*heard{},
		now: newMeasured(from, to), evidence: map[string]history.Entry{},
	}
	w.before = newMeasured(w.Begin(), w.from)
	w.r.grid.timeline = timeline{begun: true, first: w.from, width: columnOf(w.length)}
	return w, nil
}

// Begin is where the period before begins: the oldest minute that is of use.
func (w *Week) Begin() time.Time { return w.from.Add(-w.length) }

// columnOf is the width of a column: the shortest of a few that people count in.
func columnOf(length time.Duration) time.Duration {
	for _, minutes := range []int{1, 2, 5, 10, 15, 30, 60, 120, 180, 240, 360} {
		if width := time.Duration(minutes) * time.Minute; length <= maxColumns*width {
			return width
		}
	}
	return MaxPeriod / maxColumns
}

// Minute takes a minute of the history, in any order, each once.
func (w *Week) Minute(m *history.Minute) {
	if m.Fleet != w.fleet {
		return
	}
	w.before.add(m)
	if !w.now.add(m) {
		return
	}
	w.r.ticks++
	if m.Blind {
		w.r.blind++
	}
	cells, loads := make([]draw.Cell, len(m.Shards)), make([]float64, len(m.Shards))
	for i := range m.Shards {
		s := &m.Shards[i]
		if i >= len(w.shards) {
			w.shards = append(w.shards, weekShard{})
		}
		w.shards[i] = weekShard{s.Name, s.Role}
		w.capacity = w.capacity || s.Capacity > 0 || s.ReadCapacity > 0 || s.WriteCapacity > 0
		gauge := policy.Gauge{Load: s.Load, Full: s.Full, Err: doubt(m, s)}
		cells[i], loads[i] = cellOf(gauge, gauge), s.Load
	}
	w.r.grid.add(m.Start, time.Minute, cells, loads)
	for _, h := range w.order {
		h.bear(m)
	}
}

// doubt is the standard deviation of a shard's load / line by the number of its records alone.
func doubt(m *history.Minute, s *history.Shard) float64 {
	records := 0.0
	if m.Load > 0 {
		records = m.Samples * s.Load / m.Load
	}
	if records <= 0 {
		return 0
	}
	return s.Full / math.Sqrt(records)
}

// Wants says whether an entry of the history is evidence that the report has a use for: keep it by Evidence.
func (w *Week) Wants(h *history.Head) bool {
	if h.Kind != history.KindEvidence || h.Fleet != w.fleet {
		return false
	}
	if w.wanted == nil {
		w.choose()
	}
	return slices.ContainsFunc(h.Hotspots, func(id string) bool { return w.wanted[id].Equal(h.At) && !h.At.IsZero() })
}

// choose picks the hotspots whose evidence is wanted: the worst by what was told of them.
func (w *Week) choose() {
	w.wanted = map[string]time.Time{}
	all := w.within(w.from, w.to)
	slices.SortStableFunc(all, func(a, b *heard) int {
		return cmp.Or(cmp.Compare(b.told.Severity, a.told.Severity), cmp.Compare(over(&b.told), over(&a.told)), a.told.Onset.Compare(b.told.Onset))
	})
	for _, h := range all[:min(len(all), pictures)] {
		w.wanted[h.id] = h.told.To
	}
}

func over(v *policy.Verdict) float64 {
	if v.Line <= 0 {
		return 0
	}
	return v.Load / v.Line
}

// Evidence takes evidence that was wanted. It is unpacked by Fleet, so the reader that it came from has to live until then.
func (w *Week) Evidence(e history.Entry) {
	for _, id := range e.Hotspots {
		if w.wanted[id].Equal(e.At) {
			w.evidence[id] = e
		}
	}
}

// within are the hotspots that were firing in [from, to), by first verdict.
func (w *Week) within(from, to time.Time) []*heard {
	var out []*heard
	for _, h := range w.order {
		if h.found.Before(to) && (h.resolved.IsZero() || h.resolved.After(from)) {
			out = append(out, h)
		}
	}
	return out
}

// Fleet ends the gathering. cost is what a request loads a shard with; empty = 1.
func (w *Week) Fleet(cost string) Fleet {
	if w.wanted == nil {
		w.choose()
	}
	for _, h := range w.within(w.from, w.to) {
		hot := h.hotspot(w)
		if e, ok := w.evidence[h.id]; ok {
			if err := w.picture(hot, &e); err != nil {
				w.torn++
			}
		}
		if w.r.hot == nil {
			w.r.hot = map[string]*hotspot{}
		}
		w.r.hot[h.id] = hot
		w.r.order = append(w.r.order, hot)
		w.r.spare()
	}
	w.quiet()
	return Fleet{Recorder: w.r, Week: w, Summary: Summary{Fleet: w.fleet, From: w.from, To: w.to, Delay: w.delaysOf(w.now), Cost: cost}}
}

// quiet makes the columns of the heat map reach to the end of the period, whatever was recorded last.
func (w *Week) quiet() {
	columns := int((w.length + w.r.grid.width - 1) / w.r.grid.width)
	for i := range w.r.grid.cells {
		w.r.grid.cells[i] = grown(w.r.grid.cells[i], columns)
	}
	w.r.grid.columns = columns
}

// Name is the fleet.
func (w *Week) Name() string { return w.fleet }

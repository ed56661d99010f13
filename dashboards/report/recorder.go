package report

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"firebreak/dashboards/draw"
	"firebreak/internal/line"
	"firebreak/policy"
	"firebreak/profiles"
)

// Bounds of what a recorder keeps.
const (
	maxDetailed = 64   // hotspots with all that is known of them
	maxListed   = 2000 // hotspots at all
	maxNotes    = 200  // advice, findings and holds, each
	listed      = 8    // keys and tenants of a hot shard
)

// Recorder keeps of one fleet's ticks what its report shows. The zero value is ready; one goroutine owns it.
type Recorder struct {
	Store *profiles.Store // words of the fleet's store for the steps of plans; nil = it names no profile

	cfg      policy.Config
	last     *policy.Snapshot
	timeless bool
	ticks    int
	blind    int
	newest   time.Time // start of the newest pane in the grid
	grid     grid
	hot      map[string]*hotspot
	order    []*hotspot // by first verdict
	dropped  int        // hotspots beyond maxListed
	advice   notes
	findings notes
	holds    notes // of the fleet
	undo     notes
}

// Tick takes in one tick: the snapshot, the configuration it was judged by and the decision. A snapshot without a table
// was not judged; its decision is empty. Nothing of them is changed; the newest snapshot is kept until the next.
func (r *Recorder) Tick(s *policy.Snapshot, cfg *policy.Config, d *policy.Decision) {
	r.cfg, r.last, r.timeless = *cfg, s, s.Inputs.Timeless
	r.ticks++
	if s.Table == nil {
		return
	}
	if d.Blind {
		r.blind++
	}
	newest := r.paint(s, cfg)
	for i := range d.Verdicts {
		r.verdict(s, cfg, &d.Verdicts[i])
	}
	for i := range d.Open {
		r.open(s, &d.Open[i], newest)
	}
	for i := range d.Plans {
		r.plan(&d.Plans[i])
	}
	r.note(s, d)
}

// paint adds the panes that are new to the grid and returns what the newest pane holds.
func (r *Recorder) paint(s *policy.Snapshot, cfg *policy.Config) []policy.Gauge {
	var newest []policy.Gauge
	wide := policy.Gauges(s, cfg, len(s.Panes)-windowPanes(s, cfg), len(s.Panes))
	for i := range s.Panes {
		at := s.Panes[i].Start
		if r.grid.begun && !at.After(r.newest) {
			continue
		}
		newest = policy.Gauges(s, cfg, i, i+1)
		cells, loads := make([]draw.Cell, len(newest)), make([]float64, len(newest))
		for j, g := range newest {
			cells[j], loads[j] = cellOf(g, wide[j]), g.Load
		}
		r.grid.add(at, s.Pane, cells, loads)
		r.newest = at
	}
	return newest
}

// windowPanes is the length of the fast window.
func windowPanes(s *policy.Snapshot, cfg *policy.Config) int {
	if s.Whole {
		return len(s.Panes)
	}
	return min(cfg.FastPanes, len(s.Panes))
}

// Standard deviations by which a load has to be over the line to be beyond doubt, and to be worth a mark.
const (
	beyondDoubt = 3
	perhaps     = 2
)

// cellOf is how a pane is shown. Over the line beyond doubt: as it is, or as the fast window where only that is. Under
// the line: as it is. Between the two the fast window says what to think of it: perhaps over the line, or chance.
func cellOf(pane, window policy.Gauge) draw.Cell {
	switch {
	case pane.Full <= 1 || pane.Full-beyondDoubt*pane.Err > 1:
		return draw.Cell{Full: float32(pane.Full)}
	case window.Full-beyondDoubt*window.Err > 1:
		return draw.Cell{Full: float32(window.Full)}
	case window.Full-perhaps*window.Err > 1:
		return draw.Cell{Full: 1, Thin: float32(window.Full)}
	}
	return draw.Cell{Full: float32(min(1, window.Full))}
}

// note keeps what a decision says beside its hotspots.
func (r *Recorder) note(s *policy.Snapshot, d *policy.Decision) {
	var at time.Time
	if n := len(s.Panes); n > 0 && !s.Inputs.Timeless {
		at = s.Panes[n-1].Start.Add(s.Pane)
	}
	for _, h := range d.Holds {
		if hot := r.hot[h.Hotspot]; hot != nil {
			hot.hold(*line.NewHold(s.Fleet, line.Stamp{}, h))
			continue
		}
		r.holds.add(h.Reason.String(), note{What: h.Reason.String(), Text: h.Detail, At: at})
	}
	for _, a := range d.Advice {
		r.advice.add(a.Shard+" "+a.Topic.String()+" "+a.Level.String(), note{Shard: a.Shard, What: a.Topic.String(), Level: a.Level.String(), Text: a.Reason, At: at})
	}
	for _, f := range d.Findings {
		r.findings.add(f.Shard+" "+strings.Map(dropDigits, f.Reason), note{Shard: f.Shard, Text: f.Reason, At: at})
	}
	for i := range d.Plans {
		if p := &d.Plans[i]; p.Undo {
			for j := range p.Steps {
				r.undo.add(p.Steps[j].Text, note{What: p.Fix.String(), Text: p.Steps[j].Text})
			}
		}
	}
}

// dropDigits makes one finding of those that differ in their numbers only.
func dropDigits(c rune) rune {
	if strings.ContainsRune("0123456789.,", c) {
		return -1
	}
	return c
}

// note is something that is said of the fleet or a shard.
type note struct {
	Shard, What, Level, Text string
	Ticks                    int       // at which it was said
	At                       time.Time // of the last of them; zero = not known
}

// notes are what was said, each once, with its last words.
type notes struct {
	by    map[string]int
	list  []note
	total int // different ones, those beyond the bound too, as far as they can be told apart
}

func (n *notes) add(id string, text note) {
	if n.by == nil {
		n.by = map[string]int{}
	}
	i, known := n.by[id]
	if !known {
		n.total++
		if len(n.list) >= maxNotes {
			return
		}
		i = len(n.list)
		n.by[id] = i
		n.list = append(n.list, note{})
	}
	text.Ticks = n.list[i].Ticks + 1
	n.list[i] = text
}

// ranked are the hotspots, worst first: critical ones, then by how far over their line they were at their peak.
func (r *Recorder) ranked() []*hotspot {
	out := slices.Clone(r.order)
	slices.SortStableFunc(out, func(a, b *hotspot) int { return a.before(b) })
	return out
}

// before orders hotspots, worst first.
func (h *hotspot) before(o *hotspot) int {
	return cmp.Or(
		cmp.Compare(o.told.Severity, h.told.Severity), cmp.Compare(o.over(), h.over()),
		h.told.Onset.Compare(o.told.Onset), cmp.Compare(h.told.Shard, o.told.Shard),
	)
}

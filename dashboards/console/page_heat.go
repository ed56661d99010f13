package console

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"firebreak/dashboards/draw"
	"firebreak/internal/words"
	"firebreak/routing"
)

// mapView is the heat map with its legend and its table.
type mapView struct {
	Map         *draw.MapFigure
	Legend      []draw.Step
	Unit, Note  string
	Thin, Marks bool
	Gaps        bool // some columns are not known
	Unjudged    bool // of some the input could not be judged
	Shards      []shardRow
	More        int
}

// shardRow is one shard in the table of the heat map.
type shardRow struct {
	Name, Peak, At, Now string
	Over                bool
	Hotspots            string
}

const (
	mapColumns = gridMinutes // the most that are drawn
	mapShards  = 64          // rows of the table
)

// scale is the fixed colour scale of the fleet, that of the report.
func (f *fleet) scale() draw.Scale {
	l, c := f.Judge.Lines, f.Judge.Capacity
	if c.Total > 0 || c.Reads > 0 || f.grid.sized {
		return draw.OfCapacity(l.Warning, l.Critical)
	}
	return draw.OfMean(l.Relative)
}

// heat draws the newest minutes with the hotspots that are numbered, in their order; nil where no minute is known.
func (f *fleet) heat(minutes int, numbered []*hotspot) *mapView {
	s := f.grid.last(minutes, mapColumns)
	if s.minutes == 0 {
		return nil
	}
	scale := f.scale()
	v := &mapView{Legend: scale.Steps(), Unit: scale.Unit()}
	rows := make([]draw.Row, len(s.cells))
	order := s.byPeak()
	for rank, i := range order {
		full, _ := s.peak(i)
		name := f.grid.names[i]
		rows[i] = draw.Row{Label: draw.Label(name), Title: draw.Name(name, draw.MaxName), Cells: s.cells[i], Hot: full > 1, Rank: rank}
	}
	for i, h := range numbered {
		id, known := f.grid.index[string(h.verdict.Shard)]
		if !known || !h.open() && h.resolved.Before(s.from) {
			continue
		}
		rows[id].Hot = true
		rows[id].Marks = append(rows[id].Marks, draw.Mark{Number: i + 1, Onset: timeOf(h.verdict.Onset), Verdict: h.found, Resolved: h.resolved})
		v.Marks = true
	}
	v.table(f, &s, scale, order, rows)
	folded, joined := draw.Fold(rows)
	for i := range folded {
		for _, c := range folded[i].Cells {
			v.Thin = v.Thin || c.Thin > 1 && c.Full <= 1
		}
	}
	figure := (&draw.HeatMap{
		ID: "map", Title: "Load of every shard over time", Desc: v.desc(numbered), Rows: folded, From: s.from, Width: s.width, Scale: scale,
		Gaps: columnsOf(s.known, false), Unjudged: columnsOf(s.blind, true),
	}).Figure()
	v.Map, v.Gaps, v.Unjudged = &figure, figure.Gaps != "", figure.Unjudged != ""
	v.Note = fmt.Sprintf("Each cell is %s of one shard, up to %s", words.Lasting(s.width), words.Clock(s.from.Add(time.Duration(s.columns)*s.width)))
	if joined > 0 {
		v.Note += fmt.Sprintf("; %d of the %d shards are joined with their neighbours, each row showing the hottest of them", joined, len(rows))
	}
	if f.grid.left > 0 {
		v.Note += fmt.Sprintf("; %s are not shown", words.Count(f.grid.left, "shard"))
	}
	v.Note += ". Times are UTC." + s.gaps()
	return v
}

// columnsOf are the stretches of columns that are as asked.
func columnsOf(list []bool, as bool) []draw.Gap {
	var out []draw.Gap
	for i, is := range list {
		switch n := len(out); {
		case is != as:
		case n > 0 && out[n-1].To == i:
			out[n-1].To++
		default:
			out = append(out, draw.Gap{From: i, To: i + 1})
		}
	}
	return out
}

// gaps says what of the stretch is not known.
func (s *stretch) gaps() string {
	blank, blind := 0, 0
	for i := range s.known {
		if !s.known[i] {
			blank++
		}
		if s.blind[i] {
			blind++
		}
	}
	text := ""
	if blank > 0 {
		text += fmt.Sprintf(" Of %s nothing is known.", words.Count(blank, "column"))
	}
	if blind > 0 {
		text += fmt.Sprintf(" In %s the input could not be judged.", words.Count(blind, "column"))
	}
	return text
}

// desc says in words what the heat map shows.
func (v *mapView) desc(numbered []*hotspot) string {
	var hot []string
	for _, h := range numbered[:min(len(numbered), 10)] {
		hot = append(hot, draw.Name(string(h.verdict.Shard), draw.MaxName))
	}
	if len(hot) == 0 {
		return "No shard had a verdict. The table below has the peak of each shard."
	}
	return "With a verdict: " + strings.Join(hot, ", ") + ". The table below has the peak of each shard."
}

// table lists the shards by their peak.
func (v *mapView) table(f *fleet, s *stretch, scale draw.Scale, order []int, rows []draw.Row) {
	now := map[string]shardNow{}
	if f.now != nil {
		for _, n := range f.now.shards {
			now[n.name] = n
		}
	}
	for _, i := range order[:min(len(order), mapShards)] {
		full, at := s.peak(i)
		row := shardRow{Name: rows[i].Title, Peak: scale.Value(full), At: words.Clock(at), Over: full > 1}
		if at.IsZero() {
			row.At = "–"
		}
		if role := f.grid.roles[i]; role != routing.Serving {
			row.Name += " (" + role.String() + ")"
		}
		if n, ok := now[f.grid.names[i]]; ok {
			row.Now = words.Rate(n.load) + ", " + scale.Value(n.full)
		}
		var numbers []string
		for _, m := range rows[i].Marks[:min(len(rows[i].Marks), 5)] {
			numbers = append(numbers, strconv.Itoa(m.Number))
		}
		row.Hotspots = strings.Join(numbers, ", ")
		v.Shards = append(v.Shards, row)
	}
	v.More = len(order) - len(v.Shards)
}

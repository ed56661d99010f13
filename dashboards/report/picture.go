package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"firebreak/dashboards/draw"
	"firebreak/routing"
)

// picture is the heat map of a fleet that was judged; nil where there is none.
func (t *teller) picture() *pictureView {
	if !t.placed() || len(t.r.grid.cells) == 0 {
		return nil
	}
	p := &pictureView{Legend: t.scale.Steps(), Unit: t.scale.Unit()}
	p.Shards, p.ShardMore = t.shardTable()
	if t.r.timeless {
		t.wholeBars(p)
		return p
	}
	rows, joined := draw.Fold(t.rows())
	for i := range rows {
		for _, c := range rows[i].Cells {
			p.Thin = p.Thin || c.Thin > 1 && c.Full <= 1
		}
		p.Marks = p.Marks || len(rows[i].Marks) > 0 && !t.whole()
	}
	g := &t.r.grid
	gaps, unjudged := t.unwatched()
	figure := (&draw.HeatMap{
		ID: t.id + "-map", Title: "Load of every shard over time", Desc: t.mapDesc(), Rows: rows, From: g.first, Width: g.width, Scale: t.scale, Gaps: gaps, Unjudged: unjudged,
	}).Figure()
	p.Map, p.Gaps, p.Unjudged = &figure, figure.Gaps != "", figure.Unjudged != ""
	p.Note = fmt.Sprintf("Each cell is %s of one shard", draw.Span(g.width))
	if pane := t.pane(); g.width > pane {
		p.Note += fmt.Sprintf(" and shows the hottest %s in it", draw.Span(pane))
	}
	if joined > 0 {
		p.Note += fmt.Sprintf("; %d of the %d shards are joined with their neighbours, each row showing the hottest of them, and shards that were hot keep a row of their own as far as there is room",
			joined, len(g.cells))
	}
	p.Note += ". Times are UTC."
	return p
}

// unwatched are the columns of the heat map of which no minute was recorded, and those that were recorded and of which a minute or more
// was not judged.
func (t *teller) unwatched() (gaps, unjudged []draw.Gap) {
	w := t.f.Week
	if w == nil {
		return nil, nil
	}
	extend := func(list []draw.Gap, i int) []draw.Gap {
		if n := len(list) - 1; n >= 0 && list[n].To == i {
			list[n].To++
			return list
		}
		return append(list, draw.Gap{From: i, To: i + 1})
	}
	g := &t.r.grid
	for i := range g.columns {
		recorded, judged := w.now.during(g.first.Add(time.Duration(i)*g.width), g.width)
		switch {
		case !recorded:
			gaps = extend(gaps, i)
		case !judged:
			unjudged = extend(unjudged, i)
		}
	}
	return gaps, unjudged
}

// mapDesc says in words what the heat map shows.
func (t *teller) mapDesc() string {
	hot := make([]string, 0, len(t.ranked))
	for _, h := range t.ranked {
		if name := draw.Name(h.told.Shard, draw.MaxName); !slices.Contains(hot, name) && len(hot) < 10 {
			hot = append(hot, name)
		}
	}
	if len(hot) == 0 {
		return "No shard had a verdict. The table below has the peak of each shard."
	}
	return "With a verdict: " + strings.Join(hot, ", ") + ". The table below has the peak of each shard."
}

// rows are the shards of the heat map with their hotspots, in the order of the document.
func (t *teller) rows() []draw.Row {
	g := &t.r.grid
	rank := make([]int, len(g.cells))
	rows := make([]draw.Row, len(g.cells))
	for _, of := range t.ranked {
		if id := int(of.told.ShardID); id >= 0 && id < len(rows) {
			rows[id].Hot = true
		}
	}
	byPeak := make([]int, len(rows))
	for i := range rows {
		byPeak[i] = i
	}
	slices.SortStableFunc(byPeak, func(a, b int) int {
		switch pa, pb := g.peaks[a].full, g.peaks[b].full; {
		case rows[a].Hot != rows[b].Hot && rows[a].Hot:
			return -1
		case rows[a].Hot != rows[b].Hot:
			return 1
		case pa > pb:
			return -1
		case pa < pb:
			return 1
		}
		return a - b
	})
	for place, i := range byPeak {
		rank[i] = place
	}
	for i := range rows {
		name := t.shardName(i)
		rows[i].Label, rows[i].Title = draw.Label(name), draw.Name(name, draw.MaxName)
		rows[i].Cells, rows[i].Rank = g.cells[i], rank[i]
		rows[i].Hot = rows[i].Hot || g.peaks[i].full > 1
	}
	t.marks(rows)
	return rows
}

// marks puts the hotspots on their rows, those that are numbered with their number.
func (t *teller) marks(rows []draw.Row) {
	for i, h := range t.ranked {
		id := int(h.told.ShardID)
		if id < 0 || id >= len(rows) {
			continue
		}
		mark := draw.Mark{Onset: h.told.Onset, Verdict: h.found, Resolved: h.resolved}
		if t.whole() {
			mark = draw.Mark{}
		}
		if i < t.limits.details+t.limits.rest {
			mark.Number = i + 1
		}
		rows[id].Marks = append(rows[id].Marks, mark)
	}
}

// wholeBars is the picture of a log without time: one bar a shard.
func (t *teller) wholeBars(p *pictureView) {
	loads := make([]float64, len(t.r.grid.peaks))
	top, hottest := 0.0, 0
	for i, peak := range t.r.grid.peaks {
		loads[i] = peak.load
		if peak.load > top {
			top, hottest = peak.load, i
		}
	}
	line := 0.0
	if peak := t.r.grid.peaks[hottest]; max(peak.full, peak.thin) > 0 {
		line = peak.load / max(peak.full, peak.thin)
	}
	figure := (&draw.ShardBars{
		ID: t.id + "-map", Title: "Load of every shard", Desc: "The hottest first: " + draw.Name(t.shardName(hottest), draw.MaxName) + ". The table below has all of them.",
		Loads: loads, Hot: hottest, Line: line, Target: line, Top: 1.05 * max(top, line),
	}).Figure()
	p.Bars = &figure
	p.Note = "The log has no time: each bar is the whole log on one shard, the hottest one first and set apart. The dashed line is the line."
	if figure.Joined > 1 {
		p.Note += fmt.Sprintf(" Each of the other bars is the heaviest of %d shards.", figure.Joined)
	}
}

// shardTable are the shards by their peak, the heaviest first.
func (t *teller) shardTable() (rows []shardRow, more int) {
	numbers := map[string][]string{}
	for i, h := range t.ranked {
		if n := numbers[h.told.Shard]; len(n) < 4 {
			numbers[h.told.Shard] = append(n, strconv.Itoa(i+1))
		} else if len(n) == 4 {
			numbers[h.told.Shard] = append(n, "…")
		}
	}
	peaks := t.r.grid.peaks
	order := make([]int, len(peaks))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case peaks[a].full > peaks[b].full:
			return -1
		case peaks[a].full < peaks[b].full:
			return 1
		}
		return a - b
	})
	most := max(t.limits.shards, 1)
	for _, i := range order[:min(len(order), most)] {
		p := peaks[i]
		row := shardRow{
			Name: draw.Name(t.shardName(i), draw.MaxName), Peak: t.scale.Value(p.full), Load: t.rate(p.load), At: clock(p.at),
			Mean: t.scale.Value(p.total / float64(max(1, p.panes))), Over: p.full > 1, Doubted: p.thin > 1 && p.full <= 1,
			Hotspots: strings.Join(numbers[t.shardName(i)], ", "),
		}
		if role := t.role(i); role != routing.Serving {
			row.Name += " (" + role.String() + ")"
		}
		rows = append(rows, row)
	}
	return rows, max(0, len(order)-most)
}

// pane is the shortest time that a cell of the heat map is of.
func (t *teller) pane() time.Duration {
	if t.f.Week != nil {
		return time.Minute
	}
	return t.r.last.Pane
}

func (t *teller) role(id int) routing.Role {
	if w := t.f.Week; w != nil {
		return w.shards[id].role
	}
	if id < t.r.last.Table.Shards() {
		return t.r.last.Table.Document().Shards[id].Role
	}
	return routing.RoleUnknown
}

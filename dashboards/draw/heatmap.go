package draw

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Mark is the life of one hotspot on a row of a heat map. Zero times are left out: no verdict yet, not resolved. Without
// an onset the row has its number only.
type Mark struct {
	Number                   int // as the page counts hotspots; 0 = not numbered
	Onset, Verdict, Resolved time.Time
}

// HeatMap is load over time and shards.
type HeatMap struct {
	ID          string // of the figure, unique on its page
	Title, Desc string // for who does not see it
	Rows        []Row
	From        time.Time     // start of the first column
	Width       time.Duration // of a column
	Gaps        []Gap         // columns of which nothing is known
	Unjudged    []Gap         // columns whose loads are known and were not judged, or only in part; drawn hatched
	Scale       Scale
}

// Geometry of a heat map, in units of its view box.
const (
	mapLeft  = 150 // margin of the labels
	mapGrid  = 750
	mapRight = 60 // margin of the hotspots' numbers
	mapTop   = 6
	mapAxis  = 24
	mapTicks = 8

	markSize = 11.6 // height of a mark with its edge; draw.tmpl and the style have its shape
	markPart = 0.55 // of the height of a row, its lower part, is for marks: what is above them of a cell is always seen
)

// MapFigure is a finished heat map.
type MapFigure struct {
	ID, Title, Desc string
	Width, Height   int
	Left            int    // margin of the labels
	Grid            string // transform of the unit grid
	Ground          string // one path of all cells
	Gaps            string // one path of the columns of which nothing is known
	Unjudged        string // one path of what is hatched, in the units of the view box
	Layers          []Layer
	Labels          []Text
	Ticks           []Text
	TickPath        string
	Tracks          []Track
	Small           bool // rows are low: their labels are small
}

// Layer is what shares one class.
type Layer struct{ Class, Path string }

// Text is a word in a figure.
type Text struct {
	X, Y        float64
	Text, Title string
	Strong      bool
}

// Track is a hotspot's life on the grid, in the lower part of its row.
type Track struct {
	Y, From, To                 float64
	Scale                       float64 // of its marks
	Onset, Verdict, Resolved    float64
	HasOnset, Told, HasResolved bool
	Number                      string
	NumberX, NumberY            float64
}

// Figure lays the map out. Rows are expected to be folded.
func (m *HeatMap) Figure() MapFigure {
	columns := 1
	for i := range m.Rows {
		columns = max(columns, len(m.Rows[i].Cells))
	}
	height := rowHeight(len(m.Rows))
	f := MapFigure{
		ID: m.ID, Title: m.Title, Desc: m.Desc, Width: mapLeft + mapGrid + mapRight, Left: mapLeft,
		Height: mapTop + int(height*float64(len(m.Rows))) + mapAxis, Small: height < 14,
	}
	f.Grid = fmt.Sprintf("translate(%d %d) scale(%s %s)", mapLeft, mapTop, short(mapGrid/float64(columns)), short(height))
	var ground strings.Builder
	for i := range m.Rows {
		fmt.Fprintf(&ground, "M0 %sh%d", short(float64(i)+0.5), columns)
		f.Labels = append(f.Labels, Text{
			X: mapLeft - 8, Y: round(mapTop + (float64(i)+0.5)*height), Text: m.Rows[i].Label, Title: m.Rows[i].Title, Strong: m.Rows[i].Hot,
		})
	}
	f.Ground, f.Layers, f.Gaps = ground.String(), m.layers(), m.gaps(columns)
	f.Unjudged = m.unjudged(columns, height)
	m.axis(&f, columns)
	for i := range m.Rows {
		m.tracks(&f, i, columns, height)
	}
	return f
}

// rowHeight is how high each of n rows is drawn.
func rowHeight(n int) float64 {
	switch {
	case n <= 8:
		return 26
	case n <= 16:
		return 20
	case n <= 32:
		return 16
	}
	return 13
}

// layers draws equal neighbours in a row as one stroke, a path for each class: the six of the scale and, a thin line in
// the cell, what is over the line on too few requests to be sure.
func (m *HeatMap) layers() []Layer {
	paths := make([]strings.Builder, Classes+1)
	class := func(c Cell) int { return m.Scale.Class(float64(c.Full)) }
	thin := func(c Cell) int {
		if over := m.Scale.Class(float64(c.Thin)); over >= firstOver && class(c) < firstOver {
			return 1
		}
		return 0
	}
	for i := range m.Rows {
		for _, r := range runs(m.Rows[i].Cells, class) {
			fmt.Fprintf(&paths[r.class], "M%d %d.5h%d", r.from, i, r.to-r.from)
		}
		for _, r := range runs(m.Rows[i].Cells, thin) {
			fmt.Fprintf(&paths[0], "M%d %d.5h%d", r.from, i, r.to-r.from)
		}
	}
	var out []Layer
	for i := 1; i <= Classes; i++ {
		if paths[i].Len() > 0 {
			out = append(out, Layer{"c" + strconv.Itoa(i), paths[i].String()})
		}
	}
	if paths[0].Len() > 0 {
		out = append(out, Layer{"thin", paths[0].String()})
	}
	return out
}

// run is a stretch [from, to) of cells of one class.
type run struct{ from, to, class int }

// runs are the stretches of cells that share a class above 0.
func runs(cells []Cell, class func(Cell) int) []run {
	var out []run
	for i := 0; i < len(cells); {
		r := run{i, i + 1, class(cells[i])}
		for r.to < len(cells) && class(cells[r.to]) == r.class {
			r.to++
		}
		if r.class > 0 {
			out = append(out, r)
		}
		i = r.to
	}
	return out
}

// axis writes the times under the grid.
func (m *HeatMap) axis(f *MapFigure, columns int) {
	bottom := float64(f.Height - mapAxis)
	var path strings.Builder
	for _, t := range ticks(m.From, m.From.Add(time.Duration(columns)*m.Width)) {
		x := m.x(t.at, columns)
		fmt.Fprintf(&path, "M%s %sv5", short(x), short(bottom))
		f.Ticks = append(f.Ticks, Text{X: x, Y: bottom + 17, Text: t.text})
	}
	f.TickPath = path.String()
}

// x is where a moment lies, kept within the grid.
func (m *HeatMap) x(at time.Time, columns int) float64 {
	part := float64(at.Sub(m.From)) / (float64(m.Width) * float64(columns))
	return round(mapLeft + mapGrid*max(0, min(1, part)))
}

// tracks draws the hotspots of a row.
func (m *HeatMap) tracks(f *MapFigure, row, columns int, height float64) {
	scale := math.Floor(100*min(1, markPart*height/markSize)) / 100
	y := round(mapTop + float64(row+1)*height - scale*markSize/2)
	numbers := 0
	for _, mark := range m.Rows[row].Marks {
		t := Track{
			Y: y, From: m.x(mark.Onset, columns), To: mapLeft + mapGrid, Scale: scale, NumberY: round(mapTop + (float64(row)+0.5)*height),
			HasOnset: !mark.Onset.IsZero(), Told: !mark.Verdict.IsZero(), HasResolved: !mark.Resolved.IsZero(),
		}
		t.Onset, t.Verdict, t.Resolved = t.From, m.x(mark.Verdict, columns), m.x(mark.Resolved, columns)
		if t.HasResolved {
			t.To = t.Resolved
		}
		if mark.Number > 0 && numbers < 3 {
			t.Number, t.NumberX = strconv.Itoa(mark.Number), float64(mapLeft+mapGrid+8+numbers*17)
			numbers++
		}
		if t.HasOnset || t.Number != "" {
			f.Tracks = append(f.Tracks, t)
		}
	}
}

// round keeps what a screen can show of a coordinate.
func round(x float64) float64 { return math.Round(x*100) / 100 }

// short writes a coordinate with as few digits as a screen can show.
func short(x float64) string {
	text := strconv.FormatFloat(x, 'f', 3, 64)
	text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	if text == "" || text == "-0" {
		return "0"
	}
	return text
}

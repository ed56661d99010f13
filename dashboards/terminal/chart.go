package terminal

import (
	"strconv"
	"strings"

	"firebreak/dashboards/draw"
	"firebreak/policy"
	"firebreak/routing"
)

const (
	axisLeft  = 7 // columns left of the chart
	axisRight = 5 // and right of it
	axisRows  = 2 // beneath it
)

// column is one shard, or the fullest of several where there is no room for all.
type column struct {
	full  float64 // load / line
	fires bool
	role  routing.Role
	label string
}

// chart is a fleet ready to draw: columns rise to top, in load / line.
type chart struct {
	columns []column
	wide    int // characters a column
	top     float64
	mean    float64
	most    float64
	hottest int     // the shard that has most
	unit    float64 // the line in the unit of the axis
	scale   draw.Scale
	times   bool // the unit is multiples of the mean, not shares of capacity
}

// gauges reads every shard over the newest pane.
func gauges(v *View) []policy.Gauge {
	if v.Snapshot == nil || v.Policy == nil {
		return nil
	}
	n := len(v.Snapshot.Panes)
	return policy.Gauges(v.Snapshot, v.Policy, n-1, n)
}

func newChart(v *View, width int) *chart {
	g := gauges(v)
	if len(g) == 0 {
		return nil
	}
	c := &chart{unit: v.Policy.Lines.Warning, scale: draw.OfCapacity(v.Policy.Lines.Warning, v.Policy.Lines.Critical)}
	if v.Policy.Capacity == (policy.Capacity{}) {
		c.unit, c.times, c.scale = v.Policy.Lines.Relative, true, draw.OfMean(v.Policy.Lines.Relative)
	}
	firing := map[string]bool{}
	for i := range v.Decision.Open {
		firing[v.Decision.Open[i].Shard] = true
	}
	serving := 0
	for i, s := range v.Snapshot.Table.Document().Shards {
		c.columns = append(c.columns, column{full: g[i].Full, fires: firing[s.Name], role: s.Role, label: strconv.Itoa(i)})
		if g[i].Full > c.most {
			c.most, c.hottest = g[i].Full, i
		}
		if s.Role == routing.Serving {
			c.mean += g[i].Full
			serving++
		}
	}
	c.mean /= float64(max(1, serving))
	c.top = niceTop(c.most*c.unit) / c.unit
	c.arrange(max(1, width-axisLeft-axisRight))
	return c
}

// arrange gives each column its width, and joins neighbours by maximum where they are too many.
func (c *chart) arrange(room int) {
	each := (len(c.columns) + room - 1) / room
	if each > 1 {
		var joined []column
		for i := 0; i < len(c.columns); i += each {
			one := c.columns[i]
			for _, o := range c.columns[i:min(i+each, len(c.columns))] {
				one.full, one.fires = max(one.full, o.full), one.fires || o.fires
			}
			joined = append(joined, one)
		}
		c.columns = joined
	}
	c.wide = min(4, max(1, room/len(c.columns)))
}

// niceTop is where the axis ends, in its unit: 100 % or more.
func niceTop(most float64) float64 {
	for _, top := range []float64{1, 1.25, 1.5, 2, 2.5, 3, 4, 5, 7.5, 10} {
		if most <= top {
			return top
		}
	}
	return most
}

// chartRows draws the fleet in height rows and its axis in axisRows.
func chartRows(v *View, width, height int) []row {
	c := newChart(v, width)
	if c == nil {
		rows := make([]row, height+axisRows)
		rows[height/2] = words("  The first pane is being counted.")
		return rows
	}
	rows := make([]row, 0, height+axisRows)
	line, mean := c.at(1, height), c.at(c.mean, height)
	for y := height - 1; y >= 0; y-- {
		label, name, ground := "", "", " "
		if y == height-1 {
			label = c.value(c.top)
		}
		if y == mean {
			label, name, ground = c.value(c.mean), " mean", "·"
		}
		if y == line {
			label, name, ground = c.value(1), " line", "-"
		}
		rows = append(rows, c.row(y, height, label, name, ground))
	}
	return append(rows, c.axis(), c.marks())
}

// at is the row, from 0 at the bottom, in which a height lies.
func (c *chart) at(full float64, height int) int {
	return min(height-1, int(full/c.top*float64(height)))
}

func (c *chart) value(full float64) string {
	if c.times {
		return draw.Times(full * c.unit)
	}
	return strconv.Itoa(int(full*c.unit*100+0.5)) + " %"
}

// row draws one row of all columns: what a column does not fill shows the ground.
func (c *chart) row(y, height int, label, name, ground string) row {
	r := words(strings.Repeat(" ", max(0, axisLeft-2-cells(label))), label, " │")
	for _, col := range c.columns {
		eighths := int(col.full/c.top*float64(height)*8+0.5) - 8*y
		if eighths <= 0 {
			r = r.add(faint, strings.Repeat(ground, c.wide))
			continue
		}
		glyph := string([]rune("▁▂▃▄▅▆▇█")[min(8, eighths)-1])
		gap := ""
		if c.wide > 2 {
			gap = " "
		}
		r = r.add(ofClass(c.scale.Class(col.full)), strings.Repeat(glyph, c.wide-len(gap)), gap)
	}
	return r.add(faint, name)
}

// axis numbers the columns, as far as there is room.
func (c *chart) axis() row {
	text := strings.Repeat(" ", axisLeft)
	for i, col := range c.columns {
		at := axisLeft + i*c.wide
		label := col.label
		if col.role != routing.Serving {
			label = " " + col.role.String()
		}
		if cells(text) <= at && (i*c.wide%8 == 0 || col.role != routing.Serving) {
			text = pad(text, at) + label
		}
	}
	return row{{text, faint}}
}

// marks points at the shards that fire.
func (c *chart) marks() row {
	r := words(strings.Repeat(" ", axisLeft))
	for _, col := range c.columns {
		mark := " "
		if col.fires {
			mark = "▲"
		}
		r = r.add(bold, strings.Repeat(mark, c.wide))
	}
	return r
}

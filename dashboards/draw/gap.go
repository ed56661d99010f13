package draw

import (
	"fmt"
	"strings"
)

// Gap is the columns [From, To) of a heat map.
type Gap struct{ From, To int }

// gaps draws the columns of which nothing is known through all rows.
func (m *HeatMap) gaps(columns int) string {
	var path strings.Builder
	for _, g := range m.Gaps {
		from, to := max(0, g.From), min(columns, g.To)
		for i := range m.Rows {
			if from < to {
				fmt.Fprintf(&path, "M%d %d.5h%d", from, i, to-from)
			}
		}
	}
	return path.String()
}

// unjudged is the outline of the columns that were not judged, over all rows.
func (m *HeatMap) unjudged(columns int, height float64) string {
	var path strings.Builder
	wide, high := float64(mapGrid)/float64(columns), height*float64(len(m.Rows))
	for _, g := range m.Unjudged {
		if from, to := max(0, g.From), min(columns, g.To); from < to && len(m.Rows) > 0 {
			fmt.Fprintf(&path, "M%s %dh%sv%sH%[1]sz", short(mapLeft+wide*float64(from)), mapTop, short(wide*float64(to-from)), short(high))
		}
	}
	return path.String()
}

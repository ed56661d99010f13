package draw

import "slices"

// Cell is one shard over one stretch of time, in load / line. The zero value is idle.
type Cell struct {
	Full float32 // the most that is beyond doubt, or under the line
	Thin float32 // the most over the line that may be chance; 0 = none
}

// Join is the maximum of two cells: what a larger cell shows of both.
func (c Cell) Join(o Cell) Cell { return Cell{max(c.Full, o.Full), max(c.Thin, o.Thin)} }

// Row is one line of a heat map.
type Row struct {
	Label string // as it is shown, see [Label]
	Title string // all of it, for who points at it
	Cells []Cell
	Hot   bool // keeps a row of its own
	Rank  int  // of hot rows: which come first where there are too many
	Marks []Mark
}

// Limits of what a heat map draws.
const (
	rowsAlone = 48 // up to this many shards each has a row
	hotRows   = 32 // of more shards, this many hot ones have
	bandRows  = 40 // and the others share about this many
)

// Fold brings rows to a number that can be drawn. Up to 48 stay as they are. Of more, up to 32 hot ones keep a row of
// their own, in their place, and their neighbours between them are joined by maximum. The number of rows that were
// joined is the second result.
func Fold(rows []Row) ([]Row, int) {
	if len(rows) <= rowsAlone {
		return rows, 0
	}
	alone := make(map[int]bool, hotRows)
	hot := make([]int, 0, len(rows))
	for i := range rows {
		if rows[i].Hot {
			hot = append(hot, i)
		}
	}
	slices.SortStableFunc(hot, func(a, b int) int { return rows[a].Rank - rows[b].Rank })
	for _, i := range hot[:min(len(hot), hotRows)] {
		alone[i] = true
	}
	size := (len(rows) - len(alone) + bandRows - 1) / bandRows
	var out []Row
	joined := 0
	for i := 0; i < len(rows); {
		if alone[i] {
			out = append(out, rows[i])
			i++
			continue
		}
		end := i
		for end < len(rows) && end-i < size && !alone[end] {
			end++
		}
		out = append(out, band(rows[i:end]))
		if end-i > 1 {
			joined += end - i
		}
		i = end
	}
	return out, joined
}

// band joins neighbouring rows.
func band(rows []Row) Row {
	if len(rows) == 1 {
		return rows[0]
	}
	out := Row{
		Label: Count(len(rows), "shard"), Title: rows[0].Title + " to " + rows[len(rows)-1].Title + ", the hottest of each moment",
		Cells: slices.Clone(rows[0].Cells),
	}
	for i := range rows {
		out.Hot = out.Hot || rows[i].Hot
		out.Marks = append(out.Marks, rows[i].Marks...)
		if len(rows[i].Cells) > len(out.Cells) {
			out.Cells = append(out.Cells, make([]Cell, len(rows[i].Cells)-len(out.Cells))...)
		}
		for j, c := range rows[i].Cells {
			out.Cells[j] = out.Cells[j].Join(c)
		}
	}
	return out
}

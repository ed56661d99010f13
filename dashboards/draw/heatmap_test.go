package draw

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func drawRows(t *rapid.T, most int) []Row {
	n, columns := rapid.IntRange(1, most).Draw(t, "rows"), rapid.IntRange(1, 40).Draw(t, "columns")
	rows := make([]Row, n)
	for i := range rows {
		rows[i] = Row{Label: fmt.Sprint("shard-", i), Title: fmt.Sprint("shard-", i), Rank: i, Cells: make([]Cell, rapid.IntRange(0, columns).Draw(t, "cells"))}
		for j := range rows[i].Cells {
			rows[i].Cells[j] = Cell{
				Full: float32(rapid.SampledFrom([]float64{0, 0, 0.2, 0.9, 1, 1.2, 2, 5}).Draw(t, "full")),
				Thin: float32(rapid.SampledFrom([]float64{0, 0, 0, 1.4}).Draw(t, "thin")),
			}
			rows[i].Hot = rows[i].Hot || rows[i].Cells[j].Full > 1
		}
	}
	return rows
}

// TestFoldKeepsMaxima: however many shards there are, few rows are drawn, each moment's hottest is there to the digit,
// and no column is longer or shorter than it was.
func TestFoldKeepsMaxima(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows := drawRows(t, 600)
		folded, joined := Fold(rows)
		if len(folded) > hotRows+1+hotRows+bandRows || len(rows) > rowsAlone && joined+len(folded) < len(rows) && joined == 0 {
			t.Fatalf("%d rows of %d, %d joined", len(folded), len(rows), joined)
		}
		for column := range 40 {
			var want, got Cell
			for _, r := range rows {
				if column < len(r.Cells) {
					want = want.Join(r.Cells[column])
				}
			}
			for _, r := range folded {
				if column < len(r.Cells) {
					got = got.Join(r.Cells[column])
				}
			}
			if got != want {
				t.Fatalf("column %d: hottest %v, want %v", column, got, want)
			}
		}
	})
}

// TestFoldHotAlone: a hot shard among 512 keeps its row and its name, in its place.
func TestFoldHotAlone(t *testing.T) {
	rows := make([]Row, 512)
	for i := range rows {
		rows[i] = Row{Label: fmt.Sprint("shard-", i), Rank: i, Cells: []Cell{{Full: 0.5}}}
	}
	for _, i := range []int{7, 8, 300, 511} {
		rows[i].Hot, rows[i].Cells[0].Full, rows[i].Marks = true, 3, []Mark{{Number: i}}
	}
	folded, joined := Fold(rows)
	var names []string
	for _, r := range folded {
		if r.Hot {
			names = append(names, r.Label)
		}
	}
	if got := strings.Join(names, " "); got != "shard-7 shard-8 shard-300 shard-511" {
		t.Errorf("hot rows %s", got)
	}
	if len(folded) > 60 || joined != 508 {
		t.Errorf("%d rows, %d joined", len(folded), joined)
	}
}

// TestHeatMapPaints: read back stroke by stroke, the picture has the class of every cell, and the thin line just where
// a cell is perhaps over its line.
func TestHeatMapPaints(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := HeatMap{ID: "m", Rows: drawRows(t, 30), From: time.Unix(0, 0), Width: time.Second, Scale: OfMean(1.5)}
		f := m.Figure()
		classes, thin := map[[2]int]int{}, map[[2]int]bool{}
		for _, l := range f.Layers {
			for stroke := range strings.SplitSeq(strings.TrimPrefix(l.Path, "M"), "M") {
				var x, y, n int
				if _, err := fmt.Sscanf(stroke, "%d %d.5h%d", &x, &y, &n); err != nil {
					t.Fatalf("stroke %q: %v", stroke, err)
				}
				for c := x; c < x+n; c++ {
					if l.Class == "thin" {
						thin[[2]int{c, y}] = true
						continue
					}
					classes[[2]int{c, y}] = int(l.Class[1] - '0')
				}
			}
		}
		for i, r := range m.Rows {
			for j, c := range r.Cells {
				at := [2]int{j, i}
				if want := m.Scale.Class(float64(c.Full)); classes[at] != want {
					t.Fatalf("cell %v is class %d, want %d", at, classes[at], want)
				}
				if want := c.Thin > 1 && c.Full <= 1; thin[at] != want {
					t.Fatalf("cell %v thin %v, want %v", at, thin[at], want)
				}
			}
		}
	})
}

// TestHeatMapMarks: onset, verdict and end of a hotspot lie where their times are, within the grid.
func TestHeatMapMarks(t *testing.T) {
	from := time.Unix(1000, 0)
	m := HeatMap{
		ID: "m", From: from, Width: 10 * time.Second, Scale: OfMean(1.5),
		Rows: []Row{{Label: "a", Cells: make([]Cell, 10), Marks: []Mark{
			{Number: 1, Onset: from.Add(50 * time.Second), Verdict: from.Add(75 * time.Second), Resolved: from.Add(500 * time.Second)},
			{Number: 2, Onset: from.Add(-time.Hour), Verdict: from.Add(10 * time.Second)},
			{Number: 3},
			{Number: 4, Onset: from},
			{Number: 5, Onset: from},
		}}},
	}
	tracks := m.Figure().Tracks
	if len(tracks) != 5 || tracks[2].HasOnset {
		t.Fatalf("tracks %+v: want the third without a line", tracks)
	}
	first, second := tracks[0], tracks[1]
	if first.Onset != mapLeft+mapGrid/2 || first.Verdict != mapLeft+mapGrid*0.75 || first.To != mapLeft+mapGrid || first.Number != "1" {
		t.Errorf("first track %+v", first)
	}
	if second.Onset != mapLeft || second.HasResolved || second.To != mapLeft+mapGrid {
		t.Errorf("second track %+v", second)
	}
	if tracks[2].Number != "3" || tracks[3].Number != "" {
		t.Errorf("numbers %q and %q: three fit the margin", tracks[2].Number, tracks[3].Number)
	}
}

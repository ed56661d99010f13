package console

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"firebreak/dashboards/draw"
)

// TestBlindMinutes: minutes that could not be judged are hatched in the map, and the legend says what that is; where all were judged
// there is neither.
func TestBlindMinutes(t *testing.T) {
	f := watch(t, 4, "key").looked(nil).run(6 * 10)
	h := served(t, f.model, &oracle{})
	const hatched, says = `fill="url(#map-hatch)"`, "not judged, in whole or in part"
	if page := get(t, h, "/").Body.String(); strings.Contains(page, hatched) || strings.Contains(page, says) {
		t.Error("hatched, though all was judged")
	}
	f.silent = []string{"main/requests/0"}
	f.run(6 * 13)
	f.silent = nil
	f.run(6 * 16)
	page := get(t, h, "/").Body.String()
	if !strings.Contains(page, hatched) || !strings.Contains(page, says) || !strings.Contains(textOf(t, page), "In 3 columns the input could not be judged.") {
		t.Error("the blind minutes are not hatched")
	}
	f.model.mu.RLock()
	s := f.model.fleets[0].grid.last(60, mapColumns)
	f.model.mu.RUnlock()
	blind := columnsOf(s.blind, true)
	if len(blind) != 1 || blind[0].To-blind[0].From != 3 {
		t.Errorf("columns %v", blind)
	}
}

func TestColumnsOf(t *testing.T) {
	list := []bool{true, true, false, true, false, false}
	if diff := cmp.Diff([]draw.Gap{{From: 0, To: 2}, {From: 3, To: 4}}, columnsOf(list, true)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]draw.Gap{{From: 2, To: 3}, {From: 4, To: 6}}, columnsOf(list, false)); diff != "" {
		t.Error(diff)
	}
}

// TestPinnedLabels: the labels that stay in sight are those of the map, and lie on them where nothing is scrolled.
func TestPinnedLabels(t *testing.T) {
	f := watch(t, 4, "key").looked(nil).run(30)
	f.model.mu.RLock()
	figure := f.model.fleets[0].heat(60, nil).Map
	f.model.mu.RUnlock()
	if want := fmt.Sprintf("width:%.3f%%", 100*float64(figure.Left)/float64(figure.Width)); !strings.Contains(pageStyle, want) {
		t.Errorf("the style has no %s", want)
	}
	page := get(t, served(t, f.model, &oracle{}), "/").Body.String()
	rows := strings.Split(page, `<g class="rows">`)
	if len(rows) != 3 {
		t.Fatalf("%d lists of labels", len(rows)-1)
	}
	first, _, _ := strings.Cut(rows[1], "</g>")
	if again, _, _ := strings.Cut(rows[2], "</g>"); first != again || !strings.Contains(first, "shard-3") {
		t.Errorf("labels %s and %s", first, again)
	}
}

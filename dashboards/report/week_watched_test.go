package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"firebreak/dashboards/draw"
	"firebreak/internal/history"
	"firebreak/policy"
)

// watchedDay is a day of two shards of which nothing is hot; state says of a minute whether it is recorded, and could be judged.
func watchedDay(t *testing.T, state func(minute int) (recorded, judged bool)) Fleet {
	t.Helper()
	cfg := policy.Default()
	cfg.Capacity = policy.Capacity{Total: 1000}
	from := time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC)
	w, err := NewWeek("orders", from, from.AddDate(0, 0, 1), &cfg)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 24 * 60 {
		recorded, judged := state(i)
		if !recorded {
			continue
		}
		w.Minute(&history.Minute{
			Fleet: "orders", Start: from.Add(time.Duration(i) * time.Minute), Covered: time.Minute, Blind: !judged, Coverage: 1, Samples: 1e4, Load: 600, Mean: 300, Hottest: 300,
			Shards: []history.Shard{{Name: "a", Role: 1, Load: 300, Capacity: 1000, Full: 0.4, Line: 700}, {Name: "b", Role: 1, Load: 300, Capacity: 1000, Full: 0.4, Line: 700}},
		})
	}
	return w.Fleet("")
}

// TestNotJudgedIsNotCalm: columns of which nothing was recorded are gaps, those of which a minute was not judged are hatched, wholly or in
// part, and page, Markdown and JSON say how much it is. Of a day that was watched all the time nothing of that stands there.
func TestNotJudgedIsNotCalm(t *testing.T) {
	// A column is 10 minutes. 2 hours are away from 02:00 on, 1 minute at 05:07; an hour is blind from 08:00 on, and 1 minute at 12:34.
	holes := func(i int) (recorded, judged bool) {
		return (i < 120 || i >= 240) && i != 307, (i < 480 || i >= 540) && i != 754
	}
	f := watchedDay(t, holes)
	gaps, unjudged := newTeller(&f, "f1", fullLimits()).unwatched()
	if diff := cmp.Diff([][]draw.Gap{{{From: 12, To: 24}}, {{From: 30, To: 31}, {From: 48, To: 54}, {From: 75, To: 76}}}, [][]draw.Gap{gaps, unjudged}); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	const (
		headline = "No shard was hot in the 87 % of the time that was judged."
		missed   = "87 % of the time was recorded and judged: for 2 h 1 min nothing was recorded, for 1 h 1 min the input could not be judged, and what was hot then is not known."
	)
	run := &Run{Fleets: []Fleet{f}}
	page, root := rendered(t, run)
	text := reading(root)
	for _, want := range []string{headline, missed, "not recorded", "not judged, in whole or in part"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page has no %q:\n%s", want, text)
		}
	}
	if n := strings.Count(page, `fill="url(#f1-map-hatch)"`); n != 1 {
		t.Errorf("%d paths are hatched", n)
	}
	var md, data bytes.Buffer
	if err := Markdown(&md, run); err != nil {
		t.Fatal(err)
	}
	if err := JSON(&data, run); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(md.String(), headline) || !strings.Contains(md.String(), missed) {
		t.Errorf("Markdown:\n%s", md.String())
	}
	var doc struct {
		Fleets []struct {
			Headline string
			Watched  struct{ Share, Recorded, Judged float64 }
			Heat     struct{ Gaps, Unjudged [][2]int }
		}
	}
	if err := json.Unmarshal(data.Bytes(), &doc); err != nil {
		t.Fatal(err)
	}
	if got, want := fmt.Sprint(doc.Fleets), "[{"+headline+" {0.873611 79140 75480} {[[12 24]] [[30 31] [48 54] [75 76]]}}]"; got != want {
		t.Errorf("JSON says %s, want %s", got, want)
	}
	whole := watchedDay(t, func(int) (bool, bool) { return true, true })
	if page, root = rendered(t, &Run{Fleets: []Fleet{whole}}); strings.Contains(page, "hatch)") || !strings.Contains(reading(root), "No shard was hot.") || strings.Contains(reading(root), "not judged") {
		t.Errorf("a day that was watched: %s", reading(root))
	}
}

// TestCurveBreaksOff: a hotspot's curve has no load where nothing was recorded, rather than none.
func TestCurveBreaksOff(t *testing.T) {
	var s series
	at := time.Unix(0, 0)
	s.add(at, time.Minute, 5)
	s.add(at.Add(3*time.Minute), time.Minute, 7)
	if got := fmt.Sprint(s.shown()); got != "[5 NaN NaN 7]" {
		t.Errorf("shown %s", got)
	}
	for i := range maxColumns { // joined in pairs, a column is known if one of them was
		s.add(at.Add(time.Duration(100+i)*time.Minute), time.Minute, 1)
	}
	if got := fmt.Sprint(s.shown()[:4]); got != "[5 7 NaN NaN]" {
		t.Errorf("shown %s", got)
	}
}

package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"firebreak/actuator"
	"firebreak/dashboards/draw"
)

// TestWeekFormsAgree: page and Markdown have the numbers that JSON has: service levels, what was not watched, and of each hotspot its life,
// its cost and what a person said.
func TestWeekFormsAgree(t *testing.T) {
	c := busyWeek(t)
	c.say(c.minute(88), actuator.KindDismissed, "ann", "the load test of the afternoon")
	run := &Run{Fleets: []Fleet{c.week(60, 120)}}
	_, root := rendered(t, run)
	var md, data bytes.Buffer
	if err := Markdown(&md, run); err != nil {
		t.Fatal(err)
	}
	if err := JSON(&data, run); err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Fleets []struct {
			Watched struct {
				Share float64
				Down  []struct {
					From, To time.Time
					Why      string
				}
			}
			Levels struct {
				Found, Dismissed int
				InTime           int `json:"in_time"`
				Peak, Average    float64
			}
			Hotspots []struct {
				Found    time.Time
				Resolved string
				Costs    []string
				Said     *struct{ By, Reason string }
				Verdict  struct{ Shard, Key string }
			}
		}
	}
	if err := json.Unmarshal(data.Bytes(), &doc); err != nil {
		t.Fatal(err)
	}
	f := &doc.Fleets[0]
	want := []string{
		draw.Percent(f.Watched.Share) + " of the time was recorded and judged", fmt.Sprintf("%d of %d in time", f.Levels.InTime, f.Levels.Found),
		fmt.Sprintf("%d of %d were dismissed", f.Levels.Dismissed, f.Levels.Found), draw.Percent(f.Levels.Peak) + " on shard-", draw.Percent(f.Levels.Average),
	}
	for _, d := range f.Watched.Down {
		want = append(want, draw.Clock(d.From), draw.Clock(d.To), draw.Span(d.To.Sub(d.From)), d.Why)
	}
	said := 0
	for _, h := range f.Hotspots {
		want = append(want, draw.Hour(h.Found), h.Verdict.Shard, h.Verdict.Key, strings.Join(h.Costs, "; "))
		if at, err := time.Parse(time.RFC3339, h.Resolved); err == nil {
			want = append(want, draw.Hour(at))
		}
		if h.Said != nil {
			said++
			want = append(want, h.Said.By, h.Said.Reason)
		}
	}
	if len(f.Hotspots) != 3 || len(f.Watched.Down) != 2 || said != 1 {
		t.Fatalf("%d hotspots, %d gaps, %d words: the story has changed", len(f.Hotspots), len(f.Watched.Down), said)
	}
	for form, text := range map[string]string{"page": reading(root), "Markdown": md.String()} {
		for _, part := range want {
			if !strings.Contains(strings.ReplaceAll(text, "\u00a0", " "), part) {
				t.Errorf("the %s lacks %q", form, part)
			}
		}
	}
}

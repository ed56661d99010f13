package report

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"firebreak/actuator"
	"firebreak/policy"
)

// TestWeek: the report of a period that has everything reads as it stands in its files: page, Markdown and JSON.
func TestWeek(t *testing.T) {
	c := busyWeek(t)
	c.say(c.minute(88), actuator.KindDismissed, "ann", "the load test of the afternoon")
	c.say(c.minute(112), actuator.KindAccepted, "bob", "the feed of mega is moved on Monday")
	run := &Run{Fleets: []Fleet{c.week(60, 120)}}
	_, root := rendered(t, run)
	var text, data bytes.Buffer
	if err := Markdown(&text, run); err != nil {
		t.Fatal(err)
	}
	if err := JSON(&data, run); err != nil {
		t.Fatal(err)
	}
	var pretty bytes.Buffer
	if err := json.Indent(&pretty, data.Bytes(), "", " "); err != nil {
		t.Fatal(err)
	}
	for name, got := range map[string]string{"week.txt": reading(root), "week.md": text.String(), "week.json": pretty.String()} {
		golden(t, name, got)
	}
}

// golden compares with a file of testdata/report, or writes it.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("..", "..", "testdata", "report", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); diff != "" {
		t.Errorf("%s (-want +got):\n%s", name, diff)
	}
}

// TestWeekIsTheReplayOfTheSame: where they overlap, the report of a period says of a hotspot what the report of a log does.
func TestWeekIsTheReplayOfTheSame(t *testing.T) {
	make16 := func() *fleet {
		f := newFleet(t, 16, "tenant,key")
		f.sources = append(f.sources, source{"shop-7", "cart:42", 0, between(12, 40, 900)})
		return f
	}
	c := newChronicle(t, make16()).live(72)
	week := newTeller(new(c.week(0, 12)), "f1", fullLimits()).view(false)
	log := newTeller(new(make16().run(72).of()), "f1", fullLimits()).view(false)
	if len(week.Hotspots) != 1 || len(log.Hotspots) != 1 {
		t.Fatalf("%d and %d hotspots", len(week.Hotspots), len(log.Hotspots))
	}
	a, b := &week.Hotspots[0], &log.Hotspots[0]
	for _, part := range []struct {
		what      string
		got, want any
	}{
		{"headline", week.Headline, log.Headline},
		{"sentence", a.Sentence, b.Sentence},
		{"times", a.Times, b.Times},
		{"boards", a.Boards, b.Boards},
		{"fixes", a.Fixes, b.Fixes},
		{"steps", a.Steps, b.Steps},
		{"evidence", a.Evidence, b.Evidence},
		{"title", a.Title, b.Title},
		{"next", a.Next, b.Next},
	} {
		if diff := cmp.Diff(part.want, part.got); diff != "" {
			t.Errorf("%s (-log +week):\n%s", part.what, diff)
		}
	}
}

// TestWeekWithoutEvidence: hidden or lost evidence costs the pictures and nothing else; the page says so.
func TestWeekWithoutEvidence(t *testing.T) {
	c := busyWeek(t)
	var minutes [][]byte
	for _, v := range c.values {
		if v[1] == 1 {
			minutes = append(minutes, v)
		}
	}
	c.values = minutes
	run := &Run{Fleets: []Fleet{c.week(60, 120)}}
	_, root := rendered(t, run)
	got := reading(root)
	for _, part := range []string{"Its evidence is not in the history", "cart:42", "Salt the key", "What each fix was said to do", "the fix"} {
		if !strings.Contains(got, part) {
			t.Errorf("want %q in\n%s", part, got)
		}
	}
}

// TestEmptyWeek: nobody ran. The page says that nothing can be said, not that all was well.
func TestEmptyWeek(t *testing.T) {
	cfg := policy.Default()
	at := time.Date(2026, 3, 2, 7, 0, 0, 0, time.UTC)
	run := &Run{Fleets: []Fleet{gathered(t, "orders", at, at.AddDate(0, 0, 7), &cfg, nil, nil)}}
	_, root := rendered(t, run)
	golden(t, "week-empty.txt", reading(root))
	for _, write := range []func() error{func() error { return Markdown(new(bytes.Buffer), run) }, func() error { return JSON(new(bytes.Buffer), run) }} {
		if err := write(); err != nil {
			t.Error(err)
		}
	}
}

// TestWeekRefuses: a period that runs backwards, is too long or begins within a minute.
func TestWeekRefuses(t *testing.T) {
	cfg := policy.Default()
	at := time.Date(2026, 3, 2, 7, 0, 0, 0, time.UTC)
	for _, tt := range []struct{ from, to time.Time }{{at, at}, {at, at.Add(-time.Hour)}, {at, at.Add(MaxPeriod + time.Minute)}, {at.Add(time.Second), at.Add(time.Hour)}} {
		if _, err := NewWeek("f", tt.from, tt.to, &cfg); err == nil {
			t.Errorf("%v to %v is taken", tt.from, tt.to)
		}
	}
}

// TestWeekOfTheLongestMonth: 35 days within which the clock is set back are 35 days.
func TestWeekOfTheLongestMonth(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	cfg := policy.Default()
	from := time.Date(2026, 10, 1, 0, 0, 0, 0, berlin)
	w, err := NewWeek("f", from, from.AddDate(0, 0, 35), &cfg)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := NewWeek("f", from, from.AddDate(0, 0, 36), &cfg); err == nil {
		t.Error("36 days are taken")
	}
	if f := w.Fleet(""); f.Recorder.grid.columns == 0 || f.Recorder.grid.columns > maxColumns {
		t.Errorf("%d columns", f.Recorder.grid.columns)
	}
}

// TestPageForEyes writes the page of the busy week to the file that is named, to be looked at.
func TestPageForEyes(t *testing.T) {
	path := os.Getenv("FIREBREAK_PAGE")
	if path == "" {
		t.Skip("FIREBREAK_PAGE names no file to write the page to")
	}
	c := busyWeek(t)
	var b bytes.Buffer
	if err := Render(&b, &Run{Fleets: []Fleet{c.week(60, 120)}}); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
}

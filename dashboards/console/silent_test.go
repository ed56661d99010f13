package console

import (
	"strings"
	"testing"
	"time"

	"firebreak/internal/words"
)

// TestSilent: of a fleet whose log has nothing new, overview, hotspot, status and API say since when; nothing is said to be hot now, or to be
// over, and it is no blindness. With the next record all of it is as before.
func TestSilent(t *testing.T) {
	f := hotKey(t)
	for i := range f.sources { // all is silent from pane 30 to 120
		rate := f.sources[i].rate
		f.sources[i].rate = func(pane int) float64 {
			if pane >= 30 && pane < 120 {
				return 0
			}
			return rate(min(pane, 39))
		}
	}
	f.looked(nil).run(30)
	h := served(t, f.model, &oracle{})
	since := f.start.Add(30 * 10 * time.Second)
	said := func() (overview, hotspot, status string) {
		return textOf(t, get(t, h, "/").Body.String()), textOf(t, get(t, h, "/fleets/orders/hotspots/"+f.hot()).Body.String()), textOf(t, get(t, h, "/status").Body.String())
	}
	traffic := func() time.Time { return timeOf(read[fleetsAnswer](t, h, "/api/v1/fleets").Fleets[0].Traffic) }
	loud := func(when string) {
		t.Helper()
		overview, hotspot, status := said()
		if strings.Contains(overview+hotspot+status, "No record since") || !strings.Contains(hotspot, "It is still hot.") || !strings.Contains(overview, "is hot: ") {
			t.Errorf("%s: %s\n%s\n%s", when, overview, hotspot, status)
		}
	}
	loud("with records")
	for _, pane := range []int{40, 90} { // with records in the window, and without
		f.run(pane)
		overview, hotspot, status := said()
		want := "No record since " + words.Clock(since) + " (" + words.Lasting(time.Duration(pane-30)*10*time.Second) + ")"
		for where, text := range map[string]string{"overview": overview, "hotspot": hotspot, "status": status} {
			if !strings.Contains(text, want) {
				t.Errorf("pane %d: the %s does not say %q: %s", pane, where, want, text)
			}
		}
		if !strings.Contains(overview, "was last seen hot at "+words.Hour(since)) || strings.Contains(hotspot, "still hot.") || strings.Contains(hotspot, " it bears 0/s") {
			t.Errorf("pane %d: %s\n%s", pane, overview, hotspot)
		}
		if a := read[fleetsAnswer](t, h, "/api/v1/fleets").Fleets[0]; a.Blind || a.Open != 1 || !traffic().Equal(since) {
			t.Errorf("pane %d: blind %v, %d open, traffic %v", pane, a.Blind, a.Open, traffic())
		}
	}
	late := New([]Fleet{{Name: f.name, Judge: f.cfg}}, nil) // of an instance that begins now, by what detection remembers
	f.model = late
	f.run(91)
	if text := textOf(t, get(t, served(t, late, &oracle{}), "/").Body.String()); !strings.Contains(text, "No record since "+words.Clock(f.state.Detection.Newest)) {
		t.Errorf("an instance that begins in the silence: %s", text)
	}
	f.run(126)
	h = served(t, late, &oracle{})
	loud("with records again")
	if got, want := traffic(), f.start.Add(126*10*time.Second); !got.Equal(want) {
		t.Errorf("traffic %v, want %v", got, want)
	}
}

package console

import (
	"strings"
	"testing"

	"firebreak/internal/words"
)

// TestBlind: of a fleet that cannot be judged nothing is said to be hot now: list, page and API say when it was last seen, why it is not
// seen, since when and what to do. With sight all of it is as before.
func TestBlind(t *testing.T) {
	f := hotKey(t)
	f.cfg.WarmPanes = 6
	f.looked(nil).run(30)
	h := served(t, f.model, &oracle{})
	sighted := f.now()
	fleet := func() fleetAnswer { return read[fleetsAnswer](t, h, "/api/v1/fleets").Fleets[0] }
	if a := fleet(); a.State != "hot" || a.Blind || !timeOf(a.BlindFrom).IsZero() || !timeOf(a.Sighted).Equal(sighted) {
		t.Fatalf("with sight: %s %v %v %v", a.State, a.Blind, a.BlindFrom, a.Sighted)
	}
	f.silent = []string{"main/requests/3"}
	f.run(31)
	since := f.now()
	f.run(36)
	if a := fleet(); a.State != "blind" || !a.Blind || a.Open != 1 || !timeOf(a.BlindFrom).Equal(since) || !timeOf(a.Sighted).Equal(sighted) {
		t.Errorf("blind: %s %v %d %v %v", a.State, a.Blind, a.Open, a.BlindFrom, a.Sighted)
	}
	overview, page := textOf(t, get(t, h, "/").Body.String()), textOf(t, get(t, h, "/fleets/orders/hotspots/"+f.hot()).Body.String())
	for _, want := range []string{"was last seen hot at " + words.Hour(sighted), "cannot be judged since " + words.Clock(since), "main/requests/3", "firebreak doctor"} {
		if !strings.Contains(overview, want) {
			t.Errorf("the overview does not say %q:\n%s", want, overview)
		}
	}
	if want := "Last seen hot at " + words.Hour(sighted); !strings.Contains(page, want) || strings.Contains(page, "still hot.") || strings.Contains(page, "it bears ") || strings.Contains(page, " bears 1,000") {
		t.Errorf("the page does not say %q, or that it is hot now:\n%s", want, page)
	}
	f.silent = nil
	f.run(37)
	if a := fleet(); a.State != "hot" || a.Blind || !strings.Contains(textOf(t, get(t, h, "/").Body.String()), "is hot:") {
		t.Errorf("with sight again: %s", a.State)
	}
}

// TestBlindWithoutHotspots: where nothing was hot either, the sentence says why nothing is known.
func TestBlindWithoutHotspots(t *testing.T) {
	f := watch(t, 4, "key").looked(nil).run(31)
	f.silent = []string{"main/requests/0"}
	f.run(33)
	text := textOf(t, get(t, served(t, f.model, &oracle{}), "/").Body.String())
	for _, want := range []string{"Hot or not is not known now.", "main/requests/0", "cannot be judged since", "firebreak doctor"} {
		if !strings.Contains(text, want) {
			t.Errorf("not said: %s\n%s", want, text)
		}
	}
	late := New([]Fleet{{Name: f.name, Judge: f.cfg}}, nil)
	f.model = late
	f.run(34)
	if text := textOf(t, get(t, served(t, late, &oracle{}), "/").Body.String()); !strings.Contains(text, "since this instance looks") {
		t.Errorf("of an instance that never saw: %s", text)
	}
}

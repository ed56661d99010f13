package console

import (
	"strings"
	"testing"

	"firebreak/policy"
)

// TestCooling: an open hotspot whose load is under its line again is not called hot, neither on its page nor on the overview: what is said
// is since when it is under its line, and what it waits for to be over. A fix that nothing proves keeps it open, and that is said.
func TestCooling(t *testing.T) {
	f := hotKey(t).looked(nil).run(39)
	h := served(t, f.model, &oracle{})
	said := func() (overview, hotspot string) {
		return textOf(t, get(t, h, "/").Body.String()), textOf(t, get(t, h, "/fleets/orders/hotspots/"+f.hot()).Body.String())
	}
	if overview, hotspot := said(); !strings.Contains(overview, "is hot: ") || !strings.Contains(hotspot, "It is still hot.") || strings.Contains(overview+hotspot, "under its line") {
		t.Fatalf("while it is hot: %s\n%s", overview, hotspot)
	}
	hot := f.model.fleets[0].order[0]
	seen := map[string]bool{}
	for f.run(f.panes + 1); hot.open() && f.panes < 80; f.run(f.panes + 1) {
		overview, hotspot := said()
		load, line := f.model.fleets[0].shardOf(hot).load, float64(hot.verdict.Line)
		for _, text := range []string{"It is still hot.", "It is under its line now, and over when it was well under it for 2 min.", "and over when it stays so for 2 min."} {
			if strings.Contains(hotspot, text) {
				seen[text] = true
			}
		}
		if hot := strings.Contains(hotspot, "It is still hot."); hot != (load >= line) || hot != strings.Contains(overview, " is hot: ") || hot == strings.Contains(hotspot, " under its line ") {
			t.Errorf("pane %d, %.0f/s, line %.0f/s: %s\n%s", f.panes, load, line, overview, hotspot)
		}
	}
	if len(seen) < 2 || hot.open() {
		t.Errorf("said: %v, open %v", seen, hot.open())
	}
}

// TestCoolAndUnproved: a hotspot that a fix keeps open of which nothing says that it works is no hot one; the page says why it is open.
func TestCoolAndUnproved(t *testing.T) {
	f := hotKey(t).looked(nil).run(39)
	f.world = func() policy.World {
		return policy.World{Operations: []policy.Operation{{Hotspot: f.hot(), Unproved: true}}}
	}
	f.run(80)
	text := textOf(t, get(t, served(t, f.model, &oracle{}), "/fleets/orders/hotspots/"+f.hot()).Body.String())
	if want := "and open still: nothing independent of the table says that the traffic follows its fix."; !strings.Contains(text, want) || strings.Contains(text, "still hot") {
		t.Errorf("want %q: %s", want, text)
	}
}

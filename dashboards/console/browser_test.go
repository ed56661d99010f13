package console

import (
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"testing"
	"time"

	"go.uber.org/zap"

	"firebreak/actuator"
	"firebreak/internal/access"
	"firebreak/internal/line"
)

// TestServe serves .ci/browser what the demonstration does not have: hotspots of which people spoke, one open and one over, reports that
// were written, and what they are made of; and, for people with tokens, a fleet that is acted on. It prints the addresses and ends with its
// input.
func TestServe(t *testing.T) {
	if os.Getenv("FIREBREAK_SERVE") == "" {
		t.Skip("serves .ci/browser only: FIREBREAK_SERVE is not set")
	}
	f := hotKey(t)
	f.sources[len(f.sources)-1].rate = func(pane int) float64 { return between(12, 24, 900)(pane) + between(80, 1000, 900)(pane) }
	f.looked(nil).run(30)
	f.dismiss("bob", "the load test of the afternoon")
	f.run(110)
	f.tell(actuator.NewAccepted(f.name, f.now(), actuator.Accepted{
		Hotspot: line.Name(f.model.fleets[0].order[1].id), By: "ann", Reason: "the nightly import; a new shard comes on Monday", Until: line.Stamp(f.now().Add(8 * time.Hour)), Load: 1000,
	}))
	week := 7 * 24 * time.Hour
	for i, r := range []actuator.Reported{
		{Text: "One shard of orders was hot, for 12 min in all. Every level was kept.", Hotspots: 1, Where: "/var/lib/firebreak/reports/firebreak-watch-2026-02-23.html"},
		{Why: "open /var/lib/firebreak/reports: no space left on device"},
	} {
		f.tell(reportOf(t, f.start.Add(time.Duration(i-3)*week), f.start.Add(time.Duration(i-2)*week), r), nil)
	}
	f.run(120)
	carts := hotKey(t)
	carts.name = "carts"
	carts.run(120)
	s, err := Open(t.Context(), access.Config{Listen: "127.0.0.1:0"}, f.model, &oracle{}, &chronicler{watched: f, more: []*watched{carts}}, nil, zap.NewNop())
	if err != nil {
		t.Fatal(err)
	}
	d := hotKey(t).looked(nil).run(30).decided()
	d.heard(t)
	d.state.Document.Stop = false
	acts, err := Open(t.Context(), access.Config{Listen: "127.0.0.1:0", Tokens: slices.Collect(maps.Values(tokens()))}, d.model, &oracle{}, nil, d, zap.NewNop())
	if err != nil {
		t.Fatal(err)
	}
	fmt.Printf("acts http://%s\nserves http://%s\n", acts.Addr(), s.Addr())
	_, _ = io.Copy(io.Discard, os.Stdin)
	for _, s := range []*Server{s, acts} {
		if err := s.Close(t.Context()); err != nil {
			t.Error(err)
		}
	}
}

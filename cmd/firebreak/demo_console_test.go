package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

// fetch reads a page of this process; empty = there is none.
func fetch(ctx context.Context, address string) string {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return ""
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return ""
	}
	defer resp.Body.Close()
	b, _ := io.ReadAll(resp.Body)
	return string(b)
}

// TestDemoPage: the address that the demonstration prints serves the hot key of the story with its evidence, its fixes and what a
// journal would say of it, and is gone when it ends.
func TestDemoPage(t *testing.T) {
	if testing.Short() {
		t.Skip("takes real time")
	}
	defer http.DefaultClient.CloseIdleConnections()
	flags := thinDemo(1)
	flags.speed, flags.console = 40, "127.0.0.1:0"
	world, fleet, err := demoWorld(flags.seed, flags.every)
	if err != nil {
		t.Fatal(err)
	}
	e, err := newLiveEngine(flags.speed, flags.console)(t.Context(), &fleet, world, flags.seed)
	if err != nil {
		t.Fatal(err)
	}
	address := e.(*liveEngine).address()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	pages := make(chan [4]string, 1)
	go func() {
		defer stop()
		for end := time.Now().Add(60 * time.Second); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
			var list struct{ Hotspots []struct{ Hotspot string } }
			if json.Unmarshal([]byte(fetch(ctx, address+"api/v1/hotspots")), &list) != nil || len(list.Hotspots) == 0 {
				continue
			}
			pages <- [4]string{fetch(ctx, address), fetch(ctx, address+"fleets/demo/hotspots/"+list.Hotspots[0].Hotspot), fetch(ctx, address+"api/v1/search?key=counter:views&tenant=t-010306"), fetch(ctx, address+"reports")}
			return
		}
	}()
	d := newDemo(flags, world, e, &demoOutput{w: &bytes.Buffer{}})
	if err := d.run(ctx); err != nil {
		t.Fatal(err)
	}
	select {
	case got := <-pages:
		for i, wants := range [][]string{
			{"is hot: one key", "counter:views", "demo</bdi>, since"},
			{"Every fix, side by side", "Salt the key", "Fired, ", "t-010306", `class="bars"`},
			{`"shard":"shard-5"`},
			{"No report can be made here"},
		} {
			for _, want := range wants {
				if !strings.Contains(got[i], want) {
					t.Errorf("page %d lacks %q:\n%s", i, want, got[i])
				}
			}
		}
	default:
		t.Error("no hotspot was on the page")
	}
	if text := fetch(t.Context(), address); text != "" {
		t.Errorf("the page is still there: %.200s", text)
	}
}

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

// rollBack asks by the form of the page that the first operation is taken back; the answer begins with its status.
func rollBack(ctx context.Context, address string) string {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, address, strings.NewReader("do=rollback&operation=1&reason=x"))
	if err != nil {
		return err.Error()
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err.Error()
	}
	defer resp.Body.Close()
	b, _ := io.ReadAll(resp.Body)
	return resp.Status + " " + string(b)
}

// TestDemoPage: the address that the demonstration prints serves the hot key of the story with its evidence, its fixes and what a
// journal would say of it; then what is done of it: the operation with its way and what it waits for, the routing with who holds which
// version, and the steps in the timeline. Who is not known by name changes nothing. It is gone when the story ends.
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
	pages := make(chan [9]string, 1)
	go func() {
		defer stop()
		for end := time.Now().Add(60 * time.Second); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
			var list struct{ Hotspots []struct{ Hotspot string } }
			if json.Unmarshal([]byte(fetch(ctx, address+"api/v1/hotspots")), &list) != nil || len(list.Hotspots) == 0 {
				continue
			}
			hotspot := address + "fleets/demo/hotspots/" + list.Hotspots[0].Hotspot
			got := [9]string{fetch(ctx, address), fetch(ctx, hotspot), fetch(ctx, address+"api/v1/search?key=counter:views&tenant=t-010306"), fetch(ctx, address+"reports")}
			for ; time.Now().Before(end) && !strings.Contains(got[4], "Operation 1:"); time.Sleep(50 * time.Millisecond) {
				got[4] = fetch(ctx, address+"fleets/demo/actions")
			}
			got[5], got[6], got[7] = fetch(ctx, address+"fleets/demo/routing"), fetch(ctx, hotspot), fetch(ctx, address+"status")
			got[8] = rollBack(ctx, address+"fleets/demo/actions")
			pages <- got
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
			{"is under way.", "A roll-back would ", `aria-current="step"`, "console.tokens"},
			{"Clients route by version", "3 clients are live", "app-1", "app-3", "xxh64 of"},
			{"salt the key, which nobody had to approve): "},
			{"epoch 1, version ", "not stopped"},
			{"403 ", "by who is not known by name"},
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

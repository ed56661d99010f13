package console

import (
	"strings"
	"testing"
	"time"

	"firebreak/internal/words"
)

// headline is what the overview says, by the page.
func (f *watched) headline() string {
	f.t.Helper()
	_, said := f.model.fleets[0].headline()
	text := strings.ReplaceAll(said.String(), "\u00a0", " ")
	if page := textOf(f.t, get(f.t, served(f.t, f.model, &oracle{}), "/").Body.String()); !strings.Contains(page, text) {
		f.t.Fatalf("the page does not say: %s", text)
	}
	return text
}

// TestPending: in no pane stands a bar over its line and nothing is said of it: a shard that is over its line and not hot yet is named
// with the time since when, page and API alike; so is one that was over it and is not any more. Where no bar does, no shard is named.
func TestPending(t *testing.T) {
	f := watch(t, 16, "tenant,key")
	f.sources = append(f.sources, source{"shop-7", "cart:42", 0, between(32, 35, 200)})
	f.looked(nil).run(32)
	seen := map[string]int{}
	for pane := 33; pane <= 45; pane++ {
		f.run(pane)
		said := f.headline()
		now := read[fleetsAnswer](t, served(t, f.model, &oracle{}), "/api/v1/fleets").Fleets[0]
		if now.State != "calm" {
			t.Fatalf("pane %d: %s", pane, said)
		}
		want := "No shard is hot."
		for _, s := range now.Shards {
			since := timeOf(s.Since)
			switch {
			case s.Full <= 1:
				continue
			case since.IsZero():
				want = string(s.Shard) + " was over its line in the last minute, its newest panes are not."
			default:
				want = string(s.Shard) + " is over its line since " + words.Hour(since)
				if since.Before(f.start.Add(320*time.Second)) || since.After(f.now()) {
					t.Errorf("pane %d: over its line since %v", pane, since)
				}
			}
		}
		if !strings.HasSuffix(said, want) && !strings.Contains(said, want+", not long enough yet.") && !strings.Contains(said, want+" by its numbers, which may be chance.") {
			t.Errorf("pane %d: want %q, said: %s", pane, want, said)
		}
		seen[strings.Join(strings.Fields(want)[1:3], " ")]++
	}
	for _, kind := range []string{"shard is", "is over", "was over"} {
		if seen[kind] == 0 {
			t.Errorf("the story has no pane in which a shard %s: %v", kind, seen)
		}
	}
}

// TestPendingWords: of several the fullest that still is over its line is named; a hotspot that is not told here yet is not called calm.
func TestPendingWords(t *testing.T) {
	at := time.Date(2026, 3, 1, 14, 2, 10, 0, time.UTC)
	over := func(name string, full float64, p pending) shardNow {
		return shardNow{name: name, full: full, pending: p}
	}
	for _, c := range []struct {
		shards []shardNow
		want   string
	}{
		{[]shardNow{over("a", 1, pending{})}, "No shard is hot."},
		{
			[]shardNow{over("a", 3, pending{}), over("b", 1.2, pending{since: at, proved: true}), over("c", 1.3, pending{since: at, proved: true})},
			"No shard is hot yet: c is over its line since 14:02:10Z, not long enough yet; 2 more shards beside it.",
		},
		{[]shardNow{over("a", 2, pending{since: at})}, "No shard is hot yet: a is over its line since 14:02:10Z by its numbers, which may be chance."},
		{[]shardNow{over("a", 2, pending{since: at, told: true})}, "a is over its line since 14:02:10Z, and was told to be hot before this instance looked."},
	} {
		if got := (&present{shards: c.shards}).quiet().String(); got != c.want {
			t.Errorf("%s, want %s", got, c.want)
		}
	}
}

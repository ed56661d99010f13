package main

import (
	"strings"
	"testing"
	"time"
)

// TestRunAlone: an instance that reads only serves its page from what it judges itself: the hot key, what the journal that nobody keeps
// says of it, the look-up, and a map that begins with it.
func TestRunAlone(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a minute of real time")
	}
	t.Parallel()
	config, _, hot := liveLog(t)
	hot.set(0.5)
	r := startRun(t, config, "--standalone")
	has := func(path string, wants ...string) func() bool {
		return func() bool {
			text := r.ask("console", path)
			for _, want := range wants {
				if !strings.Contains(text, want) {
					return false
				}
			}
			return true
		}
	}
	eventually(t, 40*time.Second, "the hot key is on the page", has("/", "the-hot-one", "is hot"))
	eventually(t, 10*time.Second, "its entries are read back", has("/api/v1/hotspots", `"state":"open"`))
	eventually(t, 10*time.Second, "the status is that of one who is alone", has("/api/v1/status", `"standalone":true`, `"partitions":4`, `"decides":true`))
	eventually(t, 10*time.Second, "it keeps nothing to make a report of, and says so", has("/reports", "No report can be made here"))
	eventually(t, 10*time.Second, "the look-up answers", has("/api/v1/search?key=the-hot-one", `"shard":"shard-`))
	eventually(t, 100*time.Second, "the map begins", has("/api/v1/heatmap", `"shard":"shard-3"`))
	r.end(t)
}

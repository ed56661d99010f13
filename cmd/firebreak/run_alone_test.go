package main

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
)

// TestRunAlone: an instance that reads only serves its page from what it judges itself: the hot key, what the journal that nobody keeps
// says of it, the look-up, and a map that begins with it.
func TestRunAlone(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a minute of real time")
	}
	c, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(4, "requests"))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	ctx, stop := context.WithCancel(t.Context())
	hot := &share{}
	hot.set(0.5)
	var producing sync.WaitGroup
	producing.Go(func() { requestLog(t, ctx, c.ListenAddrs(), hot) })
	defer func() { stop(); producing.Wait() }()
	r := startRun(t, fmt.Sprintf(runConfig, strings.Join(c.ListenAddrs(), ","), "http://127.0.0.1:1/"), "--standalone")
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

//go:build kafka && linux

package crash

import (
	"flag"
	"fmt"
	"testing"
	"time"
)

var (
	faultsFlag = flag.Int("faults", 10, "kills and freezes")
	seedFlag   = flag.Uint64("seed", 0, "of the schedule and of the records; 0 = another one each time")
	rateFlag   = flag.Int("rate", 2000, "records a second")
)

// Partitions of the request log, before and after it grows.
const (
	partsBefore = 12
	partsAfter  = 16
)

// failoverBound is how long nobody may decide after a death: the session, and 10 s.
const failoverBound = session + 10*time.Second

// TestCrash: three processes count a request log on a real broker while processes are killed and frozen, the topic grows and
// the broker is killed. Every record is counted once, one process decides at a time, and what they find is what one process
// finds that nothing happens to.
func TestCrash(t *testing.T) {
	seed := *seedFlag
	if seed == 0 {
		seed = uint64(time.Now().UnixNano())
	}
	story := &Story{Seed: seed, Faults: *faultsFlag, Processes: 3}
	schedule := story.Schedule()
	t.Logf("seed %d (-seed), %d faults, %d records/s, %v:", seed, story.Faults, *rateFlag, story.Length())
	for _, f := range schedule {
		t.Logf("  %v", f)
	}
	binary := buildBinary(t)
	calm, g := newGroup(t, fleetConfig, partsBefore), newGroup(t, fleetConfig, partsBefore)
	w := newWriter(t, seed, *rateFlag, partsBefore, time.Second, g.broker.Addr(), calm.broker.Addr())
	stop := w.background(t.Context())
	calm.begin(binary, 1)
	g.begin(binary, story.Processes)
	calm.await(time.Minute)
	g.await(time.Minute)

	r := &run{group: g, writer: w, begun: time.Now(), process: map[string]int{}}
	w.hot.Store(func() string {
		if n, hot := story.Hot(time.Since(r.begun)); hot {
			return hotKey(n)
		}
		return ""
	})
	r.play(schedule)
	r.sleep(story.Length())
	stop()
	t.Logf("written: %d records over %v", w.tally.Records(), time.Since(r.begun).Round(time.Second))

	exact(t, "with faults", g, w.tally)
	exact(t, "without faults", calm, w.tally)
	got, want := g.journal(), calm.journal()
	t.Logf("journal with faults: %v", got)
	t.Logf("journal without faults: %v", want)
	r.oneDecides(got)
	r.sameVerdicts(story, got, want)
	r.allTold(got)
}

// hotKey is the n-th key that becomes hot.
func hotKey(n int) string { return fmt.Sprintf("hot-%d", n) }

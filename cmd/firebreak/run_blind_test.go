package main

import (
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// TestStoryS08: from the fault to the webhook. For ten minutes no coordinator is found and every fetch fails, while a key is hot.
// Within two minutes a receiver is told, once of each of two fleets, that nothing is seen; it is not told that the hotspot resolved; and within a
// minute of the faults' end that all is seen again, without a restart.
func TestStoryS08(t *testing.T) {
	watchedStory(t, tellS08, kfake.SeedTopics(4, "requests"))
}

func tellS08(t *testing.T, w *watched) {
	w.write(5 * time.Minute)
	if n := len(w.pager.of("verdict", "firing")); n != 1 {
		t.Fatalf("told %d times that a key is hot: the story does not begin", n)
	}
	fault := time.Now()
	faults := w.cluster.Fault(
		kfake.Fault{Keys: []kmsg.Key{kmsg.Heartbeat, kmsg.JoinGroup, kmsg.SyncGroup, kmsg.OffsetFetch, kmsg.OffsetCommit}, Err: kerr.NotCoordinator, Count: -1},
		kfake.Fault{Keys: []kmsg.Key{kmsg.FindCoordinator}, Err: kerr.CoordinatorNotAvailable, Count: -1},
		kfake.Fault{Keys: []kmsg.Key{kmsg.Fetch}, Err: kerr.UnknownServerError, Count: -1},
	)
	w.write(10 * time.Minute)
	faults.Remove()
	back := time.Now()
	w.write(3 * time.Minute)
	w.pager.expect(t, "blind", fault, 2*time.Minute)
	w.pager.expect(t, "sighted", back, time.Minute)
	if told := w.pager.of("", "resolved"); len(told) > 0 {
		t.Errorf("told that it resolved, %v after the faults began", told[0].Sub(fault))
	}
	if n := len(w.pager.of("verdict", "firing")); n != 1 {
		t.Errorf("told %d times that a key is hot", n)
	}
}

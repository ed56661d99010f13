package main

import (
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// TestStoryS08: from the fault to the webhook. For ten minutes no coordinator is found and every fetch fails, while a key is hot and another one
// salted. Within a minute its metrics say that all is held as stale; within two a receiver is told, once of each of two fleets, that nothing is seen. It is not told that
// the hotspot resolved, nor, although a minute of low demand is enough here, of a plan to take the salt back; and within a minute of the
// faults' end that all is seen again, without a restart.
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
	w.write(time.Minute)
	if blind, stale := w.shows(`firebreak_blind{orders}`), w.shows(`firebreak_holds{orders,stale}`); blind != 1 || stale != 1 {
		t.Errorf("a minute after the faults began blind is %v, and held as stale %v", blind, stale)
	}
	w.write(9 * time.Minute)
	faults.Remove()
	back := time.Now()
	w.write(time.Minute)
	if blind := w.shows(`firebreak_blind{orders}`); blind != 0 {
		t.Errorf("a minute after their end blind is %v", blind)
	}
	w.write(2 * time.Minute)
	w.pager.expect(t, "blind", fault, 2*time.Minute)
	w.pager.expect(t, "sighted", back, time.Minute)
	if told := w.pager.of("", "resolved"); len(told) > 0 {
		t.Errorf("told that it resolved, %v after the faults began", told[0].Sub(fault))
	}
	if n := len(w.pager.of("verdict", "firing")); n != 1 {
		t.Errorf("told %d times that a key is hot", n)
	}
	if undo := w.pager.toldReceiver.of(func(body string) bool { return strings.Contains(body, salted) }); len(undo) > 0 {
		t.Errorf("told of the salted key: %s", undo[0])
	}
	if n := len(w.pager.of("acted", "")); n > 0 {
		t.Errorf("%d steps of operations", n)
	}
}

// shows is the value of a series of the instance.
func (w *watched) shows(series string) float64 { return gauge(w.t, w.metrics, series) }

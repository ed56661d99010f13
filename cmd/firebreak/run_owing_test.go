package main

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/zap"

	"firebreak/actuator"
	"firebreak/actuator/notify"
)

// TestOwing: what says that nothing is seen is given for receivers once, after a while, unless the journal has it by then or its
// own fleet is seen again; that another fleet is changes nothing.
func TestOwing(t *testing.T) {
	at := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	blind := func(id, fleet string) actuator.Entry {
		return actuator.Entry{ID: id, Fleet: fleet, Kind: actuator.KindBlind, At: at}
	}
	o := newOwing(time.Hour)
	o.add([]actuator.Entry{blind("1", "orders"), blind("2", "users"), blind("3", "carts")}, at)
	o.saw(&actuator.Entry{ID: "3"})
	o.add([]actuator.Entry{{ID: "4", Fleet: "users", Kind: actuator.KindSighted, At: at}}, at)
	after := func(d time.Duration) (ids []string) {
		for _, e := range o.unheard(at.Add(d), 20*time.Second) {
			ids = append(ids, e.ID)
		}
		return ids
	}
	var none []string
	for _, tt := range []struct {
		after time.Duration
		want  []string
	}{{19 * time.Second, none}, {20 * time.Second, []string{"1"}}, {time.Minute, none}} {
		if diff := cmp.Diff(tt.want, after(tt.after)); diff != "" {
			t.Errorf("after %v (-want +got):\n%s", tt.after, diff)
		}
	}
	written := func(want ...string) {
		t.Helper()
		var ids []string
		for _, e := range o.begin(at, 7, "one") {
			ids = append(ids, e.ID)
			if e.Epoch != 7 || e.Instance != "one" {
				t.Errorf("not stamped: %+v", e)
			}
		}
		if diff := cmp.Diff(want, ids); diff != "" {
			t.Errorf("owed to the journal (-want +got):\n%s", diff)
		}
	}
	written("1", "2", "4")
	o.done(errors.New("no broker"))
	written("1", "2", "4")
	o.done(nil)
	written()
}

// TestJournalLatest: the epoch of the decider is what the journal says, whoever it is, and it only grows.
func TestJournalLatest(t *testing.T) {
	j, log := readJournal(t)
	if got := j.latest(); got != 0 || j.decides() {
		t.Errorf("epoch %d of an empty journal, decides %v", got, j.decides())
	}
	for _, tt := range []struct{ epoch, want int64 }{{3, 3}, {5, 5}, {4, 5}} {
		e, err := actuator.NewDecider(time.Now(), "another", tt.epoch)
		if err != nil {
			t.Fatal(err)
		}
		value, err := actuator.Encode(&e)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := log.Append(t.Context(), value); err != nil {
			t.Fatal(err)
		}
		eventually(t, 10*time.Second, "read", func() bool { return j.atEnd(t.Context()) })
		if got := j.latest(); got != tt.want || j.decides() {
			t.Errorf("after %d the epoch is %d, want %d; decides %v", tt.epoch, got, tt.want, j.decides())
		}
	}
}

// readJournal is a journal in memory that is read until the test ends.
func readJournal(t *testing.T) (*journal, *memoryJournal) {
	t.Helper()
	log := newMemoryJournal()
	j := newJournal(log, newOwing(time.Hour), "one", zap.NewNop())
	j.runner = notify.NewRunner(notify.NewQueue(nil, rand.Float64), nil, j, zap.NewNop())
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { done <- j.read(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return j, log
}

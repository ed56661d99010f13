package main

import (
	"context"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"net/http"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/zap"

	"firebreak/actuator"
	"firebreak/actuator/notify"
	"firebreak/actuator/notify/alertmanager"
	"firebreak/internal/fakes/news"
	"firebreak/pipeline/kafka"
)

// fickle is an election that a test changes.
type fickle struct{ decides atomic.Bool }

func (f *fickle) Decider() (generation int32, ok bool) { return 3, f.decides.Load() }
func (f *fickle) Owner() bool                          { return false }

// alertsTaken is an Alertmanager that counts requests and the alerts of the last.
type alertsTaken struct{ requests, alerts atomic.Int64 }

// RoundTrip takes alerts.
func (c *alertsTaken) RoundTrip(r *http.Request) (*http.Response, error) {
	defer r.Body.Close()
	var alerts []json.RawMessage
	if err := json.NewDecoder(r.Body).Decode(&alerts); err != nil {
		return nil, err
	}
	c.requests.Add(1)
	c.alerts.Store(int64(len(alerts)))
	return &http.Response{StatusCode: http.StatusOK, Body: http.NoBody}, nil
}

// old puts entries into the part of the journal that is older than anything that may still be sent.
func old(t *testing.T, j *journal, entries ...*actuator.Entry) {
	t.Helper()
	for _, e := range entries {
		e.Epoch = 1
		b, err := actuator.Encode(e)
		if err != nil {
			t.Fatal(err)
		}
		j.recall(&kafka.Entry{Time: time.Now().Add(-72 * time.Hour), Value: b})
	}
}

// TestWhoDecidesRepeats: an instance that was started anew says again each minute what an earlier one told days ago and is not over,
// while it decides, and not a word before and after.
func TestWhoDecidesRepeats(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		am := &alertsTaken{}
		senders := map[string]notify.Sender{"am": alertmanager.New("am", notify.Alertmanager{URLs: []string{"http://am:9093"}}, &notify.Guide{}, am)}
		j := newJournal(newMemoryJournal(), newOwing(time.Hour), "fb", zap.NewNop())
		j.runner = notify.NewRunner(notify.NewQueue([]notify.Rule{{Name: "am"}}, rand.Float64), senders, j, zap.NewNop())
		j.repeats = repeatsOf(senders, zap.NewNop())
		for _, h := range []string{"open", "over"} {
			v := news.Verdict("orders", h, "shard-"+h, "shop-7", "cart:42")
			fired := news.Hotspot(v, actuator.PhaseFired, 0)
			told, err := actuator.NewDelivered("orders", fired.At, actuator.Delivered{Receiver: "am", Entries: []string{fired.ID}, Outcome: actuator.OutcomeSent, Attempts: 1})
			if err != nil {
				t.Fatal(err)
			}
			old(t, j, fired, &told)
			if h == "over" {
				old(t, j, news.Hotspot(v, actuator.PhaseResolved, time.Minute))
			}
		}
		who := &fickle{}
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan error, 2)
		go func() { done <- j.read(ctx) }()
		go func() { done <- j.decide(ctx, who) }()
		for _, tt := range []struct {
			decides     bool
			least, most int64
		}{{false, 0, 0}, {true, 10, 11}, {false, 0, 0}, {true, 10, 11}} {
			who.decides.Store(tt.decides)
			time.Sleep(time.Second)
			was := am.requests.Load()
			time.Sleep(10 * time.Minute)
			if n := am.requests.Load() - was; n < tt.least || n > tt.most || tt.decides && am.alerts.Load() != 1 {
				t.Errorf("decides %v: %d requests in ten minutes, the last of %d alerts", tt.decides, n, am.alerts.Load())
			}
		}
		stop()
		if err := errors.Join(<-done, <-done); err != nil {
			t.Error(err)
		}
	})
}

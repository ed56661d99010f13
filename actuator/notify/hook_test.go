package notify_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"firebreak/actuator"
	"firebreak/actuator/notify"
	"firebreak/internal/fakes/news"
	fake "firebreak/internal/fakes/webhook"
	"firebreak/internal/secret"
)

// TestCarefulReceiver: a receiver that checks signatures, keys and pace takes all, each once, also the summaries of a storm, which are one
// group; what another secret signed it takes never.
func TestCarefulReceiver(t *testing.T) {
	var ahead atomic.Int64 // of the server's clock, which goes with the pauses that it asks for
	server := fake.New(func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) })
	defer server.Close()
	wait := func(d time.Duration) { ahead.Add(int64(d)) }
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	hook := func(by string) notify.Sender {
		return notify.NewWebhook(notify.Webhook{URL: secret.Value(server.URL), Secret: secret.Value(by)}, &notify.Guide{}, transport)
	}
	n := &notify.Notice{Key: "k", Attempt: 1, Entry: news.Blind("orders", false, 0)}
	if _, err := hook("another-of-some-length").Send(context.Background(), n); err == nil || len(server.Bodies()) != 0 {
		t.Errorf("signed by another secret: %v", err)
	}
	l := &news.Log{}
	l.Join(notify.Rule{Name: "hook", Queue: 2})
	for i := range 6 {
		l.Tell(news.Hotspot(news.Verdict("orders", fmt.Sprint("h", i), "s", "", "k"), actuator.PhaseFired, 0))
	}
	deliver(t, l, hook(fake.Secret), news.Start(), wait)
	for i := range 6 {
		l.Tell(news.Hotspot(news.Verdict("orders", fmt.Sprint("h", i), "s", "", "k"), actuator.PhaseResolved, time.Minute))
	}
	deliver(t, l, hook(fake.Secret), news.Start().Add(5*time.Minute), wait)
	groups := map[string][]string{}
	for _, b := range server.Bodies() {
		groups[b.Group] = append(groups[b.Group], b.Kind)
		if b.Kind == "more" && (b.More.N != 4 || (b.More.Open == 0) != (len(groups[b.Group]) == 2)) {
			t.Errorf("%+v", b.More)
		}
	}
	if len(groups) != 3 || !slices.Contains(server.Calls(), http.StatusTooManyRequests) {
		t.Errorf("%v, %v", groups, server.Calls())
	}
	for group, kinds := range groups {
		if len(kinds) != 2 || kinds[0] != kinds[1] {
			t.Errorf("%s: %v", group, kinds)
		}
	}
}

// deliver sends what is due at a time, each until it is taken.
func deliver(t *testing.T, l *news.Log, s notify.Sender, now time.Time, wait func(time.Duration)) {
	t.Helper()
	for {
		now = now.Add(time.Second)
		n, ok := l.Queues[0].Due("hook", now)
		if !ok {
			return
		}
		receipt, err := s.Send(context.Background(), &n)
		for f := (*notify.Failure)(nil); errors.As(err, &f); receipt, err = s.Send(context.Background(), &n) {
			if f.After == 0 {
				t.Fatal(err)
			}
			wait(f.After)
		}
		entries, err := l.Queues[0].Sent("hook", now, receipt)
		if err != nil {
			t.Fatal(err)
		}
		for i := range entries {
			l.Tell(&entries[i])
		}
	}
}

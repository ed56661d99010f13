package alertmanager

import (
	"context"
	"encoding/json"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/zap"

	"firebreak/actuator"
	"firebreak/actuator/notify"
	"firebreak/internal/fakes/news"
	"firebreak/internal/line"
)

// delivered is what the journal says of an entry that a receiver took.
func delivered(t *testing.T, receiver line.Name, e *actuator.Entry, receipt string) *actuator.Entry {
	t.Helper()
	d, err := actuator.NewDelivered(e.Fleet, e.At, actuator.Delivered{Receiver: receiver, Entries: []string{e.ID}, Outcome: actuator.OutcomeSent, Attempts: 1, Receipt: receipt})
	if err != nil {
		t.Fatal(err)
	}
	return &d
}

// told has a sender send an entry that all instances read, and the journal say so to all.
func told(t *testing.T, e *actuator.Entry, s *Sender, others ...*Sender) {
	t.Helper()
	for _, one := range append(others, s) {
		one.Apply(e)
	}
	receipt, err := s.Send(context.Background(), &notify.Notice{Key: e.ID, Entry: e})
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range append(others, s) {
		one.Apply(delivered(t, "am", e, receipt))
	}
}

// TestForgotten: an Alertmanager that was restarted is told again what fires, with the same labels, by the instance that told it and by
// one that only read the journal; what ended, what another receiver was told, and what a person silenced is not said again.
func TestForgotten(t *testing.T) {
	k := newKeeper(t)
	now := news.Start()
	clock := func() time.Time { return now }
	guide := &notify.Guide{Owners: notify.Owners{{Keys: []string{"cart:*"}, Team: "carts"}}}
	first, second := senderTo(t, guide, clock, k.URL), senderTo(t, &notify.Guide{}, clock, k.URL)
	hot := func(id string) *actuator.Entry {
		return news.Hotspot(news.Verdict("orders", id, "shard-"+id, "shop-7", "cart:42"), actuator.PhaseFired, 0)
	}
	over := news.Verdict("orders", "over", "shard-2", "shop-7", "cart:42")
	for _, e := range []*actuator.Entry{hot("open"), hot("known"), news.Blind("orders", false, 0), news.Hotspot(over, actuator.PhaseFired, 0), news.Hotspot(over, actuator.PhaseResolved, 0)} {
		told(t, e, first, second)
	}
	elsewhere := hot("elsewhere")
	accepted, err := actuator.NewAccepted("orders", now, actuator.Accepted{Hotspot: "known", By: "ann", Reason: "sale", Until: line.Stamp(now.Add(time.Hour)), Load: 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []*Sender{first, second} {
		for _, e := range []*actuator.Entry{elsewhere, delivered(t, "slack", elsewhere, "x"), &accepted} {
			s.Apply(e)
		}
	}
	before := map[string]alert{}
	for _, a := range k.firing(now) {
		if a.Labels["subject"] != "known" {
			before[key(a.Labels)] = a
		}
	}
	if len(before) != 2 {
		t.Fatalf("%d fire", len(before))
	}
	for name, s := range map[string]*Sender{"who told it": first, "who took over": second} {
		k.alerts = map[string]alert{}
		now = now.Add(2 * time.Minute)
		if err := s.again(t.Context()); err != nil {
			t.Fatal(err)
		}
		again := map[string]alert{}
		for _, a := range k.firing(now.Add(notify.DefaultKeep - time.Second)) {
			again[key(a.Labels)] = a
		}
		for id, a := range again {
			a.Ends = before[id].Ends
			a.Annotations = before[id].Annotations // facts say how long it has lasted
			again[id] = a
		}
		if diff := cmp.Diff(before, again); diff != "" || len(k.alerts) != 2 {
			t.Errorf("%s (-told, +again):\n%s", name, diff)
		}
	}
}

// TestMissed: an instance that missed a beginning is told it later; one that missed an end has no alert soon after, and nobody says
// it again.
func TestMissed(t *testing.T) {
	a, b := newKeeper(t), newKeeper(t)
	now := news.Start()
	s := senderTo(t, &notify.Guide{}, func() time.Time { return now }, a.URL, b.URL)
	v := news.Verdict("orders", "h1", "shard-7", "shop-7", "cart:42")
	b.status = http.StatusServiceUnavailable
	told(t, news.Hotspot(v, actuator.PhaseFired, 0), s)
	if err := s.again(t.Context()); err == nil || len(b.alerts) != 0 {
		t.Fatalf("%v", err)
	}
	b.status = 0
	if err := s.again(t.Context()); err != nil || len(b.firing(now)) != 1 {
		t.Errorf("%v: %d fire where the beginning was missed", err, len(b.firing(now)))
	}
	now = now.Add(time.Minute)
	b.status = http.StatusServiceUnavailable
	told(t, news.Hotspot(v, actuator.PhaseResolved, time.Minute), s)
	b.status = 0
	if len(a.firing(now)) != 0 || len(b.firing(now)) != 1 {
		t.Fatalf("%d and %d fire", len(a.firing(now)), len(b.firing(now)))
	}
	for range 3 {
		if err := s.again(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if later := now.Add(notify.DefaultKeep); len(a.firing(now)) != 0 || len(b.firing(later)) != 0 {
		t.Errorf("after the end %d and %d fire", len(a.firing(now)), len(b.firing(later)))
	}
}

// TestEndUntold: what the journal says is over is not said again, though its end could not be told yet.
func TestEndUntold(t *testing.T) {
	k := newKeeper(t)
	s := senderTo(t, &notify.Guide{}, news.Start, k.URL)
	v := news.Verdict("orders", "h1", "shard-7", "shop-7", "cart:42")
	told(t, news.Hotspot(v, actuator.PhaseFired, 0), s)
	s.Apply(news.Hotspot(v, actuator.PhaseResolved, time.Minute))
	k.alerts = map[string]alert{}
	if err := s.again(t.Context()); err != nil || len(k.alerts) != 0 {
		t.Errorf("%v, %d alerts", err, len(k.alerts))
	}
}

// wire is an Alertmanager without a network.
type wire func(alerts []alert)

// RoundTrip takes alerts.
func (f wire) RoundTrip(r *http.Request) (*http.Response, error) {
	defer r.Body.Close()
	var alerts []alert
	if err := json.NewDecoder(r.Body).Decode(&alerts); err != nil {
		return nil, err
	}
	f(alerts)
	return &http.Response{StatusCode: http.StatusOK, Body: http.NoBody}, nil
}

// TestRepeat: for a day an alert never lapses, although every other request is lost, and it does soon after nobody tells.
func TestRepeat(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex // what follows: the test looks while Repeat runs
		var ends time.Time
		requests := 0
		s := New("am", notify.Alertmanager{URLs: []string{"http://am:9093"}}, &notify.Guide{}, wire(func(alerts []alert) {
			mu.Lock()
			defer mu.Unlock()
			if requests++; len(alerts) == 1 && requests%2 == 1 {
				ends = alerts[0].Ends
			}
		}))
		look := func() (left time.Duration, n int) {
			synctest.Wait()
			mu.Lock()
			defer mu.Unlock()
			return time.Until(ends), requests
		}
		told(t, news.Blind("orders", false, 0), s)
		ctx, stop := context.WithCancel(t.Context())
		silent := make(chan struct{})
		go func() {
			s.Repeat(ctx, zap.NewNop())
			close(silent)
		}()
		for began := time.Now(); time.Since(began) < 24*time.Hour; time.Sleep(10 * time.Second) {
			if left, _ := look(); left < 2*time.Minute {
				t.Fatalf("after %v it ends in %v", time.Since(began), left)
			}
		}
		_, day := look()
		if day < 24*60 || day > 25*60 {
			t.Errorf("%d requests a day", day)
		}
		stop()
		<-silent
		time.Sleep(time.Hour)
		if left, n := look(); n != day || left > 0 {
			t.Errorf("%d requests after the end; it ends in %v", n-day, left)
		}
	})
}

// TestManyAgain: a storm is said again in requests of a bounded size.
func TestManyAgain(t *testing.T) {
	total, most := 0, 0
	s := New("am", notify.Alertmanager{URLs: []string{"http://am:9093"}}, &notify.Guide{}, wire(func(alerts []alert) {
		total, most = total+len(alerts), max(most, len(alerts))
	}))
	for _, name := range news.Hostile(300) {
		told(t, news.Hotspot(news.Verdict(name, name, name, name, name), actuator.PhaseFired, 0), s)
	}
	total = 0
	if err := s.again(t.Context()); err != nil || total != 300 || most != atOnce {
		t.Errorf("%v, %d alerts, %d at once", err, total, most)
	}
}

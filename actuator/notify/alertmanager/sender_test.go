package alertmanager

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"firebreak/actuator"
	"firebreak/actuator/notify"
	"firebreak/internal/fakes/news"
	"firebreak/internal/line"
)

// keeper is an Alertmanager: it knows alerts by their labels, as its API v2 does, and refuses what that refuses.
type keeper struct {
	*httptest.Server

	alerts map[string]alert
	status int
}

func newKeeper(t *testing.T) *keeper {
	t.Helper()
	k := &keeper{alerts: map[string]alert{}}
	label := regexp.MustCompile(`^[a-zA-Z_][a-zA-Z0-9_]*$`)
	k.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var list []alert
		bad := json.NewDecoder(r.Body).Decode(&list) != nil || r.URL.Path != "/api/v2/alerts" || r.Header.Get("Authorization") != "Bearer sentinel"
		for _, a := range list {
			bad = bad || a.Labels["alertname"] == "" || a.Ends.Before(a.Starts)
			for _, set := range []map[string]string{a.Labels, a.Annotations} {
				for name, value := range set {
					bad = bad || !label.MatchString(name) || !utf8.ValidString(value)
				}
			}
		}
		switch {
		case k.status != 0:
			w.WriteHeader(k.status)
			return
		case bad:
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		for _, a := range list {
			k.alerts[key(a.Labels)] = a
		}
	}))
	t.Cleanup(k.Close)
	return k
}

func key(labels map[string]string) string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(labels)) {
		fmt.Fprintf(&b, "%s=%q,", name, labels[name])
	}
	return b.String()
}

// firing are the alerts that have not ended at a time.
func (k *keeper) firing(at time.Time) (out []alert) {
	for _, a := range k.alerts {
		if a.Ends.After(at) {
			out = append(out, a)
		}
	}
	return out
}

func senderTo(t *testing.T, guide *notify.Guide, now func() time.Time, urls ...string) *Sender {
	t.Helper()
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	s := New("am", notify.Alertmanager{URLs: urls, Token: "sentinel"}, guide, transport)
	s.now = now
	return s
}

// TestOneAlert: a hotspot is one alert, whose labels may change, that ends when the hotspot is over, or by itself when nobody says it.
func TestOneAlert(t *testing.T) {
	k := newKeeper(t)
	now := news.Start()
	s := senderTo(t, &notify.Guide{Owners: notify.Owners{{Keys: []string{"cart:*"}, Team: "carts", Runbook: "https://wiki.example/carts"}}}, func() time.Time { return now }, k.URL)
	v := news.Verdict("orders", "h1", "shard-7", "shop-7", "cart:42")
	v.Severity = "warning"
	n := &notify.Notice{Key: "k", Entry: news.Hotspot(v, actuator.PhaseFired, 0)}
	send := func() {
		t.Helper()
		receipt, err := s.Send(context.Background(), n)
		if err != nil {
			t.Fatal(err)
		}
		n.Receipt = receipt
	}
	send()
	first := k.firing(now)
	if len(first) != 1 || first[0].Labels["severity"] != "warning" || first[0].Labels["team"] != "carts" || first[0].Labels["alertname"] != "FirebreakVerdict" ||
		first[0].Labels["cause"] != "hot_key" || first[0].Annotations["key"] != "cart:42" || first[0].Annotations["runbook_url"] == "" || !strings.Contains(first[0].Annotations["why"], "60") {
		t.Fatalf("%+v", first)
	}
	for _, value := range first[0].Labels {
		if strings.Contains(value, "cart:42") || strings.Contains(value, "shop-7") {
			t.Errorf("a name of the log is a label: %v", first[0].Labels)
		}
	}
	if left := k.firing(now.Add(notify.DefaultKeep + time.Second)); len(left) != 0 {
		t.Errorf("%d alerts for ever", len(left))
	}
	now = now.Add(time.Minute)
	v.Severity = "critical"
	n.Entry = news.Hotspot(v, actuator.PhaseRevised, time.Minute)
	send()
	if in := k.firing(now); len(in) != 1 || in[0].Labels["severity"] != "critical" {
		t.Errorf("after it became critical %d fire: %+v", len(in), in)
	}
	now = now.Add(time.Minute)
	v.Cause, v.Key, v.Tenant = "volume", "", ""
	n.Entry = news.Hotspot(v, actuator.PhaseRevised, 2*time.Minute)
	send()
	if in := k.firing(now); len(in) != 1 || in[0].Labels["cause"] != "volume" || in[0].Labels["team"] != "" {
		t.Errorf("after its cause was another %d fire: %+v", len(in), in)
	}
	now = now.Add(time.Minute)
	n.Entry = news.Hotspot(v, actuator.PhaseResolved, 3*time.Minute)
	send()
	if in := k.firing(now); len(in) != 0 || len(k.alerts) != 3 {
		t.Errorf("after it was over %d fire", len(in))
	}
}

// TestKinds: advice of several shards are alerts of their own, each ended by its own end; hostile names are taken.
func TestKinds(t *testing.T) {
	k := newKeeper(t)
	s := senderTo(t, &notify.Guide{}, news.Start, k.URL)
	send := func(e *actuator.Entry) {
		t.Helper()
		if _, err := s.Send(context.Background(), &notify.Notice{Key: e.ID, Entry: e}); err != nil {
			t.Fatal(err)
		}
	}
	head := line.NewHead("advice", "orders", line.Stamp(news.Start()))
	for _, shard := range []line.Name{"s1", "s2"} {
		send(news.Entry("a"+string(shard), actuator.KindAdvice, actuator.PhaseBegun, "orders", "", news.Start(), &line.Advice{Head: head, Shard: shard, Topic: "storage", Level: "warning", Reason: "86 % full"}))
	}
	send(news.Blind("orders", false, 0))
	if in := k.firing(news.Start()); len(in) != 3 {
		t.Fatalf("%d fire", len(in))
	}
	ended := actuator.Ended{Head: line.NewHead("ended", "orders", line.Stamp(news.Start())), What: "advice", Shard: "s1", Topic: "storage"}
	send(news.Entry("e", actuator.KindAdvice, actuator.PhaseEnded, "orders", "", news.Start(), &ended))
	send(news.Blind("orders", true, 0))
	if in := k.firing(news.Start()); len(in) != 1 || !strings.Contains(in[0].Annotations["description"], "s2") {
		t.Errorf("%+v", in)
	}
	for _, name := range news.Hostile(1000) {
		send(news.Hotspot(news.Verdict(name, name, name, name, name), actuator.PhaseFired, 0))
	}
	if _, err := s.Send(context.Background(), &notify.Notice{Key: "k", More: &notify.More{N: 3, Critical: 1, To: line.Stamp(news.Start())}}); err != nil {
		t.Error(err)
	}
}

// TestInstances: every instance of a cluster is told; one that takes it is enough; where none does, what may pass is tried again.
func TestInstances(t *testing.T) {
	a, b := newKeeper(t), newKeeper(t)
	s := senderTo(t, &notify.Guide{}, news.Start, a.URL, b.URL+"/")
	n := &notify.Notice{Key: "k", Entry: news.Blind("orders", false, 0)}
	for _, tt := range []struct {
		a, b  int
		final bool
		taken int
	}{{0, 0, false, 2}, {503, 0, false, 1}, {0, 400, false, 1}, {400, 503, false, 0}, {503, 400, false, 0}, {400, 422, true, 0}} {
		a.status, b.status, a.alerts, b.alerts = tt.a, tt.b, map[string]alert{}, map[string]alert{}
		_, err := s.Send(context.Background(), n)
		f, failed := errors.AsType[*notify.Failure](err)
		if len(a.alerts)+len(b.alerts) != tt.taken || failed != (tt.taken == 0) || failed && (f.Final != tt.final || strings.Contains(f.Why, "sentinel")) {
			t.Errorf("%d and %d: %v", tt.a, tt.b, err)
		}
	}
}

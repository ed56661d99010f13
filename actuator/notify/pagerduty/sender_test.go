package pagerduty

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"firebreak/actuator"
	"firebreak/actuator/notify"
	"firebreak/internal/fakes/news"
	fake "firebreak/internal/fakes/pagerduty"
	"firebreak/internal/line"
	"firebreak/internal/secret"
)

func pager(t *testing.T, s *fake.Server, guide *notify.Guide) notify.Sender {
	t.Helper()
	t.Cleanup(s.Close)
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	return New(notify.PagerDuty{RoutingKey: fake.Key, URL: s.URL + fake.Path}, guide, transport)
}

// rule is what a receiver of PagerDuty wants that says nothing else.
func rule() notify.Rule {
	r := notify.Receiver{Name: "pager", PagerDuty: &notify.PagerDuty{}}
	return r.Rule(nil)
}

// run sends what is due within a time, and records it.
func run(t *testing.T, l *news.Log, s notify.Sender, now time.Time, d time.Duration) {
	t.Helper()
	for end := now.Add(d); now.Before(end); now = now.Add(time.Second) {
		n, ok := l.Queues[0].Due("pager", now)
		if !ok {
			continue
		}
		receipt, err := s.Send(context.Background(), &n)
		var entries []actuator.Entry
		if err == nil {
			entries, err = l.Queues[0].Sent("pager", now, receipt)
		} else {
			entries, err = l.Queues[0].Failed("pager", now, err)
		}
		if err != nil {
			t.Fatal(err)
		}
		for i := range entries {
			l.Tell(&entries[i])
		}
	}
}

// TestIncident: a critical hotspot pages once, however often it is revised, and is resolved when it is over, also where it became a
// warning in between; warnings, advice and holds page nobody.
func TestIncident(t *testing.T) {
	server := fake.New(time.Now)
	s := pager(t, server, &notify.Guide{External: "https://fb.example"})
	l := &news.Log{}
	l.Join(rule())
	v, mild := news.Verdict("orders", "h1", "shard-7", "shop-7", "cart:42"), news.Verdict("orders", "h2", "shard-8", "", "k")
	mild.Severity = "warning"
	milder := *v
	milder.Severity = "warning"
	hold := &line.Hold{Head: line.NewHead("hold", "orders", line.Stamp(news.Start())), Hotspot: "h1", Reason: "observe_mode", Detail: "it only watches"}
	advice := &line.Advice{Head: line.NewHead("advice", "orders", line.Stamp(news.Start())), Shard: "s", Topic: "storage", Level: "critical", Reason: "90 % full"}
	l.Tell(news.Hotspot(v, actuator.PhaseFired, 0), news.Hotspot(mild, actuator.PhaseFired, 0), news.Hotspot(&milder, actuator.PhaseRevised, time.Minute),
		news.Entry("hold", actuator.KindHold, actuator.PhaseBegun, "orders", "h1", news.Start(), hold), news.Entry("advice", actuator.KindAdvice, actuator.PhaseBegun, "orders", "", news.Start(), advice),
		news.Blind("orders", false, time.Minute))
	run(t, l, s, news.Start(), 10*time.Second)
	in := server.Incidents()
	if len(in) != 2 || in[0].Dedup != "h1" || in[0].Pages != 1 || in[0].Events != 2 || in[0].State != "triggered" || in[1].State != "triggered" {
		t.Fatalf("%+v", in)
	}
	p := in[0].Payload
	if p.Severity != "critical" || p.Source != "fleet orders" || p.Component != "shard-7" || p.Group != "orders" || p.Class != "hot_key" || p.Details["Key"] != "cart:42" || p.Timestamp == "" {
		t.Errorf("%+v", p)
	}
	if p.Details["01 What"] == "" || p.Details["06 What to do"] == "" || p.Details["07 How sure"] == "" {
		t.Errorf("details %v", p.Details)
	}
	if want := `CRITICAL: shard "shard-7" of "orders": hot key "cart:42" of tenant "shop-7". 6,400 requests/s: `; !strings.HasPrefix(p.Summary, want) {
		t.Errorf("summary %s", p.Summary)
	}
	if len(in[0].Links) != 1 || in[0].Links[0].Href != "https://fb.example/fleets/orders/hotspots/h1" {
		t.Errorf("links %v", in[0].Links)
	}
	l.Tell(news.Hotspot(&milder, actuator.PhaseResolved, 2*time.Minute), news.Hotspot(mild, actuator.PhaseResolved, 2*time.Minute), news.Blind("orders", true, 2*time.Minute))
	run(t, l, s, news.Start().Add(2*time.Minute), 10*time.Second)
	for _, i := range server.Incidents() {
		if i.State != "resolved" || i.Pages != 1 {
			t.Errorf("%s is %s after %d pages", i.Dedup, i.State, i.Pages)
		}
		if !strings.HasPrefix(i.Summary, "RESOLVED: ") {
			t.Errorf("what is over is told as %s", i.Summary)
		}
		for name, text := range i.Payload.Details {
			if strings.HasSuffix(name, "Next") || strings.HasSuffix(name, "Held") || strings.HasSuffix(name, "Rejected") || strings.HasSuffix(name, "What to do") && !strings.HasPrefix(text, "Nothing now") {
				t.Errorf("of what is over: %s: %s", name, text)
			}
		}
	}
	l.Tell(news.Blind("orders", false, time.Hour))
	run(t, l, s, news.Start().Add(time.Hour), 5*time.Second)
	if again := server.Incidents()[1]; again.Pages != 2 || again.State != "triggered" {
		t.Errorf("blind again: %+v", again)
	}
}

// TestLongNames (S14): a key of 600 characters of three bytes and a tenant of 900: one event, taken, with the cause, the shard and
// a hash of the key in its summary.
func TestLongNames(t *testing.T) {
	server := fake.New(time.Now)
	s := pager(t, server, &notify.Guide{External: "https://fb.example"})
	n := &notify.Notice{Key: "k", Entry: news.Hotspot(news.Verdict("orders", "h1", "shard-7", strings.Repeat("t", 900), strings.Repeat("長", 600)), actuator.PhaseFired, 0)}
	if _, err := s.Send(context.Background(), n); err != nil {
		t.Fatal(err)
	}
	in := server.Incidents()
	if len(in) != 1 || len(server.Calls()) != 1 {
		t.Fatalf("%d incidents", len(in))
	}
	sum := in[0].Summary
	if utf8.RuneCountInString(sum) > maxSummary || !utf8.ValidString(sum) || !strings.Contains(sum, "hot key") || !strings.Contains(sum, "shard-7") ||
		!strings.Contains(sum, hash(strings.Repeat("長", 600))) || len(in[0].Links) != 1 {
		t.Errorf("%s", sum)
	}
}

// TestLongStory: what does not fit in a summary is cut between two characters, before the hash of the key.
func TestLongStory(t *testing.T) {
	server := fake.New(time.Now)
	s := pager(t, server, &notify.Guide{})
	for _, letter := range []string{"x", "長"} {
		long := strings.Repeat(letter, 2000)
		v := news.Verdict(long, "h"+letter, long, long, long)
		n := &notify.Notice{Key: "k", Entry: news.Hotspot(v, actuator.PhaseFired, 0), Story: &notify.Story{
			Verdict: v, Plan: &line.Plan{Steps: []line.Step{{Kind: "salt"}, {Kind: "move", Text: line.Prose(long)}}},
		}}
		if _, err := s.Send(context.Background(), n); err != nil {
			t.Fatal(err)
		}
		in := server.Incidents()
		sum := in[len(in)-1].Summary
		if !utf8.ValidString(sum) || len(sum) > maxSummary || len(sum) < maxSummary-8 || !strings.HasSuffix(sum, "… [key "+hash(long)+"]") {
			t.Errorf("%d bytes: %s", len(sum), sum)
		}
	}
}

// TestHostileNames (S18, S19): 1,000 names that would break something are all taken, and shown without what does not print.
func TestHostileNames(t *testing.T) {
	now := time.Now()
	server := fake.New(func() time.Time { now = now.Add(time.Second); return now })
	s := pager(t, server, &notify.Guide{External: "https://fb.example"})
	for _, name := range news.Hostile(1000) {
		v := news.Verdict(name, name+"h", name, strings.Repeat(name, 40), name)
		if _, err := s.Send(context.Background(), &notify.Notice{Key: "k", Entry: news.Hotspot(v, actuator.PhaseFired, 0)}); err != nil {
			t.Fatalf("%q: %v: %+v", name, err, server.Calls()[len(server.Calls())-1])
		}
	}
	in := server.Incidents()
	if len(in) != 1000 {
		t.Errorf("%d incidents of 1,000 hotspots", len(in))
	}
	for _, i := range in {
		for _, text := range []string{i.Summary, i.Payload.Source, i.Payload.Component, i.Payload.Details["Key"]} {
			if strings.IndexFunc(text, func(r rune) bool { return !unicode.IsPrint(r) && r != '\u00a0' }) >= 0 {
				t.Errorf("%q hides something", text)
			}
		}
	}
}

// TestStatusCodes is the contract of every receiver, without a secret in any error (S15).
func TestStatusCodes(t *testing.T) {
	server := fake.New(time.Now)
	s := pager(t, server, &notify.Guide{})
	n := &notify.Notice{Key: "k", Entry: news.Blind("orders", false, 0)}
	for code := 200; code < 600; code++ {
		server.Say(fake.Status{Code: code, RetryAfter: "30"})
		_, err := s.Send(context.Background(), n)
		f, failed := errors.AsType[*notify.Failure](err)
		again := code == 408 || code == 425 || code == 429 || code >= 500
		if failed != (code >= 300) || failed && ((f.Final || f.Person) == again || again && f.After != 30*time.Second) {
			t.Errorf("%d: %+v", code, err)
		}
	}
	refused := httptest.NewServer(http.NotFoundHandler())
	refused.Close()
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	dns := &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) {
		return nil, &net.DNSError{Err: "no such host", IsNotFound: true}
	}}
	for _, tt := range []struct {
		cfg notify.PagerDuty
		by  http.RoundTripper
		has string
	}{
		{notify.PagerDuty{RoutingKey: fake.Key, URL: refused.URL}, transport, "connection refused"},
		{notify.PagerDuty{RoutingKey: fake.Key, URL: "https://events.invalid"}, dns, "no such host"},
		{notify.PagerDuty{RoutingKey: secret.Value("sentinel of the wrong length"), URL: server.URL + fake.Path}, transport, "status 400, the routing key"},
		{notify.PagerDuty{RoutingKeyFile: "/no/such/file", URL: server.URL}, transport, "routing_key_file"},
	} {
		_, err := New(tt.cfg, &notify.Guide{}, tt.by).Send(context.Background(), n)
		if err == nil || strings.Contains(err.Error(), "sentinel") || !strings.Contains(err.Error(), tt.has) {
			t.Errorf("%v, want %s", err, tt.has)
		}
	}
}

// TestClip: text is cut between two characters, whatever they are, and within its bound.
func TestClip(t *testing.T) {
	for _, letter := range []string{"x", "é", "長", "🔥"} {
		for most := 10; most < 40; most++ {
			got := clip(strings.Repeat(letter, 50), most)
			if len(got) > most || len(got) < most-len(letter) || !utf8.ValidString(got) || strings.Trim(got, letter) != "…" {
				t.Errorf("%d bytes of %s: %q", most, letter, got)
			}
		}
		if got := clip(letter, len(letter)); got != letter {
			t.Errorf("%q", got)
		}
	}
}

// TestKeyIsMended: a wrong routing key is tried again, and what is open is told when the key is right.
func TestKeyIsMended(t *testing.T) {
	n := newNight(t)
	path := filepath.Join(t.TempDir(), "key")
	write := func(key string) {
		if err := os.WriteFile(path, []byte(key), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(strings.Repeat("s", 32))
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	n.sender = New(notify.PagerDuty{RoutingKeyFile: path, URL: n.server.URL + fake.Path}, &notify.Guide{}, transport)
	n.tell("h", actuator.PhaseFired)
	n.pass(9 * time.Minute)
	if calls := len(n.server.Calls()); calls != 2 {
		t.Errorf("%d calls in nine minutes", calls)
	}
	write(fake.Key)
	n.pass(2 * time.Minute)
	n.want("with the right key", 1, 1)
}

// TestTooMany: a service that takes 120 events a minute takes all in the end.
func TestTooMany(t *testing.T) {
	n := newNight(t)
	all := rule()
	all.Queue, all.Burst, all.Pace = 1000, 0, 200*time.Millisecond
	n.log.Queues = nil
	n.log.Join(all)
	for i := range 300 {
		n.tell(fmt.Sprint("h", i), actuator.PhaseFired)
	}
	n.pass(15 * time.Minute)
	n.want("in the end", 300, 300)
	refused := 0
	for _, c := range n.server.Calls() {
		if c.Status == http.StatusTooManyRequests {
			refused++
		}
	}
	if refused == 0 || refused > 100 {
		t.Errorf("refused %d times", refused)
	}
}

package slack

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/slack-go/slack"

	"firebreak/actuator"
	"firebreak/actuator/notify"
	"firebreak/internal/fakes/news"
	fake "firebreak/internal/fakes/slack"
	"firebreak/internal/words"
)

// world is a workspace, a log and the sender of who decides, under one clock.
type world struct {
	t      *testing.T
	now    time.Time
	slack  *fake.Server
	log    news.Log
	sender notify.Sender
	rule   notify.Rule
}

func newWorld(t *testing.T, guide *notify.Guide) *world {
	t.Helper()
	w := &world{t: t, now: news.Start(), rule: notify.Rule{Name: "slack", Queue: 10}}
	w.slack = fake.New(func() time.Time { return w.now }, "C1 alerts", "C2 carts")
	t.Cleanup(w.slack.Close)
	w.sender = w.bot(guide, fake.Token)
	w.log.Join(w.rule)
	return w
}

func (w *world) bot(guide *notify.Guide, token string) notify.Sender {
	transport := &http.Transport{}
	w.t.Cleanup(transport.CloseIdleConnections)
	return New(notify.Slack{Token: secretOf(token), Channel: "C1", APIURL: w.slack.API()}, guide, transport)
}

// run sends what is due for a while, and records it.
func (w *world) run(d time.Duration) {
	w.t.Helper()
	for end := w.now.Add(d); w.now.Before(end); w.now = w.now.Add(500 * time.Millisecond) {
		q := w.log.Queues[0]
		n, ok := q.Due("slack", w.now)
		if !ok {
			continue
		}
		receipt, err := w.sender.Send(context.Background(), &n)
		var entries []actuator.Entry
		if err == nil {
			entries, err = q.Sent("slack", w.now, receipt)
		} else {
			entries, err = q.Failed("slack", w.now, err)
		}
		if err != nil {
			w.t.Fatal(err)
		}
		for i := range entries {
			w.log.Tell(&entries[i])
		}
	}
}

// TestOneMessage: a hotspot has one message that is updated, its timeline in the thread, also when another instance takes over
// that has read nothing but the journal.
func TestOneMessage(t *testing.T) {
	w := newWorld(t, &notify.Guide{External: "https://fb.example"})
	v := news.Verdict("orders", "h1", "shard-7", "shop-7", "cart:42")
	w.log.Tell(news.Hotspot(v, actuator.PhaseFired, 0))
	w.run(5 * time.Second)
	w.log.Tell(news.Hotspot(v, actuator.PhaseRevised, time.Minute))
	w.run(5 * time.Second)
	w.log.Join(w.rule)
	w.log.Tell(news.Hotspot(v, actuator.PhaseResolved, 2*time.Minute))
	w.run(5 * time.Second)
	in := w.slack.In("C1")
	if len(in) != 1 || in[0].Edits != 2 || len(in[0].Replies) != 2 {
		t.Fatalf("%d messages, want one with two edits and two replies: %+v", len(in), in)
	}
	m := in[0]
	if want := `RESOLVED: shard "shard-7" of "orders": hot key "cart:42" of tenant "shop-7"`; m.Shown[0] != want || m.Colour != green {
		t.Errorf("header %s, %s, want %s", m.Shown[0], m.Colour, want)
	}
	if news := m.Replies[1].Shown[0]; !strings.Contains(news, "is no longer hot") {
		t.Errorf("last reply %s", news)
	}
	if len(m.Links) != 1 || m.Links[0] != "https://fb.example/fleets/orders/hotspots/h1" {
		t.Errorf("links %v", m.Links)
	}
	// The next hotspot of the shard is a message of its own.
	w.log.Tell(news.Hotspot(news.Verdict("orders", "h2", "shard-7", "shop-7", "cart:42"), actuator.PhaseFired, 3*time.Minute))
	w.run(5 * time.Second)
	if in := w.slack.In("C1"); len(in) != 2 || in[1].Colour != red {
		t.Errorf("%d messages", len(in))
	}
}

// TestAnswers: a message says what, where, since when, why with bounds, what to do, why nothing else, and how sure it is; without a
// page it has the command that shows the evidence.
func TestAnswers(t *testing.T) {
	w := newWorld(t, &notify.Guide{Times: map[string]notify.Times{"orders": {Window: time.Minute, Calm: 2 * time.Minute}}, Owners: notify.Owners{{Tenants: []string{"shop-*"}, Team: "carts", Runbook: "https://wiki.example/carts"}}})
	w.log.Tell(news.Hotspot(news.Verdict("orders", "h1", "shard-7", "shop-7", "cart:42"), actuator.PhaseFired, 0))
	w.run(2 * time.Second)
	m := w.slack.In("C1")[0]
	all := strings.ReplaceAll(strings.Join(m.Shown, "\n"), "\u00a0", " ")
	for _, want := range []string{
		"*What*  6,400 requests/s: 1.1× its line of 5,600/s, 3.2× the mean shard, 80 % of its capacity of 8,000/s. Critical",
		"*Where*  Shard `shard-7` in fleet `orders`", "*When*  Since 2026-03-01 11:59:25Z; found 35 s later.",
		"*Why*  Hot key. The key `cart:42` of tenant `shop-7` is 62 % (60 % to 65 %) of the shard’s load",
		"*What to do*  Salt the key `cart:42` over 8 pieces on distinct shards. It takes the shard from 6,400/s to 2,928/s (at most 3,050/s), under the target of 5,200/s. A salt works only where the key’s values merge (counter, append, set, max), and once all who write or read it find its pieces by the table. Relief comes at once when the applications that read the key, and then those that write it, run with it; all of it shows here 1 min later, and 2 min after that the hotspot is over.",
		"*Next*  `carts` decides and does it in the applications", "*Rejected*  Split fails: the key `cart:42` alone is 3,968/s at any shard count.", "*How sure*  Hot beyond chance", "Owner: carts",
		"*Effect*  All that is on the shard may be slow. It is full at 8,000/s, which is 1,600/s more;", "*Hotspot*  `h1`. To hear no more of it: firebreak accept `h1` --until 8h",
		"`firebreak report --config FILE --from 2026-03-01T11:54:00Z --to 2026-03-01T12:01:00Z --file report.html`",
	} {
		if !strings.Contains(all, want) {
			t.Errorf("no %q in\n%s", want, all)
		}
	}
	if m.Text != `CRITICAL: fleet "orders" since 2026-03-01 11:59:25Z. Shard "shard-7" bears 6,400 requests/s, 3.2× the mean shard: one key, "cart:42", is 62 % (60 % to 65 %) of its load. `+
		`Salt the key "cart:42" over 8 pieces on distinct shards. That leaves 2,928/s of it. Relief comes at once when the applications that read the key, and then those that write it, run with it; all of it shows here 1 min later, and 2 min after that the hotspot is over.` {
		t.Errorf("notification: %s", m.Text)
	}
}

// TestRateLimited (S13): 429 with Retry-After 30 three times: no call sooner, one message in the end, also when another instance
// takes over in the middle.
func TestRateLimited(t *testing.T) {
	w := newWorld(t, &notify.Guide{})
	w.slack.Say(fake.Answer{Status: 429, RetryAfter: "30"}, fake.Answer{Status: 429, RetryAfter: "30"}, fake.Answer{Status: 429, RetryAfter: "30"})
	w.log.Tell(news.Hotspot(news.Verdict("orders", "h1", "shard-7", "", "k"), actuator.PhaseFired, 0))
	w.run(40 * time.Second)
	w.log.Join(w.rule)
	w.run(2 * time.Minute)
	calls := w.slack.Calls()
	if len(calls) != 4 || len(w.slack.In("C1")) != 1 {
		t.Fatalf("%d calls, %d messages", len(calls), len(w.slack.In("C1")))
	}
	for i := 1; i < len(calls); i++ {
		if wait := calls[i].At.Sub(calls[i-1].At); wait < 30*time.Second {
			t.Errorf("called again after %s", wait)
		}
	}
}

// TestErrors: what Slack answers is final or tried again; a message that is gone, or whose channel is, is posted anew.
func TestErrors(t *testing.T) {
	w := newWorld(t, &notify.Guide{})
	n := &notify.Notice{Key: "k", Entry: news.Hotspot(news.Verdict("orders", "h1", "shard-7", "", "k"), actuator.PhaseFired, 0)}
	for code, want := range map[string]notify.Failure{
		"msg_blocks_too_long": {Final: true}, "invalid_blocks": {Final: true},
		"channel_not_found": {Person: true}, "invalid_auth": {Person: true}, "token_expired": {Person: true}, "is_archived": {Person: true}, "not_in_channel": {Person: true},
		"token_revoked": {Person: true}, "missing_scope": {Person: true},
		"ratelimited": {}, "internal_error": {}, "fatal_error": {}, "service_unavailable": {}, "a_code_of_tomorrow": {}, "Sentinel: <https://x>": {},
	} {
		w.slack.Say(fake.Answer{Error: code})
		_, err := w.sender.Send(context.Background(), n)
		f, ok := errors.AsType[*notify.Failure](err)
		if !ok || f.Final != want.Final || f.Person != want.Person || strings.Contains(f.Why, "Sentinel") {
			t.Errorf("%s: %+v, want %+v", code, err, want)
		}
	}
	for _, code := range []string{"message_not_found", "cant_update_message", "edit_window_closed", "channel_not_found", "is_archived"} {
		w.now = w.now.Add(time.Minute)
		before := len(w.slack.In("C1"))
		w.slack.Say(fake.Answer{Error: code})
		n.Receipt = "C1/1.2"
		receipt, err := w.sender.Send(context.Background(), n)
		if in := w.slack.In("C1"); err != nil || len(in) != before+1 || receipt != "C1/"+in[before].TS {
			t.Errorf("%s: %d messages, receipt %s, %v", code, len(in), receipt, err)
		}
	}
}

// TestOwnersChannel: an owner's channel gets the message, and where it takes none the receiver's does, so that nothing is lost.
func TestOwnersChannel(t *testing.T) {
	w := newWorld(t, &notify.Guide{Owners: notify.Owners{{Keys: []string{"cart:*"}, Channel: "#carts"}}})
	v := news.Verdict("orders", "h1", "shard-7", "", "cart:42")
	w.log.Tell(news.Hotspot(v, actuator.PhaseFired, 0))
	w.run(2 * time.Second)
	w.log.Tell(news.Hotspot(v, actuator.PhaseRevised, time.Minute))
	w.run(3 * time.Second)
	if in := w.slack.In("C2"); len(in) != 1 || in[0].Edits != 1 || len(w.slack.In("C1")) != 0 {
		t.Errorf("%d messages in the owner's channel", len(in))
	}
	w.slack.Archive("C2")
	w.log.Tell(news.Hotspot(v, actuator.PhaseRevised, 2*time.Minute))
	w.run(5 * time.Second)
	if in := w.slack.In("C1"); len(in) != 1 {
		t.Errorf("%d messages in the receiver's channel after the owner's was archived", len(in))
	}
}

// TestPauses: how long Slack asks to be left alone is understood with every status and in both forms, of a bot and of a webhook.
func TestPauses(t *testing.T) {
	var status int
	var after string
	server := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) {
		if after != "" {
			rw.Header().Set("Retry-After", after)
		}
		rw.WriteHeader(status)
	}))
	defer server.Close()
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	n := &notify.Notice{Key: "k", Entry: news.Blind("orders", false, 0)}
	for name, s := range map[string]notify.Sender{
		"bot":  New(notify.Slack{Token: fake.Token, Channel: "C1", APIURL: server.URL}, &notify.Guide{}, transport),
		"hook": New(notify.Slack{WebhookURL: secretOf(server.URL + "/x")}, &notify.Guide{}, transport),
	} {
		for _, status = range []int{429, 503} {
			for _, after = range []string{"60", time.Now().Add(time.Minute).UTC().Format(http.TimeFormat), ""} {
				_, err := s.Send(context.Background(), n)
				f, ok := errors.AsType[*notify.Failure](err)
				if !ok || f.Final || f.Person || (f.After > 50*time.Second) != (after != "") || !strings.Contains(f.Why, fmt.Sprint("status ", status)) {
					t.Errorf("%s, %d, %q: %+v", name, status, after, err)
				}
			}
		}
	}
}

// TestReplyThatIsRefused: a reply that the thread does not take is left out, and the notice is taken: its message says it.
func TestReplyThatIsRefused(t *testing.T) {
	w := newWorld(t, &notify.Guide{})
	v := news.Verdict("orders", "h1", "shard-7", "", "k")
	receipt, err := w.sender.Send(context.Background(), &notify.Notice{Key: "k", Entry: news.Hotspot(v, actuator.PhaseFired, 0)})
	if err != nil {
		t.Fatal(err)
	}
	for _, code := range []string{"thread_not_found", "msg_too_long", "cannot_reply_to_message"} {
		w.slack.Say(fake.Answer{}, fake.Answer{Error: code})
		if _, err := w.sender.Send(context.Background(), &notify.Notice{Key: "k", Receipt: receipt, Entry: news.Hotspot(v, actuator.PhaseRevised, time.Minute)}); err != nil {
			t.Errorf("%s: %v", code, err)
		}
	}
	if in := w.slack.In("C1"); len(in) != 1 || in[0].Edits != 3 {
		t.Errorf("%d messages", len(in))
	}
}

// TestLongLinks: a link as long as an owner's may be is there; one that no section holds is named.
func TestLongLinks(t *testing.T) {
	w := newWorld(t, &notify.Guide{})
	b := &bot{sender: w.sender.(*sender), api: slack.New(fake.Token, slack.OptionAPIURL(w.slack.API()))}
	for _, tt := range []struct{ first, second, links int }{{100, 1990, 2}, {100, 2990, 1}, {2990, 1990, 1}, {2990, 2990, 0}} {
		m := &notify.Message{Title: words.Say("t"), Text: words.Say("t")}
		for i, size := range []int{tt.first, tt.second} {
			url := "https://wiki.example/"
			m.Links = append(m.Links, notify.Link{Text: []string{"Page", "Runbook"}[i], URL: url + strings.Repeat("r", size-len(url))})
		}
		w.now = w.now.Add(time.Minute)
		if _, err := b.post(context.Background(), m, compose(m)); err != nil {
			t.Fatal(err)
		}
		in := w.slack.In("C1")
		last := in[len(in)-1]
		if all := strings.Join(last.Shown, " "); len(last.Links) != tt.links || !strings.Contains(all, "Runbook") || !strings.Contains(all, "Page") {
			t.Errorf("%+v: %d links", tt, len(last.Links))
		}
	}
}

// TestOneChannel: two receivers that post to one channel are not refused for their pace.
func TestOneChannel(t *testing.T) {
	w := newWorld(t, &notify.Guide{})
	var rules []notify.Rule
	for _, name := range []string{"a", "b"} {
		r := notify.Receiver{Name: name, Slack: &notify.Slack{Channel: "C1", APIURL: w.slack.API()}}
		rules = append(rules, r.Rule(nil))
	}
	q := notify.NewQueue(rules, func() float64 { return 0 })
	for i := range 10 {
		q.Apply(news.Hotspot(news.Verdict("orders", fmt.Sprint("h", i), fmt.Sprint("s", i), "", "k"), actuator.PhaseFired, 0), w.now)
	}
	for end := w.now.Add(time.Minute); w.now.Before(end); w.now = w.now.Add(100 * time.Millisecond) {
		for _, r := range rules {
			n, ok := q.Due(r.Name, w.now)
			if !ok {
				continue
			}
			receipt, err := w.sender.Send(context.Background(), &n)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := q.Sent(r.Name, w.now, receipt); err != nil {
				t.Fatal(err)
			}
		}
	}
	if in := w.slack.In("C1"); len(in) != 20 {
		t.Errorf("%d messages", len(in))
	}
}

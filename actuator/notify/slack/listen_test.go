package slack

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
	"go.uber.org/zap"

	"firebreak/actuator"
	"firebreak/actuator/notify"
	"firebreak/internal/fakes/news"
	fake "firebreak/internal/fakes/slack"
)

// office is a workspace in which a hotspot's plan waits for approval, and an instance that listens.
type office struct {
	*world

	listener *Listener
	mu       sync.Mutex
	asked    []Word
	answer   string // why a word is refused
	failed   error
	channel  string
}

func newOffice(t *testing.T, channel string) *office {
	t.Helper()
	o := &office{world: newWorld(t, &notify.Guide{}), channel: channel}
	o.people()
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	cfg := notify.Slack{Token: secretOf(fake.Token), AppToken: secretOf(fake.AppToken), Channel: channel, APIURL: o.slack.API()}
	o.sender = New(cfg, &notify.Guide{}, transport)
	o.listener = NewListener(cfg, map[string]string{"U1": "ann"}, func(_ context.Context, w *Word) (string, error) {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.asked = append(o.asked, *w)
		return o.answer, o.failed
	}, transport, zap.NewNop())
	return o
}

// listen runs the listener until the test ends.
func (o *office) listen() {
	o.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		o.listener.Run(ctx)
	}()
	o.t.Cleanup(func() {
		cancel()
		<-done
		goleak.VerifyNone(o.t, goleak.IgnoreAnyFunction("net/http/httptest.(*Server).goServe.func1"), goleak.IgnoreAnyFunction("net/http.(*conn).serve"), goleak.IgnoreAnyFunction("net/http.(*persistConn).readLoop"),
			goleak.IgnoreAnyFunction("net/http.(*persistConn).writeLoop"), goleak.IgnoreAnyFunction("firebreak/internal/fakes/slack.(*wire).write"), goleak.IgnoreAnyFunction("net/http.(*connReader).backgroundRead"))
	})
	o.until("a connection", func() bool { return o.slack.Connections() == 1 })
}

// until waits for something that another goroutine brings about.
func (o *office) until(what string, is func() bool) {
	o.t.Helper()
	for end := time.Now().Add(10 * time.Second); !is(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			o.t.Fatalf("no %s: %+v", what, o.slack.Whispers())
		}
	}
}

func (o *office) words() []Word {
	o.mu.Lock()
	defer o.mu.Unlock()
	return append([]Word(nil), o.asked...)
}

// propose tells of a hotspot whose plan waits, and gives its message.
func (o *office) propose() *fake.Message {
	o.t.Helper()
	o.log.Tell(news.Hotspot(news.Verdict("orders", "h1", "shard-7", "", "cart:42"), actuator.PhaseFired, 0), news.Plan("orders", "h1", "7c1f0a4be2d95a36", 0), news.Hold("orders", "h1", "approval_missing", "it waits for a person", 0))
	o.run(5 * time.Second)
	in := o.slack.In("C1")
	if len(in) != 1 || len(in[0].Buttons) != 3 {
		o.t.Fatalf("%d messages: %+v", len(in), in)
	}
	return in[0]
}

func (o *office) press(user string, m *fake.Message, action string, copies int) {
	o.t.Helper()
	if err := o.slack.Press(user, "C1", m.TS, action, copies); err != nil {
		o.t.Fatal(err)
	}
}

// TestApproveByButton: who is known presses, says why, and is told what became of it; the word goes where it is decided, once however
// often Slack delivers it; each envelope is acknowledged in time.
func TestApproveByButton(t *testing.T) {
	for _, do := range []string{"approve", "reject", "hold"} {
		t.Run(do, func(t *testing.T) {
			o := newOffice(t, "C1")
			o.listen()
			o.press("U1", o.propose(), do, 2)
			o.until("form", func() bool { return len(o.slack.Forms()) > 0 })
			if err := o.slack.Submit("U1", " seen with the team\n", 3); err != nil {
				t.Fatal(err)
			}
			o.until("answer", func() bool { return len(o.slack.Whispers()) > 0 })
			got := o.words()
			if len(got) != 1 || len(got[0].ID) != 32 || len(o.slack.Forms()) != 1 {
				t.Fatalf("%d forms, words %+v", len(o.slack.Forms()), got)
			}
			got[0].ID = ""
			want := Word{Fleet: "orders", Hotspot: "h1", Plan: "7c1f0a4be2d95a36", Do: do, By: "ann", Reason: "seen with the team", Channel: "C1", User: "U1", View: "V1"}
			if diff := cmp.Diff(want, got[0]); diff != "" {
				t.Errorf("word (-want +got):\n%s", diff)
			}
			if w := o.slack.Whispers()[0]; w.User != "U1" || w.Channel != "C1" || !strings.HasPrefix(w.Text, "Done: "+do) {
				t.Errorf("told %+v", w)
			}
			for _, e := range o.slack.Envelopes() {
				if e.Acked == 0 {
					t.Errorf("envelope %s was not acknowledged in time", e.ID)
				}
			}
		})
	}
}

// TestButtonsGo: a message has no buttons when its plan was approved, and when its hotspot is over; without an
// app-level token it never has.
func TestButtonsGo(t *testing.T) {
	o := newOffice(t, "C1")
	o.propose()
	o.log.Tell(news.Approve("orders", "h1", "7c1f0a4be2d95a36", time.Minute))
	o.run(5 * time.Second)
	if m := o.slack.In("C1")[0]; len(m.Buttons) != 0 {
		t.Errorf("after the word: %+v", m.Buttons)
	}
	o.log.Tell(news.Hotspot(news.Verdict("orders", "h1", "shard-7", "", "cart:42"), actuator.PhaseResolved, 2*time.Minute))
	o.run(5 * time.Second)
	if m := o.slack.In("C1")[0]; len(m.Buttons) != 0 || m.Colour != green {
		t.Errorf("after the end: %+v", m)
	}
	w := newWorld(t, &notify.Guide{})
	w.people()
	w.log.Tell(news.Hotspot(news.Verdict("orders", "h1", "shard-7", "", "cart:42"), actuator.PhaseFired, 0), news.Plan("orders", "h1", "p1", 0), news.Hold("orders", "h1", "approval_missing", "", 0))
	w.run(5 * time.Second)
	if m := w.slack.In("C1")[0]; len(m.Buttons) != 0 {
		t.Errorf("without a token: %+v", m.Buttons)
	}
}

// TestStrangersAreRefused: who is in no list and has no address that Slack shows is told why, and nothing is asked; an address is a name.
func TestStrangersAreRefused(t *testing.T) {
	o := newOffice(t, "C1")
	o.listen()
	m := o.propose()
	o.press("U9", m, "approve", 1)
	o.until("answer", func() bool { return len(o.slack.Whispers()) > 0 })
	if w := o.slack.Whispers()[0]; w.User != "U9" || !strings.Contains(w.Text, "nobody knows who you are") || !strings.Contains(w.Text, "U9") {
		t.Errorf("told %+v", w)
	}
	if len(o.slack.Forms())+len(o.words()) != 0 {
		t.Errorf("%d forms, words %+v", len(o.slack.Forms()), o.words())
	}
	o.slack.Known("U9", "eve@example.com")
	o.press("U9", m, "approve", 1)
	o.until("form", func() bool { return len(o.slack.Forms()) > 0 })
	if err := o.slack.Submit("U9", "why not", 1); err != nil {
		t.Fatal(err)
	}
	o.until("word", func() bool { return len(o.words()) > 0 })
	if by := o.words()[0].By; by != "eve@example.com" {
		t.Errorf("by %q", by)
	}
}

// TestRefusalIsTold: who asks for what is not done learns why: by who decides, because nobody answers, or because they did not say why.
// Nothing in it pings anybody.
func TestRefusalIsTold(t *testing.T) {
	o := newOffice(t, "C1")
	o.listen()
	m := o.propose()
	say := func(n int, reason, want string) {
		t.Helper()
		o.press("U1", m, "approve", 1)
		o.until("form", func() bool { return len(o.slack.Forms()) == n })
		if err := o.slack.Submit("U1", reason, 1); err != nil {
			t.Fatal(err)
		}
		o.until("answer", func() bool { return len(o.slack.Whispers()) == n })
		if w := o.slack.Whispers()[n-1]; !strings.Contains(w.Text, want) {
			t.Errorf("told %q, want %q", w.Text, want)
		}
	}
	o.answer = "there is no such plan now: it changed, or <!channel> is over"
	say(1, "seen", "Refused: there is no such plan now: it changed, or &lt;!channel&gt; is over.")
	o.answer, o.failed = "", errors.New("secret")
	say(2, "seen", "It was not done")
	o.failed = nil
	say(3, "  ", "Say why")
	say(4, strings.Repeat("é", 251), "Say why")
	if n := len(o.words()); n != 2 {
		t.Errorf("%d words were asked for, want 2", n)
	}
}

// TestConnectsAgain: a connection that Slack wants renewed, or that breaks, is made anew, and presses are heard on the next one.
func TestConnectsAgain(t *testing.T) {
	o := newOffice(t, "C1")
	o.listen()
	m := o.propose()
	for n, broken := range []bool{false, true} {
		before := o.slack.Connected()
		o.slack.Disconnect(broken)
		o.until("another connection, alone", func() bool { return o.slack.Connected() > before && o.slack.Connections() == 1 })
		o.press("U1", m, "approve", 1)
		o.until("form", func() bool { return len(o.slack.Forms()) == n+1 })
	}
}

// TestCheck: a token that Slack takes, and ones that it does not; no token is in an error.
func TestCheck(t *testing.T) {
	o := newOffice(t, "C1")
	if err := o.listener.Check(t.Context()); err != nil {
		t.Error(err)
	}
	for token, want := range map[string]string{"xapp-wrong-sentinel": "invalid_auth", fake.Token: "not_allowed_token_type"} {
		o.listener.cfg.AppToken = secretOf(token)
		err := o.listener.Check(t.Context())
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "sentinel") {
			t.Errorf("%v, want %s and no token", err, want)
		}
	}
	o.slack.Close()
	if err := o.listener.Check(t.Context()); err == nil || strings.Contains(err.Error(), "127.0.0.1") {
		t.Errorf("%v, want a cause without an address", err)
	}
}

// TestHostileButtons: whatever the names, a message with buttons is taken, and a form is within the limits.
func TestHostileButtons(t *testing.T) {
	o := newOffice(t, "C1")
	o.listen()
	for i, name := range news.Hostile(40) {
		fleet := name
		o.log.Tell(news.Hotspot(news.Verdict(fleet, "h1", name, "", name), actuator.PhaseFired, 0), news.Plan(fleet, "h1", "p1", 0), news.Hold(fleet, "h1", "approval_missing", "", 0))
		o.run(20 * time.Second)
		in := o.slack.In("C1")
		if len(in) != i+1 || len(in[i].Buttons) != 3 || len(in[i].Pinged) != 0 {
			t.Fatalf("%q: %d messages: %+v", name, len(in), in[len(in)-1])
		}
		o.press("U1", in[i], "hold", 1)
		o.until("form", func() bool { return len(o.slack.Forms()) == i+1 })
		if err := o.slack.Submit("U1", "x", 1); err != nil {
			t.Fatal(err)
		}
		o.until("answer", func() bool { return len(o.slack.Whispers()) == i+1 })
		if got := o.words()[i].Fleet; got != fleet {
			t.Fatalf("fleet %q, want %q", got, fleet)
		}
		o.now = o.now.Add(10 * time.Minute)
	}
}

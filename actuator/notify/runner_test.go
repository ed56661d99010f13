package notify

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"
	"go.uber.org/zap"

	"firebreak/actuator"
	"firebreak/internal/secret"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// journal is a log that every instance follows: what is appended reaches all of them at once.
type journal struct {
	mu        sync.Mutex
	log       [][]byte
	followers []func(e *actuator.Entry)
	down      bool
}

func (j *journal) Append(_ context.Context, entries []actuator.Entry) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.down {
		return errors.New("no broker")
	}
	for i := range entries {
		b, err := actuator.Encode(&entries[i])
		if err != nil {
			return err
		}
		j.log = append(j.log, b)
		e, err := actuator.Decode(b)
		if err != nil {
			return err
		}
		for _, f := range j.followers {
			f(&e)
		}
	}
	return nil
}

func (j *journal) set(down bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.down = down
}

// call is one request that a receiver got.
type call struct {
	at      time.Duration
	host    string
	id      string
	attempt string
}

// internet answers requests in virtual time.
type internet struct {
	mu     sync.Mutex
	began  time.Time
	calls  []call
	answer func(ctx context.Context, c call) (status int, retryAfter string)
}

func (n *internet) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	if err := Verify(signing, r.Header.Get(SignatureHeader), body, time.Now()); err != nil {
		return nil, err
	}
	n.mu.Lock()
	c := call{time.Since(n.began), r.URL.Host, r.Header.Get(IDHeader), r.Header.Get(AttemptHeader)}
	n.calls = append(n.calls, c)
	n.mu.Unlock()
	status, after := n.answer(r.Context(), c)
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	return &http.Response{StatusCode: status, Header: http.Header{"Retry-After": {after}}, Body: io.NopCloser(strings.NewReader("")), Request: r}, nil
}

func (n *internet) of(host string) []call {
	n.mu.Lock()
	defer n.mu.Unlock()
	var out []call
	for _, c := range n.calls {
		if c.host == host {
			out = append(out, c)
		}
	}
	return out
}

// newInstance is a runner of two receivers that follows the journal.
func newInstance(t *testing.T, j *journal, n *internet) *Runner {
	t.Helper()
	rules, senders := []Rule{}, map[string]Sender{}
	for _, name := range []string{"slack", "pager"} {
		rules = append(rules, Rule{Name: name})
		senders[name] = NewWebhook(Webhook{URL: secret.Value("https://" + name + "/sentinel"), Secret: signing}, &Guide{}, n)
	}
	r := NewRunner(NewQueue(rules, func() float64 { return 0.5 }), senders, j, zap.NewNop())
	j.mu.Lock()
	j.followers = append(j.followers, func(e *actuator.Entry) { r.Apply(e, time.Now()) })
	j.mu.Unlock()
	return r
}

func tell(t *testing.T, j *journal, e *actuator.Entry) {
	t.Helper()
	if err := j.Append(context.Background(), []actuator.Entry{*e}); err != nil {
		t.Fatal(err)
	}
}

func ok(context.Context, call) (int, string) { return http.StatusOK, "" }

// TestThrottled (S13): slack answers 429 with Retry-After 30 three times, then takes it; the pager has it within 5 s; the
// instance is replaced in the middle.
func TestThrottled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		j, n := &journal{}, &internet{began: time.Now()}
		n.answer = func(_ context.Context, c call) (int, string) {
			if c.host == "slack" && len(n.of("slack")) <= 3 {
				return http.StatusTooManyRequests, "30"
			}
			return http.StatusOK, ""
		}
		a, b := newInstance(t, j, n), newInstance(t, j, n)
		if err := a.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		if a.Start(t.Context()) == nil {
			t.Error("started twice")
		}
		tell(t, j, fired("h"))
		time.Sleep(45 * time.Second)
		if err := a.Stop(t.Context()); err != nil {
			t.Error(err)
		}
		if err := b.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		time.Sleep(3 * time.Minute)
		if err := b.Stop(t.Context()); err != nil {
			t.Error(err)
		}
		if calls := n.of("pager"); len(calls) != 1 || calls[0].at > 5*time.Second {
			t.Errorf("pager %v", calls)
		}
		calls := n.of("slack")
		if len(calls) != 4 {
			t.Fatalf("slack %v", calls)
		}
		for i, c := range calls {
			if c.id != calls[0].id || i > 0 && c.at-calls[i-1].at < 30*time.Second {
				t.Errorf("call %d: %+v after %+v", i, c, calls[max(0, i-1)])
			}
		}
		if s := b.Stats("slack"); s.Queued != 0 || s.Delivered != 1 {
			t.Errorf("%+v", s)
		}
	})
}

// TestFailover (S08): what was recorded is repeated by nobody; what was sent and not recorded before a crash is repeated under the
// same key; only the decider sends.
func TestFailover(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		j, n := &journal{}, &internet{began: time.Now(), answer: ok}
		a, b := newInstance(t, j, n), newInstance(t, j, n)
		tell(t, j, fired("before"))
		time.Sleep(time.Minute)
		if len(n.calls) != 0 {
			t.Fatalf("sent by no decider: %v", n.calls)
		}
		ctx, crash := context.WithCancel(t.Context())
		if err := a.Start(ctx); err != nil {
			t.Fatal(err)
		}
		time.Sleep(5 * time.Second)
		j.set(true)
		a.Apply(fired("unrecorded"), time.Now())
		b.Apply(fired("unrecorded"), time.Now())
		time.Sleep(5 * time.Second)
		a.Apply(fired("too"), time.Now())
		b.Apply(fired("too"), time.Now())
		time.Sleep(5 * time.Second)
		crash()
		synctest.Wait()
		j.set(false)
		if err := b.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		time.Sleep(10 * time.Second)
		for _, r := range []*Runner{a, b} {
			if err := r.Stop(t.Context()); err != nil {
				t.Error(err)
			}
		}
		want := []string{fired("before").ID, fired("unrecorded").ID, fired("too").ID, fired("unrecorded").ID, fired("too").ID}
		for _, host := range []string{"slack", "pager"} {
			var got []string
			for _, c := range n.of(host) {
				got = append(got, c.id)
			}
			if fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("%s got %v, want %v", host, got, want)
			}
		}
	})
}

// TestStop: what is under way is finished and recorded; what does not end in time is cut off, and due again.
func TestStop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		j, n := &journal{}, &internet{began: time.Now()}
		n.answer = func(ctx context.Context, c call) (int, string) {
			wait := 3 * time.Second
			if c.host == "pager" {
				wait = time.Hour
			}
			select {
			case <-time.After(wait):
			case <-ctx.Done():
			}
			return http.StatusOK, ""
		}
		a := newInstance(t, j, n)
		if err := a.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		tell(t, j, fired("h"))
		time.Sleep(time.Second)
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		if err := a.Stop(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("error %v", err)
		}
		if s, p := a.Stats("slack"), a.Stats("pager"); s.Delivered != 1 || s.Queued != 0 || p.Delivered != 0 || p.Queued != 1 || p.Retried != 0 {
			t.Errorf("slack %+v, pager %+v", s, p)
		}
		if len(j.log) != 2 {
			t.Errorf("%d entries, want the news and one record", len(j.log))
		}
		if err := a.Stop(t.Context()); err != nil {
			t.Errorf("stopped again: %v", err)
		}
	})
}

// TestLongOutage: a receiver that is down for seven hours gets what is young enough; the rest is dead, and the journal says so.
// It is asked a bounded number of times.
func TestLongOutage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		j, n := &journal{}, &internet{began: time.Now()}
		n.answer = func(_ context.Context, c call) (int, string) {
			if c.host == "slack" && c.at < 7*time.Hour {
				return http.StatusBadGateway, ""
			}
			return http.StatusOK, ""
		}
		a := newInstance(t, j, n)
		if err := a.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		tell(t, j, fired("old"))
		time.Sleep(5 * time.Hour)
		tell(t, j, fired("young"))
		time.Sleep(3 * time.Hour)
		if err := a.Stop(t.Context()); err != nil {
			t.Error(err)
		}
		if s := a.Stats("slack"); s.Delivered != 1 || s.GaveUp != 1 || s.Queued != 0 {
			t.Errorf("%+v", s)
		}
		if calls := n.of("slack"); len(calls) < 100 || len(calls) > 400 || calls[len(calls)-1].id != fired("young").ID {
			t.Errorf("%d calls, the last %+v", len(calls), calls[len(calls)-1])
		}
		var dead []string
		for _, b := range j.log {
			e, err := actuator.Decode(b)
			if err != nil {
				t.Fatal(err)
			}
			if d, err := actuator.Read[actuator.Delivered](&e); e.Kind == actuator.KindDelivered && err == nil && d.Outcome == actuator.OutcomeDead {
				dead = append(dead, d.Entries...)
				if d.Why != "slack: status 502" {
					t.Errorf("dead because of %q", d.Why)
				}
			}
		}
		if len(dead) != 1 || dead[0] != fired("old").ID {
			t.Errorf("dead %v", dead)
		}
	})
}

package console

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// stream is a connection that remembers when what was written to it.
type stream struct {
	*httptest.ResponseRecorder

	mu     sync.Mutex
	begun  time.Time
	events []string
	at     []time.Duration
}

func (s *stream) SetReadDeadline(time.Time) error  { return nil }
func (s *stream) SetWriteDeadline(time.Time) error { return nil }

func (s *stream) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	first, _, _ := strings.Cut(string(b), "\n")
	s.events, s.at = append(s.events, first), append(s.at, time.Since(s.begun))
	return len(b), nil
}

// TestBeat: a stream of a fleet in which nothing changes shows every 10 s that it lives, by an event that a page can hear; what changes
// is told beside it.
func TestBeat(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := New([]Fleet{{Name: "orders"}}, nil)
		ctx, cancel := context.WithCancel(t.Context())
		out := &stream{ResponseRecorder: httptest.NewRecorder(), begun: time.Now()}
		var done sync.WaitGroup
		done.Go(func() {
			newEvents(m, make(chan struct{})).ServeHTTP(out, httptest.NewRequestWithContext(ctx, http.MethodGet, "/events", nil))
		})
		time.Sleep(35500 * time.Millisecond)
		m.version.Add(1)
		time.Sleep(10 * time.Second)
		cancel()
		done.Wait()
		want := []string{"retry: 5000", "event: beat", "event: beat", "event: beat", "event: change", "event: beat"}
		if got := strings.Join(out.events, ", "); got != strings.Join(want, ", ") {
			t.Fatalf("written: %s", got)
		}
		for i, at := range []time.Duration{0, 10 * time.Second, 20 * time.Second, 30 * time.Second, 36 * time.Second, 40 * time.Second} {
			if out.at[i] != at {
				t.Errorf("%s after %v, want %v", out.events[i], out.at[i], at)
			}
		}
	})
}

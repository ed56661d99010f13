package webhook

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"sync"
	"time"

	"firebreak/actuator/notify"
)

// Secret is the one that the server knows.
const Secret = "sentinel-of-some-length"

// burst is how many notices it takes at once, before it takes one a second.
const burst = 5

// Server is one receiver. Its zero value is not ready; use New.
type Server struct {
	*httptest.Server

	mu     sync.Mutex
	now    func() time.Time
	free   float64 // notices that it takes at once now
	at     time.Time
	known  map[string]bool
	bodies []notify.Body
	calls  []int
}

// New starts a receiver. now is its clock.
func New(now func() time.Time) *Server {
	s := &Server{now: now, free: burst, known: map[string]bool{}}
	s.Server = httptest.NewServer(http.HandlerFunc(s.serve))
	return s
}

// Bodies are the notices that it took, each once.
func (s *Server) Bodies() []notify.Body {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.bodies)
}

// Calls are the statuses that it answered.
func (s *Server) Calls() []int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.calls)
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	status := s.take(w, r)
	s.calls = append(s.calls, status)
	w.WriteHeader(status)
}

// take judges a request.
func (s *Server) take(w http.ResponseWriter, r *http.Request) int {
	now := s.now()
	if !s.at.IsZero() {
		s.free = min(burst, s.free+now.Sub(s.at).Seconds())
	}
	s.at = now
	if s.free < 1 {
		w.Header().Set("Retry-After", "2")
		return http.StatusTooManyRequests
	}
	s.free--
	text, err := io.ReadAll(r.Body)
	if err != nil || r.Method != http.MethodPost {
		return http.StatusBadRequest
	}
	if notify.Verify(Secret, r.Header.Get(notify.SignatureHeader), text, now) != nil {
		return http.StatusUnauthorized
	}
	var body notify.Body
	attempt, err := strconv.Atoi(r.Header.Get(notify.AttemptHeader))
	if json.Unmarshal(text, &body) != nil || err != nil || attempt < 1 || body.Version != 1 || body.DedupKey == "" || body.Group == "" || body.DedupKey != r.Header.Get(notify.IDHeader) {
		return http.StatusUnprocessableEntity
	}
	if !s.known[body.DedupKey] {
		s.known[body.DedupKey] = true
		s.bodies = append(s.bodies, body)
	}
	return http.StatusNoContent
}

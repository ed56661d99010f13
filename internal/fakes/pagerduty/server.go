package pagerduty

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"
)

// Key is the integration key that the server knows.
const Key = "sentinel0sentinel0sentinel0senti"

// Path is where events go, and ChangePath where change events do.
const (
	Path       = "/v2/enqueue"
	ChangePath = "/v2/change/enqueue"
)

// Limits of an event.
const (
	mostBody    = 512 << 10
	mostSummary = 1024
	mostDedup   = 255
)

// perMinute is how many events a key takes: https://support.pagerduty.com/main/docs/rate-limits. As many may come at once.
const perMinute = 120

// Server is one service. Its zero value is not ready; use New.
type Server struct {
	*httptest.Server

	mu        sync.Mutex
	now       func() time.Time
	incidents map[string]*Incident
	order     []string
	changes   []Change
	statuses  []Status
	calls     []Call
	free      float64 // events that it takes at once now
	at        time.Time
}

// Status is what the server says to the next event instead of its own.
type Status struct {
	Code       int
	RetryAfter string
}

// Call is one event that came.
type Call struct {
	At     time.Time
	Status int
	Why    string // of 400
}

// Incident is what people have of one dedup key.
type Incident struct {
	Dedup   string
	State   string // triggered, acknowledged, resolved
	Pages   int    // how often somebody was called
	Events  int
	Summary string
	Payload Payload
	Links   []Link
}

// Change is a change event: it calls nobody.
type Change struct {
	Summary, Source, Timestamp string
	Details                    map[string]string `json:"custom_details"`
	Links                      []Link            `json:"-"`
}

// Payload is that of the newest event that has one.
type Payload struct {
	Summary, Source, Severity, Component, Group, Class string
	Timestamp                                          string
	Details                                            map[string]string `json:"custom_details"`
}

// Link is a link of an event.
type Link struct{ Href, Text string }

type event struct {
	Key     string `json:"routing_key"`
	Action  string `json:"event_action"`
	Dedup   string `json:"dedup_key"`
	Links   []Link
	Payload *Payload
}

// New starts a service. now is its clock.
func New(now func() time.Time) *Server {
	s := &Server{now: now, incidents: map[string]*Incident{}, free: perMinute}
	s.Server = httptest.NewServer(http.HandlerFunc(s.serve))
	return s
}

// Say answers the next events.
func (s *Server) Say(statuses ...Status) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.statuses = append(s.statuses, statuses...)
}

// Quiet forgets what Say prepared.
func (s *Server) Quiet() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.statuses = nil
}

// Calls are the events that came.
func (s *Server) Calls() []Call {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.calls)
}

// Incidents are all there were, in the order of their first trigger.
func (s *Server) Incidents() []Incident {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []Incident
	for _, key := range s.order {
		out = append(out, *s.incidents[key])
	}
	return out
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	call := Call{At: s.now(), Status: http.StatusAccepted}
	defer func() { s.calls = append(s.calls, call) }()
	if len(s.statuses) > 0 {
		said := s.statuses[0]
		s.statuses = s.statuses[1:]
		if said.Code != 0 {
			call.Status = said.Code
			if said.RetryAfter != "" {
				w.Header().Set("Retry-After", said.RetryAfter)
			}
			w.WriteHeader(said.Code)
			return
		}
	}
	if !s.take() {
		call.Status = http.StatusTooManyRequests
		w.WriteHeader(call.Status)
		return
	}
	body, err := io.ReadAll(r.Body)
	if r.URL.Path == ChangePath {
		s.change(w, r, body, &call)
		return
	}
	var e event
	if call.Why = judge(r, body, &e); err != nil || call.Why != "" {
		call.Status = http.StatusBadRequest
		w.WriteHeader(call.Status)
		_, _ = fmt.Fprintf(w, `{"status":"invalid event","message":"Event object is invalid","errors":[%q]}`, call.Why) //nolint:gosec // nobody renders it
		return
	}
	s.apply(&e)
	w.WriteHeader(call.Status)
	_, _ = fmt.Fprintf(w, `{"status":"success","message":"Event processed","dedup_key":%q}`, e.Dedup)
}

// Changes are the change events that were taken, in their order.
func (s *Server) Changes() []Change {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.changes)
}

// change takes a change event.
func (s *Server) change(w http.ResponseWriter, r *http.Request, body []byte, call *Call) {
	var e struct {
		Key     string `json:"routing_key"`
		Links   []Link
		Payload *Change
	}
	if call.Why = unsound(r, body, &e); call.Why == "" {
		switch {
		case e.Key != Key:
			call.Why = "Invalid Routing Key"
		case e.Payload == nil || e.Payload.Summary == "" || utf8.RuneCountInString(e.Payload.Summary) > mostSummary:
			call.Why = "payload.summary"
		case !sound(e.Links):
			call.Why = "links"
		}
	}
	if call.Why != "" {
		call.Status = http.StatusBadRequest
		w.WriteHeader(call.Status)
		_, _ = fmt.Fprintf(w, `{"status":"invalid event","message":"Event object is invalid","errors":[%q]}`, call.Why)
		return
	}
	e.Payload.Links = e.Links
	s.changes = append(s.changes, *e.Payload)
	w.WriteHeader(call.Status)
	_, _ = fmt.Fprint(w, `{"status":"success","message":"Change event processed"}`)
}

// take lets an event in, or says that there were too many.
func (s *Server) take() bool {
	now := s.now()
	if !s.at.IsZero() {
		s.free = min(perMinute, s.free+now.Sub(s.at).Seconds()*perMinute/60)
	}
	s.at = now
	if s.free < 1 {
		return false
	}
	s.free--
	return true
}

// unsound says why no event can be read; empty = it was read into e.
func unsound(r *http.Request, body []byte, e any) string {
	switch {
	case r.URL.Path != Path && r.URL.Path != ChangePath || r.Method != http.MethodPost:
		return "no such method"
	case len(body) > mostBody:
		return "the event is above 512 KB"
	case !utf8.Valid(body) || json.Unmarshal(body, e) != nil:
		return "no JSON"
	case bytes.ContainsRune(body, utf8.RuneError) || bytes.Contains(body, []byte(`\ufffd`)): // an encoder's mark of a character that was cut
		return "a broken character"
	}
	return ""
}

// sound says whether links lead somewhere.
func sound(links []Link) bool {
	return !slices.ContainsFunc(links, func(l Link) bool {
		u, err := url.Parse(l.Href)
		return err != nil || !strings.HasPrefix(u.Scheme, "http") || u.Host == ""
	})
}

// judge says what is wrong with an event; empty = nothing.
func judge(r *http.Request, body []byte, e *event) string {
	if why := unsound(r, body, e); why != "" {
		return why
	}
	switch {
	case len(e.Key) != len(Key):
		return "Length of 'routing_key' is incorrect (should be 32 characters)"
	case e.Key != Key:
		return "Invalid Routing Key"
	case !slices.Contains([]string{"trigger", "acknowledge", "resolve"}, e.Action):
		return "event_action"
	case e.Dedup == "" && e.Action != "trigger" || utf8.RuneCountInString(e.Dedup) > mostDedup:
		return "dedup_key"
	case e.Action == "trigger" && e.Payload == nil:
		return "payload is missing"
	case e.Action != "trigger":
		return ""
	}
	p := e.Payload
	switch {
	case p.Summary == "" || utf8.RuneCountInString(p.Summary) > mostSummary:
		return "payload.summary"
	case p.Source == "" || utf8.RuneCountInString(p.Source) > mostSummary:
		return "payload.source"
	case !slices.Contains([]string{"critical", "error", "warning", "info"}, p.Severity):
		return "payload.severity"
	}
	if !sound(e.Links) {
		return "links"
	}
	return ""
}

// apply changes the incident of an event: a trigger of what is open already calls nobody.
func (s *Server) apply(e *event) {
	i := s.incidents[e.Dedup]
	if i == nil {
		if e.Action != "trigger" {
			return // accepted, and without effect
		}
		i = &Incident{Dedup: e.Dedup, State: "resolved"}
		s.incidents[e.Dedup] = i
		s.order = append(s.order, e.Dedup)
	}
	i.Events++
	switch e.Action {
	case "trigger":
		if i.State == "resolved" {
			i.State = "triggered"
			i.Pages++
		}
	case "acknowledge":
		if i.State == "triggered" {
			i.State = "acknowledged"
		}
	case "resolve":
		i.State = "resolved"
	}
	if e.Payload != nil {
		i.Summary, i.Payload, i.Links = e.Payload.Summary, *e.Payload, e.Links
	}
}

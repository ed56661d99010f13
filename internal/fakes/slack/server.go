package slack

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Token is the one that the server knows, and Hook the path of its incoming webhook.
const (
	Token = "xoxb-sentinel-token"
	Hook  = "/services/T1/B1/sentinel-hook"
)

// burst is how many messages a channel takes at once, before it takes one a second.
const burst = 5

// updates is how many messages it lets be updated in a minute, of all channels, and at once: https://api.slack.com/apis/rate-limits, tier 3.
const updates = 50

// Server is a workspace. Its zero value is not ready; use New.
type Server struct {
	*httptest.Server

	mu       sync.Mutex
	now      func() time.Time
	channels map[string]*Channel
	answers  []Answer
	calls    []Call
	stamps   int
	updates  bucket

	wires     []*wire
	connected int // how many there were, from the beginning
	tickets   int
	unused    []string // tickets that were not used
	envelopes []Envelope
	delivered map[string]time.Time // that are not acknowledged, by id
	triggers  int
	live      map[string]time.Time // triggers that were not used
	views     []View
	whispers  []Whisper
	emails    map[string]string
}

// Channel is one channel. Names lead to it as its id does.
type Channel struct {
	ID, Name string
	Archived bool
	Messages []*Message
	pace     bucket
}

// Message is what stands in a channel.
type Message struct {
	TS      string
	Text    string
	Blocks  []Block
	Buttons []Button
	Shown   []string // texts of its blocks, in order
	Markup  []string // those that are markup
	Colour  string
	Edits   int
	Replies []*Message
	Shouted bool     // a reply that the channel shows too
	Pinged  []string // markup of mentions that its texts hold
	Links   []string
}

// Block is a header or a section.
type Block struct {
	Header bool
	Markup bool // Text is mrkdwn
	Text   string
}

// Answer is what the server says to the next call instead of its own.
type Answer struct {
	Status     int    // 0 = 200
	Error      string // of an answer that is not ok
	RetryAfter string
}

// Call is one request that came.
type Call struct {
	At     time.Time
	Method string // chat.postMessage and other methods, or hook
	Error  string // that was answered; empty = taken
}

// New starts a workspace with channels: a name is "id name". now is its clock.
func New(now func() time.Time, channels ...string) *Server {
	s := &Server{
		now: now, channels: map[string]*Channel{}, updates: bucket{free: updates, most: updates, rate: updates / 60.0},
		delivered: map[string]time.Time{}, live: map[string]time.Time{}, emails: map[string]string{},
	}
	for _, c := range channels {
		id, name, _ := strings.Cut(c, " ")
		s.channels[id] = &Channel{ID: id, Name: name, pace: bucket{free: burst, most: burst, rate: 1}}
	}
	s.Server = httptest.NewServer(http.HandlerFunc(s.serve))
	return s
}

// API is the URL of its methods.
func (s *Server) API() string { return s.URL + "/api/" }

// HookURL is that of its incoming webhook, which posts to the first channel by id.
func (s *Server) HookURL() string { return s.URL + Hook }

// Say answers the next calls.
func (s *Server) Say(answers ...Answer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answers = append(s.answers, answers...)
}

// Calls are those that came.
func (s *Server) Calls() []Call {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.calls)
}

// In gives the messages of a channel.
func (s *Server) In(id string) []*Message {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.channels[id].Messages)
}

// Archive closes a channel.
func (s *Server) Archive(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.channels[id].Archived = true
}

// Delete takes a message away.
func (s *Server) Delete(id, ts string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.channels[id]
	c.Messages = slices.DeleteFunc(c.Messages, func(m *Message) bool { return m.TS == ts })
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/socket" {
		s.socket(w, r)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	method := strings.TrimPrefix(r.URL.Path, "/api/")
	if r.URL.Path == Hook {
		method = "hook"
	}
	call := Call{At: s.now(), Method: method}
	defer func() { s.calls = append(s.calls, call) }()
	if len(s.answers) > 0 {
		a := s.answers[0]
		s.answers = s.answers[1:]
		if a != (Answer{}) {
			call.Error = a.Error + strconv.Itoa(a.Status)
			answer(w, a)
			return
		}
	}
	var reply map[string]any
	var err *Answer
	if method == "hook" {
		err = s.hook(r)
	} else {
		reply, err = s.method(method, r)
	}
	switch {
	case err != nil:
		call.Error = err.Error + strconv.Itoa(err.Status)
		answer(w, *err)
	case method == "hook":
		_, _ = fmt.Fprint(w, "ok")
	default:
		reply["ok"] = true
		_ = json.NewEncoder(w).Encode(reply)
	}
}

// answer writes a refusal as Slack does.
func answer(w http.ResponseWriter, a Answer) {
	if a.RetryAfter != "" {
		w.Header().Set("Retry-After", a.RetryAfter)
	}
	if a.Status != 0 {
		w.WriteHeader(a.Status)
		_, _ = fmt.Fprint(w, a.Error)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]any{"ok": false, "error": a.Error})
}

// bucket is a rate limit.
type bucket struct {
	free, most, rate float64 // calls that it takes now, at most, and more a second
	at               time.Time
}

// take lets a call through, or says that there were too many.
func (b *bucket) take(now time.Time) *Answer {
	if !b.at.IsZero() {
		b.free = min(b.most, b.free+now.Sub(b.at).Seconds()*b.rate)
	}
	b.at = now
	if b.free < 1 {
		return &Answer{Status: http.StatusTooManyRequests, RetryAfter: "1", Error: "ratelimited"}
	}
	b.free--
	return nil
}

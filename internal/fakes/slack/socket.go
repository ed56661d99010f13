package slack

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/gorilla/websocket"
)

// AppToken is the app-level token that the server knows.
const AppToken = "xapp-sentinel-token"

// ackWithin is how long Slack waits until an envelope is acknowledged: https://api.slack.com/apis/connections/socket.
const ackWithin = 3 * time.Second

// pingEvery is how often a connection is pinged.
const pingEvery = 5 * time.Second

// Envelope is what was delivered to a connection.
type Envelope struct {
	ID    string
	Acked time.Duration // after it was delivered; 0 = it was not, in time
}

// wire is a connection of an app.
type wire struct {
	*websocket.Conn

	out  chan any
	done chan struct{} // closed: it is gone
}

// open answers apps.connections.open.
func (s *Server) open(r *http.Request) (map[string]any, *Answer) {
	switch r.Header.Get("Authorization") {
	case "Bearer " + AppToken:
	case "Bearer " + Token:
		return nil, &Answer{Error: "not_allowed_token_type"}
	default:
		return nil, &Answer{Error: "invalid_auth"}
	}
	s.tickets++
	ticket := fmt.Sprintf("ticket-%d", s.tickets)
	s.unused = append(s.unused, ticket)
	return map[string]any{"url": "ws" + strings.TrimPrefix(s.URL, "http") + "/socket?ticket=" + ticket}, nil
}

// socket is the address that open gave, which is good once.
func (s *Server) socket(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	i := slices.Index(s.unused, r.URL.Query().Get("ticket"))
	if i >= 0 {
		s.unused = slices.Delete(s.unused, i, i+1)
	}
	s.mu.Unlock()
	if i < 0 {
		w.WriteHeader(http.StatusForbidden)
		return
	}
	up := websocket.Upgrader{CheckOrigin: func(*http.Request) bool { return true }}
	conn, err := up.Upgrade(w, r, nil)
	if err != nil {
		return
	}
	c := &wire{conn, make(chan any, 16), make(chan struct{})}
	c.out <- map[string]any{"type": "hello", "num_connections": 1, "connection_info": map[string]any{"app_id": "A1"}}
	s.mu.Lock()
	s.wires, s.connected = append(s.wires, c), s.connected+1
	s.mu.Unlock()
	go c.write()
	s.read(c)
}

// write sends what is to be sent, and pings.
func (c *wire) write() {
	tick := time.NewTicker(pingEvery)
	defer tick.Stop()
	_ = c.WriteControl(websocket.PingMessage, nil, time.Now().Add(time.Second))
	for {
		select {
		case v := <-c.out:
			_ = c.WriteJSON(v)
		case <-tick.C:
			_ = c.WriteControl(websocket.PingMessage, nil, time.Now().Add(time.Second))
		case <-c.done:
			return
		}
	}
}

// read takes acknowledgements until the connection is gone.
func (s *Server) read(c *wire) {
	defer func() {
		close(c.done)
		_ = c.Close()
		s.mu.Lock()
		s.wires = slices.DeleteFunc(s.wires, func(o *wire) bool { return o == c })
		s.mu.Unlock()
	}()
	for {
		var ack struct {
			EnvelopeID string `json:"envelope_id"`
		}
		if c.ReadJSON(&ack) != nil {
			return
		}
		s.mu.Lock()
		if at, waits := s.delivered[ack.EnvelopeID]; waits {
			delete(s.delivered, ack.EnvelopeID)
			if took := time.Since(at); took <= ackWithin {
				i := slices.IndexFunc(s.envelopes, func(e Envelope) bool { return e.ID == ack.EnvelopeID })
				s.envelopes[i].Acked = took
			}
		}
		s.mu.Unlock()
	}
}

// Connections is how many apps are connected.
func (s *Server) Connections() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.wires)
}

// Connected is how many connections there were, from the beginning.
func (s *Server) Connected() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.connected
}

// Envelopes are those that were delivered.
func (s *Server) Envelopes() []Envelope {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.envelopes)
}

// Disconnect asks every app to connect anew, as Slack does from time to time; broken breaks the connections instead.
func (s *Server) Disconnect(broken bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.wires {
		if broken {
			_ = c.Close()
			continue
		}
		c.out <- map[string]any{"type": "disconnect", "reason": "refresh_requested"}
	}
}

// Press is a person who presses a button of a message: the envelope goes to one of the connections, copies times.
func (s *Server) Press(user, channel, ts, action string, copies int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.channels[channel]
	i := slices.IndexFunc(c.Messages, func(m *Message) bool { return m.TS == ts })
	if i < 0 {
		return errors.New("no such message")
	}
	b := slices.IndexFunc(c.Messages[i].Buttons, func(b Button) bool { return b.Action == action })
	if b < 0 {
		return fmt.Errorf("no button %s under %v", action, c.Messages[i].Shown)
	}
	return s.press(user, channel, ts, c.Messages[i].Buttons[b], copies)
}

// PressOld is Press of a button that the message had.
func (s *Server) PressOld(user, channel, ts string, b Button) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.press(user, channel, ts, b, 1)
}

func (s *Server) press(user, channel, ts string, b Button, copies int) error {
	s.triggers++
	trigger := fmt.Sprintf("trigger-%d", s.triggers)
	s.live[trigger] = time.Now()
	return s.deliver(map[string]any{
		"type": "block_actions", "trigger_id": trigger, "user": map[string]any{"id": user}, "channel": map[string]any{"id": channel},
		"message": map[string]any{"ts": ts}, "container": map[string]any{"type": "message", "channel_id": channel, "message_ts": ts},
		"actions": []any{map[string]any{"type": "button", "block_id": b.Block, "action_id": b.Action, "value": b.Value}},
	}, copies)
}

// Submit is a person who fills in the newest form that is open for them.
func (s *Server) Submit(user, reason string, copies int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.views) == 0 {
		return errors.New("no form is open")
	}
	v := s.views[len(s.views)-1]
	values := map[string]any{}
	for _, b := range v.Blocks {
		if b.Type == "input" {
			values[b.ID] = map[string]any{b.Element.ActionID: map[string]any{"type": "plain_text_input", "value": reason}}
		}
	}
	return s.deliver(map[string]any{
		"type": "view_submission", "user": map[string]any{"id": user},
		"view": map[string]any{"id": v.id, "type": "modal", "callback_id": v.CallbackID, "private_metadata": v.Metadata, "state": map[string]any{"values": values}},
	}, copies)
}

// deliver sends an envelope to the newest connection.
func (s *Server) deliver(payload any, copies int) error {
	if len(s.wires) == 0 {
		return errors.New("no app is connected")
	}
	s.triggers++
	id := fmt.Sprintf("envelope-%d", s.triggers)
	body, err := json.Marshal(payload)
	if err != nil {
		return err
	}
	s.delivered[id] = time.Now()
	s.envelopes = append(s.envelopes, Envelope{ID: id})
	c := s.wires[len(s.wires)-1]
	for range copies {
		c.out <- map[string]any{"type": "interactive", "envelope_id": id, "payload": json.RawMessage(body), "accepts_response_payload": true}
	}
	return nil
}

package slack

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
)

// method is one call of the Web API.
func (s *Server) method(name string, r *http.Request) (map[string]any, *Answer) {
	switch name {
	case "apps.connections.open":
		return s.open(r)
	case "views.open":
		return s.form(r)
	}
	if err := r.ParseForm(); err != nil {
		return nil, &Answer{Error: "invalid_form_data"}
	}
	f := r.PostForm
	switch f.Get("token") {
	case Token:
	case "":
		return nil, &Answer{Error: "not_authed"}
	default:
		return nil, &Answer{Error: "invalid_auth"}
	}
	switch name {
	case "chat.postEphemeral":
		return s.whisper(r)
	case "users.info":
		return s.user(r)
	}
	c := s.channel(f.Get("channel"))
	switch {
	case name != "chat.postMessage" && name != "chat.update":
		return nil, &Answer{Error: "unknown_method"}
	case c == nil:
		return nil, &Answer{Error: "channel_not_found"}
	case c.Archived:
		return nil, &Answer{Error: "is_archived"}
	}
	m, refusal := read(f.Get("text"), f.Get("blocks"), f.Get("attachments"))
	if refusal != "" {
		return nil, &Answer{Error: refusal}
	}
	if name == "chat.update" {
		if busy := s.updates.take(s.now()); busy != nil {
			return nil, busy
		}
		return s.update(c, f.Get("ts"), m)
	}
	if busy := c.pace.take(s.now()); busy != nil {
		return nil, busy
	}
	s.stamp(m)
	if thread := f.Get("thread_ts"); thread != "" {
		i := slices.IndexFunc(c.Messages, func(o *Message) bool { return o.TS == thread })
		if i < 0 {
			return nil, &Answer{Error: "thread_not_found"}
		}
		m.Shouted = f.Get("reply_broadcast") == "true"
		c.Messages[i].Replies = append(c.Messages[i].Replies, m)
	} else {
		c.Messages = append(c.Messages, m)
	}
	return map[string]any{"channel": c.ID, "ts": m.TS}, nil
}

// channel finds one by id, or by name, as chat.postMessage does.
func (s *Server) channel(name string) *Channel {
	for id, c := range s.channels {
		if name == id || name == c.Name || name == "#"+c.Name {
			return c
		}
	}
	return nil
}

func (s *Server) stamp(m *Message) {
	s.stamps++
	m.TS = fmt.Sprintf("%d.%06d", s.now().Unix(), s.stamps)
}

// update puts a message in the place of another.
func (s *Server) update(c *Channel, ts string, m *Message) (map[string]any, *Answer) {
	i := slices.IndexFunc(c.Messages, func(o *Message) bool { return o.TS == ts })
	if i < 0 {
		return nil, &Answer{Error: "message_not_found"}
	}
	old := c.Messages[i]
	m.TS, m.Edits, m.Replies = ts, old.Edits+1, old.Replies
	c.Messages[i] = m
	return map[string]any{"channel": c.ID, "ts": ts, "text": m.Text}, nil
}

// hook takes a message of an incoming webhook.
func (s *Server) hook(r *http.Request) *Answer {
	var body struct {
		Text                string
		Blocks, Attachments json.RawMessage
	}
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
		return &Answer{Status: http.StatusBadRequest, Error: "invalid_payload"}
	}
	ids := make([]string, 0, len(s.channels))
	for id := range s.channels {
		ids = append(ids, id)
	}
	c := s.channels[slices.Min(ids)]
	if c.Archived {
		return &Answer{Status: http.StatusGone, Error: "channel_is_archived"}
	}
	m, refusal := read(body.Text, string(body.Blocks), string(body.Attachments))
	if refusal != "" {
		return &Answer{Status: http.StatusBadRequest, Error: refusal}
	}
	if busy := c.pace.take(s.now()); busy != nil {
		return busy
	}
	s.stamp(m)
	c.Messages = append(c.Messages, m)
	return nil
}

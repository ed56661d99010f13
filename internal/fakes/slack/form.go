package slack

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"time"
)

// Limits of a form and of buttons, https://api.slack.com/reference/surfaces/views and .../block-kit/block-elements.
const (
	mostTitle    = 24
	mostMetadata = 3000
	mostButton   = 75
	mostValue    = 2000
	mostActions  = 25
)

// View is a form that is open.
type View struct {
	Type       string
	Title      text
	Submit     text
	CallbackID string `json:"callback_id"`
	Metadata   string `json:"private_metadata"`
	Blocks     []struct {
		Type    string
		ID      string `json:"block_id"`
		Text    *text
		Label   *text
		Element struct {
			Type     string
			ActionID string `json:"action_id"`
		}
	}
	id string
}

// Whisper is what one person was told in a channel.
type Whisper struct{ Channel, User, Text string }

// Button is one of a message.
type Button struct{ Block, Action, Text, Value string }

// Forms are those that were opened.
func (s *Server) Forms() []View {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.views)
}

// Whispers are what single persons were told.
func (s *Server) Whispers() []Whisper {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.whispers)
}

// Known gives a user an e-mail address that the app may see.
func (s *Server) Known(user, email string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.emails[user] = email
}

// form answers views.open.
func (s *Server) form(r *http.Request) (map[string]any, *Answer) {
	if r.Header.Get("Authorization") != "Bearer "+Token {
		return nil, &Answer{Error: "invalid_auth"}
	}
	var body struct {
		Trigger string `json:"trigger_id"`
		View    View
	}
	if json.NewDecoder(r.Body).Decode(&body) != nil {
		return nil, &Answer{Error: "invalid_arguments"}
	}
	at, known := s.live[body.Trigger]
	delete(s.live, body.Trigger)
	switch v := &body.View; {
	case !known:
		return nil, &Answer{Error: "invalid_trigger"}
	case time.Since(at) > ackWithin:
		return nil, &Answer{Error: "expired_trigger_id"}
	case v.Type != "modal" || v.Title.Text == "" || long(v.Title.Text, mostTitle) || long(v.Submit.Text, mostTitle) || long(v.Metadata, mostMetadata) || len(v.Blocks) == 0:
		return nil, &Answer{Error: "invalid_arguments"}
	}
	for _, b := range body.View.Blocks {
		input := b.Type == "input" && b.Label != nil && b.Label.Type == "plain_text" && b.Element.Type == "plain_text_input"
		section := b.Type == "section" && b.Text != nil && b.Text.Text != "" && !long(b.Text.Text, mostSection)
		if !input && !section {
			return nil, &Answer{Error: "invalid_arguments"}
		}
	}
	body.View.id = fmt.Sprintf("V%d", len(s.views)+1)
	s.views = append(s.views, body.View)
	return map[string]any{"view": map[string]any{"id": body.View.id, "type": "modal"}}, nil
}

// whisper answers chat.postEphemeral.
func (s *Server) whisper(r *http.Request) (map[string]any, *Answer) {
	c := s.channel(r.PostForm.Get("channel"))
	switch {
	case c == nil:
		return nil, &Answer{Error: "channel_not_found"}
	case r.PostForm.Get("user") == "":
		return nil, &Answer{Error: "user_not_in_channel"}
	}
	m, refusal := read(r.PostForm.Get("text"), r.PostForm.Get("blocks"), r.PostForm.Get("attachments"))
	if refusal != "" {
		return nil, &Answer{Error: refusal}
	}
	if len(m.Pinged) > 0 {
		return nil, &Answer{Error: "pinged"}
	}
	s.whispers = append(s.whispers, Whisper{c.ID, r.PostForm.Get("user"), m.Text})
	return map[string]any{"message_ts": "1.1"}, nil
}

// user answers users.info.
func (s *Server) user(r *http.Request) (map[string]any, *Answer) {
	id := r.Form.Get("user")
	email, known := s.emails[id]
	if !known {
		return nil, &Answer{Error: "missing_scope"}
	}
	return map[string]any{"user": map[string]any{"id": id, "name": "somebody", "profile": map[string]any{"email": email}}}, nil
}

// element is a button of an actions block.
type element struct {
	Type     string
	Text     *text
	ActionID string `json:"action_id"`
	Value    string
}

// buttons reads an actions block; false = Slack refuses it.
func (b *block) buttons() (out []Button, ok bool) {
	if len(b.Elements) == 0 || len(b.Elements) > mostActions {
		return nil, false
	}
	known := map[string]bool{}
	for _, e := range b.Elements {
		if e.Type != "button" || e.Text == nil || e.Text.Type != "plain_text" || e.Text.Text == "" || long(e.Text.Text, mostButton) || long(e.Value, mostValue) || known[e.ActionID] {
			return nil, false
		}
		known[e.ActionID] = true
		out = append(out, Button{b.ID, e.ActionID, e.Text.Text, e.Value})
	}
	return out, true
}

package control

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"time"
	"unicode/utf8"

	"firebreak/routing"
)

// MaxBytes bounds an encoded state: what DynamoDB takes as one item, with room for its attributes' names.
const MaxBytes = 300 << 10

// text is bytes in JSON, escaped as by routing.Escape.
type text string

// MarshalText escapes t.
func (t text) MarshalText() ([]byte, error) { return []byte(routing.Escape(string(t))), nil }

// UnmarshalText reads what MarshalText wrote.
func (t *text) UnmarshalText(b []byte) error {
	s, err := routing.Unescape(string(b))
	*t = text(s)
	return err
}

// The forms on the wire. Members that a reader does not know are skipped, but for those of the document: a newer firebreak may have
// written the rest.
type (
	stateWire struct {
		Document json.RawMessage `json:"document"`
		Home     text            `json:"home,omitempty"`
		Stopped  *stopWire       `json:"stopped,omitempty"`
		Answers  []answerWire    `json:"answers,omitempty"`
		Outbox   []noteWire      `json:"outbox,omitempty"`

		Operated   uint64          `json:"operated,omitempty"`
		Operations []operationWire `json:"operations,omitempty"`
		Approvals  []approvalWire  `json:"approvals,omitempty"`
		Holds      []heldWire      `json:"holds,omitempty"`
	}
	stopWire struct {
		By     text      `json:"by"`
		Reason text      `json:"reason"`
		At     time.Time `json:"at"`
	}
	answerWire struct {
		Request text   `json:"request"`
		Version uint64 `json:"version"`
		Refused text   `json:"refused,omitempty"`
	}
	noteWire struct {
		ID      text         `json:"id"`
		At      time.Time    `json:"at"`
		Do      Do           `json:"do,omitempty"`
		By      text         `json:"by"`
		Reason  text         `json:"reason,omitempty"`
		Epoch   uint64       `json:"epoch"`
		Version uint64       `json:"version"`
		Refused text         `json:"refused,omitempty"`
		Changes []changeWire `json:"changes,omitempty"`
		More    int          `json:"more,omitempty"`

		Plan      text     `json:"plan,omitempty"`
		Hotspot   text     `json:"hotspot,omitempty"`
		Operation uint64   `json:"operation,omitempty"`
		Act       *actWire `json:"act,omitempty"`
	}
	changeWire struct {
		Entry string `json:"entry"`
		Was   string `json:"was,omitempty"`
		Is    string `json:"is,omitempty"`
	}
	editWire struct {
		Entry string `json:"entry"`
		Value string `json:"value,omitempty"`
	}
	requestWire struct {
		ID        text            `json:"id"`
		By        text            `json:"by"`
		At        time.Time       `json:"at"`
		Reason    text            `json:"reason"`
		Do        Do              `json:"do"`
		IfVersion uint64          `json:"if_version,omitempty"`
		Plan      text            `json:"plan,omitempty"`
		Hotspot   text            `json:"hotspot,omitempty"`
		Operation uint64          `json:"operation,omitempty"`
		Edits     []editWire      `json:"edits,omitempty"`
		Document  json.RawMessage `json:"document,omitempty"`
	}
	headWire struct {
		Epoch   uint64 `json:"epoch"`
		Version uint64 `json:"version"`
		Bytes   int    `json:"bytes,omitempty"`
		Clients int    `json:"clients,omitempty"`
	}
	confirmationWire struct {
		Client  text   `json:"client"`
		Epoch   uint64 `json:"epoch"`
		Version uint64 `json:"version"`
		Beat    uint64 `json:"beat"`
		Guard   bool   `json:"guard,omitempty"`
		Shard   text   `json:"shard,omitempty"`
	}
)

func encode(v any) ([]byte, error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), nil
}

func decode(what string, b []byte, v any) error {
	if len(b) > MaxBytes {
		return fmt.Errorf("%s: %d bytes, want at most %d", what, len(b), MaxBytes)
	}
	if !utf8.Valid(b) {
		return fmt.Errorf("%s: not valid UTF-8", what)
	}
	if err := json.Unmarshal(b, v); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}

// Encode writes a valid state as one JSON object. ParseState gives it back, with the document normalized.
func (s *State) Encode() ([]byte, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	d, err := s.Document.Encode()
	if err != nil {
		return nil, err
	}
	w := stateWire{Document: d, Home: text(s.Home)}
	w.setActing(s)
	if s.Stopped != nil {
		w.Stopped = &stopWire{text(s.Stopped.By), text(s.Stopped.Reason), s.Stopped.At.UTC()}
	}
	for _, a := range s.Answers {
		w.Answers = append(w.Answers, answerWire{text(a.Request), a.Version, text(a.Refused)})
	}
	for i := range s.Outbox {
		w.Outbox = append(w.Outbox, s.Outbox[i].wire())
	}
	b, err := encode(&w)
	if err != nil {
		return nil, err
	}
	if len(b) > MaxBytes {
		return nil, fmt.Errorf("state: %d bytes encoded, want at most %d", len(b), MaxBytes)
	}
	return b, nil
}

// ParseState reads what Encode wrote, and validates it.
func ParseState(b []byte) (*State, error) {
	var w stateWire
	if err := decode("state", b, &w); err != nil {
		return nil, err
	}
	d, err := routing.ParseDocument(w.Document)
	if err != nil {
		return nil, err
	}
	s := &State{Document: d, Home: string(w.Home)}
	if err := w.acting(s); err != nil {
		return nil, err
	}
	if w.Stopped != nil {
		s.Stopped = &Stop{string(w.Stopped.By), string(w.Stopped.Reason), w.Stopped.At.UTC()}
	}
	for _, a := range w.Answers {
		s.Answers = append(s.Answers, Answer{string(a.Request), a.Version, string(a.Refused)})
	}
	for i := range w.Outbox {
		n, err := w.Outbox[i].note()
		if err != nil {
			return nil, err
		}
		s.Outbox = append(s.Outbox, n)
	}
	return s, s.Validate()
}

func (n *Note) wire() noteWire {
	w := noteWire{
		ID: text(n.ID), At: n.At.UTC(), Do: n.Do, By: text(n.By), Reason: text(n.Reason), Epoch: n.Epoch, Version: n.Version, Refused: text(n.Refused),
		More: n.More, Plan: text(n.Plan), Hotspot: text(n.Hotspot), Operation: n.Operation,
	}
	if a := n.Act; a != (Act{}) {
		w.Act = &actWire{text(a.Fix), text(a.Shard), text(a.Machine), text(a.Phase), a.Back, text(a.Outcome), text(a.Text), text(a.Call), a.Before, a.After}
	}
	for _, c := range n.Changes {
		w.Changes = append(w.Changes, changeWire{c.Entry.String(), c.Was, c.Is})
	}
	return w
}

func (w *noteWire) note() (Note, error) {
	n := Note{
		ID: string(w.ID), At: w.At.UTC(), Do: w.Do, By: string(w.By), Reason: string(w.Reason), Epoch: w.Epoch, Version: w.Version,
		Refused: string(w.Refused), More: w.More, Plan: string(w.Plan), Hotspot: string(w.Hotspot), Operation: w.Operation,
	}
	if a := w.Act; a != nil {
		n.Act = Act{string(a.Fix), string(a.Shard), string(a.Machine), string(a.Phase), a.Back, string(a.Outcome), string(a.Text), string(a.Call), a.Before, a.After}
	}
	for _, c := range w.Changes {
		e, err := routing.ParseEntry(c.Entry)
		if err != nil {
			return n, err
		}
		n.Changes = append(n.Changes, routing.Change{Entry: e, Was: c.Was, Is: c.Is})
	}
	return n, nil
}

// Encode writes a valid request as one JSON object.
func (r *Request) Encode() ([]byte, error) {
	if err := r.Validate(); err != nil {
		return nil, err
	}
	w := requestWire{ID: text(r.ID), By: text(r.By), At: r.At.UTC(), Reason: text(r.Reason), Do: r.Do, IfVersion: r.IfVersion, Plan: text(r.Plan), Hotspot: text(r.Hotspot), Operation: r.Operation}
	if len(r.Edits) > 0 {
		w.Edits = wireEdits(r.Edits)
	}
	if r.Document != nil {
		var err error
		if w.Document, err = r.Document.Encode(); err != nil {
			return nil, err
		}
	}
	b, err := encode(&w)
	if err == nil && len(b) > MaxBytes {
		return nil, fmt.Errorf("request: %d bytes encoded, want at most %d", len(b), MaxBytes)
	}
	return b, err
}

// ParseRequest reads what Encode wrote, and validates it.
func ParseRequest(b []byte) (*Request, error) {
	var w requestWire
	if err := decode("request", b, &w); err != nil {
		return nil, err
	}
	r := &Request{ID: string(w.ID), By: string(w.By), At: w.At.UTC(), Reason: string(w.Reason), Do: w.Do, IfVersion: w.IfVersion, Plan: string(w.Plan), Hotspot: string(w.Hotspot), Operation: w.Operation}
	var err error
	if r.Edits, err = parseEdits(w.Edits); err != nil {
		return nil, err
	}
	if w.Document != nil {
		if r.Document, err = routing.ParseDocument(w.Document); err != nil {
			return nil, err
		}
	}
	return r, r.Validate()
}

// Encode writes h as one JSON object.
func (h Head) Encode() ([]byte, error) { return encode(headWire(h)) }

// ParseHead reads what Encode wrote.
func ParseHead(b []byte) (Head, error) {
	var w headWire
	err := decode("head", b, &w)
	return Head(w), err
}

// Encode writes c as one JSON object.
func (c *Confirmation) Encode() ([]byte, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	return encode(&confirmationWire{text(c.Client), c.Epoch, c.Version, c.Beat, c.Guard, text(c.Shard)})
}

// ParseConfirmation reads what Encode wrote.
func ParseConfirmation(b []byte) (*Confirmation, error) {
	var w confirmationWire
	if err := decode("confirmation", b, &w); err != nil {
		return nil, err
	}
	c := &Confirmation{Client: string(w.Client), Epoch: w.Epoch, Version: w.Version, Beat: w.Beat, Guard: w.Guard, Shard: string(w.Shard)}
	return c, c.check()
}

func (c *Confirmation) check() error {
	if c.Client == "" || len(c.Client) > maxText {
		return fmt.Errorf("client: %d bytes, want a name, 1 to %d", len(c.Client), maxText)
	}
	if len(c.Shard) > maxText || c.Shard != "" && !c.Guard {
		return fmt.Errorf("shard: %d bytes, want at most %d, and of a guard only", len(c.Shard), maxText)
	}
	if c.Version == 0 {
		return errors.New("version: 0, want the version that the client holds")
	}
	return nil
}

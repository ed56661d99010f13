package console

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"firebreak/internal/access"
	"firebreak/routing"
	"firebreak/routing/control"
)

const (
	maxBody   = 8 << 10 // bytes of a request that asks for something
	maxReason = 500     // bytes
	maxAsking = 16      // people who wait for an answer at once
	// answerWithin bounds how long who asks waits: who decides looks every two seconds, and what it does not answer within 20 s is taken back.
	answerWithin = 40 * time.Second
)

// personKey is that of the person in the context of a request.
type personKey struct{}

// personOf is who asks, as access.Guard found.
func personOf(r *http.Request) access.Person {
	p, _ := r.Context().Value(personKey{}).(access.Person)
	return p
}

func withPerson(r *http.Request, p access.Person) *http.Request {
	return r.WithContext(context.WithValue(r.Context(), personKey{}, p))
}

// word is what a person says, as it is sent: one of plan, operation and hotspot, or none of stop and resume.
type word struct {
	Do        string `json:"do"`
	Plan      string `json:"plan"`      // escaped
	Hotspot   string `json:"hotspot"`   // escaped
	Operation uint64 `json:"operation"` // its number
	Reason    string `json:"reason"`
}

// roleFor is the least role that may ask for it; none = nobody may.
func roleFor(do control.Do) access.Role {
	switch do {
	case control.DoStop, control.DoHold:
		return access.RoleOperator
	case control.DoApprove, control.DoReject, control.DoRollback, control.DoResume:
		return access.RoleApprover
	case control.DoUnknown, control.DoSet, control.DoImport, control.DoAct:
	}
	return access.RoleNone
}

// nobody is what is said where nobody is known by name: what is changed is changed by somebody.
const nobody = "nothing can be changed here by who is not known by name: give people names and roles, by console.tokens or console.proxy in the configuration"

// ask has what a person says of a fleet carried out. It ends when who asked leaves.
func (a *api) ask(ctx context.Context, w http.ResponseWriter, r *http.Request, fleet string) (*askedAnswer, error) {
	who := personOf(r)
	switch {
	case who.Name == "":
		return nil, &failure{http.StatusForbidden, nobody}
	case who.Role < access.RoleOperator:
		return nil, &failure{http.StatusForbidden, "the role of " + routing.Escape(who.Name) + " is " + who.Role.String() + ": to hold and to stop want operator, for all else approver"}
	}
	said, err := readWord(w, r)
	if err != nil {
		return nil, err
	}
	q, err := a.request(fleet, who, said)
	if err != nil {
		return nil, err
	}
	if a.actor == nil {
		return nil, missing("nothing is carried out here: this process does not look after the routing")
	}
	select {
	case a.asking <- struct{}{}:
		defer func() { <-a.asking }()
	default:
		w.Header().Set("Retry-After", "20")
		return nil, &failure{http.StatusServiceUnavailable, "too many wait for an answer"}
	}
	awaiting(w)
	answer, err := a.actor.Say(ctx, fleet, q)
	switch {
	case errors.Is(err, ErrUnanswered):
		return nil, &failure{http.StatusGatewayTimeout, err.Error()}
	case err != nil:
		return nil, &failure{http.StatusBadGateway, err.Error()}
	case answer.Refused != "":
		return nil, &failure{http.StatusConflict, "refused: " + answer.Refused}
	}
	return &askedAnswer{q.ID, q.Do.String(), answer.Version}, nil
}

// awaiting gives a request the time that its answer may take.
func awaiting(w http.ResponseWriter) {
	out := http.NewResponseController(w)
	_ = out.SetReadDeadline(time.Time{}) // what cannot have one has none
	_ = out.SetWriteDeadline(time.Now().Add(answerWithin))
}

// request is what a person says, as the store takes it.
func (a *api) request(fleet string, who access.Person, said *word) (*control.Request, error) {
	q := &control.Request{ID: rand.Text(), By: who.Name, At: time.Now(), Reason: strings.TrimSpace(said.Reason), Operation: said.Operation}
	if err := q.Do.UnmarshalText([]byte(said.Do)); err != nil || roleFor(q.Do) == access.RoleNone {
		return nil, wrong("do: want approve, reject, hold, rollback, stop or resume")
	}
	if who.Role < roleFor(q.Do) {
		return nil, &failure{http.StatusForbidden, "to " + q.Do.String() + " wants the role " + roleFor(q.Do).String() + ": that of " + routing.Escape(who.Name) + " is " + who.Role.String()}
	}
	if q.Reason == "" || len(q.Reason) > maxReason {
		return nil, wrong("reason: want why, in 1 to %d bytes: the history says it", maxReason)
	}
	if err := a.about(fleet, said, q); err != nil {
		return nil, err
	}
	if err := q.Validate(); err != nil {
		return nil, wrong("%v", err)
	}
	return q, nil
}

// about finds what a request is about.
func (a *api) about(fleet string, said *word, q *control.Request) error {
	plan, err := routing.Unescape(said.Plan)
	if err != nil {
		return wrong("plan: %v", err)
	}
	hotspot, err := routing.Unescape(said.Hotspot)
	if err != nil {
		return wrong("hotspot: %v", err)
	}
	if (q.Do == control.DoStop || q.Do == control.DoResume) && (plan != "" || hotspot != "" || q.Operation != 0) {
		return wrong("%s: it is of the fleet, and of no plan, hotspot or operation", q.Do)
	}
	if q.Operation != 0 && (plan != "" || hotspot != "") || plan != "" && hotspot != "" {
		return wrong("%s: want one plan, hotspot or operation", q.Do)
	}
	a.model.mu.RLock()
	defer a.model.mu.RUnlock()
	f := a.model.fleet(fleet)
	switch {
	case plan != "":
		p := f.planOf(plan)
		if p == nil {
			return missing("there is no plan %s now: it changed, or its hotspot is over", routing.Escape(plan))
		}
		q.Plan, q.Hotspot = plan, string(p.Hotspot)
	case hotspot != "":
		if h := f.hot[hotspot]; h == nil || !h.open() {
			return missing("no hotspot %s is open", routing.Escape(hotspot))
		}
		q.Hotspot = hotspot
	}
	return nil
}

// readWord reads a body of JSON or of a form. Others cannot be sent by a page of another site without its browser asking first, and are not
// read.
func readWord(w http.ResponseWriter, r *http.Request) (*word, error) {
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	read := map[string]func([]byte) (*word, error){"application/json": wordOfJSON, "application/x-www-form-urlencoded": wordOfForm}[kind]
	if err != nil || read == nil {
		return nil, &failure{http.StatusUnsupportedMediaType, "want application/json or application/x-www-form-urlencoded"}
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if _, large := errors.AsType[*http.MaxBytesError](err); large {
		return nil, &failure{http.StatusRequestEntityTooLarge, "the body is larger than " + strconv.Itoa(maxBody) + " bytes"}
	}
	if err != nil {
		return nil, wrong("the body cannot be read: %v", err)
	}
	return read(body)
}

// wordOfJSON reads one object.
func wordOfJSON(body []byte) (*word, error) {
	in := json.NewDecoder(strings.NewReader(string(body)))
	in.DisallowUnknownFields()
	var out word
	if err := in.Decode(&out); err != nil {
		return nil, wrong("the body cannot be read: %v", err)
	}
	if _, err := in.Token(); !errors.Is(err, io.EOF) {
		return nil, wrong("the body goes on after the object")
	}
	return &out, nil
}

// wordOfForm reads the fields of a form; each may stand once.
func wordOfForm(body []byte) (*word, error) {
	form, err := url.ParseQuery(string(body))
	if err != nil {
		return nil, wrong("the body cannot be read: %v", err)
	}
	known := []string{"do", "plan", "hotspot", "operation", "reason"}
	for name, values := range form {
		if !slices.Contains(known, name) {
			return nil, wrong("field %s is not known; there is %s", routing.Escape(name), strings.Join(known, ", "))
		}
		if len(values) > 1 {
			return nil, wrong("field %s stands twice", name)
		}
	}
	out := &word{Do: form.Get("do"), Plan: form.Get("plan"), Hotspot: form.Get("hotspot"), Reason: form.Get("reason")}
	if text := form.Get("operation"); text != "" {
		if out.Operation, err = strconv.ParseUint(text, 10, 64); err != nil {
			return nil, wrong("operation: want its number")
		}
	}
	return out, nil
}

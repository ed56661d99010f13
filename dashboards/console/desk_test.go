package console

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"firebreak/actuator"
	"firebreak/actuator/operation"
	"firebreak/internal/access"
	"firebreak/policy"
	"firebreak/routing"
	"firebreak/routing/control"
)

// desk is who decides, in a test: it answers by the real rules on a real state, and tells the journal of it.
type desk struct {
	*watched

	mu     sync.Mutex // all below: requests come at once
	state  *control.State
	now    Acting
	lines  []Line
	cannot error
	err    error // nobody answers, because of it
	said   []*control.Request
}

// decided gives a fleet somebody who decides.
func (f *watched) decided() *desk {
	f.t.Helper()
	doc, err := routing.Adopt(f.name, routing.Placement{Bytes: "key", Function: routing.XXH64, Map: routing.ModN}, routing.NumberedShards(4))
	if err != nil {
		f.t.Fatal(err)
	}
	s := control.First(doc)
	if s, err = s.Claim(0, "tenure"); err != nil {
		f.t.Fatal(err)
	}
	d := &desk{watched: f, state: s}
	op := control.Operation{
		Number: 1, Machine: operation.MachineMove, Phase: operation.Flip, Plan: "older", Hotspot: f.hot(), Fix: "isolate", Shard: "shard-3", By: "ann", Began: f.now(), Since: f.now(), Version: 2,
		Do: []control.Edit{{Entry: routing.TenantEntry("whale"), Value: "shard-1"}}, Was: []control.Edit{{Entry: routing.TenantEntry("whale")}},
	}
	d.state.Operations, d.state.Operated = []control.Operation{op}, 1
	d.now = Acting{
		At: f.now(), Epoch: 3, Version: 17, Base: "xxh64 of key, mod_n, 10240 virtual shards", Decides: true, Approvers: []string{"ann", "carl"},
		Entries: []Entry{{"tenant/whale", "shard-1"}}, Clients: []Client{{Name: "carts-1", Version: 16, Live: true}, {Name: "carts-2", Version: 17, Live: true}, {Name: "old-1", Version: 3}},
		Operations: []Operation{{
			Number: 1, Plan: "older", Hotspot: f.hot(), Fix: "isolate", Shard: "shard-3", By: "ann", Phase: "flip", Since: f.now(),
			Stages: []Stage{{Name: "planned", Does: "nothing yet", Done: true}, {Name: "flip", Does: "clients are sent to the new shards", Now: true, Until: []string{"confirmed"}}, {Name: "settle", Does: "nothing: the effect is watched"}},
			Waits:  []string{"confirmed: waiting for carts-1"}, Behind: []string{"carts-1"}, Changes: []Change{{"tenant/whale", "", "shard-1"}},
			Undo: []Line{{Operation: 1, Phase: "restore", Does: "its entries are as they were", Changes: []Change{{"tenant/whale", "shard-1", ""}}}, {Operation: 1, Phase: "undone", Does: "all clients are back"}},
		}},
	}
	d.lines = []Line{{Operation: 1, Phase: "readers", Does: "readers read all pieces, writers write as before", Changes: []Change{{"salt/cart:42", "", "write=1,read=4"}}}, {Operation: 1, Phase: "writers", Does: "writers write to all pieces"}}
	return d
}

// Acting implements Actor.
func (d *desk) Acting(fleet string) *Acting {
	if fleet != d.name {
		return nil
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	now := d.now
	for _, a := range d.state.Approvals {
		now.Approvals = append(now.Approvals, Approval{a.Plan, a.By, a.Reason, a.At, a.No})
	}
	for _, h := range d.state.Holds {
		now.Held = append(now.Held, Held{h.Hotspot, h.By, h.Reason, h.At})
	}
	if d.state.Document.Stop {
		now.Stop = &Held{By: d.state.Stopped.By, Reason: d.state.Stopped.Reason, At: d.state.Stopped.At}
	}
	return &now
}

// Lines implements Actor.
func (d *desk) Lines(string, string) ([]Line, error) { return d.lines, d.cannot }

// Say implements Actor.
func (d *desk) Say(_ context.Context, _ string, r *control.Request) (control.Answer, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.said = append(d.said, r)
	if d.err != nil {
		return control.Answer{}, d.err
	}
	if err := operation.Permit(d.state, r, &operation.Numbers{}, &policy.Config{Approvers: d.now.Approvers}); err != nil {
		d.state = d.state.Refuse(r, err, d.watched.now())
	} else {
		d.state = d.state.Answer(r, d.watched.now())
	}
	d.tell(actuator.NewRouted(d.name, &d.state.Outbox[len(d.state.Outbox)-1], false, nil))
	a, _ := d.state.Answered(r.ID)
	return a, nil
}

// The tokens of the people of a test, by name.
func tokens() map[string]access.Token {
	return map[string]access.Token{
		"vera": {Name: "vera", Role: access.RoleViewer, Token: "token-of-vera-viewer"}, "olaf": {Name: "olaf", Role: access.RoleOperator, Token: "token-of-olaf-operator"},
		"ann": {Name: "ann", Role: access.RoleApprover, Token: "token-of-ann-approver"}, "bob": {Name: "bob", Role: access.RoleApprover, Token: "token-of-bob-approver"},
	}
}

// guarded is the handler of a fleet that is acted on, for people with tokens.
func (d *desk) guarded() http.Handler { return d.guardedBy(d) }

func (d *desk) guardedBy(a Actor) http.Handler {
	d.t.Helper()
	cfg := access.Config{Listen: "127.0.0.1:0"}
	for _, t := range tokens() {
		cfg.Tokens = append(cfg.Tokens, t)
	}
	h, err := newHandler(&cfg, d.model, &oracle{}, nil, a, nil)
	if err != nil {
		d.t.Fatal(err)
	}
	return h
}

// listened is the handler of a listener on this machine, where nobody has to say who they are.
func (d *desk) listened(s Source) http.Handler {
	d.t.Helper()
	cfg := access.Default()
	h, err := newHandler(&cfg, d.model, s, nil, d, nil)
	if err != nil {
		d.t.Fatal(err)
	}
	return h
}

// heard has a few words said, so that there is one of each kind: a plan approved, a hotspot held, acting stopped, a word refused.
func (d *desk) heard(t *testing.T) {
	t.Helper()
	h := d.guarded()
	for do, subject := range d.subjects() {
		if do == control.DoReject || do == control.DoResume || do == control.DoRollback {
			continue
		}
		if w := does(t, h, http.MethodPost, "/api/v1/fleets/orders/actions", "ann", fmt.Sprintf(`{"do":%q,"reason":"seen with the team"%s}`, do, subject[0]), "Content-Type", asJSON); w.Code != http.StatusOK {
			t.Fatalf("%s: %d %s", do, w.Code, w.Body)
		}
	}
	does(t, h, http.MethodPost, "/api/v1/fleets/orders/actions", "ann", `{"do":"approve","operation":1,"reason":"go on"}`, "Content-Type", asJSON)
}

// does sends a request of a person, with a body and headers in pairs.
func does(t *testing.T, h http.Handler, method, path, who, body string, headers ...string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), method, path, strings.NewReader(body))
	r.Host = "localhost:9465"
	if who != "" {
		token := tokens()[who].Token
		r.Header.Set("Authorization", "Bearer "+string(token))
	}
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

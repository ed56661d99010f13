package dynamo

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
	"time"

	fake "firebreak/internal/fakes/dynamo"
	"firebreak/routing/control"
)

// policy is as much of an IAM policy as those in deploy/iam use; a member that is not here fails the test.
type policy struct {
	Version   string
	Statement []struct {
		Sid, Effect string
		Action      []string
		Resource    string
		Condition   map[string]map[string]any
	}
}

// read reads a policy, for a fleet.
func read(t *testing.T, role, fleet string) policy {
	t.Helper()
	b, err := os.ReadFile("../../deploy/iam/" + role + ".json")
	if err != nil {
		t.Fatal(err)
	}
	dec := json.NewDecoder(bytes.NewReader(bytes.ReplaceAll(b, []byte("FLEET"), []byte(fleet))))
	dec.DisallowUnknownFields()
	var p policy
	if err := dec.Decode(&p); err != nil {
		t.Fatalf("%s: %v", role, err)
	}
	for _, s := range p.Statement {
		if p.Version != "2012-10-17" || s.Effect != "Allow" || s.Resource != "arn:aws:dynamodb:REGION:ACCOUNT:table/TABLE" {
			t.Errorf("%s: %+v", role, s)
		}
	}
	return p
}

// allows gives the statements that allow a call, as IAM judges dynamodb:LeadingKeys.
func (p policy) allows(t *testing.T, c fake.Call) (by []string) {
	t.Helper()
	for _, s := range p.Statement {
		if !slices.Contains(s.Action, "dynamodb:"+c.Op) {
			continue
		}
		fits := true
		for how, of := range s.Condition {
			for name, want := range of {
				if name != "dynamodb:LeadingKeys" {
					t.Fatalf("condition on %s", name)
				}
				switch how {
				case "ForAllValues:StringEquals":
					fits = fits && want.([]any)[0] == c.Partition
				case "ForAllValues:StringLike":
					like, err := path.Match(strings.ReplaceAll(want.([]any)[0].(string), "/", "\x00"), strings.ReplaceAll(c.Partition, "/", "\x00"))
					fits = fits && like && err == nil
				case "Null":
					fits = fits && want == "false" && c.Partition != ""
				default:
					t.Fatalf("condition %s", how)
				}
			}
		}
		if fits {
			by = append(by, s.Sid)
		}
	}
	return by
}

// roles are what each role of deploy/iam does, with the errors of its calls.
func roles(t *testing.T) map[string]func(s *Store, from *Source) []error {
	request := &control.Request{ID: "r1", By: "anna", Reason: "it is time", Do: control.DoStop}
	confirmation := control.Confirmation{Client: "web-1", Version: 1}
	return map[string]func(s *Store, from *Source) []error{
		"create": func(s *Store, _ *Source) []error {
			_, made := Create(t.Context(), s.api, "another")
			_, first := s.Write(t.Context(), control.At{}, adopted(t, "orders"))
			_, again := s.Write(t.Context(), control.At{}, adopted(t, "orders")) // reads where it stands
			if again == nil {
				t.Error("written twice")
			}
			return []error{made, first}
		},
		"decider": func(s *Store, _ *Source) []error {
			_, first := s.Write(t.Context(), control.At{}, adopted(t, "orders"))
			_, load := s.Load(t.Context())
			_, requests := s.Requests(t.Context())
			_, confirmations := s.Confirmations(t.Context())
			return []error{first, load, s.Put(t.Context(), request), requests, s.Drop(t.Context(), "r1"), confirmations, s.Forget(t.Context(), "web-1")}
		},
		"people": func(s *Store, _ *Source) []error {
			_, requests := s.Requests(t.Context())
			_, load := s.Load(t.Context())
			if errors.Is(load, control.ErrNone) {
				load = nil
			}
			return []error{load, s.Put(t.Context(), request), requests}
		},
		"client": func(_ *Store, from *Source) []error {
			_, head := from.Head(t.Context())
			if errors.Is(head, control.ErrNone) {
				head = nil
			}
			return []error{head, from.Confirm(t.Context(), confirmation)}
		},
	}
}

// TestIAM: every call that a role makes is allowed by its policy, every action of the policy is one that it makes, and none of it is of
// another fleet.
func TestIAM(t *testing.T) {
	for role, does := range roles(t) {
		t.Run(role, func(t *testing.T) {
			server, c := created(t)
			before := len(server.Calls())
			for i, err := range does(watch(t, c, "orders").Store, source(t, c, "orders")) {
				if err != nil {
					t.Fatalf("call %d: %v", i, err)
				}
			}
			p := read(t, role, "orders")
			used := map[string]bool{}
			for _, call := range server.Calls()[before:] {
				by := p.allows(t, call)
				if len(by) != 1 {
					t.Errorf("%s on %q is allowed by %q, want one statement", call.Op, call.Partition, by)
					continue
				}
				used[by[0]+" "+call.Op] = true
			}
			for _, s := range p.Statement {
				for _, action := range s.Action {
					if op := strings.TrimPrefix(action, "dynamodb:"); !used[s.Sid+" "+op] {
						t.Errorf("%s allows %s, which is never sent", s.Sid, action)
					}
					other := fake.Call{At: time.Now(), Op: strings.TrimPrefix(action, "dynamodb:"), Partition: "fleet/orders2"}
					if role != "create" && len(p.allows(t, other)) > 0 {
						t.Errorf("%s allows %s on another fleet", s.Sid, action)
					}
				}
			}
		})
	}
}

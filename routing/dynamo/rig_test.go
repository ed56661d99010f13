package dynamo

import (
	"context"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	fake "firebreak/internal/fakes/dynamo"
	"firebreak/routing"
	"firebreak/routing/control"
	"firebreak/routing/control/contract"
)

const table = "firebreak"

// api is the SDK's client of a server, without a socket.
func api(via http.RoundTripper, endpoint string) *dynamodb.Client {
	return Client(aws.Config{
		Region: "eu-west-1", HTTPClient: &http.Client{Transport: via},
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{AccessKeyID: "id", SecretAccessKey: "secret"}, nil
		}),
	}, endpoint)
}

// created is a server with the table.
func created(t *testing.T) (*fake.Server, *dynamodb.Client) {
	t.Helper()
	s := fake.New(time.Now)
	c := api(s, "http://dynamo.test")
	if _, err := Create(t.Context(), c, table); err != nil {
		t.Fatal(err)
	}
	return s, c
}

// rig is what the contract runs on.
func rig(s *fake.Server, c *dynamodb.Client, name string) contract.Rig {
	stateWrite := func(f fake.Fault) { f.Op, f.Sort = "PutItem", documentSort; s.Break(f) }
	in := func(t *testing.T, fleet, region string) *Store {
		t.Helper()
		store, err := Open(c, Config{Table: name, Fleet: fleet, Region: region})
		if err != nil {
			t.Fatal(err)
		}
		return store
	}
	return contract.Rig{
		Store:   func(t *testing.T, fleet string) contract.Store { return in(t, fleet, "") },
		StoreIn: func(t *testing.T, fleet, region string) contract.Store { return in(t, fleet, region) },
		Source: func(t *testing.T, fleet string) contract.Source {
			source, err := OpenSource(c, Config{Table: name, Fleet: fleet})
			if err != nil {
				t.Fatal(err)
			}
			return source
		},
		LoseReply: func(*testing.T) { stateWrite(fake.Fault{Lose: fake.LoseReply}) },
		LoseWrite: func(_ *testing.T, instead func()) { stateWrite(fake.Fault{Lose: fake.LoseCall, Instead: instead}) },
		Throttle: func(_ *testing.T, calls int) {
			s.Quiet()
			if calls > 0 {
				s.Break(fake.Fault{Times: calls, Say: fake.Throttled})
			}
		},
		Slow: func(_ *testing.T, each time.Duration) { s.Break(fake.Fault{Times: -1, Delay: each}) },
		Away: func(*testing.T) func() { s.Break(fake.Fault{Times: -1, Lose: fake.LoseCall}); return s.Quiet },
	}
}

// TestContract runs each case in virtual time.
func TestContract(t *testing.T) {
	for _, c := range contract.Cases() {
		t.Run(c.Name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, api := created(t)
				c.Run(t, rig(s, api, table))
			})
		})
	}
}

// adopted is a first state.
func adopted(t testing.TB, fleet string) *control.State {
	t.Helper()
	d, err := routing.Adopt(fleet, routing.Placement{Bytes: "key", Function: routing.MD5, Map: routing.ModN}, routing.NumberedShards(4))
	if err != nil {
		t.Fatal(err)
	}
	return control.First(d)
}

// watched is a store whose events are kept.
type watched struct {
	*Store

	mu   sync.Mutex // guards kept
	kept []Event
}

func watch(t *testing.T, c *dynamodb.Client, fleet string) *watched {
	t.Helper()
	w := &watched{}
	s, err := Open(c, Config{Table: table, Fleet: fleet, Observe: func(e Event) {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.kept = append(w.kept, e)
	}})
	if err != nil {
		t.Fatal(err)
	}
	w.Store = s
	return w
}

// kinds are what happened so far.
func (w *watched) kinds() (out []Kind) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, e := range w.kept {
		out = append(out, e.Kind)
	}
	return out
}

func source(t *testing.T, c *dynamodb.Client, fleet string) *Source {
	t.Helper()
	s, err := OpenSource(c, Config{Table: table, Fleet: fleet})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func mustWrite(t *testing.T, s interface {
	Write(ctx context.Context, was control.At, next *control.State) (control.Written, error)
}, was control.At, next *control.State,
) control.Written {
	t.Helper()
	w, err := s.Write(t.Context(), was, next)
	if err != nil {
		t.Fatalf("write %s: %v", next.At(), err)
	}
	return w
}

package dynamo

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	fake "firebreak/internal/fakes/dynamo"
	"firebreak/routing"
	"firebreak/routing/control"
)

// TestLostReply is S06: the write took effect and its reply is lost; the same write, sent again, is denied. It is one write.
func TestLostReply(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server, api := created(t)
		s := watch(t, api, "orders")
		state := adopted(t, "orders")
		mustWrite(t, s, control.At{}, state)
		next, err := state.Claim(0, "me")
		if err != nil {
			t.Fatal(err)
		}
		server.Break(fake.Fault{Op: "PutItem", Sort: documentSort, Lose: fake.LoseReply})
		before := len(server.Calls())
		if w := mustWrite(t, s, state.At(), next); w != (control.Written{ReadBack: true, Attempts: 2}) {
			t.Errorf("written: %+v", w)
		}
		var got []string
		for _, c := range server.Calls()[before:] {
			got = append(got, fmt.Sprintf("%s %s %v %s", c.Op, c.Sort, c.Consistent, c.Error))
		}
		want := []string{
			"PutItem document false ", "PutItem document false " + fake.Denied, "GetItem document true ", "PutItem head false ",
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("calls (-want +got):\n%s", diff)
		}
		if now, err := s.Load(t.Context()); err != nil || now.Document.Version != 2 {
			t.Errorf("load: %v, %v, want version 2", now, err)
		}
	})
}

// TestLostToOther is its twin: somebody else's write is found. Nothing is written any more, the head neither.
func TestLostToOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server, api := created(t)
		s, other := watch(t, api, "orders"), watch(t, api, "orders")
		state := adopted(t, "orders")
		mustWrite(t, s, control.At{}, state)
		theirs := state.Next()
		theirs.Document.Stop = true
		var after int
		server.Break(fake.Fault{Op: "PutItem", Sort: documentSort, Lose: fake.LoseCall, Instead: func() {
			mustWrite(t, other, state.At(), theirs)
			after = len(server.Calls())
		}})
		_, err := s.Write(t.Context(), state.At(), state.Next())
		var c *control.Conflict
		if !errors.As(err, &c) || c.Now != theirs.At() {
			t.Fatalf("got %v, want a conflict with version 2", err)
		}
		for _, call := range server.Calls()[after:] {
			if call.Op == "PutItem" && call.Error != fake.Denied && call.Error != "lost" {
				t.Errorf("a write after the conflict: %+v", call)
			}
		}
		if now, err := s.Load(t.Context()); err != nil || !now.Document.Stop {
			t.Errorf("load: %v, %v, want theirs", now, err)
		}
	})
}

// TestPassedBy is a lost reply that cannot be decided any more: the state went on, from ours or from another one.
func TestPassedBy(t *testing.T) {
	for name, effect := range map[string]fake.Lose{"it took effect": fake.LoseReply, "it took none": fake.LoseCall} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server, api := created(t)
				s, other := watch(t, api, "orders"), watch(t, api, "orders")
				state := adopted(t, "orders")
				mustWrite(t, s, control.At{}, state)
				server.Break(fake.Fault{Op: "PutItem", Sort: documentSort, Lose: effect}, fake.Fault{Op: "PutItem", Sort: documentSort, Instead: func() {
					for range 2 {
						now, err := other.Load(t.Context())
						if err != nil {
							t.Error(err)
							return
						}
						mustWrite(t, other, now.At(), now.Next())
					}
				}})
				_, err := s.Write(t.Context(), state.At(), state.Next())
				if !errors.Is(err, control.ErrUnknown) {
					t.Errorf("got %v, want %v", err, control.ErrUnknown)
				}
			})
		})
	}
}

// TestDenied is a table that contradicts itself: the condition is denied although it holds.
func TestDenied(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server, api := created(t)
		s := watch(t, api, "orders")
		state := adopted(t, "orders")
		mustWrite(t, s, control.At{}, state)
		server.Break(fake.Fault{Op: "PutItem", Sort: documentSort, Say: fake.Denied, Times: 2})
		next := state.Next()
		if w := mustWrite(t, s, state.At(), next); w.Attempts != 3 {
			t.Errorf("written: %+v, want 3 attempts", w)
		}
		server.Break(fake.Fault{Op: "PutItem", Sort: documentSort, Say: fake.Denied, Times: mostDenials})
		_, err := s.Write(t.Context(), next.At(), next.Next())
		var c *control.Conflict
		if err == nil || errors.As(err, &c) || errors.Is(err, control.ErrUnknown) {
			t.Errorf("got %v, want an error that says that it contradicts itself", err)
		}
	})
}

// TestSlow is a table that takes too long: an attempt is given up and made again, and a late effect is found.
func TestSlow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server, api := created(t)
		s := watch(t, api, "orders")
		state := adopted(t, "orders")
		from := time.Now()
		server.Break(fake.Fault{Op: "PutItem", Delay: time.Hour})
		if w := mustWrite(t, s, control.At{}, state); w.Attempts != 2 || w.ReadBack {
			t.Errorf("written: %+v", w)
		}
		if took := time.Since(from); took < attemptTimeout || took > attemptTimeout+time.Second {
			t.Errorf("it took %v", took)
		}
		server.Break(fake.Fault{Op: "PutItem", Sort: documentSort, Delay: time.Second})
		if w := mustWrite(t, s, state.At(), state.Next()); w.Attempts != 1 {
			t.Errorf("written: %+v, want the answer waited for", w)
		}
	})
}

// TestErrors: what is refused is sent once, and what broke is sent again.
func TestErrors(t *testing.T) {
	for _, tc := range []struct {
		fault fake.Fault
		again bool
	}{
		{fake.Fault{Say: fake.AccessDenied}, false},
		{fake.Fault{Say: "ValidationException"}, false},
		{fake.Fault{Say: "ResourceNotFoundException"}, false},
		{fake.Fault{Say: fake.Internal}, true},
		{fake.Fault{Say: fake.Throttled}, true},
		{fake.Fault{Say: "ThrottlingException"}, true},
		{fake.Fault{Say: "RequestLimitExceeded"}, true},
		{fake.Fault{Lose: fake.LoseCall}, true},
	} {
		t.Run(tc.fault.Say, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server, api := created(t)
				s := watch(t, api, "orders")
				server.Break(tc.fault)
				before := len(server.Calls())
				_, err := s.Write(t.Context(), control.At{}, adopted(t, "orders"))
				if (err == nil) != tc.again || errors.Is(err, control.ErrUnknown) {
					t.Errorf("write: %v", err)
				}
				if !tc.again && len(server.Calls()) != before+1 {
					t.Errorf("%d calls of a write that is refused", len(server.Calls())-before)
				}
				if err != nil && !strings.Contains(err.Error(), tc.fault.Say) {
					t.Errorf("the error does not say %s: %v", tc.fault.Say, err)
				}
			})
		})
	}
}

// TestUnreachable: nothing listens, so nothing was sent, and nothing is unknown. Time stands still while it dials, so that it ends between two
// attempts and not in one.
func TestUnreachable(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := api(&http.Transport{}, "http://127.0.0.1:1") // a port that nobody has
		s, err := Open(c, Config{Table: table, Fleet: "orders"})
		if err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithTimeout(t.Context(), 300*time.Millisecond)
		defer stop()
		_, err = s.Write(ctx, control.At{}, adopted(t, "orders"))
		if !errors.Is(err, context.DeadlineExceeded) || errors.Is(err, control.ErrUnknown) || !strings.Contains(err.Error(), "refused") {
			t.Errorf("got %v, want the end of the context, what went wrong before, and nothing unknown", err)
		}
	})
}

// TestTooLarge: what DynamoDB would refuse is refused before it is sent.
func TestTooLarge(t *testing.T) {
	server, api := created(t)
	s := watch(t, api, "orders")
	before := len(server.Calls())
	large := adopted(t, "orders")
	for i := range 2000 {
		large.Document.Quotas = append(large.Document.Quotas, routing.Quota{Tenant: fmt.Sprintf("%060d", i), Rate: 1})
	}
	if _, err := s.Write(t.Context(), control.At{}, large); err == nil || !strings.Contains(err.Error(), "want at most 102400") {
		t.Errorf("a document of 190 KB: %v", err)
	}
	odd := adopted(t, "orders")
	odd.Document.Quotas = []routing.Quota{{Tenant: "acme", Rate: 1e200}}
	if _, err := s.Write(t.Context(), control.At{}, odd); err == nil || !strings.Contains(err.Error(), "outside the numbers") {
		t.Errorf("a rate of 1e200: %v", err)
	}
	if _, err := itemOf(fmt.Appendf(nil, `{"a":"%s"}`, strings.Repeat("x", MaxItemBytes)), key("a", "b")); err == nil || !strings.Contains(err.Error(), "409600") {
		t.Errorf("an item of 400 KB and its key: %v", err)
	}
	if n := len(server.Calls()); n != before {
		t.Errorf("%d calls were sent", n-before)
	}
}

// TestNoRegion: who does not say where it is writes no fleet that has a home.
func TestNoRegion(t *testing.T) {
	_, api := created(t)
	here, err := Open(api, Config{Table: table, Fleet: "orders", Region: "eu-west-1"})
	if err != nil {
		t.Fatal(err)
	}
	state := adopted(t, "orders")
	state.Home = "eu-west-1"
	mustWrite(t, here, control.At{}, state)
	next := state.Next()
	next.Home = ""
	if _, err := watch(t, api, "orders").Write(t.Context(), state.At(), next); !errors.Is(err, control.ErrNotHome) {
		t.Errorf("got %v, want %v", err, control.ErrNotHome)
	}
}

// TestEveryFleetHasAHome: the first write of a region makes it the home, also of a fleet that stood without one: when the table is
// replicated later, no other region writes. A home is moved from the region that is named, once.
func TestEveryFleetHasAHome(t *testing.T) {
	_, api := created(t)
	in := func(region string) *Store {
		s, err := Open(api, Config{Table: table, Fleet: "orders", Region: region})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	was := adopted(t, "orders")
	mustWrite(t, in(""), control.At{}, was)
	next := was.Next()
	mustWrite(t, in("eu-west-1"), was.At(), next)
	if next.Home != "" {
		t.Error("the caller's state was changed")
	}
	then := next.Next()
	if _, err := in("us-east-1").Write(t.Context(), next.At(), then); !errors.Is(err, control.ErrNotHome) {
		t.Errorf("another region: %v", err)
	}
	if _, err := in("us-east-1").Rehome(t.Context(), "us-west-2", "t2"); !errors.Is(err, control.ErrNotHome) {
		t.Errorf("from a region that is not its home: %v", err)
	}
	at, err := in("us-east-1").Rehome(t.Context(), "eu-west-1", "t2")
	if err != nil || at.Tenure != "t2" || at.Epoch <= next.At().Epoch {
		t.Fatalf("%v, %v", at, err)
	}
	if _, err := in("eu-west-1").Rehome(t.Context(), "eu-west-1", "t3"); !errors.Is(err, control.ErrNotHome) {
		t.Errorf("twice: %v", err)
	}
	moved, err := in("us-east-1").Load(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	mustWrite(t, in("us-east-1"), at, moved.Next())
	if _, err := in("eu-west-1").Write(t.Context(), moved.Next().At(), moved.Next().Next()); !errors.Is(err, control.ErrNotHome) {
		t.Errorf("the old home: %v", err)
	}
}

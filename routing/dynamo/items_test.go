package dynamo

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	fake "firebreak/internal/fakes/dynamo"
	"firebreak/routing"
	"firebreak/routing/control"
)

// TestKeys: each item lies where the package's doc says, under its fleet alone.
func TestKeys(t *testing.T) {
	server, api := created(t)
	fleet := "a/b\xff"
	s, from := watch(t, api, fleet), source(t, api, fleet)
	before := len(server.Calls())
	mustWrite(t, s, control.At{}, adopted(t, fleet))
	if err := s.Put(t.Context(), &control.Request{ID: "r/1", By: "anna", Reason: "it is time", Do: control.DoStop}); err != nil {
		t.Fatal(err)
	}
	if err := from.Confirm(t.Context(), control.Confirmation{Client: "web-1", Version: 1}); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range server.Calls()[before:] {
		got = append(got, c.Partition+" "+c.Sort)
	}
	want := []string{
		`fleet/a\x2fb\xff document`, `fleet/a\x2fb\xff head`, `requests/a\x2fb\xff r/1`, keysOf(fleet).ofClient("web-1") + ` web-1`,
	}
	if diff := cmp.Diff(want, got); diff != "" || !strings.HasPrefix(want[3], `clients/a\x2fb\xff/`) {
		t.Errorf("keys (-want +got):\n%s", diff)
	}
}

// TestUnreadable: a request of another firebreak is left out and told of; a confirmation that cannot be read is an error, because it may
// be of a client that has to be waited for.
func TestUnreadable(t *testing.T) {
	server, api := created(t)
	s := watch(t, api, "orders")
	for _, it := range []string{
		`{"pk":{"S":"requests/orders"},"sk":{"S":"new"},"id":{"S":"new"},"do":{"S":"dance"}}`,
		`{"pk":{"S":"requests/orders"},"sk":{"S":"odd"},"id":{"SS":["odd"]}}`,
	} {
		if err := server.Write(table, it); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Put(t.Context(), &control.Request{ID: "ours", By: "anna", Reason: "it is time", Do: control.DoStop}); err != nil {
		t.Fatal(err)
	}
	if rs, err := s.Requests(t.Context()); err != nil || len(rs) != 1 || rs[0].ID != "ours" {
		t.Errorf("requests: %v, %v", rs, err)
	}
	if diff := cmp.Diff([]Kind{Unreadable, Unreadable}, s.kinds()); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	if err := server.Write(table, `{"pk":{"S":"clients/orders/3"},"sk":{"S":"web"},"client":{"S":"web"},"version":{"S":"1"}}`); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Confirmations(t.Context()); err == nil || !strings.Contains(err.Error(), "web") {
		t.Errorf("confirmations: %v, want an error that names the client", err)
	}
}

// TestUnits: each call costs what docs/routing-store.md says, for a document of 16 KB.
func TestUnits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server, api := created(t)
		s, from := watch(t, api, "orders"), source(t, api, "orders")
		state := adopted(t, "orders")
		for i := range 560 {
			if err := state.Document.Set(routing.QuotaEntry(fmt.Sprintf("tenant-%d", i)), "100"); err != nil {
				t.Fatal(err)
			}
		}
		costs := func(what string, want fake.Units, do func() error) {
			t.Helper()
			was := server.Units()
			if err := do(); err != nil {
				t.Fatalf("%s: %v", what, err)
			}
			is := server.Units()
			if got := (fake.Units{Read: is.Read - was.Read, Write: is.Write - was.Write}); got != want {
				t.Errorf("%s: %+v, want %+v", what, got, want)
			}
		}
		mustWrite(t, s, control.At{}, state)
		size := server.Size(table, "fleet/orders", documentSort)
		if size < 13<<10 || size > 16<<10 {
			t.Fatalf("the document has %d bytes", size)
		}
		kb := float64(size/1024 + 1)
		costs("write", fake.Units{Write: kb + 1}, func() error { _, err := s.Write(t.Context(), state.At(), state.Next()); return err })
		costs("load", fake.Units{Read: 4}, func() error { _, err := s.Load(t.Context()); return err })
		costs("head", fake.Units{Read: 0.5}, func() error { _, err := from.Head(t.Context()); return err })
		costs("document", fake.Units{Read: 2}, func() error { _, err := from.Document(t.Context(), control.Head{}); return err })
		costs("confirm", fake.Units{Write: 1}, func() error { return from.Confirm(t.Context(), control.Confirmation{Client: "a", Version: 2}) })
		costs("confirmations", fake.Units{Read: 16}, func() error { _, err := s.Confirmations(t.Context()); return err })
		costs("requests", fake.Units{Read: 1}, func() error { _, err := s.Requests(t.Context()); return err })
		costs("forget", fake.Units{Write: 1}, func() error { return s.Forget(t.Context(), "a") })
	})
}

// TestManyClients: 10,000 clients that confirm every 20 s stay far below what one partition key takes.
func TestManyClients(t *testing.T) {
	if testing.Short() {
		t.Skip("10,000 calls of the SDK take long under the race detector")
	}
	synctest.Test(t, func(t *testing.T) {
		server, api := created(t)
		server.Limit(fake.MostRead, fake.MostWrite/10)
		before := len(server.Calls())
		s, from := watch(t, api, "orders"), source(t, api, "orders")
		const clients = 10_000
		var group sync.WaitGroup
		for i := range clients {
			group.Go(func() {
				time.Sleep(time.Duration(i) * control.ConfirmEvery / clients)
				if err := from.Confirm(t.Context(), control.Confirmation{Client: fmt.Sprintf("web-%d", i), Version: 1, Beat: 1}); err != nil {
					t.Error(err)
				}
			})
		}
		group.Wait()
		if slices.ContainsFunc(server.Calls()[before:], func(c fake.Call) bool { return c.Error != "" }) {
			t.Error("a tenth of what a partition takes was not enough")
		}
		cs, err := s.Confirmations(t.Context())
		if err != nil || len(cs) != clients {
			t.Errorf("%d confirmations, %v", len(cs), err)
		}
	})
}

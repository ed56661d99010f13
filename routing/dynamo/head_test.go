package dynamo

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	fake "firebreak/internal/fakes/dynamo"
	"firebreak/routing/control"
)

// TestHeadOwed: a head that cannot be written is an event; it is written at the next load, and the write before it counts.
func TestHeadOwed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server, api := created(t)
		s := watch(t, api, "orders")
		state := adopted(t, "orders")
		mustWrite(t, s, control.At{}, state)
		server.Break(fake.Fault{Op: "PutItem", Sort: headSort, Say: fake.AccessDenied, Times: 2})
		mustWrite(t, s, state.At(), state.Next())
		if _, err := s.Load(t.Context()); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]Kind{HeadLags, HeadLags}, s.kinds()); diff != "" {
			t.Errorf("events (-want +got):\n%s", diff)
		}
		from := source(t, api, "orders")
		if h, err := from.Head(t.Context()); err != nil || h.Version != 1 {
			t.Errorf("head: %+v, %v, want it behind", h, err)
		}
		if _, err := s.Load(t.Context()); err != nil {
			t.Fatal(err)
		}
		if h, err := from.Head(t.Context()); err != nil || h.Version != 2 {
			t.Errorf("head: %+v, %v, want version 2", h, err)
		}
		before := len(server.Calls())
		if _, err := s.Load(t.Context()); err != nil || len(server.Calls()) != before+1 {
			t.Errorf("%d calls of a load that owes nothing, %v", len(server.Calls())-before, err)
		}
	})
}

// TestHeadNeverBack: a head that comes late does not replace a later one.
func TestHeadNeverBack(t *testing.T) {
	_, api := created(t)
	s := watch(t, api, "orders")
	for _, v := range []uint64{9, 7, 10, 1, 9} {
		if err := s.putHead(t.Context(), control.Head{Epoch: 1, Version: v}); err != nil {
			t.Fatal(err)
		}
	}
	if h, err := source(t, api, "orders").Head(t.Context()); err != nil || h.Version != 10 {
		t.Errorf("head: %+v, %v, want version 10", h, err)
	}
}

// TestHeadMissing: who made the first state went away before its head, and clients find the document.
func TestHeadMissing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server, api := created(t)
		server.Break(fake.Fault{Op: "PutItem", Sort: headSort, Say: fake.AccessDenied})
		mustWrite(t, watch(t, api, "orders"), control.At{}, adopted(t, "orders"))
		if h, err := source(t, api, "orders").Head(t.Context()); err != nil || h != (control.Head{Version: 1}) {
			t.Errorf("head: %+v, %v", h, err)
		}
	})
}

// TestHeadClients: the head says how large the document is to read and how many clients live, as the decider said.
func TestHeadClients(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server, api := created(t)
		s, from := watch(t, api, "orders"), source(t, api, "orders")
		state := adopted(t, "orders")
		mustWrite(t, s, control.At{}, state)
		size := server.Size(table, "fleet/orders", documentSort)
		if h, err := from.Head(t.Context()); err != nil || h.Clients != 0 || h.Bytes < size || h.Bytes > size+size/5 {
			t.Errorf("head before a listing: %+v, %v; the document has %d bytes", h, err, size)
		}
		if err := s.Count(t.Context(), 3); err != nil {
			t.Fatal(err)
		}
		for _, next := range []*control.State{nil, state.Next()} { // at once, and with the next write
			if next != nil {
				mustWrite(t, s, state.At(), next)
			}
			if h, err := from.Head(t.Context()); err != nil || h.Clients != 3 {
				t.Errorf("head: %+v, %v, want 3 clients", h, err)
			}
		}
	})
}

// TestLag: reads that are not consistent lag; a document older than the head is read again, consistently, and only then.
func TestLag(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server, api := created(t)
		s, from := watch(t, api, "orders"), source(t, api, "orders")
		state := adopted(t, "orders")
		mustWrite(t, s, control.At{}, state)
		time.Sleep(time.Second)
		server.Lag(900 * time.Millisecond)
		next := state.Next()
		mustWrite(t, s, state.At(), next)
		if h, err := from.Head(t.Context()); err != nil || h.Version != 1 {
			t.Errorf("head: %+v, %v, want one that lags", h, err)
		}
		reads := func(want uint64, consistent ...bool) {
			t.Helper()
			before := len(server.Calls())
			d, err := from.Document(context.WithoutCancel(t.Context()), control.Head{Version: want})
			if err != nil || d.Version != want {
				t.Errorf("document: %v, %v, want version %d", d, err, want)
			}
			var got []bool
			for _, c := range server.Calls()[before:] {
				got = append(got, c.Consistent)
			}
			if diff := cmp.Diff(consistent, got); diff != "" {
				t.Errorf("reads, by whether they are consistent (-want +got):\n%s", diff)
			}
		}
		reads(1, false)
		reads(2, false, true)
		time.Sleep(time.Second)
		reads(2, false)
	})
}

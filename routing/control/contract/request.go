package contract

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"firebreak/routing"
	"firebreak/routing/control"
)

// request is a valid one.
func request(id string, do control.Do) *control.Request {
	return &control.Request{ID: id, By: "anna\xff", At: time.UnixMilli(1_790_000_000_456).UTC(), Reason: "it is time", Do: do}
}

// only is the one request that stands.
func only(ctx context.Context, t *testing.T, s Store) *control.Request {
	t.Helper()
	rs, err := s.Requests(ctx)
	if err != nil || len(rs) != 1 {
		t.Fatalf("requests: %d, %v, want 1", len(rs), err)
	}
	return rs[0]
}

func requests(t *testing.T, r Rig) {
	ctx, s := within(t), r.Store(t, fleet)
	edit := request("edit", control.DoSet)
	edit.IfVersion = 1<<64 - 1
	edit.Edits = []control.Edit{{Entry: routing.TenantEntry("a,b/\xff"), Value: "shard-0"}, {Entry: routing.QuotaEntry("c")}}
	take := request("import", control.DoImport)
	take.IfVersion, take.Document = 3, full(t).Document
	odd := request(strings.Repeat("\xff", 255), control.DoResume)
	want := []*control.Request{edit, take, odd, request("a/b", control.DoStop), request("document", control.DoStop)}
	for _, q := range want {
		if err := s.Put(ctx, q); err != nil {
			t.Fatalf("put %q: %v", q.ID, err)
		}
	}
	if err := s.Put(ctx, edit); err != nil { // as one whose reply was lost is
		t.Fatal(err)
	}
	holds(ctx, t, r.Store(t, fleet), want)
	for i, q := range want {
		if err := s.Drop(ctx, q.ID); err != nil {
			t.Fatal(err)
		}
		holds(ctx, t, s, want[i+1:])
	}
	if err := s.Drop(ctx, edit.ID); err != nil {
		t.Errorf("dropped again: %v", err)
	}
	if err := s.Put(ctx, &control.Request{ID: "x", By: "anna", Do: control.DoStop}); err == nil {
		t.Error("a request without a reason was put")
	}
	for i := range 60 { // more than a page
		q := request(fmt.Sprint("many-", i), control.DoSet)
		q.IfVersion, q.Edits = 1, []control.Edit{{Entry: routing.QuotaEntry(strings.Repeat("t", 30_000)), Value: "1"}}
		if err := s.Put(ctx, q); err != nil {
			t.Fatal(err)
		}
	}
	if rs, err := s.Requests(ctx); err != nil || len(rs) != 60 {
		t.Errorf("requests: %d, %v, want 60", len(rs), err)
	}
}

// holds compares the requests that stand, in any order.
func holds(ctx context.Context, t *testing.T, s Store, want []*control.Request) {
	t.Helper()
	got, err := s.Requests(ctx)
	if err != nil {
		t.Fatal(err)
	}
	byID := func(rs []*control.Request) []*control.Request {
		rs = append([]*control.Request{}, rs...)
		slices.SortFunc(rs, func(a, b *control.Request) int { return cmp.Compare(a.ID, b.ID) })
		return rs
	}
	if diff := gocmp.Diff(byID(want), byID(got)); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}
}

// answeredOnce is two deciders that see one request.
func answeredOnce(t *testing.T, r Rig) {
	ctx, old, young := within(t), r.Store(t, fleet), r.Store(t, fleet)
	state := create(ctx, t, old, fleet)
	a := claimed(t, state, "a")
	mustWrite(ctx, t, old, state.At(), a)
	if err := r.Store(t, fleet).Put(ctx, request("r1", control.DoStop)); err != nil {
		t.Fatal(err)
	}
	b := claimed(t, mustLoad(ctx, t, young), "b")
	mustWrite(ctx, t, young, a.At(), b)
	late := a.Answer(only(ctx, t, old), time.UnixMilli(1))
	done := b.Answer(only(ctx, t, young), time.UnixMilli(2))
	mustWrite(ctx, t, young, b.At(), done)
	_, err := old.Write(ctx, a.At(), late)
	conflicts(t, err, done.At())
	now := mustLoad(ctx, t, old)
	if got, ok := now.Answered("r1"); !ok || got.Version != done.Document.Version || !now.Document.Stop || len(now.Outbox) != 1 {
		t.Errorf("answered %+v, %v; stopped %v; %d notes", got, ok, now.Document.Stop, len(now.Outbox))
	}
	if now.Answer(only(ctx, t, old), time.UnixMilli(3)) != nil {
		t.Error("it is answered again")
	}
}

func confirmations(t *testing.T, r Rig) {
	ctx, s, from := within(t), r.Store(t, fleet), r.Source(t, fleet)
	names := []string{strings.Repeat("\xff", 255), "a/b#c", `\`, "é", "document", "head"}
	for i := range 40 {
		names = append(names, fmt.Sprintf("client-%d", i))
	}
	var want []control.Confirmation
	for i, name := range names {
		c := control.Confirmation{Client: name, Epoch: 1<<64 - 1, Version: uint64(i) + 1, Beat: 1<<64 - 1 - uint64(i)}
		if err := from.Confirm(ctx, c); err != nil {
			t.Fatalf("confirm %q: %v", name, err)
		}
		if i%3 == 0 { // it confirms again
			c.Version, c.Beat = c.Version+1, 7
			if err := from.Confirm(ctx, c); err != nil {
				t.Fatal(err)
			}
		}
		want = append(want, c)
	}
	confirmed(ctx, t, s, want)
	for range 3 {
		if err := s.Forget(ctx, want[0].Client); err != nil {
			t.Fatal(err)
		}
		want = want[1:]
	}
	confirmed(ctx, t, r.Store(t, fleet), want)
	if err := s.Forget(ctx, names[0]); err != nil {
		t.Errorf("forgotten again: %v", err)
	}
	back := control.Confirmation{Client: names[0], Version: 9} // it was not gone after all
	if err := from.Confirm(ctx, back); err != nil {
		t.Fatal(err)
	}
	confirmed(ctx, t, s, append(want, back))
	if err := from.Confirm(ctx, control.Confirmation{Version: 1}); err == nil {
		t.Error("a client without a name confirmed")
	}
}

// confirmed compares the confirmations that stand, in any order.
func confirmed(ctx context.Context, t *testing.T, s Store, want []control.Confirmation) {
	t.Helper()
	got, err := s.Confirmations(ctx)
	if err != nil {
		t.Fatal(err)
	}
	byName := func(a, b control.Confirmation) int { return cmp.Compare(a.Client, b.Client) }
	got, want = slices.SortedFunc(slices.Values(got), byName), slices.SortedFunc(slices.Values(want), byName)
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Errorf("confirmations (-want +got):\n%s", diff)
	}
}

func counted(t *testing.T, r Rig) {
	ctx, s, from := within(t), r.Store(t, fleet), r.Source(t, fleet)
	if err := s.Count(ctx, 2); err != nil {
		t.Errorf("before there is a state: %v", err)
	}
	state := create(ctx, t, s, fleet)
	for _, want := range []int{3, 0, 17} {
		if err := s.Count(ctx, want); err != nil {
			t.Fatal(err)
		}
		next := state.Next()
		for range 2 { // at once, and with the next write
			if h, err := from.Head(ctx); err != nil || h.Clients != want {
				t.Errorf("head: %+v, %v, want %d clients", h, err, want)
			}
			if state.At() != next.At() {
				mustWrite(ctx, t, s, state.At(), next)
				state = next
			}
		}
	}
}

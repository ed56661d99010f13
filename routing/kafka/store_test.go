package kafka

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"firebreak/routing/control"
)

// TestFirst: there is no state until one is written, and only one is the first.
func TestFirst(t *testing.T) {
	l := open(t, broker(t))
	s := l.Store("orders")
	if _, err := s.Load(soon(t)); !errors.Is(err, control.ErrNone) {
		t.Errorf("a fleet without a state: %v", err)
	}
	if _, err := l.Source("orders").Head(soon(t)); !errors.Is(err, control.ErrNone) {
		t.Errorf("its head: %v", err)
	}
	if w, err := s.Write(soon(t), control.At{}, first(t, "orders")); err != nil || w.ReadBack || w.Attempts != 1 {
		t.Fatalf("%+v, %v", w, err)
	}
	again := first(t, "orders")
	again.Document.Version = 7
	if _, err := s.Write(soon(t), control.At{}, again); !isConflict(err) {
		t.Errorf("a second first state: %v", err)
	}
	if _, err := s.Write(soon(t), control.At{}, first(t, "users")); err == nil || isConflict(err) {
		t.Errorf("a state of another fleet: %v", err)
	}
	if _, err := l.Store("users").Load(soon(t)); !errors.Is(err, control.ErrNone) {
		t.Errorf("the other fleet: %v", err)
	}
}

// TestFirstWriteInTheLogWins: of ten that claim at once, on connections of their own, one gets the fleet, and the others learn who.
func TestFirstWriteInTheLogWins(t *testing.T) {
	c := broker(t)
	_, state := begun(t, open(t, c), "orders")
	stores := make([]*Store, 10)
	for i := range stores {
		stores[i] = open(t, c).Store("orders")
	}
	for round := range 5 {
		errs := make([]error, len(stores))
		nexts := make([]*control.State, len(stores))
		var all sync.WaitGroup
		for i, s := range stores {
			nexts[i], _ = state.Claim(0, fmt.Sprintf("%d of round %d", i, round))
			all.Go(func() { _, errs[i] = s.Write(soon(t), state.At(), nexts[i]) })
		}
		all.Wait()
		was := state
		for i, err := range errs {
			if err == nil && state != was {
				t.Fatalf("%v and %v won", state.At(), nexts[i].At())
			} else if err == nil {
				state = nexts[i]
			}
		}
		for i, err := range errs {
			if conflict, ok := errors.AsType[*control.Conflict](err); err != nil && (!ok || conflict.Now != state.At()) {
				t.Errorf("writer %d: %v, want a conflict with %v", i, err, state.At())
			}
			if got, err := stores[i].Load(soon(t)); err != nil || cmp.Diff(got, state) != "" {
				t.Fatalf("reader %d: %v %s", i, err, cmp.Diff(got, state))
			}
		}
	}
}

// TestZombie: who lost the fleet to another changes nothing, even if its write was on its way for days.
func TestZombie(t *testing.T) {
	c := broker(t)
	old, was := begun(t, open(t, c), "orders")
	late := was.Next()
	late.Document.Stop = true
	fresh := open(t, c).Store("orders")
	now := claim(t, fresh, "tenure-1")
	_, err := old.Write(soon(t), was.At(), late)
	conflict, ok := errors.AsType[*control.Conflict](err)
	if !ok || conflict.Now != now.At() {
		t.Errorf("the zombie was told %v", err)
	}
	if got, err := fresh.Load(soon(t)); err != nil || got.Document.Stop || got.At() != now.At() {
		t.Errorf("%v: it stands at %+v", err, got.At())
	}
}

// TestLostReplies: a write whose reply was lost, or that was never heard, takes effect once and is reported as what it is.
func TestLostReplies(t *testing.T) {
	for name, lost := range map[string]func(c *kfake.Cluster){
		"reply": func(c *kfake.Cluster) { // applied, and an error said
			dropped := false
			c.ControlKey(int16(kmsg.Produce), func(kreq kmsg.Request) (kmsg.Response, error, bool) {
				c.KeepControl()
				if dropped {
					return nil, nil, false
				}
				dropped = true
				return nil, errors.New("the connection ends"), true
			})
		},
		"refusals": func(c *kfake.Cluster) {
			times := 0
			c.ControlKey(int16(kmsg.Produce), func(kreq kmsg.Request) (kmsg.Response, error, bool) {
				c.KeepControl()
				if times++; times > 1 {
					return nil, nil, false
				}
				req, resp := kreq.(*kmsg.ProduceRequest), kreq.ResponseKind().(*kmsg.ProduceResponse)
				for _, t := range req.Topics {
					rt := kmsg.NewProduceResponseTopic()
					rt.Topic, rt.TopicID = t.Topic, t.TopicID
					for _, p := range t.Partitions {
						rp := kmsg.NewProduceResponseTopicPartition()
						rp.Partition, rp.ErrorCode = p.Partition, kerr.InvalidRecord.Code
						rt.Partitions = append(rt.Partitions, rp)
					}
					resp.Topics = append(resp.Topics, rt)
				}
				return resp, nil, true
			})
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := broker(t)
			s, was := begun(t, open(t, c), "orders")
			lost(c)
			next := was.Next()
			if _, err := s.Write(soon(t), was.At(), next); err != nil {
				t.Fatal(err)
			}
			if got, err := s.Load(soon(t)); err != nil || got.At() != next.At() {
				t.Errorf("%v: it stands at %v", err, got.At())
			}
		})
	}
}

// TestUnknown: who cannot read what became of a write is told so, and a load tells later.
func TestUnknown(t *testing.T) {
	c := broker(t)
	s, was := begun(t, open(t, c), "orders")
	away := true
	c.ControlKey(int16(kmsg.ListOffsets), func(kmsg.Request) (kmsg.Response, error, bool) {
		c.KeepControl()
		if away {
			return nil, errors.New("away"), true
		}
		return nil, nil, false
	})
	next := was.Next()
	_, err := s.Write(within(t, 2*time.Second), was.At(), next)
	if !errors.Is(err, control.ErrUnknown) {
		t.Errorf("want unknown, got %v", err)
	}
	c.Control(func(kmsg.Request) (kmsg.Response, error, bool) { away = false; c.KeepControl(); return nil, nil, false })
	if got, err := s.Load(soon(t)); err != nil || got.At() != next.At() {
		t.Errorf("%v: it stands at %v, want %v", err, got, next.At())
	}
}

// TestRequests: a request is there until it is dropped, whoever reads, and once, however often it is put.
func TestRequests(t *testing.T) {
	c := broker(t)
	s, state := begun(t, open(t, c), "orders")
	other := open(t, c).Store("orders")
	for _, id := range []string{"a", "b\xff", "a"} {
		if err := other.Put(soon(t), request(id, state.At().Version)); err != nil {
			t.Fatal(err)
		}
	}
	if err := other.Put(soon(t), &control.Request{ID: "x"}); err == nil {
		t.Error("a request without a reason was put")
	}
	got, err := s.Requests(soon(t))
	if err != nil || len(got) != 2 || cmp.Diff(got[1], request("b\xff", state.At().Version)) != "" {
		t.Fatalf("%v, %v", got, err)
	}
	next := state.Answer(got[0], time.Unix(1_790_000_001, 0))
	if _, err := s.Write(soon(t), state.At(), next); err != nil {
		t.Fatal(err)
	}
	if err := s.Drop(soon(t), "a"); err != nil {
		t.Fatal(err)
	}
	if got, err = other.Requests(soon(t)); err != nil || len(got) != 1 || got[0].ID != "b\xff" {
		t.Errorf("%v, %v", got, err)
	}
	if users, err := open(t, c).Store("users").Requests(soon(t)); err != nil || len(users) != 0 {
		t.Errorf("another fleet has %v, %v", users, err)
	}
}

// TestConfirmations: what clients hold is seen by the store, and how many live is seen by clients.
func TestConfirmations(t *testing.T) {
	c := broker(t)
	s, state := begun(t, open(t, c), "orders")
	source := open(t, c).Source("orders")
	head, err := source.Head(soon(t))
	if want := (control.Head{Epoch: 1, Version: 2, Bytes: head.Bytes}); err != nil || head != want || head.Bytes == 0 {
		t.Fatalf("%+v, %v", head, err)
	}
	d, err := source.Document(soon(t), head)
	if err != nil || cmp.Diff(d, state.Document) != "" {
		t.Fatalf("%v %s", err, cmp.Diff(d, state.Document))
	}
	want := []control.Confirmation{{Client: "a\xff", Epoch: 1, Version: 2, Beat: 2}, {Client: "b", Epoch: 1, Version: 1, Beat: 9}}
	for _, c := range []control.Confirmation{want[1], {Client: "a\xff", Epoch: 1, Version: 1, Beat: 1}, want[0]} {
		if err := source.Confirm(soon(t), c); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := s.Confirmations(soon(t)); err != nil || cmp.Diff(got, want) != "" {
		t.Errorf("%v (-got +want):\n%s", err, cmp.Diff(got, want))
	}
	if err := s.Forget(soon(t), "b"); err != nil {
		t.Fatal(err)
	}
	if got, err := s.Confirmations(soon(t)); err != nil || cmp.Diff(got, want[:1]) != "" {
		t.Errorf("%v (-got +want):\n%s", err, cmp.Diff(got, want[:1]))
	}
	if err := s.Count(soon(t), 17); err != nil {
		t.Fatal(err)
	}
	if head, err := source.Head(soon(t)); err != nil || head.Clients != 17 {
		t.Errorf("%+v, %v", head, err)
	}
}

// TestTrim: the log is cut behind snapshots; who reads on, who was away, and who begins then have the same.
func TestTrim(t *testing.T) {
	c := broker(t)
	l := open(t, c)
	s, state := begun(t, l, "orders")
	users, _ := begun(t, l, "users")
	away := open(t, c).Store("orders") // has read up to here
	if _, err := away.Load(soon(t)); err != nil {
		t.Fatal(err)
	}
	for i := range 20 {
		state = quota(t, s, state, i+1)
	}
	for _, id := range []string{"a", "b"} {
		if err := s.Put(soon(t), request(id, 1)); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(s.Drop(soon(t), "a"), s.Count(soon(t), 3)); err != nil {
		t.Fatal(err)
	}
	if cut, err := l.Trim(soon(t), 1000); cut || err != nil {
		t.Errorf("cut a short log: %v, %v", cut, err)
	}
	if cut, err := l.Trim(soon(t), 20); !cut || err != nil {
		t.Fatalf("not cut: %v", err)
	}
	if n := length(t, l); n != 3 { // two snapshots and the cut
		t.Errorf("%d entries are left", n)
	}
	state = quota(t, s, state, 500)
	for name, who := range map[string]*Store{"the writer": s, "one that was away": away, "a new one": open(t, c).Store("orders")} {
		got, err := who.Load(soon(t))
		if err != nil || cmp.Diff(got, state) != "" {
			t.Errorf("%s: %v %s", name, err, cmp.Diff(got, state))
		}
		requests, err := who.Requests(soon(t))
		if err != nil || len(requests) != 1 || requests[0].ID != "b" {
			t.Errorf("%s: requests %v, %v", name, requests, err)
		}
		if head, err := who.log.Source("orders").Head(soon(t)); err != nil || head.Clients != 3 {
			t.Errorf("%s: %+v, %v", name, head, err)
		}
	}
	if got, err := open(t, c).Store("users").Load(soon(t)); err != nil || got.At().Version != 2 {
		t.Errorf("the other fleet: %v, %v", got, err)
	}
	if _, err := users.Requests(soon(t)); err != nil {
		t.Error(err)
	}
}

// TestWriteBeforeACut: a writer who could not look before the log was cut behind later states does not know what became of its write, and one
// whose write names a state before the cut's neither; who writes after it knows.
func TestWriteBeforeACut(t *testing.T) {
	c := broker(t)
	slow := open(t, c)
	mine, was := begun(t, slow, "orders")
	if err := slow.lock(soon(t)); err != nil {
		t.Fatal(err)
	}
	next := was.Next()
	answered := make(chan error, 1)
	go func() {
		_, err := mine.Write(soon(t), was.At(), next)
		answered <- err
	}()
	others := open(t, c)
	state := next
	for {
		got, err := others.Store("orders").Load(soon(t))
		if err != nil {
			t.Fatal(err)
		}
		if got.At() == next.At() {
			break
		}
	}
	for i := range 3 {
		state = quota(t, others.Store("orders"), state, i+1)
	}
	if cut, err := others.Trim(soon(t), 1); !cut || err != nil {
		t.Fatalf("%t, %v", cut, err)
	}
	slow.unlock()
	if err := <-answered; !errors.Is(err, control.ErrUnknown) || isConflict(err) {
		t.Errorf("the write took effect, and its writer is told %v", err)
	}
	late := open(t, c).Store("orders")
	if _, err := late.Write(soon(t), was.At(), was.Next()); !errors.Is(err, control.ErrUnknown) {
		t.Errorf("one of a state before the cut: %v", err)
	}
	stale := state.Next()
	quota(t, late, state, 9)
	stale.Document.Stop = true
	if _, err := late.Write(soon(t), control.At{Epoch: stale.Document.Epoch, Tenure: stale.Document.Tenure, Version: stale.Document.Version - 1}, stale); !isConflict(err) {
		t.Errorf("one of a state behind the cut: %v", err)
	}
}

// TestCutByOthers: a log whose beginning something else deleted is no empty one.
func TestCutByOthers(t *testing.T) {
	c := broker(t)
	l := open(t, c)
	begun(t, l, "orders")
	behind := kadm.Offsets{}
	behind.AddOffset(l.state, 0, 1, -1)
	if _, err := l.adm.DeleteRecords(soon(t), behind); err != nil {
		t.Fatal(err)
	}
	late := open(t, c).Store("orders")
	if _, err := late.Load(soon(t)); !errors.Is(err, ErrCut) {
		t.Errorf("load: %v", err)
	}
	if _, err := late.Write(soon(t), control.At{}, first(t, "orders")); !errors.Is(err, ErrCut) {
		t.Errorf("write: %v", err)
	}
}

// TestRecreated: a topic that was made anew has nothing of what was, and nobody takes that for the state.
func TestRecreated(t *testing.T) {
	l := open(t, broker(t))
	s, was := begun(t, l, "orders")
	remake(t, l)
	if _, err := s.Load(soon(t)); !errors.Is(err, ErrRecreated) {
		t.Errorf("load: %v", err)
	}
	if _, err := s.Write(soon(t), was.At(), was.Next()); !errors.Is(err, ErrRecreated) {
		t.Errorf("write: %v", err)
	}
	if _, err := l.Source("orders").Head(soon(t)); !errors.Is(err, ErrRecreated) {
		t.Errorf("head: %v", err)
	}
}

// TestGivesUp: who waits for a reader that hangs gives up with its context.
func TestGivesUp(t *testing.T) {
	l := open(t, broker(t))
	if err := l.lock(soon(t)); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Store("orders").Load(within(t, 50*time.Millisecond)); err == nil {
		t.Error("it did not wait for its turn")
	}
	l.unlock()
}

// TestFoldOfForeignEntries: what cannot be read changes nothing and stops nobody.
func TestFoldOfForeignEntries(t *testing.T) {
	c := broker(t)
	l := open(t, c)
	s, state := begun(t, l, "orders")
	for _, value := range []string{
		"", "{", `{"v":2,"drop":{"id":"a"}}`, `{"v":1}`, `{"v":1,"write":{"was":{"epoch":1,"tenure":"tenure-0","version":2},"state":{}}}`,
		`{"v":1,"request":{}}`, `{"v":1,"drop":{"id":"\\q"}}`,
	} {
		if _, err := l.append(soon(t), l.state, "orders", []byte(value)); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := s.Load(soon(t)); err != nil || cmp.Diff(got, state) != "" {
		t.Errorf("%v %s", err, cmp.Diff(got, state))
	}
	if f := l.book.of("orders"); f.void != 7 {
		t.Errorf("%d entries were void", f.void)
	}
}

func FuzzFold(f *testing.F) {
	s := first(f, "orders")
	b, _ := s.Encode()
	value, _ := (&entry{Write: &write{State: b}}).encode()
	f.Add(value)
	f.Fuzz(func(t *testing.T, value []byte) {
		e, err := parseEntry(value)
		if err != nil {
			return
		}
		for _, b := range []*book{newBook(0), newBook(1)} {
			b.apply(1, "orders", e)
			if f := b.of("orders"); f.state != nil {
				if err := f.state.Validate(); err != nil {
					t.Error(err)
				}
			}
		}
	})
}

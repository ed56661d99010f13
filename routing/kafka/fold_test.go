package kafka

import (
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"firebreak/routing/control"
)

// story is a log of two fleets: their deciders, some that lost their fleet and write, and snap, what they had, requests and drops.
type story struct {
	t    *rapid.T
	log  []drawn
	full *book                       // of a reader who read all
	old  map[string][]*control.State // every state that ever stood
	sent map[string]bool             // a tenure writes each version once: (epoch, tenure, version) names one state
}

type drawn struct {
	fleet string
	entry *entry
}

// append takes the next entry, as the log would, and gives its offset.
func (s *story) append(fleet string, value []byte, err error) int64 {
	if err != nil {
		s.t.Fatal(err)
	}
	e, err := parseEntry(value)
	if err != nil {
		s.t.Fatal(err)
	}
	offset := int64(len(s.log))
	s.log = append(s.log, drawn{fleet, e})
	s.full.apply(offset, fleet, e)
	if f := s.full.of(fleet); f.state != nil {
		if of := s.old[fleet]; len(of) == 0 || of[len(of)-1].At() != f.at() {
			s.old[fleet] = append(of, f.state)
		}
	}
	return offset
}

// step appends one entry that somebody might.
func (s *story) step() {
	fleet := rapid.SampledFrom([]string{"orders", "users", "late"}).Draw(s.t, "fleet")
	of := s.old[fleet]
	id := fmt.Sprint(rapid.IntRange(0, 5).Draw(s.t, "id"))
	if len(of) == 0 {
		s.write(fleet, nil, first(s.t, fleet))
		return
	}
	base := of[rapid.IntRange(max(0, len(of)-3), len(of)-1).Draw(s.t, "base")] // the last one, or one that is gone
	var e entry
	switch rapid.IntRange(0, 5).Draw(s.t, "kind") {
	case 0, 1:
		next := base.Next()
		next.Document.Stop = !next.Document.Stop
		next.Document.Version += uint64(rapid.SampledFrom([]int{0, 0, 7}).Draw(s.t, "jump"))
		s.write(fleet, base, next)
		return
	case 2:
		next, err := base.Claim(0, fmt.Sprintf("tenure-%d", len(s.log)))
		if err != nil {
			s.t.Fatal(err)
		}
		s.write(fleet, base, next)
		return
	case 3:
		e.Request, _ = request(id, 1).Encode()
	case 4:
		e.Drop = &drop{ID: id}
	case 5: // one that was on its way for long
		b, err := (&fold{state: base, requests: []*control.Request{request(id, 1)}}).snap()
		s.append(fleet, b, err)
		return
	}
	b, err := e.encode()
	s.append(fleet, b, err)
}

func (s *story) write(fleet string, was, next *control.State) {
	name := fmt.Sprint(fleet, next.At())
	if s.sent[name] {
		return
	}
	s.sent[name] = true
	b, _ := next.Encode()
	w := &write{State: b}
	if was != nil {
		w.Was = atWire(was.At())
	}
	value, err := (&entry{Write: w}).encode()
	s.append(fleet, value, err)
}

// trim does what Log.Trim does, with others that append meanwhile, and says where the log may be cut; false = it gave up.
func (s *story) trim() (cut int64, ok bool) {
	mine := map[string][]byte{}
	for fleet, f := range s.full.fleets {
		if f.state != nil {
			mine[fleet], _ = f.snap() // as of now
		}
	}
	at := map[string]int64{}
	meanwhile := func() {
		for range rapid.SampledFrom([]int{0, 0, 0, 0, 0, 0, 1, 2}).Draw(s.t, "meanwhile") {
			s.step()
		}
	}
	for _, fleet := range []string{"late", "orders", "users"} {
		if mine[fleet] != nil {
			meanwhile()
			at[fleet] = s.append(fleet, mine[fleet], nil)
		}
	}
	meanwhile()
	v := &verify{book: newBook(0), at: at, want: len(at)}
	for i, d := range s.log {
		v.see(int64(i), d.fleet, d.entry)
		v.book.apply(int64(i), d.fleet, d.entry)
	}
	if !v.ok() {
		return 0, false
	}
	value, err := (&entry{Cut: at}).encode()
	s.append("", value, err)
	return earliest(at), true
}

// TestReadersAgree: whoever begins where the log was cut, whatever zombies appended around it, has what those have who read all.
func TestReadersAgree(t *testing.T) {
	cuts := 0
	rapid.Check(t, func(rt *rapid.T) {
		s := &story{t: rt, full: newBook(0), old: map[string][]*control.State{}, sent: map[string]bool{}}
		s.write("orders", nil, first(rt, "orders"))
		for range rapid.IntRange(0, 30).Draw(rt, "before") {
			s.step()
		}
		cut, ok := s.trim()
		if rapid.Bool().Draw(rt, "again") {
			if second, also := s.trim(); also {
				cut, ok = second, true
			}
		}
		for range rapid.IntRange(0, 10).Draw(rt, "after") {
			s.step()
		}
		if !ok {
			return
		}
		cuts++
		late := newBook(max(1, cut))
		for i, d := range s.log[cut:] {
			late.apply(cut+int64(i), d.fleet, d.entry)
		}
		if !late.begun {
			rt.Fatal("no cut was found")
		}
		for fleet, f := range s.full.fleets {
			got := late.of(fleet)
			if diff := cmp.Diff(f.state, got.state) + cmp.Diff(f.requests, got.requests, cmpopts.EquateEmpty()); diff != "" || f.clients != got.clients {
				rt.Fatalf("%s: one that begins at %d has another state (-all +it):\n%s", fleet, cut, diff)
			}
		}
	})
	if cuts < 10 {
		t.Errorf("only %d logs were cut", cuts)
	}
}

// TestForgottenWins: who asks late what became of a write is told that it took effect or did not only where that is remembered.
func TestForgottenWins(t *testing.T) {
	f := &fold{}
	states := []*control.State{first(t, "orders")}
	write := func(s *control.State, was control.At) {
		b, err := s.Encode()
		if err != nil {
			t.Fatal(err)
		}
		f.write(&write{ID: fmt.Sprint("of ", s.Document.Version), Was: atWire(was), State: b})
	}
	write(states[0], control.At{})
	for range 2 * maxWins {
		last := states[len(states)-1]
		states = append(states, last.Next())
		write(states[len(states)-1], last.At())
	}
	ask := func(id string, made *control.State) (bool, error) {
		was := made.At()
		was.Version--
		return f.settled(was, win{made.At(), id})
	}
	unknown := 0
	for _, s := range states {
		v := s.Document.Version
		won, wonErr := ask(fmt.Sprint("of ", v), s)
		lost, lostErr := ask("another", s)
		switch {
		case errors.Is(wonErr, control.ErrUnknown):
			unknown++
			if won || !errors.Is(lostErr, control.ErrUnknown) {
				t.Fatalf("version %d: of the winner %t, %v, of the loser %v: nobody can tell them apart", v, won, wonErr, lostErr)
			}
		case !won || wonErr != nil:
			t.Fatalf("version %d took effect: %t, %v", v, won, wonErr)
		case lost || !isConflict(lostErr):
			t.Fatalf("version %d of another did not: %t, %v", v, lost, lostErr)
		}
	}
	if remembered := len(states) - unknown; unknown == 0 || remembered < maxWins/2 || remembered > maxWins {
		t.Errorf("%d of %d are remembered", remembered, len(states))
	}
	after := states[len(states)-1].Next()
	if done, err := ask("the next", after); done || err != nil {
		t.Errorf("of one that may still come: %t, %v", done, err)
	}
}

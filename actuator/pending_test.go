package actuator_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"firebreak/actuator"
)

func start() time.Time { return time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC) }

// news is the n-th thing that any instance has to say: of one of three hotspots, ten seconds after the one before.
func news(n int) actuator.Entry {
	return actuator.Entry{
		ID: actuator.NewID("news", fmt.Sprint(n)), Fleet: "f", At: start().Add(time.Duration(n) * 10 * time.Second), Kind: actuator.KindVerdict,
		Phase: actuator.PhaseRevised, Hotspot: fmt.Sprintf("h%d", n%3), Line: []byte(fmt.Sprintf(`{"n":%d}`, n)),
	}
}

func encode(t rapid.TB, e *actuator.Entry) []byte {
	b, err := actuator.Encode(e)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// instance is one process: it evaluates, follows the journal, and appends while it is the decider, or thinks so.
type instance struct {
	name    string
	pending *actuator.Pending
	reader  *actuator.Reader
	told    int // how much it has evaluated
	at      int // position in the journal
	epoch   int64
	batch   []actuator.Entry // in flight
}

// group is two instances on one journal.
type group struct {
	t     *rapid.T
	log   [][]byte
	all   []*instance
	epoch int64
	late  [][]byte // appends whose time-out passed and that may still arrive
}

func (g *group) follow(in *instance, most int) {
	for ; in.at < len(g.log) && most > 0; most-- {
		if e, ok := in.reader.Read(g.log[in.at]); ok {
			in.pending.Saw(&e)
		}
		in.at++
	}
}

func (g *group) begin(in *instance) {
	if in.epoch > 0 && in.batch == nil {
		in.batch = in.pending.Begin(start(), in.epoch, in.name)
	}
}

// land ends an append in one of the ways in which it can end.
func (g *group) land(in *instance, how string) {
	if in.batch == nil {
		return
	}
	var values [][]byte
	for i := range in.batch {
		values = append(values, encode(g.t, &in.batch[i]))
	}
	in.batch = nil
	lost := errors.New("time-out")
	switch how {
	case "appended":
		g.log = append(g.log, values...)
		in.pending.Done(nil)
	case "lost":
		in.pending.Done(lost)
	case "prefix":
		g.log = append(g.log, values[:len(values)/2]...)
		in.pending.Done(lost)
	case "appended, reply lost":
		g.log = append(g.log, values...)
		in.pending.Done(lost)
	case "late":
		g.late = append(g.late, values...)
		in.pending.Done(lost)
	}
}

// takeOver makes an instance the decider; the other does not know yet.
func (g *group) takeOver(in *instance) {
	g.follow(in, len(g.log))
	g.epoch++
	in.epoch = in.reader.Claim(g.epoch)
	e, err := actuator.NewDecider(start(), in.name, in.epoch)
	if err != nil {
		g.t.Fatal(err)
	}
	g.log = append(g.log, encode(g.t, &e))
}

// TestFailoverWritesEverythingOnce: whatever the interleaving of two instances, with deciders that change at any moment and
// appends that are lost, doubled, cut short or late, a reader gets each entry once, and those of a hotspot in their order.
func TestFailoverWritesEverythingOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const said = 12
		g := &group{t: t}
		for _, name := range []string{"a", "b"} {
			g.all = append(g.all, &instance{name: name, pending: actuator.NewPending(time.Hour), reader: actuator.NewReader()})
		}
		for range rapid.IntRange(10, 120).Draw(t, "steps") {
			in := rapid.SampledFrom(g.all).Draw(t, "instance")
			switch rapid.SampledFrom([]string{"evaluate", "evaluate", "follow", "follow", "begin", "begin", "land", "land", "take over", "resign", "arrive"}).Draw(t, "step") {
			case "evaluate":
				if in.told < said {
					in.pending.Add(news(in.told))
					in.told++
				}
			case "follow":
				g.follow(in, rapid.IntRange(1, 5).Draw(t, "entries"))
			case "begin":
				g.begin(in)
			case "land":
				g.land(in, rapid.SampledFrom([]string{"appended", "lost", "prefix", "appended, reply lost", "late"}).Draw(t, "how"))
			case "take over":
				g.takeOver(in)
			case "resign":
				in.epoch = 0
			case "arrive":
				g.log = append(g.log, g.late...)
				g.late = nil
			}
		}
		// At last one instance decides for good, and the journal works.
		last := rapid.SampledFrom(g.all).Draw(t, "last")
		g.land(last, "lost")
		g.takeOver(last)
		for ; last.told < said; last.told++ {
			last.pending.Add(news(last.told))
		}
		for range 3 {
			g.follow(last, len(g.log))
			g.begin(last)
			g.land(last, "appended")
		}
		g.log = append(g.log, g.late...)
		g.follow(last, len(g.log))
		if s := last.pending.Stats(); s.Waiting != 0 || s.Expired != 0 {
			t.Fatalf("%+v: want nothing to wait and nothing to expire", s)
		}
		checkOnce(t, g.log, said)
	})
}

func checkOnce(t *rapid.T, log [][]byte, said int) {
	reader := actuator.NewReader()
	got := map[string][]string{}
	for _, b := range log {
		if e, ok := reader.Read(b); ok && e.Kind == actuator.KindVerdict {
			got[e.Hotspot] = append(got[e.Hotspot], string(e.Line))
		}
	}
	want := map[string][]string{}
	for n := range said {
		e := news(n)
		want[e.Hotspot] = append(want[e.Hotspot], string(e.Line))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("each once, in order (-want +got):\n%s", diff)
	}
}

// TestPendingForgets: what nobody wrote within the age is given up by who takes over, but not by who has begun it.
func TestPendingForgets(t *testing.T) {
	p := actuator.NewPending(5 * time.Minute)
	p.Add(news(0), news(1))
	at := start().Add(5*time.Minute + 5*time.Second)
	if got := p.Begin(at, 1, "a"); len(got) != 1 || got[0].ID != news(1).ID || got[0].Epoch != 1 || got[0].Instance != "a" {
		t.Fatalf("begun %+v, want the second only, stamped", got)
	}
	p.Add(news(30))
	if got := p.Begin(at, 1, "a"); got != nil {
		t.Errorf("%d entries while a batch is in flight", len(got))
	}
	e := news(30)
	p.Saw(&e)
	p.Done(errors.New("no broker"))
	at = at.Add(time.Hour)
	if got := p.Begin(at, 1, "a"); len(got) != 1 {
		t.Errorf("%d entries after an outage of an hour, want the one that was begun", len(got))
	}
	p.Done(errors.New("no broker"))
	if got := p.Begin(at, 2, "a"); got != nil {
		t.Errorf("another tenure writes %d entries of an hour ago", len(got))
	}
	if s := p.Stats(); s.Expired != 2 || s.Waiting != 0 {
		t.Errorf("%+v, want 2 expired", s)
	}
}

// TestPendingIsBounded: a journal that is away does not eat the memory.
func TestPendingIsBounded(t *testing.T) {
	p := actuator.NewPending(0)
	for n := range 12_000 {
		p.Add(news(n))
	}
	if s := p.Stats(); s.Waiting != 10_000 || s.Expired != 2000 {
		t.Errorf("%+v", s)
	}
}

// TestReader: what is doubled, fenced, malformed or newer is counted and not shown.
func TestReader(t *testing.T) {
	r := actuator.NewReader()
	e := func(n int, epoch int64) []byte {
		x := news(n)
		x.Epoch = epoch
		b, err := actuator.Encode(&x)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	good := string(e(7, 5))
	for _, tt := range []struct {
		value []byte
		ok    bool
	}{
		{e(0, 3), true},
		{e(0, 3), false},
		{e(1, 4), true},
		{e(2, 3), false},
		{e(2, 4), true},
		{[]byte("{"), false},
		{nil, false},
		{[]byte(strings.Replace(good, `"v":1`, `"v":2`, 1)), false},
		{[]byte(strings.Replace(good, `"verdict"`, `"accept"`, 1)), false},
		{[]byte(strings.Replace(good, `"epoch":5`, `"epoch":-5`, 1)), false},
		{e(3, 4), true},
	} {
		if _, ok := r.Read(tt.value); ok != tt.ok {
			t.Errorf("%s: shown %v, want %v", tt.value, ok, tt.ok)
		}
	}
	want := actuator.ReaderStats{Entries: 4, Doubled: 1, Fenced: 1, Malformed: 3, Newer: 2}
	if diff := cmp.Diff(want, r.Stats()); diff != "" {
		t.Errorf("stats (-want +got):\n%s", diff)
	}
	if a, b := r.Claim(2), r.Claim(9); a != 5 || b != 9 {
		t.Errorf("claims %d of a group that began anew and %d of a newer generation, want 5 and 9", a, b)
	}
	if !slices.Equal(e(3, 4), e(3, 4)) {
		t.Error("encoding is not deterministic")
	}
}

// TestPendingOvertaken: a decider that had no memory of the group told a hotspot panes later than the others, who have the same to
// say under other ids. They say no more of it than what is newer; what they say of others they do.
func TestPendingOvertaken(t *testing.T) {
	entry := func(hotspot string, kind actuator.Kind, phase actuator.Phase, second int) actuator.Entry {
		return actuator.Entry{
			ID: actuator.NewID(hotspot, kind.String(), phase.String(), fmt.Sprint(second)), Fleet: "f", At: start().Add(time.Duration(second) * time.Second),
			Kind: kind, Phase: phase, Hotspot: hotspot, Line: []byte(`{}`),
		}
	}
	fired, plan := entry("a", actuator.KindVerdict, actuator.PhaseFired, 10), entry("a", actuator.KindPlan, actuator.PhaseBegun, 10)
	other, begun := entry("b", actuator.KindVerdict, actuator.PhaseFired, 11), entry("a", actuator.KindPlan, actuator.PhaseBegun, 30)
	resolved := entry("a", actuator.KindVerdict, actuator.PhaseResolved, 40)
	ids := func(entries []actuator.Entry) (out []string) {
		for i := range entries {
			out = append(out, entries[i].ID)
		}
		return out
	}
	for name, first := range map[string]bool{"told before the journal is read": true, "told after it": false} {
		t.Run(name, func(t *testing.T) {
			p := actuator.NewPending(0)
			all := []actuator.Entry{fired, plan, other, begun, resolved}
			if first {
				p.Add(all...)
			}
			for _, seen := range []actuator.Entry{entry("a", actuator.KindVerdict, actuator.PhaseFired, 16), entry("a", actuator.KindVerdict, actuator.PhaseRevised, 35)} {
				p.Saw(&seen)
			}
			if !first {
				p.Add(all...)
			}
			if diff := cmp.Diff(ids([]actuator.Entry{other, begun, resolved}), ids(p.Begin(start(), 1, "one"))); diff != "" {
				t.Error("after it fired:", diff)
			}
			p.Done(nil)
			late := entry("a", actuator.KindVerdict, actuator.PhaseResolved, 39)
			p.Saw(&late)
			if diff := cmp.Diff(ids([]actuator.Entry{other}), ids(p.Begin(start(), 2, "two"))); diff != "" {
				t.Error("after it resolved:", diff)
			}
		})
	}
}

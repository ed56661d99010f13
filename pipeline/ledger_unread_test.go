package pipeline

import (
	"bytes"
	"encoding/gob"
	"errors"
	"strings"
	"testing"
)

// TestEntriesThatCannotBeRead: each is told as malformed, a delta as a delta, and no readable entry is.
func TestEntriesThatCannotBeRead(t *testing.T) {
	r, _, c, p := begun(t, 1)
	b, err := r.live.Checkpoint()
	if err != nil {
		t.Fatal(err)
	}
	c[0].says(p[0], "k", 22, 1)
	delta := c[0].seal()
	newer := bytes.Clone(delta)
	newer[1]++
	for name, tt := range map[string]struct {
		entry []byte
		delta bool
	}{
		"a delta that is cut off":       {delta[:len(delta)/2], true},
		"a delta of a newer version":    {newer, true},
		"a delta and more":              {append(bytes.Clone(delta), 0), true},
		"a checkpoint that is cut off":  {b[:len(b)/2], false},
		"an entry of no kind":           {[]byte("?"), false},
		"a hello that is cut off":       {someHello()[:9], false},
		"the log's first entry, longer": {append(Genesis(1), 0), false},
	} {
		if out := r.put(tt.entry); out.Rejected != RejectedMalformed || out.Why == "" || out.Delta != tt.delta || out.Accepted || out.By != (Instance{}) {
			t.Errorf("%s: %+v", name, out)
		}
	}
	for name, entry := range map[string][]byte{"checkpoint": b, "hello": someHello(), "genesis": Genesis(1), "delta": delta} {
		if out := r.put(entry); out.Rejected != RejectedNot || out.Why != "" || out.Delta != (name == "delta") {
			t.Errorf("%s: %+v", name, out)
		}
	}
}

// TestPartsThatCannotBeCounted: a pane whose bytes are damaged, and one for which the window has no room, are told; the
// positions count all the same.
func TestPartsThatCannotBeCounted(t *testing.T) {
	r, _, c, p := begun(t, 1)
	c[0].says(p[0], "k", 22, 1)
	d, err := decodeDelta(c[0].seal())
	if err != nil {
		t.Fatal(err)
	}
	pane := &d.fleets[0].panes[0]
	pane.part = pane.part[:len(pane.part)/2]
	if out := r.put(d.entry()); !out.Accepted || out.Crowded != 1 || out.Foreign != 0 {
		t.Errorf("%+v of a pane that cannot be read", out)
	}
	c[0].sync()
	c[0].says(p[0], "k", 23, 1)
	if d, err = decodeDelta(c[0].seal()); err != nil {
		t.Fatal(err)
	}
	const many = 100
	for i := range int64(many - 1) {
		next := d.fleets[0].panes[0]
		next.number += i + 1
		d.fleets[0].panes = append(d.fleets[0].panes, next)
	}
	if out := r.put(d.entry()); !out.Accepted || out.Crowded < many/2 || out.Crowded >= many {
		t.Errorf("%+v of %d panes where there is room for %d ahead", out, many, r.fleet().ahead)
	}
	if got := r.live.View().Counted[p[0].Partition].To; got != p[0].To() {
		t.Errorf("counted to %d, want %d", got, p[0].To())
	}
}

// deaf is a sink that cannot read its own memory.
type deaf struct{ tape }

var errDeaf = errors.New("not mine")

func (*deaf) Load([]byte) error { return errDeaf }

// TestForgottenIsTold: a joiner that cannot take over what the group remembers says so, of watching and of its sink alone, and
// begins anew with what it cannot read.
func TestForgottenIsTold(t *testing.T) {
	r, _, _, _ := begun(t, 1)
	b, err := r.live.Checkpoint()
	if err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		sink   Sink
		damage bool
		want   string
	}{
		"whole":   {&tape{}, false, ""},
		"damaged": {&tape{}, true, "memory of watching"},
		"deaf":    {&deaf{}, false, "memory of the journal: not mine"},
	} {
		live, err := NewLive([]LiveFleet{*r.fleet().live}, tt.sink)
		if err != nil {
			t.Fatal(err)
		}
		live.sure = false // as one that joined
		for i, e := range r.log {
			if _, err := live.Apply(int64(i), e.at, e.bytes); err != nil {
				t.Fatal(err)
			}
		}
		c, err := DecodeCheckpoint(b)
		if err != nil {
			t.Fatal(err)
		}
		if tt.damage {
			c.Watch = c.Watch[:len(c.Watch)/2]
		}
		out, err := live.Apply(int64(len(r.log)), r.now, c.Append(nil))
		if err != nil || !live.sure {
			t.Fatalf("%s: %v, sure %v", name, err, live.sure)
		}
		if (out.Forgotten != nil) != (tt.want != "") || out.Forgotten != nil && !strings.Contains(out.Forgotten.Error(), tt.want) {
			t.Errorf("%s: forgotten %v, want %q", name, out.Forgotten, tt.want)
		}
		var w watchMemory
		if err := gob.NewDecoder(bytes.NewReader(c.Watch)).Decode(&w); (err != nil) != tt.damage {
			t.Fatalf("%s: %v: the test says nothing", name, err)
		}
	}
}

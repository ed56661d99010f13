package sketch

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"firebreak/bench/textbook"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// TestPartsAddUpInAnyOrder: a window is the same whichever order Parts come in, as long as nothing is shed.
func TestPartsAddUpInAnyOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg := tiny(t)
		cfg.Listed, cfg.Open = 64, 1
		var parts []Part
		var panes []int64
		for range rapid.IntRange(2, 5).Draw(t, "parts") {
			s := NewSummary(cfg)
			for range rapid.IntRange(0, 60).Draw(t, "records") {
				s.Add(drawKeyed(t, 0))
			}
			parts, panes = append(parts, Part{}), append(panes, rapid.Int64Range(1, 2).Draw(t, "pane"))
			s.Part(&parts[len(parts)-1])
		}
		forth, back := newSlidingRapid(t, cfg), newSlidingRapid(t, cfg)
		for i := range parts {
			j := len(parts) - 1 - i
			if err := errors.Join(forth.Accept(panes[i], &parts[i]), back.Accept(panes[j], &parts[j])); err != nil {
				t.Fatal(err)
			}
		}
		forth.Slide(2)
		back.Slide(2)
		a, b := forth.Window(1000), back.Window(1000)
		for _, list := range [][]Listed{a.Keys, a.Tenants, a.Pairs, b.Keys, b.Tenants, b.Pairs} {
			for i := range list { // of more than two tenants or callers, the two that are kept depend on the order
				list[i].Tenant, list[i].Caller, list[i].TenantShare, list[i].CallerShare = "", "", 0, 0
			}
		}
		if diff := cmp.Diff(a, b, cmp.AllowUnexported(Listed{}), ignoreOrder()); diff != "" {
			t.Fatalf("(-forth +back):\n%s", diff)
		}
	})
}

// split counts a stream in 12 partitions, by key or at random, each with its own Summary a pane, and adds the Parts up.
func split(t *testing.T, cfg Config, stream *textbook.Stream, byKey bool) *Sliding {
	t.Helper()
	const partitions = 12
	s := newSliding(t, cfg)
	random := rand.New(rand.NewPCG(7, 7))
	summaries := make([]*Summary, partitions)
	for i := range summaries {
		summaries[i] = NewSummary(cfg)
	}
	e := event(0, "", One)
	var part Part
	for i := range stream.Len() {
		e.Key = stream.Key(i)
		to := random.IntN(partitions)
		if byKey {
			to = int(hashed(e.Key, 99) % partitions)
		}
		summaries[to].Add(e)
		if i%stream.PerPane != stream.PerPane-1 {
			continue
		}
		pane := int64(i / stream.PerPane)
		for _, sum := range summaries {
			sum.Part(&part)
			if err := s.Accept(pane, &part); err != nil {
				t.Fatal(err)
			}
		}
		s.Slide(pane)
	}
	return s
}

// TestMergedIsTheUnion: split by key or at random, the sum of all Parts has bounds that hold for every key and lists at
// least 99 of the 100 heaviest.
func TestMergedIsTheUnion(t *testing.T) {
	stream := textbook.Draw(textbook.Kind{Zipf: 1.1, Keys: 30_000}, 4, 150_000, 11)
	exact := textbook.NewExact(6)
	for i := range stream.Len() {
		exact.Add(stream.Key(i), 1)
	}
	cfg := Default(5, 0, 0, 4)
	cfg.TenantSlots, cfg.PairSlots = 0, 0
	for _, byKey := range []bool{true, false} {
		s := split(t, cfg, stream, byKey)
		listed := s.Window(100).Keys
		found := 0
		for _, want := range exact.Top(100) {
			if slices.ContainsFunc(listed, func(l Listed) bool { return l.Name == want.Key }) {
				found++
			}
		}
		if found < 99 {
			t.Errorf("by key %v: %d of 100 are listed", byKey, found)
		}
		for i := 0; i < stream.Len(); i += 97 {
			key := stream.Key(i)
			truth := exact.Count(string(key)) * One
			if estimate, low, high := s.Ask(key); low > truth || truth > high || estimate < low || estimate > high {
				t.Fatalf("by key %v: %s has %d, answer %d in %d to %d", byKey, key, truth, estimate, low, high)
			}
		}
	}
}

// TestRefusesForeignParts: another seed or another width does not add up.
func TestRefusesForeignParts(t *testing.T) {
	cfg := roomy(3)
	s := newSliding(t, cfg)
	count := func(change func(*Config)) *Part {
		other := cfg
		other.Slots, other.Listed = 8, 2
		change(&other)
		sum := NewSummary(other)
		for i := range 100 {
			e := event(1, fmt.Sprint(i), One)
			e.Tenant, e.Shard = fmt.Append(nil, i), 1
			sum.Add(e)
		}
		var p Part
		sum.Part(&p)
		return &p
	}
	for _, tt := range []struct {
		name   string
		change func(*Config)
		want   error
	}{
		{"fewer slots", func(*Config) {}, nil},
		{"seed", func(c *Config) { c.Seed++ }, ErrSeed},
		{"width", func(c *Config) { c.Width = 128 }, ErrShape},
		{"tenant width", func(c *Config) { c.TenantWidth = 64 }, ErrShape},
	} {
		before := len(s.ring)
		if err := s.Accept(1, count(tt.change)); !errors.Is(err, tt.want) {
			t.Errorf("%s: %v, want %v", tt.name, err, tt.want)
		}
		if tt.want != nil && len(s.ring) != before {
			t.Errorf("%s: a refused Part changed the window", tt.name)
		}
	}
	var data []byte
	data, err := count(func(*Config) {}).Append(data, MaxPart)
	if err != nil {
		t.Fatal(err)
	}
	if err := new(Part).Decode(data, cfg.Seed+1); !errors.Is(err, ErrSeed) {
		t.Errorf("decoded with another seed: %v, want %v", err, ErrSeed)
	}
}

// TestHeavyNewcomerFindsRoom: a window whose room for names is full of names that keep coming back lists a new heavy key.
func TestHeavyNewcomerFindsRoom(t *testing.T) {
	cfg := roomy(20)
	cfg.Listed = 8
	s := newSliding(t, cfg)
	for pane := range int64(40) {
		for i := range 16 {
			for range 20 {
				s.Add(event(pane, fmt.Sprint("busy-", pane%20, "-", i), One))
			}
		}
		if pane == 30 {
			for range 60 {
				s.Add(event(pane, "new", One))
			}
		}
		s.Slide(pane)
	}
	if s.names[keyKind].used > namesListed*cfg.listed(keyKind) {
		t.Errorf("%d names", s.names[keyKind].used)
	}
	for _, l := range s.Window(200).Keys {
		if l.Name == "new" {
			if l.weight < 60*One {
				t.Errorf("the new key has %v, want 60", Float(l.weight))
			}
			return
		}
	}
	t.Error("the new key is not listed")
}

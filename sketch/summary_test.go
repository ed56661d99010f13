package sketch

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// wire is the bytes of what a Summary ships.
func wire(t fataler, s *Summary) []byte {
	t.Helper()
	var p Part
	s.Part(&p)
	data, err := p.Append(nil, MaxPart)
	if err != nil {
		t.Fatalf("%v", err)
	}
	return data
}

// TestSummaryIsPure: what a Summary ships depends on the records alone, not on what it counted before.
func TestSummaryIsPure(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg := tiny(t)
		used, fresh := NewSummary(cfg), NewSummary(cfg)
		for range rapid.IntRange(0, 100).Draw(t, "before") {
			used.Add(drawKeyed(t, 0))
		}
		switch rapid.IntRange(0, 1).Draw(t, "emptied by") {
		case 0:
			wire(t, used)
		case 1:
			used.Reset()
		}
		for range rapid.IntRange(0, 100).Draw(t, "records") {
			e := drawKeyed(t, 0)
			used.Add(e)
			fresh.Add(e)
		}
		if a, b := wire(t, used), wire(t, fresh); !slices.Equal(a, b) {
			t.Fatalf("a used Summary ships %d bytes, a fresh one others (%d)", len(a), len(b))
		}
	})
}

// TestSettledLaterIsSettledRight: the sums of tenants, pairs, callers' shares and vshards, which are settled in bulk, are
// those of the records, also where contexts change, fan-outs come in between and keys come without a tenant.
func TestSettledLaterIsSettledRight(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, x := newSlidingRapid(t, roomy(2)), NewExact(2)
		for range rapid.IntRange(1, 200).Draw(t, "records") {
			e := drawTwoSided(t, 0)
			e.Pane = 1
			if e.Key != nil && rapid.Bool().Draw(t, "sole") {
				e.SoleTenant = true
				e.Tenant = append([]byte("of "), e.Key...)
				e.Key = append([]byte("sole "), e.Key...)
			}
			s.Add(&e)
			x.Add(&e)
		}
		s.Slide(1)
		x.Slide(1)
		if diff := sameWindow(x.Window(100), s.Window(100)); diff != "" {
			t.Fatalf("window (-exact +sliding):\n%s", diff)
		}
	})
}

func newSlidingRapid(t *rapid.T, cfg Config) *Sliding {
	s, err := NewSliding(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestSumsSaturate (S10): 5e9 stay 5e9, sums never fall within a window nor wrap, and what was saturated leaves with its
// pane; a record that is too heavy for the short way is counted like any other.
func TestSumsSaturate(t *testing.T) {
	s := newSliding(t, roomy(3))
	s.Slide(0)
	times, last := 5_000_000, uint64(0)
	if testing.Short() {
		times = 50_000
	}
	e := event(0, "K", uint64(5_000_000_000/times)*One)
	e.Tenant, e.VShard = []byte("T"), 3
	for i := range times {
		s.Add(e)
		if i%(times/5) == 0 {
			if now, _, _ := s.Ask([]byte("K")); now <= last {
				t.Fatalf("the count fell from %d to %d", last, now)
			} else {
				last = now
			}
		}
	}
	for _, ask := range []func([]byte) (uint64, uint64, uint64){s.Ask, s.AskTenant} {
		name := []byte("K")
		if got, _, _ := ask(name); got == 0 {
			name = []byte("T")
		}
		if got, low, high := ask(name); got != 5_000_000_000*One || low != got || high != got {
			t.Errorf("%s has %v in %v to %v, want 5e9", name, Float(got), Float(low), Float(high))
		}
	}
	huge := event(1, "K", math.MaxUint64-5)
	s.Add(huge)
	s.Add(event(1, "K", 100))
	s.Add(event(2, "K", 7))
	s.Slide(2)
	if l := s.Window(1).Keys[0]; l.Cells[1].Sums.Cost != math.MaxUint64 || l.weight != math.MaxUint64 || l.High != math.MaxUint64 {
		t.Errorf("%+v, want saturated", l)
	}
	s.Slide(4)
	if l := s.Window(1).Keys[0]; l.weight != 7 || l.Low != 7 || l.High != 7 {
		t.Errorf("after the saturated pane left: %+v, want 7", l)
	}
}

// TestHeavyRecordsSettle: from the first record on that could make sums wrap, tenants and vshards are counted at once, and
// what came before is not lost.
func TestHeavyRecordsSettle(t *testing.T) {
	s := newSliding(t, roomy(2))
	for i := range 10 {
		e := event(1, "K", 10)
		e.Tenant, e.VShard, e.Shard = []byte("T"), 3, 1
		if i == 5 {
			e.Sums.Cost, e.Sums.Requests = light, light
		}
		s.Add(e)
	}
	s.Slide(1)
	w := s.Window(5)
	want := uint64(light + 90)
	if got := []uint64{w.Keys[0].weight, w.Tenants[0].weight, w.Pairs[0].weight, w.Panes[0].VShards[0].Sums.Cost}; slices.ContainsFunc(got, func(v uint64) bool { return v != want }) {
		t.Errorf("key, tenant, pair, vshard have %d, want %d each", got, want)
	}
}

// TestLeftoverRowIsNotFound: a row whose name has left is not found again through a neighbour with the same tag.
func TestLeftoverRowIsNotFound(t *testing.T) {
	c := newCandidates(8, 16, 32)
	one := &Sums{Cost: 1}
	// Both hashes have tag 1: one as it is, one because 0 stands for an empty slot.
	c.add(7, []byte("first"), None, one)
	c.add(8+1<<56, []byte("second"), None, one)
	c.reset()
	c.add(16, []byte("third"), None, one)
	if slot := c.find(8 + 1<<56); slot >= 0 {
		t.Errorf("found in slot %d", slot)
	}
}

func TestZeroBytes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x, want := uint64(0), uint64(0)
		for i := range 8 {
			b := rapid.SampledFrom([]uint64{0, 0, 1, 2, 127, 128, 129, 255}).Draw(t, "byte")
			x |= b << (8 * i)
			if b == 0 {
				want |= 0x80 << (8 * i)
			}
		}
		if got := zeroBytes(x); got != want {
			t.Fatalf("zeroBytes(%#x) = %#x, want %#x", x, got, want)
		}
	})
}

// TestLongNamesCannotKeepAHeavyOneOut: a pane that begins with names that fill all the room for names still lists a key
// that comes later and is heavy, and keeps names of any length whole.
func TestLongNamesCannotKeepAHeavyOneOut(t *testing.T) {
	cfg := roomy(2)
	s := newSliding(t, cfg)
	for i := range 2000 {
		s.Add(event(1, fmt.Sprintf("%01000d", i), One))
	}
	long := fmt.Sprintf("heavy%010000d", 0)
	for range 500 {
		s.Add(event(1, "heavy", One))
	}
	for _, key := range []string{"", string(make([]byte, 63)), string(make([]byte, 64)), long[:3900]} {
		for range 400 {
			s.Add(event(2, key, One))
		}
	}
	s.Slide(2)
	found := map[string]uint64{}
	for _, l := range s.Window(100).Keys {
		found[l.Name] = l.weight
	}
	if found["heavy"] < 490*One || found["heavy"] > 550*One {
		t.Errorf("the heavy key has %v, want 500", Float(found["heavy"]))
	}
	for _, key := range []string{string(make([]byte, 63)), string(make([]byte, 64)), long[:3900]} {
		if found[key] != 400*One {
			t.Errorf("a key of %d bytes has %v, want 400", len(key), Float(found[key]))
		}
	}
	if _, ok := found[""]; ok {
		t.Error("the empty key is listed")
	}
}

// TestAddAllocatesNothing: neither a known name, nor a new one, nor a change of context or pane.
func TestAddAllocatesNothing(t *testing.T) {
	cfg := Default(30, 16, 1024, 1)
	s := newSliding(t, cfg)
	e := event(1, "", One)
	keys := make([][]byte, 50_000)
	for i := range keys {
		keys[i] = fmt.Appendf(nil, "user:%d:profile", i)
	}
	tenant, caller := []byte("tenant-with-a-rather-long-name-that-is-on-no-stack"), []byte("caller")
	i := 0
	step := func() {
		e.Key, e.Tenant, e.Caller = keys[i*i%len(keys)], tenant[:20+i%7], caller[:5+i%2]
		e.VShard, e.Shard, e.Pane = int32(i%1024), int32(i%16), int64(1+i/5000)
		s.Add(e)
		i++
	}
	for range 25_000 {
		step()
	}
	if n := testing.AllocsPerRun(4_000, step); n != 0 {
		t.Errorf("%v allocations a record, want 0", n)
	}
}

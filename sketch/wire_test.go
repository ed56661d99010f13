package sketch

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// TestRoundTrip: what is decoded says what was encoded, and encodes to the same bytes.
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg := tiny(t)
		s := NewSummary(cfg)
		for range rapid.IntRange(0, 150).Draw(t, "records") {
			e := drawKeyed(t, 0)
			if rapid.IntRange(0, 9).Draw(t, "huge") == 0 {
				e.Sums.Cost = rapid.Uint64().Draw(t, "cost")
			}
			if rapid.IntRange(0, 9).Draw(t, "throttled") == 0 {
				e.Sums.Throttled = e.Sums.Cost / 3
			}
			s.Add(e)
		}
		data := wire(t, s)
		var p Part
		if err := p.Decode(data, cfg.Seed); err != nil {
			t.Fatal(err)
		}
		again, err := p.Append(nil, MaxPart)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(data, again) {
			t.Fatalf("%d bytes became %d others", len(data), len(again))
		}
	})
}

// TestCellRoundTrip: every cell, whatever its sums, is read as it was written, in at most maxRecord bytes.
func TestCellRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		value := func(label string) uint64 {
			return rapid.OneOf(
				rapid.Just(uint64(0)), rapid.Just(uint64(5*One)), rapid.Just(uint64(2*One)), rapid.Just(uint64(math.MaxUint64)), rapid.Uint64(),
			).Draw(t, label)
		}
		send := func(label string) sender {
			w := rapid.Uint32Range(0, 3).Draw(t, label)
			if w == 0 {
				return sender{}
			}
			return sender{w * 1000, value(label)}
		}
		in := cell{
			sums: Sums{value("requests"), value("cost"), value("variance"), value("records"), value("reads"), value("writes"), value("throttled")},
			over: value("over"), guess: value("guess"), seen: value("seen"), seenCells: value("seen cells"),
			tenants: [2]sender{send("tenant"), send("tenant")}, callers: [2]sender{send("caller"), send("caller")},
		}
		in.guess = min(in.guess, in.over)
		for _, two := range []*[2]sender{&in.tenants, &in.callers} {
			if two[0].word == 0 {
				two[1] = sender{}
			}
		}
		id := rapid.IntRange(0, maxSlots).Draw(t, "id")
		b := appendCell(nil, id, &in)
		gotID, from, to := readNumber(b, 0)
		var out cell
		if end := readCell(b, from, &out); end != to || to != len(b) || len(b) > maxRecord || gotID != id {
			t.Fatalf("id %d, %d bytes, read %d to %d of them", gotID, len(b), end, to)
		}
		if diff := cmp.Diff(in, out, cmp.AllowUnexported(cell{}, sender{})); diff != "" {
			t.Fatalf("(-in +out):\n%s", diff)
		}
	})
}

const largeEvents = 20_000

// large counts more than fits a Part.
func large(t testing.TB, cfg Config) *Summary {
	t.Helper()
	s := NewSummary(cfg)
	for i := range largeEvents {
		e := event(1, fmt.Sprintf("key-%d-%060d", i%10_000, i%10_000), uint64(i%7+1)*One+uint64(i%3))
		e.Tenant, e.Caller = fmt.Appendf(nil, "tenant-%d", i%5_000), fmt.Appendf(nil, "caller-%d", i%70)
		e.VShard, e.Shard = int32(i%10_240), int32(i%512)
		s.Add(e)
	}
	return s
}

// TestPartFitsItsLimit: with 512 shards and 10,240 vshards a Part stays under 512 KB; under tighter limits too, with bounds
// that still hold, until only vshards are left.
func TestPartFitsItsLimit(t *testing.T) {
	cfg := Default(5, 512, 10_240, 1)
	truth := map[string]uint64{}
	for i := range largeEvents {
		truth[fmt.Sprintf("key-%d-%060d", i%10_000, i%10_000)] += uint64(i%7+1)*One + uint64(i%3)
	}
	for _, limit := range []int{MaxPart, 300 << 10, 180 << 10, 150 << 10} {
		var p Part
		large(t, cfg).Part(&p)
		data, err := p.Append(nil, limit)
		if err != nil || len(data) > limit {
			t.Fatalf("limit %d: %d bytes, %v", limit, len(data), err)
		}
		if err := p.Decode(data, cfg.Seed); err != nil {
			t.Fatal(err)
		}
		s := newSliding(t, cfg)
		if err := s.Accept(1, &p); err != nil {
			t.Fatal(err)
		}
		s.Slide(1)
		for name, want := range truth {
			if _, low, high := s.Ask([]byte(name)); low > want || want > high {
				t.Fatalf("limit %d: %s has %d, answer %d to %d", limit, name, want, low, high)
			}
		}
	}
	var p Part
	large(t, cfg).Part(&p)
	if data, err := p.Append([]byte("before"), 1000); !errors.Is(err, ErrTooLarge) || string(data) != "before" {
		t.Errorf("limit 1000: %q, %v", data, err)
	}
}

// reseal puts the right checksum under changed bytes.
func reseal(data []byte) []byte {
	if len(data) < wireHead+wireSum {
		return data
	}
	body := data[:len(data)-wireSum]
	binary.LittleEndian.PutUint32(data[len(body):], crc32.Checksum(body, crc32.MakeTable(crc32.Castagnoli)))
	return data
}

func TestDecodeRefuses(t *testing.T) {
	cfg := roomy(3)
	s := NewSummary(cfg)
	for i := range 50 {
		e := event(1, fmt.Sprint(i), One)
		e.Tenant, e.VShard = fmt.Append(nil, i%3), int32(i%8)
		s.Add(e)
	}
	good := wire(t, s)
	for name, change := range map[string]func([]byte) []byte{
		"nothing":        func([]byte) []byte { return nil },
		"a bit":          func(b []byte) []byte { b[len(b)/2] ^= 4; return b },
		"the end":        func(b []byte) []byte { return b[:len(b)-1] },
		"the end, fixed": func(b []byte) []byte { return reseal(b[:len(b)-9]) },
		"magic":          func(b []byte) []byte { b[0]++; return reseal(b) },
		"version":        func(b []byte) []byte { b[3]++; return reseal(b) },
		"more":           func(b []byte) []byte { return reseal(append(b, 0, 0, 0)) },
	} {
		var p Part
		if err := p.Decode(change(slices.Clone(good)), cfg.Seed); !errors.Is(err, ErrMalformed) {
			t.Errorf("%s: %v, want %v", name, err, ErrMalformed)
		}
		if len(p.lists[0].names)+len(p.loads)+len(p.words) != 0 {
			t.Errorf("%s: something is left of what was refused", name)
		}
	}
}

// FuzzDecode: hostile bytes, with a checksum that fits, are refused or make a Part that a window can take and encode again.
func FuzzDecode(f *testing.F) {
	cfg := roomy(3)
	for _, n := range []int{0, 1, 500} {
		s := NewSummary(cfg)
		for i := range n {
			e := event(1, fmt.Sprint("key", i), uint64(i)*77)
			e.Tenant, e.Caller, e.VShard, e.Shard = fmt.Append(nil, "t", i%90), fmt.Append(nil, "c", i%4), int32(i%8), int32(i%4)
			s.Add(e)
		}
		f.Add(wire(f, s))
	}
	s, base := newSliding(f, cfg), int64(0)
	f.Fuzz(func(t *testing.T, data []byte) {
		var p Part
		if err := p.Decode(reseal(slices.Clone(data)), cfg.Seed); err != nil {
			return
		}
		base += 100
		for pane := range int64(3) {
			if err := s.Accept(base+pane, &p); err != nil && !errors.Is(err, ErrShape) {
				t.Fatal(err)
			}
		}
		s.Slide(base + 2)
		for _, l := range s.Window(10).Keys {
			if l.Low > l.weight || l.weight > l.High {
				t.Fatalf("%+v", l)
			}
		}
		s.Slide(base + 50)
		if s.names[keyKind].used+s.words.used > 0 {
			t.Fatal("names are left after all panes have gone")
		}
		if _, err := p.Append(nil, MaxPart+len(data)); err != nil {
			t.Fatal(err)
		}
	})
}

// TestSameRecordsSameBytes: two counters that were given the same records say the same, byte by byte.
func TestSameRecordsSameBytes(t *testing.T) {
	cfg := Default(5, 512, 10_240, 1)
	if a, b := wire(t, large(t, cfg)), wire(t, large(t, cfg)); !slices.Equal(a, b) {
		t.Errorf("%d and %d bytes differ", len(a), len(b))
	}
}

package history

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// chunked is one evidence in so many values. Its payload is noise, which a Reader does not look into.
func chunked(tb testing.TB, id byte, count int) [][]byte {
	tb.Helper()
	payload := make([]byte, (count-1)*MaxEntry+1000)
	noise := rand.NewChaCha8([32]byte{id, byte(count)})
	if _, err := noise.Read(payload); err != nil {
		tb.Fatal(err)
	}
	h := Head{Kind: KindEvidence, ID: fmt.Sprintf("%032x", id), Fleet: "f", At: noon().Add(time.Duration(id) * time.Second), Hotspots: []string{"h"}}
	values, err := cut(&h, payload)
	if err != nil {
		tb.Fatal(err)
	}
	if len(values) != count {
		tb.Fatalf("%d values, want %d", len(values), count)
	}
	return values
}

// TestReaderJoins: in any order, doubled and mixed with others, each evidence comes once, when its last chunk does.
func TestReaderJoins(t *testing.T) {
	a, b := chunked(t, 1, 3), chunked(t, 2, 2)
	rapid.Check(t, func(t *rapid.T) {
		log := append(append([][]byte{}, a...), b...)
		for range rapid.IntRange(0, 4).Draw(t, "doubled") {
			log = append(log, rapid.SampledFrom(log).Draw(t, "again"))
		}
		log = rapid.Permutation(log).Draw(t, "order")
		r, err := NewReader()
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		got := map[string]int{}
		for _, v := range log {
			if e, ok := r.Read(v); ok {
				got[e.ID]++
			}
		}
		want := map[string]int{fmt.Sprintf("%032x", 1): 1, fmt.Sprintf("%032x", 2): 1}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("(-want +got):\n%s", diff)
		}
		if s := r.Stats(); s.Evidence != 2 || s.Doubled != uint64(len(log)-5) || s.Malformed+s.Newer+s.Torn != 0 || len(r.Missing()) != 0 || r.held != 0 {
			t.Fatalf("%+v, missing %v, holds %d bytes", s, r.Missing(), r.held)
		}
	})
}

// TestReaderNamesWhatIsMissing: torn evidence is told with the chunk, and never yielded.
func TestReaderNamesWhatIsMissing(t *testing.T) {
	r := newReader(t)
	for _, v := range [][][]byte{chunked(t, 7, 3), chunked(t, 3, 2)} {
		r.Read(v[0])
	}
	var said []string
	for _, m := range r.Missing() {
		said = append(said, m.Error())
	}
	want := []string{
		"history: evidence 00000000000000000000000000000003 of 2026-03-01T12:00:03.000Z: chunk 2 of 2 is missing",
		"history: evidence 00000000000000000000000000000007 of 2026-03-01T12:00:07.000Z: chunk 2 of 3 is missing",
	}
	if diff := cmp.Diff(want, said); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestReaderTakesTheWholeOne: an instance that died in the middle and one of another build that wrote the same evidence
// otherwise do not spoil each other.
func TestReaderTakesTheWholeOne(t *testing.T) {
	torn, other := chunked(t, 1, 3), chunked(t, 1, 2) // the same id, other bytes
	r := newReader(t)
	for i, v := range [][]byte{torn[0], other[0], torn[2], other[1], torn[1]} {
		if _, ok := r.Read(v); ok != (i == 3) {
			t.Errorf("value %d: whole %v", i, ok)
		}
	}
	if s := r.Stats(); s.Evidence != 1 || s.Doubled != 1 || len(r.Missing()) != 0 || r.held != 0 {
		t.Errorf("%+v, missing %v", s, r.Missing())
	}
}

// TestReaderIsBounded: a log of nothing but beginnings takes a bounded memory.
func TestReaderIsBounded(t *testing.T) {
	r := newReader(t)
	for id := range byte(120) {
		v := chunked(t, id, 2)
		r.Read(v[0])
	}
	if s := r.Stats(); len(r.Missing()) != maxSets || s.Torn != 120-maxSets || r.held > maxTorn {
		t.Errorf("%d sets, %d bytes, %+v", len(r.Missing()), r.held, s)
	}
	if first := r.Missing()[0].At; !first.Equal(noon().Add((120 - maxSets) * time.Second)) {
		t.Errorf("the oldest that is left is of %s", first)
	}
}

// TestReaderRefuses: what nobody wrote is counted, what a newer one wrote too, and the next entry is read.
func TestReaderRefuses(t *testing.T) {
	m := &Minute{Fleet: "f", Start: noon(), Load: 5}
	values, err := m.encode()
	if err != nil {
		t.Fatal(err)
	}
	good := values[0]
	change := func(at int, b byte) []byte {
		out := bytes.Clone(good)
		out[at] = b
		return out
	}
	r := newReader(t)
	for _, v := range [][]byte{
		nil, {Version}, good[:30], change(0, 0), bytes.Repeat([]byte{1}, MaxEntry+1), change(len(good)-1, good[len(good)-1]^1), []byte(strings.Repeat("\x01", 60)),
	} {
		if _, ok := r.Read(v); ok {
			t.Errorf("%d bytes are taken", len(v))
		}
	}
	for _, v := range [][]byte{change(0, 2), change(1, 9)} {
		if _, ok := r.Read(v); ok {
			t.Error("a newer form is taken")
		}
	}
	e, ok := r.Read(good)
	if !ok {
		t.Fatal("the good one is not taken")
	}
	if got, err := e.Minute(); err != nil || got.Load != 5 {
		t.Errorf("%+v, %v", got, err)
	}
	if s := r.Stats(); s.Malformed != 7 || s.Newer != 2 || s.Minutes != 1 {
		t.Errorf("%+v", s)
	}
	if Kind(7).String() != "unknown" || KindMinute.String() != "minute" || KindEvidence.String() != "evidence" {
		t.Error("kinds are spelled otherwise")
	}
}

// TestEntriesAreWhatTheySay: an id that is not that of the content is refused, and so is a payload that grows too large.
func TestEntriesAreWhatTheySay(t *testing.T) {
	m := &Minute{Fleet: "f", Start: noon()}
	raw, err := marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	h := m.head()
	h.ID = strings.Repeat("0a", 16)
	values, err := pack(&h, raw)
	if err != nil {
		t.Fatal(err)
	}
	e := whole(t, values)
	if _, err := e.Minute(); err == nil {
		t.Error("a minute under another id is taken")
	}
	h = m.head()
	if _, err := pack(&h, make([]byte, maxMinute+1)); !errors.Is(err, ErrTooLarge) {
		t.Errorf("a minute of %d bytes: %v", maxMinute+1, err)
	}
	big := Head{Kind: KindEvidence, ID: h.ID, Fleet: "f", At: noon()}
	values, err = pack(&big, make([]byte, maxMinute+1))
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range values {
		v[1] = byte(KindMinute)
	}
	e = whole(t, values)
	if _, err := e.Minute(); !errors.Is(err, ErrTooLarge) {
		t.Errorf("%d bytes that unpack to %d: %v", len(values[0]), maxMinute+1, err)
	}
}

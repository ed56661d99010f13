package actuator_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"firebreak/actuator"
	"firebreak/internal/line"
)

// TestRoundTrip: an entry of hostile bytes comes back as it was.
func TestRoundTrip(t *testing.T) {
	want := actuator.Entry{
		ID: actuator.NewID("x"), Fleet: "f\xff\n", At: start(), Epoch: 7, Instance: `i"\`, Kind: actuator.KindHold, Phase: actuator.PhaseEnded,
		Hotspot: "h", Line: json.RawMessage(`{"type":"ended","detail":"<&>\u2028"}`), Cut: []string{"moves"},
	}
	got, err := actuator.Decode(encode(t, &want))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestEncodeRefuses: nothing is written that no reader could use.
func TestEncodeRefuses(t *testing.T) {
	for what, spoil := range map[string]func(e *actuator.Entry){
		"no id":      func(e *actuator.Entry) { e.ID = "" },
		"header id":  func(e *actuator.Entry) { e.ID = "a\r\nb" },
		"no kind":    func(e *actuator.Entry) { e.Kind = actuator.KindUnknown },
		"no time":    func(e *actuator.Entry) { e.At = time.Time{} },
		"no line":    func(e *actuator.Entry) { e.Line = nil },
		"list":       func(e *actuator.Entry) { e.Line = json.RawMessage(`[1]`) },
		"half":       func(e *actuator.Entry) { e.Line = json.RawMessage(`{"a":`) },
		"epoch":      func(e *actuator.Entry) { e.Epoch = -1 },
		"huge fleet": func(e *actuator.Entry) { e.Fleet = strings.Repeat("f", 300) },
	} {
		e := news(1)
		spoil(&e)
		if b, err := actuator.Encode(&e); err == nil {
			t.Errorf("%s: written as %s", what, b)
		}
	}
}

// TestWords: every kind, phase and outcome comes back, and no two are spelled the same.
func TestWords(t *testing.T) {
	seen := map[string]bool{}
	for _, k := range actuator.Kinds() {
		var back actuator.Kind
		if err := back.UnmarshalText([]byte(k.String())); err != nil || back != k || seen[k.String()] {
			t.Errorf("%s comes back as %s: %v", k, back, err)
		}
		seen[k.String()] = true
	}
	for _, p := range actuator.Phases() {
		var back actuator.Phase
		if err := back.UnmarshalText([]byte(p.String())); err != nil || back != p || seen[p.String()] {
			t.Errorf("%s comes back as %s: %v", p, back, err)
		}
		seen[p.String()] = true
	}
	for _, o := range actuator.Outcomes() {
		var back actuator.Outcome
		if err := back.UnmarshalText([]byte(o.String())); err != nil || back != o {
			t.Errorf("%s comes back as %s: %v", o, back, err)
		}
	}
	if got := actuator.Kind(99).String(); got != "invalid(99)" {
		t.Errorf("a kind out of range is %q", got)
	}
}

// large is a plan of a fleet of many virtual shards, all of which move.
func large(moves, text int) *line.Plan {
	p := &line.Plan{Head: line.NewHead("plan", "f", line.Stamp(start())), ID: "p", Steps: []line.Step{{Kind: "move"}}}
	p.Steps[0].Text = line.Prose(strings.Repeat("\x00", text))
	for v := range moves {
		p.Steps[0].Moves = append(p.Steps[0].Moves, line.Move{VShard: v, To: line.Name(fmt.Sprintf("shard-of-a-long-name-%d", v%16))})
		p.Footprint = append(p.Footprint, line.Entry{Kind: "vshard", Name: line.Name(fmt.Sprint(v))})
	}
	return p
}

// TestCut: what is too large is cut in the documented order, says what is missing, and stays a line.
func TestCut(t *testing.T) {
	verdict := &line.Verdict{Head: line.NewHead("verdict", "f", line.Stamp(start())), Hotspot: "h", Contributors: []line.Contributor{}}
	for range 400 {
		verdict.Contributors = append(verdict.Contributors, line.Contributor{Key: line.Name(strings.Repeat("\xff", 1024))})
		verdict.Projections = append(verdict.Projections, line.Projection{Fix: "salt", Why: line.Prose(strings.Repeat("w", 1000))})
	}
	for _, tt := range []struct {
		what string
		line any
		want []string
	}{
		{"ordinary", large(10, 10), nil},
		{"10,240 virtual shards", large(10_240, 10), []string{"footprint"}},
		{"20,000 virtual shards", large(20_000, 10), []string{"footprint", "moves"}},
		{"a book", large(10, 160_000), []string{"footprint", "moves", "shards", "text"}},
		{"many long names", verdict, []string{"why", "contributors"}},
		{"an object of no line", map[string]any{"type": "ended", "fleet": "f", "x": strings.Repeat("x", 1_000_000)}, []string{"line"}},
	} {
		t.Run(tt.what, func(t *testing.T) {
			b, err := json.Marshal(tt.line)
			if err != nil {
				t.Fatal(err)
			}
			e := news(1)
			e.Line = b
			text := encode(t, &e)
			back, err := actuator.Decode(text)
			if err != nil || len(text) > actuator.MaxEntry {
				t.Fatalf("%d bytes: %v", len(text), err)
			}
			if diff := cmp.Diff(tt.want, back.Cut); diff != "" {
				t.Errorf("cut (-want +got):\n%s", diff)
			}
			if slices.Contains(tt.want, "line") {
				return
			}
			l, err := line.Decode(back.Line)
			if err != nil {
				t.Fatal(err)
			}
			if p, ok := l.(*line.Plan); ok && (p.ID != "p" || len(p.Steps) != 1) {
				t.Errorf("the cut plan lost what it is: %+v", p)
			}
			if !bytes.Equal(text, encode(t, &back)) {
				t.Error("a cut entry does not come back to the byte")
			}
		})
	}
}

// FuzzDecode: any bytes are an error or an entry that stays what it is.
func FuzzDecode(f *testing.F) {
	for n := range 3 {
		e := news(n)
		e.Fleet, e.Phase = "f\xff", actuator.PhaseNone
		b, err := actuator.Encode(&e)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Add([]byte(`{"v":1,"id":"a","kind":"blind","fleet":"","at":"2026-03-01T12:00:00Z","epoch":1,"instance":"","line":{"a":"\ud800"}}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		e, err := actuator.Decode(b)
		if err != nil {
			return
		}
		once, err := actuator.Encode(&e)
		if err != nil {
			t.Fatalf("%q was read and cannot be written: %v", b, err)
		}
		back, err := actuator.Decode(once)
		if err != nil {
			t.Fatalf("%s: %v", once, err)
		}
		if twice, err := actuator.Encode(&back); err != nil || !bytes.Equal(once, twice) {
			t.Fatalf("%v\n%s\n%s", err, once, twice)
		}
	})
}

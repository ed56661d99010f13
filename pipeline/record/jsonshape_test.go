package record

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// said is what a splitter says of a line, in a form that can be compared.
type said struct {
	Reason Reason
	Values []string
}

// ask splits a line.
func ask(s *jsonSplitter, vals []value, line []byte) said {
	out := said{Reason: s.split(line, vals)}
	if out.Reason != ReasonNone {
		return out
	}
	for _, v := range vals {
		text := string(v.text)
		if v.kind == kindAbsent || v.kind == kindNested {
			text = ""
		}
		if v.exact {
			if whole, err := strconv.ParseUint(text, 10, 64); err != nil || whole != v.whole {
				text += fmt.Sprintf(" is not %d", v.whole)
			}
		}
		out.Values = append(out.Values, fmt.Sprintf("%d %q", v.kind, text))
	}
	return out
}

// FuzzShapes asks one splitter for two lines in turn and fresh ones for each: what it learned changes nothing.
func FuzzShapes(f *testing.F) {
	seeds := jsonSeeds()
	for i, seed := range seeds {
		f.Add([]byte(seed), []byte(seeds[(i+1)%len(seeds)]))
		f.Add([]byte(seed), []byte(strings.Replace(seed, "1", "22", 1)))
		f.Add([]byte(seed), []byte(strings.Replace(seed, `"k":`, `"k":null,"j":`, 1)))
	}
	p, _ := testPaths()
	f.Fuzz(func(t *testing.T, a, b []byte) {
		taught, vals := newJSONSplitter(p), make([]value, len(p))
		for i, line := range [][]byte{a, b, b, a, a, b} {
			want := ask(newJSONSplitter(p), make([]value, len(p)), line)
			if got := ask(taught, vals, line); !cmp.Equal(got, want) {
				t.Fatalf("%q, line %d of %q and %q: %s", line, i, a, b, cmp.Diff(want, got))
			}
		}
	})
}

// TestShapesChangeNothing draws logs of several writers, with members that come and go, other types, escapes, spaces
// and broken lines: a splitter that has seen it all says what a fresh one says.
func TestShapesChangeNothing(t *testing.T) {
	p, _ := testPaths()
	scalar := rapid.SampledFrom([]string{
		`"a"`, `""`, `"a longer text of more than sixteen bytes"`, `"seven77"`, `"eight888"`, `"q\"uote"`, `"\u00e9"`, `"\ud83d"`, `0`, `7`, `-7`, `1234567`,
		`12345678`, `123456789012345`, `1234567890123456`, `1.5`, `1e3`, `01`, `true`, `false`, `null`, `nul`, `[]`, `[1,"k"]`, `{}`, `{"k":1}`, `{"n":{"k":"x"}}`,
	})
	rapid.Check(t, func(t *rapid.T) {
		taught, vals := newJSONSplitter(p), make([]value, len(p))
		orders := rapid.SliceOfN(rapid.Permutation([]string{"k", "o", "a.b", "x", "a_name_of_more_than_24_bytes"}), 1, 3).Draw(t, "orders")
		for range rapid.IntRange(5, 40).Draw(t, "lines") {
			order := rapid.SampledFrom(orders).Draw(t, "order")
			line := "{"
			for i, name := range order[:rapid.IntRange(0, len(order)).Draw(t, "members")] {
				if i > 0 {
					line += rapid.SampledFrom([]string{",", ",", ",", ", ", ""}).Draw(t, "comma")
				}
				line += strconv.Quote(name) + ":" + scalar.Draw(t, "value")
			}
			line += rapid.SampledFrom([]string{"}", "}", "}", "} ", "", "}}", "}1"}).Draw(t, "end")
			want := ask(newJSONSplitter(p), make([]value, len(p)), []byte(line))
			if got := ask(taught, vals, []byte(line)); !cmp.Equal(got, want) {
				t.Fatalf("%s: %s", line, cmp.Diff(want, got))
			}
		}
	})
}

// objectOf writes members in an order.
func objectOf(order []int, value int) []byte {
	var b bytes.Buffer
	for i, m := range order {
		fmt.Fprintf(&b, `%c"member_%d":%d`, "{,"[min(i, 1)], m, value)
	}
	return append(b.Bytes(), '}')
}

// TestShapesPredict: one writer misses once, several once each, whatever the order in which they take turns.
func TestShapesPredict(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	s, vals := newJSONSplitter(paths{"member_3"}), make([]value, 1)
	var orders [][]int
	for range 6 {
		orders = append(orders, rng.Perm(12))
	}
	for i := range 900 {
		if got := ask(s, vals, objectOf(orders[rng.IntN(len(orders))], i)); got.Reason != ReasonNone {
			t.Fatal(got)
		}
	}
	if s.shapes.misses > len(orders) {
		t.Errorf("%d misses of 900 lines in %d orders", s.shapes.misses, len(orders))
	}
}

// TestShapesGiveUp: a log that nothing predicts costs bounded memory and soon no attempts; when a regular one follows,
// it is predicted again within the longest rest.
func TestShapesGiveUp(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	s, vals := newJSONSplitter(paths{"member_3"}), make([]value, 1)
	rested := 0
	for i := range 200_000 {
		ask(s, vals, objectOf(rng.Perm(9), i))
		if len(s.shapes.steps) > maxSteps || len(s.shapes.text) > maxGaps {
			t.Fatalf("%d steps and %d bytes after %d lines", len(s.shapes.steps), len(s.shapes.text), i)
		}
		if s.shapes.rest > 0 {
			rested++
		}
	}
	if rested < 180_000 {
		t.Errorf("rested for %d of 200,000 lines that nothing predicts", rested)
	}
	order := rng.Perm(9)
	for i := range shapesPeriod<<maxPause + 2*shapesPeriod {
		ask(s, vals, objectOf(order, i))
	}
	if s.shapes.rest > 0 || s.shapes.misses > 1 {
		t.Errorf("a regular log is not predicted: rest %d, %d misses", s.shapes.rest, s.shapes.misses)
	}
}

// TestNamesOccurOnce: a name that occurs twice in one object is refused at every level, mapped or not, however it is
// written; the same name in two objects is none.
func TestNamesOccurOnce(t *testing.T) {
	d := mustDecoder(t, Config{Format: "json", Fields: Fields{Key: Field{Path: "key"}}})
	for line, want := range map[string]Reason{
		`{"key":"a","x":1,"x":2}`: ReasonDuplicate, `{"key":"a","x":{"y":[{"z":1,"z":1}]}}`: ReasonDuplicate, `{"key":"a","x":1,"\u0078":2}`: ReasonDuplicate,
		`{"key":"a","":1,"":2}`: ReasonDuplicate, `{"key":"a","x":{"y":1},"y":{"x":1}}`: ReasonNone, `{"key":"a","x":[{"y":1},{"y":1}]}`: ReasonNone,
		`{"key":"a","x":1,"X":2}`: ReasonNone, `{"key":"a","x":"\udfff"}`: ReasonSyntax, `{"key":"a","\ud800":1}`: ReasonSyntax,
	} {
		for range 2 {
			var rec Record
			if got := d.Decode([]byte(line), &rec); got != want {
				t.Errorf("%s: %v, want %v", line, got, want)
			}
		}
	}
}

// TestManyNames: a line of 1 MiB of nothing but different names is read, its last name repeated is found, and what it
// leaves behind is no more than a few times its size.
func TestManyNames(t *testing.T) {
	var b strings.Builder
	b.WriteString(`{"key":"a"`)
	for i := 0; b.Len() < 1<<20-32; i++ {
		fmt.Fprintf(&b, `,"%x":0`, i)
	}
	d := mustDecoder(t, Config{Format: "json", Fields: Fields{Key: Field{Path: "key"}}})
	var rec Record
	if reason := d.Decode([]byte(b.String()+"}"), &rec); reason != ReasonNone {
		t.Fatal(reason)
	}
	if reason := d.Decode([]byte(b.String()+`,"key":1}`), &rec); reason != ReasonDuplicate {
		t.Errorf("the first name again gives %v", reason)
	}
	split, ok := d.split.(*jsonSplitter)
	if held := 8 * len(split.names.all); !ok || held > 4*b.Len() {
		t.Errorf("%d bytes held for the names of a line of %d", held, b.Len())
	}
	if reason := d.Decode([]byte(`{"key":"b"}`), &rec); reason != ReasonNone || len(split.names.slots) != minNames {
		t.Errorf("a short line after it: %v, with %d slots", reason, len(split.names.slots))
	}
}

package record

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"
)

// member is one name and its value in an object as encoding/json reads it.
type member struct {
	name string
	val  any // []member, array, string, json.Number, bool or nil
}

// array stands for any array; nothing inside it is ever wanted.
type array struct{}

// oracle is what encoding/json says of a line, with what firebreak refuses on purpose found by itself.
type oracle struct {
	object           []member
	valid            bool // an object by RFC 8259
	twice, surrogate bool // some object has a name twice; some string has a lone surrogate
}

// parseOracle reads a line with encoding/json. Bytes that are not UTF-8, and U+FFFD itself, are dressed first, so that
// the decoder replaces nothing but lone surrogates.
func parseOracle(line []byte) (o oracle) {
	dressed := []byte(dress(line))
	if !json.Valid(dressed) {
		return o
	}
	dec := json.NewDecoder(bytes.NewReader(dressed))
	dec.UseNumber()
	v, err := o.read(dec)
	if err != nil {
		return o
	}
	o.object, o.valid = v.([]member)
	return o
}

// dress writes every byte that is no part of a UTF-8 sequence as a character of its own, and U+FFFD as another.
func dress(b []byte) string {
	var out strings.Builder
	for len(b) > 0 {
		r, n := utf8.DecodeRune(b)
		switch {
		case r == utf8.RuneError && n == 1:
			r = 0xf700 + rune(b[0])
		case r == utf8.RuneError:
			r = 0xf6ff
		}
		out.WriteRune(r)
		b = b[n:]
	}
	return out.String()
}

// read reads one value.
func (o *oracle) read(dec *json.Decoder) (any, error) {
	token, err := dec.Token()
	if err != nil {
		return nil, err
	}
	if s, ok := token.(string); ok {
		o.surrogate = o.surrogate || strings.ContainsRune(s, utf8.RuneError)
	}
	switch token {
	case json.Delim('{'):
		return o.readObject(dec)
	case json.Delim('['):
		for dec.More() {
			if _, err := o.read(dec); err != nil {
				return nil, err
			}
		}
		_, err = dec.Token()
		return array{}, err
	}
	return token, nil
}

// readObject reads the members behind an opening brace.
func (o *oracle) readObject(dec *json.Decoder) ([]member, error) {
	object, seen := []member{}, map[string]bool{}
	for dec.More() {
		name, err := o.read(dec)
		if err != nil {
			return nil, err
		}
		val, err := o.read(dec)
		if err != nil {
			return nil, err
		}
		text, ok := name.(string)
		if !ok {
			return nil, errors.New("a name that is no string")
		}
		o.twice = o.twice || seen[text]
		seen[text] = true
		object = append(object, member{text, val})
	}
	_, err := dec.Token()
	return object, err
}

// findOracle says what stands at a path.
func findOracle(v any, names []string) value {
	if len(names) == 0 {
		switch v := v.(type) {
		case nil:
			return value{}
		case string:
			return text([]byte(v))
		case json.Number:
			return value{kind: kindNumber, text: []byte(v)}
		case bool:
			return value{kind: kindBool, text: []byte(map[bool]string{true: "true", false: "false"}[v])}
		default:
			return value{kind: kindNested}
		}
	}
	object, ok := v.([]member)
	if !ok {
		if v == nil {
			return value{}
		}
		return value{kind: kindNested}
	}
	for _, m := range object {
		if m.name == names[0] {
			return findOracle(m.val, names[1:])
		}
	}
	return value{}
}

// jsonSeeds are lines for the fuzzers.
func jsonSeeds() []string {
	return []string{
		`{"k":"a","o":{"k":"b","n":{"k":1}},"a.b":true}`, `{"k":null,"o":null}`, `{"k":"a","k":"b"}`, `{"o":{"k":1},"o":{}}`,
		`{"o":{"k":1,"k":2}}`, `{"o":3}`, `{"o":[{"k":1}]}`, `{"k":{}}`, `{"k":-1.5e+7,"z":[1,2,{"k":3}]}`, `{"k":01}`, `{"k":1.}`,
		`{"k":"\u00e9\ud83d\ude00\n"}`, `{"k":"\ud83d"}`, `{"k":"\ud83dx"}`, `{"\u006b":"x"}`, `{"k":"` + "\xff\xfe" + `"}`,
		`{"k":"a`, `{"k"`, `{`, ``, `[]`, `"k"`, `{"k":1}x`, `{"k":1,}`, `{"k" 1}`, `{k:1}`, `{"k":tru}`, `{"k":tr`, `{"k":+1}`,
		"{\"k\":\"a\tb\"}", "{\"k\":\"\x00\"}", ` { "k" : [ ] , "o" : { } } `, `{"K":"upper"}`, `{"k":"\x"}`, `{"k":"\u12"}`,
		strings.Repeat(`{"o":`, 70) + "1" + strings.Repeat("}", 70), strings.Repeat("[", 20000),
		`{"x":1,"\u0078":2}`, `{"x":[{"y":1,"y":2}]}`, `{"x":"\udc00"}`, `{"\ud800":1}`, "{\"\xff\":1,\"\xfe\":2}", "{\"\xff\":1,\"\xff\":2}",
		`{"k":12345678,"x":123456789012345,"o":{"k":1234567890123456},"a.b":0}`, `{"k":0,"x":-0,"o":{"k":00}}`, `{"k":"1234567","x":"12345678\\"}`,
	}
}

// testPaths are the paths that the fuzzers ask for, and their names.
func testPaths() (p paths, names [][]string) {
	return paths{"k", "o.k", "o.n.k", `a\.b`, "o"}, [][]string{{"k"}, {"o", "k"}, {"o", "n", "k"}, {"a.b"}, {"o"}}
}

// FuzzJSON holds the scanner against encoding/json: the same value at every path, or both refuse, but for names that
// occur twice and lone surrogates, which are refused wherever they stand.
func FuzzJSON(f *testing.F) {
	for _, seed := range jsonSeeds() {
		f.Add([]byte(seed))
	}
	paths, names := testPaths()
	s := newJSONSplitter(paths)
	vals := make([]value, len(paths))
	f.Fuzz(func(t *testing.T, line []byte) {
		reason := s.split(line, vals)
		o := parseOracle(line)
		switch {
		case bytes.Contains(bytes.ToLower(line), []byte("fffd")):
			return // maybe an escape that the oracle takes for a lone surrogate
		case reason == ReasonTooDeep:
			if n := bytes.Count(line, []byte("{")) + bytes.Count(line, []byte("[")); n <= maxDepth {
				t.Fatalf("%d brackets are too deep", n)
			}
			return
		case o.valid && (o.twice || o.surrogate):
			if wants := (reason == ReasonDuplicate && o.twice) || (reason == ReasonSyntax && o.surrogate); !wants {
				t.Fatalf("%q: %v, but a name occurs twice: %v, lone surrogate: %v", line, reason, o.twice, o.surrogate)
			}
			return
		case (reason == ReasonNone) != o.valid:
			t.Fatalf("%q: %v, encoding/json says %v", line, reason, o.valid)
		case !o.valid:
			return
		}
		for i, got := range vals {
			want := findOracle(o.object, names[i])
			if got.kind != want.kind || got.kind != kindAbsent && dress(got.text) != string(want.text) {
				t.Fatalf("%q at %q: %v %q, encoding/json has %v %q", line, paths[i], got.kind, got.text, want.kind, want.text)
			}
		}
	})
}

func TestJSONReasons(t *testing.T) {
	d := mustDecoder(t, Config{Format: "json", Fields: Fields{Key: Field{Path: "a.k"}, Count: Field{Path: "n"}}})
	for line, want := range map[string]Reason{
		`{"a":{"k":"x"}}`: ReasonNone, `{"a":{"k":7}}`: ReasonNone, `{"a":{"k":"x"},"n":"3"}`: ReasonNone, `{"a":{"k":"x"},"n":null}`: ReasonNone,
		`{"a":{"k":"x"}`: ReasonTruncated, `{"a":{"k":"x`: ReasonTruncated, `{"a":{"k":"x\u00`: ReasonTruncated, `{"a":nul`: ReasonTruncated,
		`{"a":{"k":"x"},"n":1.`: ReasonTruncated, `{"a":{"k":"x"}}{}`: ReasonSyntax, `{'a':1}`: ReasonSyntax, `{"a":{"k":"\ud800"}}`: ReasonSyntax, `{"a":{"k":"\ud800\u0041"}}`: ReasonSyntax,
		`{"a":{"k":"\udc00\ud800"}}`: ReasonSyntax, `{"a":{"k":"\ud800\udc0"}}`: ReasonSyntax,
		`{"a":{"k":true}}`: ReasonType, `{"a":{"k":["x"]}}`: ReasonType, `{"a":"x"}`: ReasonType, `[1]`: ReasonType, `"x"`: ReasonType,
		`{"a":{"k":"x"},"n":"many"}`: ReasonType, `{"a":{"k":"x"},"n":true}`: ReasonType, `{"a":{"k":"x"},"n":{}}`: ReasonType,
		`{"a":{"k":"x"},"a":{"k":"y"}}`: ReasonDuplicate, `{"a":{"k":"x","k":"x"}}`: ReasonDuplicate, `{"a":{"k":"x"},"n":1,"n":2}`: ReasonDuplicate,
		`{"a":{"k":""}}`: ReasonNoIdentity, `{"a":null}`: ReasonNoIdentity, `{}`: ReasonNoIdentity, `   `: ReasonBlank, ``: ReasonBlank,
		`{"a":` + strings.Repeat("[", 1000): ReasonTooDeep,
	} {
		var rec Record
		if got := d.Decode([]byte(line), &rec); got != want {
			t.Errorf("%.40s: %v, want %v", line, got, want)
		}
	}
}

func TestSplitPath(t *testing.T) {
	for path, want := range map[string]string{"a": "a", "a.b.c": "a|b|c", `a\.b.c`: "a.b|c", `a\\.b`: `a\|b`} {
		names, err := splitPath(path)
		if got := string(bytes.Join(names, []byte("|"))); err != nil || got != want {
			t.Errorf("%q: %q, %v, want %q", path, got, err, want)
		}
	}
	for _, path := range []string{"", ".", "a.", ".a", "a..b", `a\`, `a\b`, strings.Repeat("a.", maxDepth) + "a"} {
		if _, err := splitPath(path); err == nil {
			t.Errorf("%.20q is accepted", path)
		}
	}
}

// A member whose name holds a dot and one that is nested are two places.
func TestDottedNames(t *testing.T) {
	line := []byte(`{"http.key":"flat","http":{"key":"nested"}}`)
	for path, want := range map[string]string{`http\.key`: "flat", "http.key": "nested"} {
		var rec Record
		d := mustDecoder(t, Config{Format: "json", Fields: Fields{Key: Field{Path: path}}})
		if reason := d.Decode(line, &rec); reason != ReasonNone || string(rec.Key) != want {
			t.Errorf("%s: %v %q, want %q", path, reason, rec.Key, want)
		}
	}
}

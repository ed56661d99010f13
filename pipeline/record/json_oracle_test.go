package record

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
)

// member is one name and its value in an object as encoding/json reads it.
type member struct {
	name string
	val  any // []member, array, string, json.Number, bool or nil
}

// array stands for any array; nothing inside it is ever wanted.
type array struct{}

// parseOracle reads a line with encoding/json, keeping members that occur twice.
func parseOracle(line []byte) (object []member, ok bool) {
	if !json.Valid(line) {
		return nil, false
	}
	dec := json.NewDecoder(bytes.NewReader(line))
	dec.UseNumber()
	v, err := readOracle(dec)
	if err != nil {
		return nil, false
	}
	object, ok = v.([]member)
	return object, ok
}

// readOracle reads one value.
func readOracle(dec *json.Decoder) (any, error) {
	token, err := dec.Token()
	if err != nil {
		return nil, err
	}
	switch token {
	case json.Delim('{'):
		object := []member{}
		for dec.More() {
			name, err := dec.Token()
			if err != nil {
				return nil, err
			}
			val, err := readOracle(dec)
			if err != nil {
				return nil, err
			}
			text, ok := name.(string)
			if !ok {
				return nil, errors.New("a name that is no string")
			}
			object = append(object, member{text, val})
		}
		_, err = dec.Token()
		return object, err
	case json.Delim('['):
		for dec.More() {
			if _, err := readOracle(dec); err != nil {
				return nil, err
			}
		}
		_, err = dec.Token()
		return array{}, err
	}
	return token, nil
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
	found, at := 0, any(nil)
	for _, m := range object {
		if m.name == names[0] {
			found, at = found+1, m.val
		}
	}
	switch found {
	case 0:
		return value{}
	case 1:
		return findOracle(at, names[1:])
	default:
		return value{kind: kindDuplicate}
	}
}

// FuzzJSON holds the scanner against encoding/json: the same value at every path, or both refuse.
func FuzzJSON(f *testing.F) {
	for _, seed := range []string{
		`{"k":"a","o":{"k":"b","n":{"k":1}},"a.b":true}`, `{"k":null,"o":null}`, `{"k":"a","k":"b"}`, `{"o":{"k":1},"o":{}}`,
		`{"o":{"k":1,"k":2}}`, `{"o":3}`, `{"o":[{"k":1}]}`, `{"k":{}}`, `{"k":-1.5e+7,"z":[1,2,{"k":3}]}`, `{"k":01}`, `{"k":1.}`,
		`{"k":"\u00e9\ud83d\ude00\n"}`, `{"k":"\ud83d"}`, `{"k":"\ud83dx"}`, `{"\u006b":"x"}`, `{"k":"` + "\xff\xfe" + `"}`,
		`{"k":"a`, `{"k"`, `{`, ``, `[]`, `"k"`, `{"k":1}x`, `{"k":1,}`, `{"k" 1}`, `{k:1}`, `{"k":tru}`, `{"k":tr`, `{"k":+1}`,
		"{\"k\":\"a\tb\"}", "{\"k\":\"\x00\"}", ` { "k" : [ ] , "o" : { } } `, `{"K":"upper"}`, `{"k":"\x"}`, `{"k":"\u12"}`,
		strings.Repeat(`{"o":`, 70) + "1" + strings.Repeat("}", 70), strings.Repeat("[", 20000),
	} {
		f.Add([]byte(seed))
	}
	paths := paths{"k", "o.k", "o.n.k", `a\.b`, "o"}
	names := [][]string{{"k"}, {"o", "k"}, {"o", "n", "k"}, {"a.b"}, {"o"}}
	s := newJSONSplitter(paths)
	f.Fuzz(func(t *testing.T, line []byte) {
		vals := make([]value, len(paths))
		reason := s.split(line, vals)
		object, ok := parseOracle(line)
		switch {
		case reason == ReasonTooDeep:
			if n := bytes.Count(line, []byte("{")) + bytes.Count(line, []byte("[")); n <= maxDepth {
				t.Fatalf("%d brackets are too deep", n)
			}
			return
		case reason == ReasonSyntax && ok && bytes.Contains(bytes.ToLower(line), []byte(`\ud`)):
			return // a lone surrogate
		case (reason == ReasonNone) != ok:
			t.Fatalf("%q: %v, encoding/json says %v", line, reason, ok)
		case !ok:
			return
		}
		for i, got := range vals {
			want := findOracle(object, names[i])
			// encoding/json replaces what is not UTF-8; the scanner keeps it.
			if got.kind != want.kind || got.kind != kindAbsent && toUTF8(got.text) != string(want.text) {
				t.Fatalf("%q at %q: %v %q, encoding/json has %v %q", line, paths[i], got.kind, got.text, want.kind, want.text)
			}
		}
	})
}

// toUTF8 replaces every byte that is not UTF-8 as encoding/json does.
func toUTF8(b []byte) string { return string([]rune(string(b))) }

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

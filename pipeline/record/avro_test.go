package record

import (
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// failer is a *testing.T or a *rapid.T.
type failer interface {
	Helper()
	Fatalf(format string, args ...any)
}

// run reads a value with a program and returns what it found, by path.
func run(t failer, p program, wanted paths, b []byte) (found map[string]string, reason Reason) {
	t.Helper()
	out := finds{vals: make([]value, len(wanted))}
	reason = p.run(b, &out)
	found = map[string]string{}
	for i, path := range wanted {
		switch v := out.vals[i]; v.kind { //nolint:exhaustive // all others have a text
		case kindAbsent:
		case kindNested:
			found[path] = "nested"
		default:
			found[path] = fmt.Sprintf("%d %s", v.kind, v.text)
			if v.exact && strconv.FormatUint(v.whole, 10) != string(v.text) {
				t.Fatalf("%s is %d and %s", path, v.whole, v.text)
			}
		}
	}
	return found, reason
}

// TestAvroVectors has the examples of the specification 1.12 ("Binary encoding").
func TestAvroVectors(t *testing.T) {
	for _, c := range []struct {
		schema, encoded string
		want            map[string]string
	}{
		{`{"type":"record","name":"test","fields":[{"name":"a","type":"long"},{"name":"b","type":"string"}]}`, "\x36\x06\x66\x6f\x6f", map[string]string{"a": "2 27", "b": "1 foo"}},
		{`{"type":"record","name":"t","fields":[{"name":"a","type":{"type":"array","items":"long"}},{"name":"b","type":"int"}]}`, "\x04\x06\x36\x00\x02", map[string]string{"a": "nested", "b": "2 1"}},
		{`{"type":"record","name":"t","fields":[{"name":"a","type":["null","string"]},{"name":"b","type":["null","string"]}]}`, "\x02\x02\x61\x00", map[string]string{"a": "1 a"}},
		{`{"type":"record","name":"t","fields":[{"name":"a","type":"int"},{"name":"b","type":"long"}]}`, "\x01\x7f", map[string]string{"a": "2 -1", "b": "2 -64"}},
		{`{"type":"record","name":"t","fields":[{"name":"a","type":"long"},{"name":"b","type":"boolean"}]}`, "\x80\x01\x01", map[string]string{"a": "2 64", "b": "3 true"}},
		{`{"type":"record","name":"t","fields":[{"name":"a","type":"int"}]}`, "\x80\x80\x80\x80\x10", nil},
		{`{"type":"record","name":"t","fields":[{"name":"a","type":"boolean"}]}`, "\x02", nil},
		{`["null",{"type":"record","name":"t","fields":[{"name":"a","type":"null"},{"name":"b","type":{"type":"enum","name":"Foo","symbols":["A","B","C","D"]}}]}]`, "\x02\x06", map[string]string{"b": "1 D"}},
		{`{"type":"map","values":["int","string"]}`, "\x01\x0c\x02b\x00\x04\x01\x02\x06\x02a\x02\x02x\x00", nil},
		{`{"type":"map","values":["int","string"]}`, "\x01\x08\x02b\x00\x04\x01\x0a\x02a\x02\x02x\x00", map[string]string{"a": "1 x", "b": "2 2"}},
	} {
		p, err := compileAvro(c.schema, newTree(paths{"a", "b"}))
		if err != nil {
			t.Errorf("%s: %v", c.schema, err)
			continue
		}
		got, reason := run(t, p, paths{"a", "b"}, []byte(c.encoded))
		if (reason == ReasonNone) != (c.want != nil) || c.want != nil && !cmp.Equal(got, c.want) {
			t.Errorf("%s: %v %s", c.schema, reason, cmp.Diff(c.want, got))
		}
		for cut := range len(c.encoded) {
			if _, reason := run(t, p, paths{"a", "b"}, []byte(c.encoded[:cut])); c.want != nil && reason != ReasonTruncated {
				t.Errorf("%s: %d of its bytes give %v", c.schema, cut, reason)
			}
		}
	}
}

// TestAvroSchemas: what cannot be read is refused with a reason, and types that contain themselves end.
func TestAvroSchemas(t *testing.T) {
	wanted := paths{"a", "next.a", "next.next.next.a", "kids.a", "a.deeper", "m.x.y"}
	record := func(fields string) string {
		return `{"type":"record","name":"R","namespace":"n","fields":[` + fields + `]}`
	}
	for schema, problem := range map[string]string{
		`"string"`: "want a record, not string", `{`: "unexpected end", `7`: "is no schema", `"n.R"`: "not defined", `{"type":"record","name":"R"}`: "no fields",
		record(`{"type":"int"}`): "without a name", record(`{"name":"a","type":"S"}`): "n.R.a: type \"S\" is not defined", record(`{"name":"a"}`): "is no schema",
		record(`{"name":"a","type":{"type":"fixed","name":"f","size":-1}}`): "has the size -1", record(`{"name":"a","type":{"type":"record","name":"R","fields":[]}}`): "defined twice",
		strings.Repeat(`{"type":`, 100) + `"int"` + strings.Repeat(`}`, 100): "too deep", `{"type":"array","items":"int"}`: "want a record, not array",
		`["null","int"]`: "", record(`{"name":"a","type":["null","int"]},{"name":"next","type":["null","R"]},{"name":"kids","type":{"type":"array","items":"n.R"}}`): "",
	} {
		_, err := compileAvro(schema, newTree(wanted))
		if (err == nil) != (problem == "") || err != nil && !strings.Contains(err.Error(), problem) {
			t.Errorf("%s: %v, want %q", schema, err, problem)
		}
	}
	p, err := compileAvro(record(`{"name":"a","type":["null","int"]},{"name":"next","type":["null","R"]},{"name":"kids","type":{"type":"array","items":"n.R"}},{"name":"m","type":{"type":"map","values":"string"}}`), newTree(wanted))
	if err != nil {
		t.Fatal(err)
	}
	leaf := "\x02\x04\x00\x00\x00" // a: 2
	value := "\x00\x02\x00\x02\x00\x02" + leaf + strings.Repeat("\x00\x00", 2) + "\x02" + leaf + "\x00" + "\x02\x02x\x00\x00"
	got, reason := run(t, p, wanted, []byte(value))
	want := map[string]string{"next.next.next.a": "2 2", "kids.a": "nested", "m.x.y": "nested"}
	if reason != ReasonNone || !cmp.Equal(got, want) {
		t.Errorf("%v %s", reason, cmp.Diff(want, got))
	}
	if got, reason = run(t, p, wanted, []byte(leaf)); reason != ReasonNone || got["a.deeper"] != "nested" || got["a"] != "2 2" {
		t.Errorf("%v %v", reason, got)
	}
	if _, reason = run(t, p, wanted, []byte(strings.Repeat("\x00\x02", 1000))); reason != ReasonTooDeep {
		t.Errorf("a list without an end: %v", reason)
	}
	// More items of no bytes than could ever be counted.
	if p, err = compileAvro(record(`{"name":"n","type":{"type":"array","items":"null"}},{"name":"a","type":"int"}`), newTree(wanted)); err != nil {
		t.Fatal(err)
	}
	if got, reason = run(t, p, wanted, append(binary.AppendVarint(nil, math.MaxInt64), 0, 2)); reason != ReasonNone || got["a"] != "2 1" {
		t.Errorf("many nulls: %v %v", reason, got)
	}
	if _, reason = run(t, p, wanted, append(binary.AppendVarint(nil, math.MinInt64), 0, 2)); reason != ReasonSyntax {
		t.Errorf("a count that has no opposite: %v", reason)
	}
}

// FuzzAvro takes any schema and any value.
func FuzzAvro(f *testing.F) {
	f.Add(avroRequest, avroMessage()[frameSize:])
	f.Add(`{"type":"record","name":"R","fields":[{"name":"at","type":{"type":"map","values":["null","R"]}}]}`, []byte("\x02\x02x\x02\x00\x00"))
	f.Add(`["null","double"]`, []byte{2})
	wanted := paths{"at", "who.tenant", "at.x.at", "key", "weight"}
	f.Fuzz(func(t *testing.T, schema string, b []byte) {
		p, err := compileAvro(schema, newTree(wanted))
		if err != nil {
			return
		}
		if _, reason := run(t, p, wanted, b); reason != ReasonNone && reason != ReasonSyntax && reason != ReasonTruncated && reason != ReasonTooDeep {
			t.Fatal(reason)
		}
	})
}

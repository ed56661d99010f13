package record

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// avroDrawn draws a schema with a value of it, written as the specification says, and what stands at each path.
type avroDrawn struct {
	t     *rapid.T
	names int // of types
	want  map[string]string
}

// draw returns a type and a value; path is where it stands, empty where nothing can be wanted.
func (d *avroDrawn) draw(path string, depth int) (schema any, encoded []byte) {
	kinds := []string{"null", "boolean", "int", "long", "float", "double", "bytes", "string", "fixed", "enum", "array", "map", "union", "record"}
	if depth > 3 {
		kinds = kinds[:10]
	}
	kind := rapid.SampledFrom(kinds).Draw(d.t, "kind")
	switch kind {
	case "null":
		return kind, nil
	case "boolean":
		is := rapid.Bool().Draw(d.t, "boolean")
		d.put(path, "3 %v", is)
		return kind, []byte{map[bool]byte{true: 1}[is]}
	case "int", "long":
		n := rapid.Int64().Draw(d.t, kind)
		if kind == "int" {
			n = int64(int32(n))
		}
		d.put(path, "2 %d", n)
		return map[string]any{"type": kind}, binary.AppendVarint(nil, n)
	case "float":
		x := rapid.Float32().Draw(d.t, kind)
		d.put(path, "2 %s", strconv.FormatFloat(float64(x), 'g', -1, 32))
		return kind, binary.LittleEndian.AppendUint32(nil, math.Float32bits(x))
	case "double":
		x := rapid.Float64().Draw(d.t, kind)
		d.put(path, "2 %s", strconv.FormatFloat(x, 'g', -1, 64))
		return kind, binary.LittleEndian.AppendUint64(nil, math.Float64bits(x))
	case "bytes", "string":
		text := rapid.SliceOfN(rapid.Byte(), 0, 9).Draw(d.t, kind)
		if len(text) > 0 {
			d.put(path, "1 %s", text)
		}
		return kind, append(binary.AppendVarint(nil, int64(len(text))), text...)
	}
	return d.drawNamed(kind, path, depth)
}

// drawNamed is draw of all but the primitive types.
func (d *avroDrawn) drawNamed(kind, path string, depth int) (schema any, encoded []byte) {
	d.names++
	name := fmt.Sprintf("ns%d.T%d", d.names%2, d.names)
	switch kind {
	case "fixed":
		text := rapid.SliceOfN(rapid.Byte(), 1, 9).Draw(d.t, kind)
		d.put(path, "1 %s", text)
		return map[string]any{"type": kind, "name": name, "size": len(text)}, text
	case "enum":
		i := rapid.IntRange(0, 2).Draw(d.t, kind)
		d.put(path, "1 %s", []string{"A", "B", "C"}[i])
		return map[string]any{"type": kind, "name": name, "symbols": []string{"A", "B", "C"}}, binary.AppendVarint(nil, int64(i))
	case "union":
		schema, encoded = d.draw(path, depth+3)
		at := rapid.IntRange(0, 1).Draw(d.t, kind)
		other := map[string]any{"type": "fixed", "name": name, "size": 3}
		if at == 0 {
			return []any{schema, other}, append([]byte{0}, encoded...)
		}
		return []any{other, schema}, append([]byte{2}, encoded...)
	case "record":
		d.put(path, "nested")
		var fields []any
		for i := range rapid.IntRange(0, 4).Draw(d.t, "fields") {
			field := string(rune('a' + i))
			s, b := d.draw(join(path, field), depth+1)
			fields = append(fields, map[string]any{"name": field, "type": s})
			encoded = append(encoded, b...)
		}
		return map[string]any{"type": kind, "name": name, "fields": append([]any{}, fields...)}, encoded
	}
	return d.drawMany(kind, path, depth)
}

// drawMany draws an array or a map of one item, in a block with or without its size.
func (d *avroDrawn) drawMany(kind, path string, depth int) (schema any, encoded []byte) {
	d.put(path, "nested")
	inner, member, of := "", "", "items"
	if kind == "map" {
		inner, member, of = join(path, "m"), "\x02m", "values"
	}
	schema, item := d.draw(inner, depth+1)
	item = append([]byte(member), item...)
	if rapid.Bool().Draw(d.t, "sized") {
		encoded = binary.AppendVarint([]byte{1}, int64(len(item)))
	} else {
		encoded = []byte{2}
	}
	return map[string]any{"type": kind, of: schema}, append(append(encoded, item...), 0)
}

// put says what stands at a path.
func (d *avroDrawn) put(path, format string, args ...any) {
	if path != "" {
		d.want[path] = fmt.Sprintf(format, args...)
	}
}

// join is the path of a member; of nothing that is wanted it is none.
func join(path, name string) string {
	if path == "" {
		return ""
	}
	return path + "." + name
}

// TestAvroOracle: of any schema and value, every path finds what was written there.
func TestAvroOracle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := avroDrawn{t: t, want: map[string]string{}}
		inner, encoded := d.draw("v", 0)
		schema, err := json.Marshal(map[string]any{"type": "record", "name": "Root", "namespace": "ns1", "fields": []any{map[string]any{"name": "v", "type": inner}}})
		if err != nil {
			t.Fatal(err)
		}
		wanted := paths{"w.absent", "w"}
		for path := range d.want {
			if rapid.Bool().Draw(t, path) {
				wanted = append(wanted, path)
			}
		}
		want := map[string]string{}
		for _, path := range wanted {
			if at, ok := d.want[path]; ok {
				want[path] = at
			}
		}
		p, err := compileAvro(string(schema), newTree(wanted))
		if err != nil {
			t.Fatalf("%s: %v", schema, err)
		}
		got, reason := run(t, p, wanted, encoded)
		if reason != ReasonNone || !cmp.Equal(got, want) {
			t.Fatalf("%s\n%q: %v %s", schema, encoded, reason, cmp.Diff(want, got))
		}
	})
}

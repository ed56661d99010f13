package record

import (
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/bufbuild/protocompile"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"
	"pgregory.net/rapid"
)

// TestProtoVectors has the examples of Protobuf's own page on its encoding (protobuf.dev, "Encoding"), and what readers
// must bear: fields in any order, again, unknown, in groups.
func TestProtoVectors(t *testing.T) {
	const schema = `syntax = "proto3";
message Test3 { Test1 c = 3; int32 a = 1; string b = 2; repeated int32 d = 4; map<string, Test1> m = 5; map<int32, int32> n = 6; message Inner { sint64 z = 1; } }
message Test1 { int32 a = 1; sint32 s = 2; }`
	wanted := paths{"a", "b", "c.a", "c.s", "d", "d.x", "m.k.a", "n.1", "a.x", "c", "z"}
	p, err := compileProto(t.Context(), schema, newTree(wanted))
	if err != nil {
		t.Fatal(err)
	}
	for encoded, want := range map[string]map[string]string{
		"\x00":                                              {},
		"\x00\x08\x96\x01":                                  {"a": "2 150", "a.x": "nested"},
		"\x02\x00\x12\x07testing":                           {"b": "1 testing"},
		"\x00\x1a\x03\x08\x96\x01":                          {"c": "nested", "c.a": "2 150"},
		"\x00\x1a\x02\x08\x01\x1a\x02\x10\x03":              {"c": "nested", "c.a": "2 1", "c.s": "2 -2"},
		"\x00\x12\x01x\x08\x01\x08\x02\x12\x00":             {"a": "2 2", "a.x": "nested"},
		"\x00\x22\x03\x03\x8e\x02":                          {"d": "nested", "d.x": "nested"},
		"\x00\x08\xfe\xff\xff\xff\xff\xff\xff\xff\xff\x01":  {"a": "2 -2", "a.x": "nested"},
		"\x00\x2a\x07\x0a\x01k\x12\x02\x08\x05":             {"m.k.a": "2 5"},
		"\x00\x2a\x07\x12\x02\x08\x05\x0a\x01k":             {"m.k.a": "2 5"},
		"\x00\x2a\x07\x0a\x01x\x12\x02\x08\x05":             {},
		"\x00\x32\x04\x08\x01\x10\x05":                      {"n.1": "nested"},
		"\x00\x53\x08\x01\x5b\x5c\x54\x10\x05":              {},
		"\x00\x51\x00\x00\x00\x00\x00\x00\x00\x00\x12\x01x": {"b": "1 x"},
		"\x00\x0d\x00\x00\x00\x00":                          {},
		"\x04\x00\x04\x08\x03":                              {"z": "2 -2"},
		"\x02\x02\x08\x07":                                  {"a": "2 7", "a.x": "nested"},
	} {
		got, reason := run(t, p, wanted, []byte(encoded))
		if reason != ReasonNone || !cmp.Equal(got, want) {
			t.Errorf("%q: %v %s", encoded, reason, cmp.Diff(want, got))
		}
	}
	for encoded, want := range map[string]Reason{
		"": ReasonTruncated, "\x02": ReasonTruncated, "\x02\x06": ReasonSyntax, "\x02\x01": ReasonSyntax, "\x01": ReasonSyntax,
		"\x00\x08": ReasonTruncated, "\x00\x12\x09x": ReasonTruncated, "\x00\x51\x00": ReasonTruncated, "\x00\x55\x00": ReasonTruncated, "\x00\x53\x08\x01": ReasonTruncated,
		"\x00\x53\x5c": ReasonSyntax, "\x00\x54": ReasonSyntax, "\x00\x00": ReasonSyntax, "\x00\x07": ReasonSyntax, "\x00\x1a\x01\x08": ReasonTruncated,
		"\x00" + strings.Repeat("\x53", 100): ReasonTooDeep, "\x00" + strings.Repeat("\xff", 11): ReasonSyntax, "\x00\x2a\x01\x08": ReasonTruncated,
	} {
		if _, reason := run(t, p, wanted, []byte(encoded)); reason != want {
			t.Errorf("%q: %v, want %v", encoded, reason, want)
		}
	}
}

func TestProtoSchemas(t *testing.T) {
	for schema, problem := range map[string]string{
		"": "no message", `syntax = "proto3"; message M { X x = 1; }`: "X", `syntax = "proto3"; import "other.proto"; message M {}`: "other.proto", "{": "syntax",
		`syntax = "proto2"; message M { optional group G = 1 { optional int32 a = 1; } }`: "", `syntax = "proto3"; message M { M m = 1; }`: "",
	} {
		_, err := compileProto(t.Context(), schema, newTree(paths{"m.m.m", "g.a"}))
		if (err == nil) != (problem == "") || err != nil && !strings.Contains(err.Error(), problem) {
			t.Errorf("%q: %v, want %q", schema, err, problem)
		}
	}
}

// allKinds has a field of every kind.
const allKinds = `syntax = "proto3";
import "google/protobuf/timestamp.proto";
message M {
  enum E { NONE = 0; ONE = 1; MINUS = -1; }
  int32 i32 = 1; int64 i64 = 2; uint32 u32 = 3; uint64 u64 = 4; sint32 s32 = 5; sint64 s64 = 6;
  fixed32 f32 = 7; fixed64 f64 = 8; sfixed32 sf32 = 9; sfixed64 sf64 = 10; float f = 11; double d = 12;
  bool b = 13; string s = 14; bytes by = 15; E e = 16; google.protobuf.Timestamp at = 17;
  M m = 1000; map<string, string> words = 536870911; repeated int64 list = 19;
}`

// TestProtoOracle writes messages with Google's own library and reads every field back.
func TestProtoOracle(t *testing.T) {
	resolver := protocompile.WithStandardImports(&protocompile.SourceResolver{Accessor: protocompile.SourceAccessorFromMap(map[string]string{"m.proto": allKinds})})
	files, err := (&protocompile.Compiler{Resolver: resolver}).Compile(t.Context(), "m.proto")
	if err != nil {
		t.Fatal(err)
	}
	kind := files[0].Messages().ByName("M")
	var wanted paths
	for _, prefix := range []string{"", "m.", "m.m."} {
		for i := range kind.Fields().Len() {
			wanted = append(wanted, prefix+string(kind.Fields().Get(i).Name()))
		}
		wanted = append(wanted, prefix+"words.a", prefix+"words.b")
	}
	p, err := compileProto(t.Context(), allKinds, newTree(wanted))
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		m := dynamicpb.NewMessage(kind)
		want := map[string]string{}
		drawMessage(t, m, "", want)
		encoded, err := proto.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		got, reason := run(t, p, wanted, append([]byte{0}, encoded...))
		if reason != ReasonNone || !cmp.Equal(got, want) {
			t.Fatalf("%v\n%q: %v %s", m, encoded, reason, cmp.Diff(want, got))
		}
	})
}

// drawMessage sets some fields and says what stands at their paths.
func drawMessage(t *rapid.T, m protoreflect.Message, prefix string, want map[string]string) {
	for i := range m.Descriptor().Fields().Len() {
		f := m.Descriptor().Fields().Get(i)
		path := prefix + string(f.Name())
		if !rapid.Bool().Draw(t, path) {
			continue
		}
		switch {
		case f.IsMap():
			for _, key := range []string{"a", "b", "c"}[:rapid.IntRange(0, 3).Draw(t, "entries")] {
				m.Mutable(f).Map().Set(protoreflect.ValueOfString(key).MapKey(), protoreflect.ValueOfString("v"+key))
				want[path] = "nested"
				if key != "c" {
					want[path+"."+key] = "1 v" + key
				}
			}
		case f.IsList():
			m.Mutable(f).List().Append(protoreflect.ValueOfInt64(5))
			want[path] = "nested"
		case f.Name() == "m":
			if strings.Count(prefix, ".") < 2 {
				want[path] = "nested"
				drawMessage(t, m.Mutable(f).Message(), path+".", want)
			}
		case f.Message() != nil:
			seconds, nanos := rapid.Int64Range(-62135596800, 253402300799).Draw(t, "s"), rapid.Int32Range(0, 999_999_999).Draw(t, "ns")
			at := m.Mutable(f).Message()
			at.Set(at.Descriptor().Fields().ByNumber(1), protoreflect.ValueOfInt64(seconds))
			at.Set(at.Descriptor().Fields().ByNumber(2), protoreflect.ValueOfInt32(nanos))
			want[path] = "2 " + secondsText(seconds, nanos)
		default:
			v, text := drawScalar(t, f)
			if m.Set(f, v); m.Has(f) { // zero is not written
				want[path] = text
			}
		}
	}
}

// secondsText is the exact decimal of a moment.
func secondsText(seconds int64, nanos int32) string {
	if seconds >= 0 || nanos == 0 {
		return fmt.Sprintf("%d.%09d", seconds, nanos)
	}
	return fmt.Sprintf("-%d.%09d", -seconds-1, 1_000_000_000-nanos)
}

// drawScalar draws a value of a field and what it reads as.
func drawScalar(t *rapid.T, f protoreflect.FieldDescriptor) (v protoreflect.Value, text string) {
	n := rapid.OneOf(rapid.Int64(), rapid.Int64Range(-2, 2)).Draw(t, "n")
	switch f.Kind() { //nolint:exhaustive // groups and messages are no scalars
	case protoreflect.BoolKind:
		return protoreflect.ValueOfBool(n%2 == 0), fmt.Sprintf("3 %v", n%2 == 0)
	case protoreflect.StringKind:
		return protoreflect.ValueOfString(strconv.FormatInt(n, 36)), "1 " + strconv.FormatInt(n, 36)
	case protoreflect.BytesKind:
		b := binary.AppendVarint(nil, n)
		return protoreflect.ValueOfBytes(b), "1 " + string(b)
	case protoreflect.EnumKind:
		e := int32(n % 3)
		word := map[int32]string{0: "1 NONE", 1: "1 ONE", -1: "1 MINUS", 2: "2 2", -2: "2 -2"}[e]
		return protoreflect.ValueOfEnum(protoreflect.EnumNumber(e)), word
	case protoreflect.FloatKind:
		x := float32(n) / 7
		return protoreflect.ValueOfFloat32(x), "2 " + strconv.FormatFloat(float64(x), 'g', -1, 32)
	case protoreflect.DoubleKind:
		x := math.Float64frombits(uint64(n))
		return protoreflect.ValueOfFloat64(x), "2 " + strconv.FormatFloat(x, 'g', -1, 64)
	case protoreflect.Int32Kind, protoreflect.Sint32Kind, protoreflect.Sfixed32Kind:
		return protoreflect.ValueOfInt32(int32(n)), fmt.Sprintf("2 %d", int32(n))
	case protoreflect.Uint32Kind, protoreflect.Fixed32Kind:
		return protoreflect.ValueOfUint32(uint32(n)), fmt.Sprintf("2 %d", uint32(n))
	case protoreflect.Uint64Kind, protoreflect.Fixed64Kind:
		return protoreflect.ValueOfUint64(uint64(n)), fmt.Sprintf("2 %d", uint64(n))
	}
	return protoreflect.ValueOfInt64(n), fmt.Sprintf("2 %d", n)
}

// FuzzProto takes any value.
func FuzzProto(f *testing.F) {
	f.Add(protoMessage()[frameSize:])
	f.Add([]byte("\x00\x8a\x01\x04\x08\x01\x10\x02\x53\x08\x01\x54"))
	f.Add([]byte("\x02\x00\xfa\xff\xff\xff\x0f\x06\x0a\x01a\x12\x01b"))
	wanted := paths{"i32", "s", "m.m.by", "at", "words.a", "list", "e", "d"}
	p, err := compileProto(f.Context(), allKinds, newTree(wanted))
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if _, reason := run(t, p, wanted, b); reason != ReasonNone && reason != ReasonSyntax && reason != ReasonTruncated && reason != ReasonTooDeep {
			t.Fatal(reason)
		}
	})
}

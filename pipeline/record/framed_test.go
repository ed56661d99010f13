package record

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// registry is a Schemas of schemas by id, kind and text.
type registry struct {
	schemas map[uint32][2]string
	err     error
	asked   int
}

func (r *registry) Schema(_ context.Context, id uint32) (kind, text string, err error) {
	r.asked++
	return r.schemas[id][0], r.schemas[id][1], r.err
}

const avroRequest = `{"type":"record","name":"Request","namespace":"shop","fields":[
	{"name":"at","type":{"type":"long","logicalType":"timestamp-millis"}},
	{"name":"tags","type":{"type":"array","items":"string"}},
	{"name":"who","type":{"type":"record","name":"Who","fields":[{"name":"tenant","type":["null","string"]},{"name":"roles","type":{"type":"map","values":"int"}}]}},
	{"name":"key","type":"bytes"},
	{"name":"op","type":{"type":"enum","name":"Op","symbols":["GET","PUT"]}},
	{"name":"weight","type":"double"}]}`

const protoRequest = `syntax = "proto3";
package shop;
import "google/protobuf/timestamp.proto";
message Other { string key = 4; }
message Request {
  enum Op { GET = 0; PUT = 1; }
  message Who { optional string tenant = 1; map<string, int32> roles = 2; }
  google.protobuf.Timestamp at = 1;
  repeated string tags = 2;
  Who who = 3;
  bytes key = 4;
  optional Op op = 5;
  double weight = 6;
}`

// framed puts the frame of a schema in front.
func framed(id uint32, parts ...[]byte) []byte {
	return append(binary.BigEndian.AppendUint32([]byte{0}, id), bytes.Join(parts, nil)...)
}

// avroMessage is a Request of schema 7, which ends with a byte that is a line feed elsewhere.
func avroMessage() []byte {
	weight := binary.LittleEndian.AppendUint64(nil, math.Float64bits(2.5))
	return framed(7, binary.AppendVarint(nil, 1712345678250), []byte("\x01\x04\x02x\x00"), []byte("\x02\x08acme\x02\x0aadmin\x0a\x00"), []byte("\x08o/\n1"), []byte{2}, weight)
}

// protoMessage is the same of schema 8, whose type is the second of its file.
func protoMessage() []byte {
	weight := append([]byte{6<<3 | 1}, binary.LittleEndian.AppendUint64(nil, math.Float64bits(2.5))...)
	at := binary.AppendUvarint([]byte{8}, 1712345678)
	at = binary.AppendUvarint(append(at, 16), 250e6)
	return framed(8, []byte{2, 2}, []byte{1<<3 | 2, byte(len(at))}, at, []byte("\x12\x01x\x1a\x11\x0a\x04acme\x12\x09\x0a\x05admin\x10\x05"), []byte("\x22\x04o/\n1"), []byte{5 << 3, 1}, weight)
}

func requests() *registry {
	return &registry{schemas: map[uint32][2]string{7: {"AVRO", avroRequest}, 8: {"PROTOBUF", protoRequest}, 9: {"JSON", "{}"}, 10: {"AVRO", "broken"}}}
}

// framedConfig reads the Requests of every kind. unit is how their time is written.
func framedConfig(unit string) Config {
	return Config{Format: "confluent", Time: TimeConfig{Unit: unit}, Fields: Fields{
		Time: Field{Path: "at"}, Tenant: Field{Path: "who.tenant"}, Key: Field{Path: "key"}, Op: Field{Path: "op"}, Count: Field{Path: "weight"},
		Status: Field{Path: "who.roles.admin"}, Shard: Field{Path: "not.there"},
	}}
}

func TestFramed(t *testing.T) {
	want := Record{
		Time: 1712345678250 * 1e6, Tenant: []byte("acme"), FullTenant: []byte("acme"), Key: []byte("o/\n1"), FullKey: []byte("o/\n1"),
		Op: OpWrite, Count: 2.5, Status: 5,
	}
	text := []byte(`{"at":1712345678250,"who":{"tenant":"acme","roles":{"admin":5}},"key":"o/\n1","op":"PUT","weight":2.5}` + "\n")
	for _, c := range []struct {
		unit  string
		value []byte
	}{{"ms", avroMessage()}, {"s", protoMessage()}, {"ms", framed(9, text)}} {
		d, from := mustDecoder(t, framedConfig(c.unit)), requests()
		var got Record
		m := &Message{Value: c.value, Time: NoTime}
		if reason := d.DecodeMessage(m, &got); reason != ReasonSchema || !d.WantsSchema() || !cmp.Equal(got, Record{Time: NoTime, Count: 1}) {
			t.Fatalf("%q: %v before its schema is known", c.value, reason)
		}
		for range 2 {
			if err := d.Learn(t.Context(), from); err != nil || d.WantsSchema() || from.asked != 1 {
				t.Fatalf("%v, wants %v, asked %d times", err, d.WantsSchema(), from.asked)
			}
			if reason := d.DecodeMessage(m, &got); reason != ReasonNone || !cmp.Equal(got, want) {
				t.Fatalf("%q: %v %s", c.value, reason, cmp.Diff(want, got))
			}
		}
		if allocs := testing.AllocsPerRun(100, func() { d.DecodeMessage(m, &got) }); allocs != 0 {
			t.Errorf("%q: %v allocations", c.value, allocs)
		}
	}
}

// TestFramedTogether: schemas of every kind on one topic, in turn, leave nothing behind in each other's records.
func TestFramedTogether(t *testing.T) {
	d, from := mustDecoder(t, Config{Format: "confluent", Fields: Fields{Key: Field{Path: "key"}, Tenant: Field{Path: "who.tenant"}, Shard: Field{Path: "shard"}}}), requests()
	short := framed(9, []byte(`{"key":"k"}`))
	other := framed(8, []byte("\x00\x22\x01k")) // an Other, the first type
	for i, c := range []struct {
		value []byte
		want  string
	}{
		{avroMessage(), "acme o/\n1 "},
		{framed(9, []byte(`{"key":"k","shard":"s"}`)), " k s"},
		{short, " k "},
		{protoMessage(), "acme o/\n1 "},
		{short, " k "},
		{other, " k "},
		{avroMessage(), "acme o/\n1 "},
		{other, " k "},
		{avroMessage(), "acme o/\n1 "},
		{short, " k "},
	} {
		var rec Record
		reason := d.DecodeMessage(&Message{Value: c.value}, &rec)
		if d.WantsSchema() {
			if err := d.Learn(t.Context(), from); err != nil {
				t.Fatal(err)
			}
			reason = d.DecodeMessage(&Message{Value: c.value}, &rec)
		}
		if got := strings.Join([]string{string(rec.Tenant), string(rec.Key), string(rec.Shard)}, " "); reason != ReasonNone || got != c.want {
			t.Errorf("message %d: %v %q, want %q", i, reason, got, c.want)
		}
	}
	if from.asked != 3 {
		t.Errorf("asked for %d schemas, want 3", from.asked)
	}
}

// TestFramedRefuses: what is no frame, what the registry does not have, and what cannot be asked for now.
func TestFramedRefuses(t *testing.T) {
	d, from := mustDecoder(t, framedConfig("ms")), requests()
	decode := func(value []byte) Reason {
		var rec Record
		return d.DecodeMessage(&Message{Value: value}, &rec)
	}
	from.err = errors.New("no route to host")
	if decode(avroMessage()) != ReasonSchema || !errors.Is(d.Learn(t.Context(), from), from.err) || !d.WantsSchema() {
		t.Error("a registry that does not answer is no reason to give a schema up")
	}
	if decode(nil) != ReasonNoValue || d.WantsSchema() || d.Learn(t.Context(), from) != nil {
		t.Error("a tombstone wants the schema of the message before it")
	}
	from.err = nil
	for _, id := range []uint32{10, 11} {
		if decode(framed(id, []byte("x"))) != ReasonSchema || d.Learn(t.Context(), from) == nil || d.WantsSchema() {
			t.Errorf("schema %d is no problem", id)
		}
		if reason := decode(framed(id, []byte("y"))); reason != ReasonSchema || d.WantsSchema() {
			t.Errorf("schema %d: %v, wanted again: %v", id, reason, d.WantsSchema())
		}
	}
	if decode(avroMessage()) != ReasonSchema || d.Learn(t.Context(), from) != nil {
		t.Fatal("schema 7 is not learned")
	}
	for text, want := range map[string]Reason{
		"": ReasonNoValue, "\x00\x00\x00": ReasonTruncated, `{"key":"k"}`: ReasonSyntax, "\n": ReasonSyntax,
		string(avroMessage()[:20]): ReasonTruncated, string(avroMessage()) + "x": ReasonSyntax, strings.Repeat("\x00", 2<<20): ReasonTooLong,
	} {
		if reason := decode([]byte(text)); reason != want || d.WantsSchema() {
			t.Errorf("%.30q: %v, want %v; a schema is wanted: %v", text, reason, want, d.WantsSchema())
		}
	}
	// More schemas than are kept are asked for again.
	for id := range uint32(2 * maxSchemas) {
		d.framed.learn(id+100, nil)
	}
	if n := len(d.framed.known); n > maxSchemas {
		t.Errorf("%d schemas are kept", n)
	}
	if decode(avroMessage()) != ReasonSchema || !d.WantsSchema() {
		t.Error("schema 7 was not dropped with the others")
	}
	stopped, stop := context.WithCancel(t.Context())
	if stop(); d.Learn(stopped, from) == nil || !d.WantsSchema() {
		t.Error("who is stopped gave a schema up")
	}
}

func BenchmarkFramed(b *testing.B) {
	for name, c := range map[string]struct {
		unit  string
		value []byte
	}{"avro": {"ms", avroMessage()}, "protobuf": {"s", protoMessage()}} {
		b.Run(name, func(b *testing.B) {
			d := mustDecoder(b, framedConfig(c.unit))
			var rec Record
			m := &Message{Value: c.value, Time: NoTime}
			d.DecodeMessage(m, &rec)
			if err := d.Learn(b.Context(), requests()); err != nil {
				b.Fatal(err)
			}
			b.SetBytes(int64(len(c.value)))
			b.ReportAllocs()
			for b.Loop() {
				if reason := d.DecodeMessage(m, &rec); reason != ReasonNone {
					b.Fatal(reason)
				}
			}
		})
	}
}

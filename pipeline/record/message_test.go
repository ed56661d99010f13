package record

import (
	"bytes"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// messageConfig maps every part of a message beside a JSON value.
func messageConfig() Config {
	return Config{
		Format: "json", Time: TimeConfig{Unit: "ms"},
		Fields: Fields{
			Time: Field{Path: "ts", Or: []string{"@time"}}, Tenant: Field{Path: "@header.tenant"},
			Key: Field{Path: "@key", Regex: "^[^/]*/(.*)"}, Op: Field{Path: "op"}, Count: Field{Path: "@header.weight"},
			Caller: Field{Path: "caller", Or: []string{"@header.caller"}}, Bytes: Field{Path: "@time"},
		},
		Match: []Match{{Field: "live", Equals: "true"}, {Field: "@header.fleet", In: []string{"orders", "carts"}}},
	}
}

// message returns one that messageConfig reads.
func message(value string) *Message {
	return &Message{
		Key: []byte("acme/o/1"), Value: []byte(value), Time: 1712345678250 * 1e6,
		Headers: []Header{{"fleet", []byte("orders")}, {"traceparent", []byte("00-1")}, {"tenant", []byte("acme")}, {"weight", []byte("2.5")}, {"caller", []byte("web-1")}},
	}
}

func TestDecodeMessage(t *testing.T) {
	d := mustDecoder(t, messageConfig())
	want := Record{
		Time: 1712345678250 * 1e6, Tenant: []byte("acme"), FullTenant: []byte("acme"), Key: []byte("o/1"), FullKey: []byte("o/1"),
		Caller: []byte("web-1"), Op: OpRead, Count: 2.5, Bytes: 1712345678250,
	}
	var got Record
	for range 3 { // scanned, then predicted
		if reason := d.DecodeMessage(message(`{"live":true,"op":"GET"}`), &got); reason != ReasonNone || !cmp.Equal(got, want) {
			t.Fatalf("%v %s", reason, cmp.Diff(want, got))
		}
	}
	if !d.ReadsHeaders() || mustDecoder(t, Config{Format: "json", Fields: Fields{Key: Field{Path: "@key"}}}).ReadsHeaders() {
		t.Error("only some paths lead to headers")
	}
	// A part of the message is never changed: the record's slices are clipped.
	m := message(`{"live":true,"caller":"x"}`)
	if d.DecodeMessage(m, &got) != ReasonNone {
		t.Fatal("refused")
	}
	_ = append(got.Tenant, "overwritten"...)
	_ = append(got.Caller, "overwritten"...)
	if again := message(`{"live":true,"caller":"x"}`); !reflect.DeepEqual(m, again) {
		t.Errorf("the message changed: %s", cmp.Diff(again, m))
	}
}

// TestMessagesOfOtherFleets: what does not match by its headers is another fleet's, however broken and even without a value.
func TestMessagesOfOtherFleets(t *testing.T) {
	d := mustDecoder(t, messageConfig())
	for value, mine := range map[string]Reason{
		"": ReasonNoValue, "\x00\x00\x00\x00\x07binary": ReasonSyntax, `{"live":true`: ReasonTruncated, `{"live":false}`: ReasonNotMatched,
		`{"live":true}`: ReasonNone, strings.Repeat("x", 2<<20): ReasonTooLong,
	} {
		var rec Record
		m := message(value)
		if reason := d.DecodeMessage(m, &rec); reason != mine {
			t.Errorf("%.20q: %v, want %v", value, reason, mine)
		}
		m.Headers[0].Value = []byte("users")
		if reason := d.DecodeMessage(m, &rec); reason != ReasonNotMatched || !cmp.Equal(rec, Record{Time: NoTime, Count: 1}) {
			t.Errorf("%.20q: %v of another fleet", value, reason)
		}
	}
}

// TestMessageIsLine: without a path beside the value a message is its line, whatever its key, headers and time.
func TestMessageIsLine(t *testing.T) {
	for _, c := range benchCases() {
		d := mustDecoder(t, c.cfg)
		if err := d.Header([]byte(c.header)); err != nil {
			t.Fatal(err)
		}
		for _, line := range c.lines {
			var want, got Record
			wanted := d.Decode([]byte(line), &want)
			want.Key, want.FullKey = bytes.Clone(want.Key), bytes.Clone(want.FullKey) // the decoder's, where it was cut
			if reason := d.DecodeMessage(message(line+"\n"), &got); reason != wanted || !cmp.Equal(want, got) {
				t.Errorf("%s: %v, want %v: %s", line, reason, wanted, cmp.Diff(want, got))
			}
		}
	}
}

// TestHeaderIsMember is the oracle of headers: a field that a header holds gives the record that a member of that text gives.
func TestHeaderIsMember(t *testing.T) {
	fields := func(prefix string) Config {
		path := func(name string) Field { return Field{Path: prefix + name} }
		return Config{Format: "json", Time: TimeConfig{Unit: "ms"}, Absent: []string{"-"}, Fields: Fields{
			Time: path("a"), Tenant: path("b"), Key: path("c"), Op: path("d"), Count: path("e"), Rate: path("f"),
			Bytes: path("g"), Latency: path("h"), Status: path("i"), Shard: Field{Path: "shard"},
		}}
	}
	beside, inside := mustDecoder(t, fields("@header.")), mustDecoder(t, fields(""))
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.SampledFrom([]string{"", "-", "0", "1", "429", "0.5", "1e3", "-1", " 7 ", "GET", "1712345678250", "999999999999999999"}), rapid.StringN(0, 12, 20))
		var headers []Header
		var members []string
		for name := range strings.SplitSeq("abcdefghi", "") {
			if !rapid.Bool().Draw(t, "has "+name) {
				continue
			}
			value := text.Draw(t, name)
			headers = append(headers, Header{name, []byte("overruled")}, Header{name, []byte(value)})
			members = append(members, quoteJSON(name)+":"+quoteJSON(value))
		}
		var got, want Record
		reason := beside.DecodeMessage(&Message{Value: []byte(`{"shard":"s"}`), Headers: headers, Time: NoTime}, &got)
		wanted := inside.Decode([]byte(`{"shard":"s"`+strings.Join(append([]string{""}, members...), ",")+`}`), &want)
		if reason != wanted || !cmp.Equal(got, want) {
			t.Fatalf("%v: %v, want %v: %s", headers, reason, wanted, cmp.Diff(want, got))
		}
	})
}

// FuzzDecodeMessage throws anything at decoders that look at every part of a message: never a panic, every promise of
// Record, nothing left behind for a line, and a message whose parts are not mapped is its line.
func FuzzDecodeMessage(f *testing.F) {
	f.Add([]byte("acme/o/1"), []byte(`{"live":true,"op":"GET"}`), "weight", []byte("3"), int64(1712345678250)*1e6)
	f.Add([]byte(nil), []byte(nil), "", []byte(nil), NoTime)
	f.Add([]byte("\x00"), []byte("1,t,k\n2,t,k\r\n\n3"), "tenant", []byte("\xff"), int64(-1))
	f.Add(bytes.Repeat([]byte("k"), 2000), []byte(`{"ts":"x"}`), "fleet", []byte("users"), int64(1)<<62)
	plain, full := mustDecoder(f, Config{Preset: "canonical", Format: "json"}), mustDecoder(f, messageConfig())
	line := mustDecoder(f, Config{Preset: "canonical", Format: "json"})
	other := []*Decoder{
		full, mustDecoder(f, Config{Format: "none", Fields: Fields{Key: Field{Path: "@key"}, Time: Field{Path: "@time"}, Tenant: Field{Path: "@header.tenant"}, Count: Field{Path: "@header.weight"}}}),
		mustDecoder(f, Config{Preset: "canonical", Header: "ts_ms,tenant,key", Lines: true, Fields: Fields{Shard: Field{Path: "@key"}, Status: Field{Path: "@header.weight"}}}),
	}
	f.Fuzz(func(t *testing.T, key, text []byte, name string, header []byte, nanos int64) {
		var rec, want Record
		for _, d := range other {
			m := Message{Key: key, Time: nanos, Headers: []Header{{"fleet", []byte("carts")}, {name, header}}}
			for rest := text; ; {
				before := len(rest)
				if m.Value, rest = d.First(rest); len(m.Value)+len(rest) != before || len(m.Value) == 0 && before > 0 {
					t.Fatalf("%q was cut into %q and %q", text, m.Value, rest)
				}
				reason := d.DecodeMessage(&m, &rec)
				if problem := broken(&rec, reason); problem != "" || reason >= reasons {
					t.Fatalf("%+v: %v: %s: %+v", m, reason, problem, rec)
				}
				if len(rest) == 0 {
					break
				}
			}
		}
		if reason := full.Decode(text, &rec); !reason.Refusal() && reason != ReasonBlank && reason != ReasonNotMatched {
			t.Fatalf("a line has a fleet: %v", reason)
		}
		m := Message{Key: key, Value: text, Time: nanos, Headers: []Header{{name, header}}}
		got, wanted := plain.DecodeMessage(&m, &rec), line.Decode(text, &want)
		if len(text) == 0 {
			wanted = ReasonNoValue
		}
		if got != wanted || !cmp.Equal(rec, want) {
			t.Fatalf("%q: %v, want %v: %s", text, got, wanted, cmp.Diff(want, rec))
		}
	})
}

func TestDecodeMessageDoesNotAllocate(t *testing.T) {
	var rec Record
	for _, c := range messageCases() {
		d, m := mustDecoder(t, c.cfg), c.message
		if reason := d.DecodeMessage(m, &rec); reason != ReasonNone {
			t.Fatalf("%s: %v", c.name, reason)
		}
		if allocs := testing.AllocsPerRun(100, func() { d.DecodeMessage(m, &rec) }); allocs != 0 {
			t.Errorf("%s: %v allocations", c.name, allocs)
		}
	}
}

// messageCase is a message and who reads it.
type messageCase struct {
	name    string
	cfg     Config
	message *Message
}

// messageCases returns the JSON of BenchmarkDecode as a message, without and with paths beside it, and one whose value is
// not read.
func messageCases() []messageCase {
	line := benchCases()[1].lines[0]
	beside := Config{Preset: "canonical", Format: "json", Fields: Fields{
		Time: Field{Path: "@time"}, Tenant: Field{Path: "@header.tenant"}, Key: Field{Path: "@key"}, Count: Field{Path: "@header.weight"},
	}}
	all := messageConfig()
	all.Fields.Key.Regex = "" // regexp allocates
	none := beside
	none.Preset, none.Format = "", "none"
	none.Match = []Match{{Field: "@header.fleet", Equals: "orders"}}
	return []messageCase{
		{"json", Config{Preset: "canonical", Format: "json"}, message(line)},
		{"json_beside", beside, message(line)},
		{"all_beside", all, message(`{"live":true,"op":"GET"}`)},
		{"none", none, message(line)},
	}
}

func BenchmarkDecodeMessage(b *testing.B) {
	for _, c := range messageCases() {
		b.Run(c.name, func(b *testing.B) {
			d := mustDecoder(b, c.cfg)
			var rec Record
			b.SetBytes(int64(len(c.message.Value)))
			b.ReportAllocs()
			for b.Loop() {
				if reason := d.DecodeMessage(c.message, &rec); reason != ReasonNone {
					b.Fatal(reason)
				}
			}
		})
	}
}

package record

import (
	"bytes"
	"encoding/csv"
	"math"
	"regexp"
	"strings"
	"testing"
)

// FuzzCSV holds the splitter against encoding/csv on one row of three columns: the same fields, or both refuse.
func FuzzCSV(f *testing.F) {
	for _, seed := range []string{
		"a,b,c", "a,b", "a,b,c,d", `"a","b,""x""",c`, `a,"b`, `a,b"b,c`, `a,"b"b,c`, ",,", `"","",""`, `""",",b,c`, "a,\xff\x00,c", "a\tb\tc", `"a"`,
	} {
		f.Add([]byte(seed), false)
		f.Add([]byte(seed), true)
	}
	f.Fuzz(func(t *testing.T, line []byte, tabs bool) {
		comma := byte(',')
		if tabs {
			comma = '\t'
		}
		p := paths{"a", "b", "c"}
		s := newCSVSplitter(comma, true, p)
		if err := s.header([]byte(strings.Join(p, string(rune(comma)))), p); err != nil {
			t.Fatal(err)
		}
		vals := make([]value, 3)
		reason := s.split(line, vals)
		if bytes.ContainsAny(line, "\r\n") || len(line) == 0 {
			return // a row of several lines, or none: encoding/csv reads another thing
		}
		r := csv.NewReader(bytes.NewReader(line))
		r.Comma, r.FieldsPerRecord = rune(comma), 3
		row, err := r.Read()
		if (reason == ReasonNone) != (err == nil) {
			t.Fatalf("%q: %v, encoding/csv has %q %v", line, reason, row, err)
		}
		for i := range vals {
			if err == nil && string(vals[i].text) != row[i] {
				t.Fatalf("%q: field %d is %q, encoding/csv has %q", line, i, vals[i].text, row[i])
			}
		}
	})
}

func TestCSVHeader(t *testing.T) {
	d := mustDecoder(t, Config{Preset: "canonical", Match: []Match{{Field: "fleet", Equals: "a"}}})
	for _, c := range []struct{ header, problem, missing string }{
		{"fleet,ts_ms,tenant,key,op,weight", "", "rate shard caller bytes latency_us status"},
		{"\ufeffkey,fleet\r\n", "", "ts_ms tenant op weight rate shard caller bytes latency_us status"},
		{`"key","fleet"`, "", "ts_ms tenant op weight rate shard caller bytes latency_us status"},
		{"fleet,ts_ms,op,Key", `no column for key, tenant or shard; found ["fleet" "ts_ms" "op" "Key"]`, ""},
		{"key,tenant", `no column "fleet", which match needs`, ""},
		{"key,fleet,key", `column "key" occurs twice`, ""},
		{`key,"fleet`, "syntax", ""},
		{"", "no column", ""},
		{"key,fleet" + strings.Repeat(",x", maxColumns), "more than 4096 columns", ""},
	} {
		err := d.Header([]byte(c.header))
		if c.problem == "" {
			if got := strings.Join(d.Missing(), " "); err != nil || got != c.missing {
				t.Errorf("%.30q: missing %q, want %q; %v", c.header, got, c.missing, err)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), c.problem) {
			t.Errorf("%.30q: error %v, want %q", c.header, err, c.problem)
		}
		var rec Record
		if reason := d.Decode([]byte("a,b,c"), &rec); reason != ReasonSyntax {
			t.Errorf("%.30q: a row after a bad header gives %v", c.header, reason)
		}
	}
}

// The two halves of a row with a quoted line end are both refused, and no half passes for a record.
func TestCSVQuotedLineEnd(t *testing.T) {
	d := mustDecoder(t, Config{Format: "csv", Fields: Fields{Tenant: Field{Path: "tenant"}, Key: Field{Path: "key"}}})
	if err := d.Header([]byte("tenant,key,x")); err != nil {
		t.Fatal(err)
	}
	var rec Record
	whole := "t,\"one\ntwo\",y"
	for half := range strings.SplitSeq(whole, "\n") {
		if reason := d.Decode([]byte(half), &rec); reason != ReasonSyntax {
			t.Errorf("half %q gives %v", half, reason)
		}
	}
	if reason := d.Decode([]byte(whole), &rec); reason != ReasonNone || string(rec.Key) != "one\ntwo" {
		t.Errorf("the whole row gives %v %q", reason, rec.Key)
	}
	if reason := d.Decode([]byte("t,one\nt,two,y"), &rec); reason != ReasonSyntax {
		t.Errorf("two rows in one value give %v", reason)
	}
}

func TestCSVWithoutHeader(t *testing.T) {
	d := mustDecoder(t, Config{Format: "tsv", NoHeader: true, Fields: Fields{Key: Field{Path: "3"}, Tenant: Field{Path: "1"}}})
	if d.NeedsHeader() || d.Header([]byte("x")) != nil || d.Missing() != nil {
		t.Error("a log without a header asks for one")
	}
	for line, want := range map[string]Reason{
		"t\tx\tk": ReasonNone, "t\tx\tk\tmore": ReasonNone, "t\tx": ReasonTruncated, "\tx\t": ReasonNoIdentity,
	} {
		var rec Record
		if got := d.Decode([]byte(line), &rec); got != want || got == ReasonNone && (string(rec.Key) != "k" || string(rec.Tenant) != "t") {
			t.Errorf("%q: %v %q %q, want %v", line, got, rec.Tenant, rec.Key, want)
		}
	}
}

// FuzzCombined holds the splitter against a regular expression wherever that one matches.
func FuzzCombined(f *testing.F) {
	for _, seed := range []string{
		`10.0.0.1 - - [17/May/2015:10:05:03 +0000] "GET /a?b HTTP/1.1" 200 12 "-" "Mozilla \"x\""`,
		`h - john doe [17/May/2015:10:05:03 +0000] "POST /a b HTTP/1.0" 429 -`, `h - - [t] "-" 408 0`, `h - - [t] "\x16\x03" 400 1 "-" "-" 0.01`,
		`h - - [t] "GET /\q HTTP/1.1" 200 1`, `h - - [t] "GET /a`, `h - -`, `h`, `h - - [t] "GET /a HTTP/1.1"`, `h - - [t] "GET /a HTTP/1.1" 200 1 "cut`,
	} {
		f.Add([]byte(seed))
	}
	shape := regexp.MustCompile(`(?s)^([^ ]+) ([^ ]+) (.+?) \[([^\]]+)\] "([A-Za-z]+) ([^" \\]+) (HTTP/[0-9.]+)" ([^ "]+) ([^ "]+)( "([^"\\]|\\.)*" "([^"\\]|\\.)*")?$`)
	p := paths{"host", "method", "path", "status", "agent"}
	s := newCombinedSplitter(p)
	f.Fuzz(func(t *testing.T, line []byte) {
		vals := make([]value, len(p))
		reason := s.split(line, vals)
		m := shape.FindSubmatch(line)
		if m == nil || bytes.Contains(line, []byte(`\`)) {
			return
		}
		if reason != ReasonNone {
			t.Fatalf("%q: %v", line, reason)
		}
		for slot, group := range []int{1, 5, 6, 8} {
			if want := strings.TrimPrefix(string(m[group]), "-"); string(vals[slot].text) != string(m[group]) && (want != "" || vals[slot].kind != kindAbsent) {
				t.Fatalf("%q: %s is %q, want %q", line, p[slot], vals[slot].text, m[group])
			}
		}
	})
}

// FuzzLogfmt reads back what it writes around a value, and takes any line.
func FuzzLogfmt(f *testing.F) {
	for _, seed := range []string{"plain", "with space", `q"uote`, `b\ack`, "\x00\xff\n", "a=b=c", "", "é"} {
		f.Add([]byte(seed), "level=info msg=\"x \\\" y\" bare k2=v=w", "dur=3ms")
	}
	f.Add([]byte("x"), `key="cut`, `a="b"c`)
	s := newLogfmtSplitter(paths{"key", "bare"})
	f.Fuzz(func(t *testing.T, key []byte, before, after string) {
		alone := make([]value, 2)
		if reason := s.split([]byte(before), alone); reason != ReasonNone || alone[0].text != nil || strings.ContainsAny(before, "\n") {
			return
		}
		if reason := s.split([]byte(after), make([]value, 2)); reason != ReasonNone || strings.Contains(after, "key") || strings.Contains(after, "bare") {
			return
		}
		vals := make([]value, 2)
		line := before + " key=" + quoteJSON(string(key)) + "\t" + after
		if reason := s.split([]byte(line), vals); reason != ReasonNone || !bytes.Equal(vals[0].text, key) {
			t.Fatalf("%q: %v, key %q, want %q", line, reason, vals[0].text, key)
		}
		if vals[1].kind != alone[1].kind {
			t.Fatalf("%q: bare became %v, was %v", line, vals[1].kind, alone[1].kind)
		}
	})
}

// FuzzDecode throws any bytes at every preset: never a panic, and a record only within its documented ranges.
func FuzzDecode(f *testing.F) {
	for _, seed := range []string{
		`1,t,k,GET,1,,,,,,`, `1,t,k,GET,-1,0.5,s,c,1,1,429`, `{"path":"/a","method":"GET","duration":-1}`, `{"request_uri":"/a","status":"503"}`,
		`10.0.0.1 - - [17/May/2015:10:05:03 +0000] "GET /a?b HTTP/1.1" 200 12 "-" "-"`, "ts_ms=1 key=k weight=1e300", "\x00", `{"key":"k","weight":"NaN"}`,
	} {
		f.Add([]byte(seed))
	}
	var decoders []*Decoder
	for _, cfg := range []Config{
		{}, {Preset: "combined"}, {Preset: "envoy-json"}, {Preset: "nginx-json"}, {Preset: "canonical", Format: "json"}, {Preset: "canonical", Format: "logfmt"},
	} {
		d := mustDecoder(f, cfg)
		if err := d.Header([]byte("ts_ms,tenant,key,op,weight,rate,shard,caller,bytes,latency_us,status")); err != nil {
			f.Fatal(err)
		}
		decoders = append(decoders, d)
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		for _, d := range decoders {
			var rec Record
			reason := d.Decode(line, &rec)
			if reason >= reasons {
				t.Fatalf("%q: reason %v is not in the list", line, reason)
			}
			if problem := broken(&rec, reason); problem != "" {
				t.Fatalf("%q: %v: %s: %+v", line, reason, problem, rec)
			}
		}
	})
}

// broken names the promise of Record that does not hold, if any.
func broken(r *Record, reason Reason) string {
	bad := func(f float64) bool { return f < 0 || math.IsNaN(f) || math.IsInf(f, 0) }
	switch {
	case reason != ReasonNone && (r.Key != nil || r.Tenant != nil || r.Shard != nil || r.Count != 1 || r.Time != NoTime || r.Status != 0):
		return "a refused line leaves something behind"
	case reason != ReasonNone:
		return ""
	case len(r.Key) == 0 && len(r.Tenant) == 0 && len(r.Shard) == 0:
		return "no identity"
	case len(r.Key) > MaxCut || len(r.Tenant) > MaxCut || len(r.Shard) > MaxCut || len(r.Caller) > MaxCut:
		return "too long"
	case r.KeyHashed != (len(r.FullKey) > MaxKey) || !r.KeyHashed && !bytes.Equal(r.Key, r.FullKey):
		return "cut without a mark"
	case !(r.Requests(1) > 0 && r.Requests(1) <= MaxRequests) || bad(r.Count) || r.Rate < 0 || r.Rate > 1:
		return "requests"
	case bad(r.Bytes) || bad(r.Latency) || r.Status < 0:
		return "measures"
	}
	return ""
}

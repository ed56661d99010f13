package survey

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"strings"
	"testing"
)

// TestRefuse: what is no log, or too little of one, is refused in words that say what it is.
func TestRefuse(t *testing.T) {
	object := `{"ts":1700000000,"key":"k","op":"GET"}` + "\n"
	access := `10.0.0.1 - - [17/May/2015:10:05:03 +0000] "GET /a HTTP/1.1" 200 203 "-" "x"` + "\n"
	tests := []struct{ name, text, want string }{
		{"empty", "", "the file is empty"},
		{"blank", "\n  \n\t\n", "nothing but blank lines"},
		{"binary", strings.Repeat("\x00\x01\xff\xfe\n\x88\x02", 200), "binary, not lines of text"},
		{"prose", "It was the best of times, it was\nthe worst of times;\n", "no format that is known"},
		{"one long line", strings.Repeat("x", 10<<20) + "\n", "line 1 is longer than 1 MiB"},
		{"mixed", strings.Repeat(object, 30) + strings.Repeat(access, 20), "60 % json, 40 % combined; the first line that is not json is line 31"},
		{"header only", "ts_ms,tenant,key,op,weight\n", "a header and no record"},
		{"no values", "ts,key,op\n" + strings.Repeat(",,\n", 30), `no column can be a key, a tenant or a shard: "ts" (0 distinct values)`},
		{"nulls", strings.Repeat(`{"ts":null,"key":null}`+"\n", 30), "no column can be a key, a tenant or a shard"},
		{"only measures", "ts,latency_ms\n1700000000,3\n1700000001,4\n1700000002,5\n", "no column can be a key, a tenant or a shard"},
		{"pretty JSON", "{\n \"a\": 1,\n \"b\": 2\n}\n", "one object a line"},
		{"an array", "[{\"key\":\"a\"},{\"key\":\"b\"}]\n", "one object a line"},
		{"semicolons", strings.Repeat("1700000000;GET;key 1;x\n", 20), "parted by semicolons"},
		{"bars", strings.Repeat("1700000000|GET|key 1|x\n", 20), "parted by bars"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := NewSample(Limit{}, 1)
			err := s.Add("log", strings.NewReader(tt.text))
			if err == nil {
				_, err = Propose(s, "orders")
			}
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want one that says %q", err, tt.want)
			}
		})
	}
}

// TestLittle: one line is enough for a proposal, and lines that cannot be read are counted by reason.
func TestLittle(t *testing.T) {
	p := proposed(t, `{"ts":1700000000,"key":"k","tenant":"t"}`)
	if p.Read != 1 || !p.Whole || p.Fleet.Record.Fields.Time.Path != "ts" {
		t.Errorf("one line: %+v", p.Fleet.Record)
	}
	lines := strings.Repeat(`{"ts":1700000000,"key":"k1"}`+"\n"+`{"ts":1700000001,"key":"k2"}`+"\n", 40)
	p = proposed(t, lines+"{\"ts\":17000\n"+strings.Repeat("y", 2<<20)+"\n"+`{"ts":"soon","key":"k3"}`+"\n")
	for _, want := range []string{"1 truncated (line 81)", "1 too_long (line 82)", "1 time (line 83)"} {
		if !strings.Contains(string(p.YAML), want) {
			t.Errorf("the file does not say %q:\n%s", want, p.YAML)
		}
	}
}

// TestBroken: a file that breaks off is used as far as it goes, and the proposal says so.
func TestBroken(t *testing.T) {
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	for i := range 6000 {
		if _, err := fmt.Fprintf(w, "{\"ts\":%d,\"key\":\"k%d\"}\n", 1700000000+i, i*i%977); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	s := NewSample(Limit{Lines: 50000}, 1)
	if err := s.Add("log.gz", bytes.NewReader(packed.Bytes()[:packed.Len()/2])); err != nil {
		t.Fatal(err)
	}
	p, err := Propose(s, "orders")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(p.YAML), "log.gz breaks off") {
		t.Errorf("the file does not say that its log breaks off:\n%.600s", p.YAML)
	}
}

// TestLimits: no more is kept than the limit says, and files share it.
func TestLimits(t *testing.T) {
	text := strings.Repeat(`{"ts":1700000000,"key":"k"}`+"\n", 1000)
	s := NewSample(Limit{Lines: 100}, 4)
	for range 4 {
		if err := s.Add("log", strings.NewReader(text)); err != nil {
			t.Fatal(err)
		}
	}
	if s.size() != 100 || s.whole() {
		t.Errorf("%d lines, whole %v; want 100 of more", s.size(), s.whole())
	}
	s = NewSample(Limit{Bytes: 1000}, 1)
	if err := s.Add("log", strings.NewReader(text)); err != nil {
		t.Fatal(err)
	}
	if size := s.size() * 27; size > 1000+27 {
		t.Errorf("%d bytes are kept, want about 1000", size)
	}
}

package record

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// hostileLines returns lines that somebody might send on purpose, with the reason that each format's decoder gives.
func hostileLines() map[string]map[string]Reason {
	return map[string]map[string]Reason{
		"json": {
			`{"key":"` + strings.Repeat("x", 64<<10) + `"}`:   ReasonNone,
			`{"key":"` + strings.Repeat("x", 10<<20) + `"}`:   ReasonTooLong,
			`{"key":"a","z":` + strings.Repeat("[", 500_000):  ReasonTooDeep,
			strings.Repeat(`{"key":`, 100_000):                ReasonTooDeep,
			"{\"key\":\"a\x00b\"}":                            ReasonSyntax,
			"\xff\xfe{\x00}\x00":                              ReasonSyntax,
			`{"key":"","tenant":"","shard":""}`:               ReasonNoIdentity,
			`{"key":"a","weight":-0}`:                         ReasonCount,
			`{"key":"a","weight":1e999}`:                      ReasonCount,
			`{"key":"a","weight":1e300}`:                      ReasonCountHuge,
			`{"key":"a","weight":1,"rate":1e-300}`:            ReasonCountHuge,
			`{"key":"a","weight":1e-999}`:                     ReasonCount,
			`{"key":"a","weight":"0x10"}`:                     ReasonType,
			`{"key":"a","weight":[1]}`:                        ReasonType,
			`{"key":"a","ts_ms":9e18}`:                        ReasonTime,
			`{"key":"a","latency_us":1e999}`:                  ReasonRange,
			`{"key":"a","weight":` + strings.Repeat("9", 100): ReasonTruncated,
		},
		"csv": {
			"1,t," + strings.Repeat("x", 64<<10) + ",GET,1": ReasonNone,
			"1,t," + strings.Repeat("x", 2<<20) + ",GET,1":  ReasonTooLong,
			strings.Repeat(",", 1000):                       ReasonSyntax,
			"1,t,k\x00,GET,1":                               ReasonNone,
			"1,t,k,GET":                                     ReasonTruncated,
			strings.Repeat(`"`, 4001):                       ReasonSyntax,
		},
		"logfmt": {
			"key=" + strings.Repeat("x", 64<<10):       ReasonNone,
			strings.Repeat("key=a ", 1000):             ReasonDuplicate,
			"key=\"" + strings.Repeat(`\\`, 1000) + "": ReasonTruncated,
			"key=a\nkey=b": ReasonSyntax,
			"=":            ReasonSyntax,
		},
	}
}

func TestHostileLines(t *testing.T) {
	for format, lines := range hostileLines() {
		d := mustDecoder(t, Config{Preset: "canonical", Format: format})
		if err := d.Header([]byte("ts_ms,tenant,key,op,weight")); err != nil {
			t.Fatal(err)
		}
		for line, want := range lines {
			var rec Record
			got := d.Decode([]byte(line), &rec)
			if got != want {
				t.Errorf("%s %.40q: %v, want %v", format, line, got, want)
			}
			if problem := broken(&rec, got); problem != "" {
				t.Errorf("%s %.40q: %s", format, line, problem)
			}
		}
	}
}

// TestDecoderMemory: lines of the largest size, escaped from end to end, leave no more behind than a few of them.
func TestDecoderMemory(t *testing.T) {
	line := []byte(`{"key":"` + strings.Repeat(`\n`, 500_000) + `","tenant":"` + strings.Repeat(`x`, 40_000) + `"}`)
	d := mustDecoder(t, Config{Preset: "canonical", Format: "json"})
	var rec Record
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for range 20 {
		if reason := d.Decode(line, &rec); reason != ReasonNone {
			t.Fatal(reason)
		}
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if held := int64(after.HeapAlloc) - int64(before.HeapAlloc); held > 4*int64(len(line)) {
		t.Errorf("%d bytes held after lines of %d", held, len(line))
	}
	runtime.KeepAlive(d)
}

// TestRecordsDoNotLeak: what a line leaves behind never shows in the next one, whatever came in between.
func TestRecordsDoNotLeak(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	lines := []string{
		`{"ts_ms":5,"tenant":"t\u0041","key":"k\n","op":"GET","weight":2,"rate":0.5,"shard":"s","caller":"c","bytes":1,"latency_us":2,"status":429}`,
		`{"key":"\t"}`, `{"tenant":"x`, `{"key":1}`, `{"shard":"s\u0042","key":null}`, `{"key":"a","key":"b"}`, ``, `{"key":"` + strings.Repeat("y", 5000) + `"}`,
	}
	reused := mustDecoder(t, Config{Preset: "canonical", Format: "json"})
	var got Record
	for range 300 {
		line := []byte(lines[rng.IntN(len(lines))])
		var want Record
		reason := reused.Decode(line, &got)
		if fresh := mustDecoder(t, Config{Preset: "canonical", Format: "json"}).Decode(line, &want); fresh != reason || !cmp.Equal(got, want) {
			t.Fatalf("%s: %v and %v, %s", line, reason, fresh, cmp.Diff(want, got))
		}
	}
}

// TestMissingRates is case S20 as far as it is this package's: a record that lacks a rate says so, and the default is
// the caller's, for one record as for many.
func TestMissingRates(t *testing.T) {
	d := mustDecoder(t, Config{Preset: "canonical", Format: "json", Rate: 0.01})
	var requests float64
	lacking := 0
	for i := range 1000 {
		line := fmt.Sprintf(`{"key":"k%d","rate":0.1}`, i)
		if i%100 == 0 {
			line = fmt.Sprintf(`{"key":"k%d"}`, i)
		}
		var rec Record
		if reason := d.Decode([]byte(line), &rec); reason != ReasonNone {
			t.Fatal(reason)
		}
		if rec.Rate == 0 {
			lacking++
		}
		requests += rec.Requests(0.01)
	}
	if lacking != 10 || requests < 10899.999 || requests > 10900.001 {
		t.Errorf("%d lack a rate, %v requests; want 10 and 990 x 10 + 10 x 100", lacking, requests)
	}
	// The limit on requests counts with the default too.
	var rec Record
	if reason := d.Decode([]byte(`{"key":"k","weight":4e8}`), &rec); reason != ReasonCountHuge {
		t.Errorf("4e8 lines at 1 in 100: %v", reason)
	}
}

// AllocsPerRun is 0 for the canonical CSV and for flat JSON, also with quotes, escapes, times and cut keys.
func TestDecodeDoesNotAllocate(t *testing.T) {
	for _, c := range benchCases() {
		d := mustDecoder(t, c.cfg)
		if err := d.Header([]byte(c.header)); err != nil {
			t.Fatal(err)
		}
		var rec Record
		for _, line := range c.lines {
			if reason := d.Decode([]byte(line), &rec); reason != ReasonNone { // warms up the buffers
				t.Fatalf("%s: %s: %v", c.name, line, reason)
			}
		}
		lines := make([][]byte, len(c.lines))
		for i, line := range c.lines {
			lines[i] = []byte(line)
		}
		allocs := testing.AllocsPerRun(100, func() {
			for _, line := range lines {
				d.Decode(line, &rec)
			}
		})
		if allocs != 0 {
			t.Errorf("%s: %v allocations", c.name, allocs)
		}
	}
}

// benchCase is a log of a few lines.
type benchCase struct {
	name   string
	cfg    Config
	header string
	lines  []string
}

// benchCases returns one log of each kind that the hot path reads.
func benchCases() []benchCase {
	long := strings.Repeat("k", 2000)
	return []benchCase{
		{"csv", Config{}, "ts_ms,tenant,key,op,weight", []string{
			"1431857100000,client-8785a333a9cb,/presentations/logstash-monitorama-2013/images/redis.png,GET,1",
			`1431857100250,client-eab93f2d7be4,"/a ""b"", c",PUT,12.5`, "1431857100250,t," + long + ",GET,1",
		}},
		{"json", Config{Preset: "canonical", Format: "json"}, "", []string{
			`{"ts_ms":1431857100000,"tenant":"client-8785a333a9cb","key":"/presentations/logstash-monitorama-2013/images/redis.png","op":"GET","weight":1,"extra":{"a":[1,2,3]}}`,
			`{"ts_ms":1431857100.25,"tenant":"t\u00e9","key":"a\nb","op":"set_lease","weight":"3","rate":0.01,"status":429,"latency_us":1234.5}`,
			`{"key":"` + long + `"}`,
		}},
		{"envoy", Config{Preset: "envoy-json"}, "", []string{
			`{"start_time":"2024-04-05T20:17:00.310Z","method":"GET","path":"/cart/7?x=1","protocol":"HTTP/2","response_code":200,"response_flags":"-","bytes_received":0,"bytes_sent":4242,"duration":12,"upstream_service_time":"11","x_forwarded_for":"10.0.0.7","user_agent":"curl/8.5.0","request_id":"8f4b0a3e-7c53-9f0e-b7c6-6bd0f2f1a111","authority":"shop","upstream_host":"10.0.3.4:8080","downstream_remote_address":"10.0.0.1:38412"}`,
		}},
		{"nginx", Config{Preset: "nginx-json"}, "", []string{
			`{"time_iso8601":"2024-04-05T20:17:00+02:00","remote_addr":"10.0.0.1","request_method":"POST","request_uri":"\/cart\/7?x=1","status":"503","body_bytes_sent":"4242","request_time":"0.012","http_user_agent":"curl \"8\""}`,
		}},
		{"nested", Config{Format: "json", Time: TimeConfig{Unit: "s"}, Fields: Fields{
			Time: Field{Path: "t"}, Tenant: Field{Path: "req.who.tenant"}, Key: Field{Path: "req.key"}, Op: Field{Path: "req.op"},
		}}, "", []string{
			`{"t":1712345678.25,"req":{"who":{"tenant":"acme","roles":["a","b"]},"key":"o\/1","op":"QUERY"},"ok":true,"err":null}`,
			`{"t":"1712345678","req":{"key":"o/1","op":"QUERY","who":{"tenant":"acme"}}}`,
		}},
		{"combined", Config{Preset: "combined"}, "", []string{
			`10.246.242.22 - - [17/May/2015:10:05:03 +0000] "GET /presentations/images/kibana-search.png?x=1 HTTP/1.1" 200 203023 "http://semicomplete.com/presentations/" "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_9_1)"`,
		}},
		{"logfmt", Config{Preset: "canonical", Format: "logfmt"}, "", []string{
			`ts_ms=1431857100250 level=info tenant=shop key="/cart/7 \"x\"" op=GET weight=3 rate=0.01 cached`,
		}},
	}
}

func BenchmarkDecode(b *testing.B) {
	for _, c := range benchCases() {
		b.Run(strings.ReplaceAll(c.name, " ", "_"), func(b *testing.B) {
			d := mustDecoder(b, c.cfg)
			if err := d.Header([]byte(c.header)); err != nil {
				b.Fatal(err)
			}
			line := []byte(c.lines[0])
			var rec Record
			b.SetBytes(int64(len(line)))
			b.ReportAllocs()
			for b.Loop() {
				if reason := d.Decode(line, &rec); reason != ReasonNone {
					b.Fatal(reason)
				}
			}
		})
	}
}

func BenchmarkLines(b *testing.B) {
	text := strings.Repeat("1431857100000,client-8785a333a9cb,/presentations/images/redis.png,GET,1\n", 20_000)
	for name, compress := range compressors(b) {
		file := compress(text)
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				lines, err := OpenLines(bytes.NewReader(file), 0)
				if err != nil {
					b.Fatal(err)
				}
				n := 0
				for ; err == nil; n++ {
					_, _, err = lines.Next()
				}
				if n != 20_001 || lines.Close() != nil {
					b.Fatal(n, err)
				}
			}
		})
	}
}

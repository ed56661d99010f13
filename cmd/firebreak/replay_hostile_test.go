package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"firebreak/internal/line"
	"firebreak/pipeline/record"
	"firebreak/routing"
)

// TestBadFiles: what cannot be read is one line that names the file and what is wrong; what was read before it broke off
// is judged.
func TestBadFiles(t *testing.T) {
	log := hotKey().write()
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	if _, err := z.Write(log); err != nil || z.Close() != nil {
		t.Fatal(err)
	}
	binary := make([]byte, 4096)
	for i := range binary {
		binary[i] = byte(i * 31)
	}
	for _, tt := range []struct {
		name string
		path string
		want string // in the error; empty = none
		sums bool   // a summary is printed nevertheless
	}{
		{"whole gzip", save(t, "log.csv.gz", zipped.Bytes()), "", true},
		{"empty", save(t, "empty.csv", nil), "empty.csv: the file is empty", false},
		{"blank lines", save(t, "blank.csv", []byte("\n\n\n")), "blank.csv: the file is empty", false},
		{"only a header", save(t, "header.csv", []byte(canonicalHeader)), "", true},
		{"blank lines before the header", save(t, "late.csv", append([]byte("\n \n"), log...)), "", true},
		{"truncated gzip", save(t, "cut.csv.gz", zipped.Bytes()[:zipped.Len()*2/3]), "cut.csv.gz: gzip input ends too early", true},
		{"nearly nothing of a gzip", save(t, "stump.csv.gz", zipped.Bytes()[:5]), "stump.csv.gz: ", false},
		{"binary", save(t, "noise.bin", binary), "noise.bin: the format is not one", false},
		{"prose", save(t, "notes.txt", []byte("Dear all,\nthe shards are hot.\n")), "notes.txt: the format is not one", false},
		{"directory", t.TempDir(), "is a directory", false},
		{"missing", filepath.Join(t.TempDir(), "nowhere.csv"), "nowhere.csv: no such file", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			lines, err := replayed(t, strings.NewReader(""), "--shards", "16", tt.path)
			switch {
			case tt.want == "" && err != nil:
				t.Errorf("error %v", err)
			case tt.want != "" && (exitCode(err) != exitError || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "\n")):
				t.Errorf("error %v, want %q in one line", err, tt.want)
			}
			if got := len(lines["summary"]) == 1; got != tt.sums {
				t.Errorf("a summary was printed: %v, want %v", got, tt.sums)
			}
			if tt.name == "truncated gzip" && summaryOf(t, lines)["counted"].(float64) < hotKeyRecords/3 {
				t.Errorf("what stood before the cut was not counted: %v", summaryOf(t, lines))
			}
		})
	}
}

// TestHostileBytes (S19): keys of any bytes stay apart, come out as valid JSON and can be taken back; on a terminal they
// print; an empty key is none, an over-long one is kept by its prefix and hash.
func TestHostileBytes(t *testing.T) {
	long := strings.Repeat("k", 64<<10)
	keys := []string{
		"\x00\n\x1b[2J\xff\xfe", "a\xffb", "a\xfeb", `a\xffb`, "\u202eevil", "</script><script>", "snow\u2603man", "\x7f\u0085\u009b31m", long + "1", long + "2", "",
	}
	var log bytes.Buffer
	for n := range 600 {
		for i, key := range keys {
			if strings.ContainsAny(key, "\n\x00\x1b\x7f\u0085") {
				continue // JSON below
			}
			fmt.Fprintf(&log, `{"ts_ms":%d,"tenant":"t%d","op":"GET","key":"%s"}`+"\n", start+n*100, i, strings.ReplaceAll(key, `\`, `\\`))
		}
		fmt.Fprintf(&log, `{"ts_ms":%d,"tenant":"t","op":"GET","key":"%s"}`+"\n", start+n*100, "\\u0000\\n\\u001b[2J\xff\xfe")
		fmt.Fprintf(&log, `{"ts_ms":%d,"tenant":"t","op":"GET","key":"%s"}`+"\n", start+n*100, "\\u007f\\u0085\\u009b31m")
	}
	path := save(t, "log.json", log.Bytes())
	window := summaryOf(t, mustReplay(t, "--shards", "4", "--window", "2m", path))["window"].(map[string]any)
	got := map[string]float64{}
	for _, k := range window["top_keys"].([]any) {
		text := k.(map[string]any)["key"].(string)
		raw, err := routing.Unescape(text)
		if err != nil {
			t.Fatalf("key %q cannot be taken back: %v", text, err)
		}
		got[raw] = k.(map[string]any)["load"].(float64)
	}
	for _, key := range keys {
		switch {
		case key == "":
			if _, listed := got[key]; listed {
				t.Errorf("the empty key is listed")
			}
		case len(key) > 1024:
		case got[key] != 600:
			t.Errorf("key %q has %v, want 600", key, got[key])
		}
	}
	cut := 0
	for key, n := range got {
		if len(key) > 1024 && n == 600 && strings.HasPrefix(key, long[:1024]) {
			cut++
		}
	}
	if cut != 2 || len(got) != len(keys)-1 {
		t.Errorf("%d keys, %d of them cut: want %d and 2", len(got), cut, len(keys)-1)
	}
	for _, output := range []string{"text", "json"} {
		out, err := call(t, "replay --shards 4 --window 2m --output "+output+" "+path)
		if err != nil {
			t.Fatal(err)
		}
		if bad := strings.IndexFunc(out, func(r rune) bool {
			return r != '\n' && (r < ' ' || r >= 0x7f && r < 0xa0 || r == 0x202e || r == 0xfffd)
		}); bad >= 0 {
			t.Errorf("%s has a character that does not print: %q", output, out[max(0, bad-20):bad+10])
		}
	}
}

// TestWeights (S10): weights that are no number of requests are refused by reason and change nothing; 5e9 requests of a
// key are 5e9.
func TestWeights(t *testing.T) {
	var log bytes.Buffer
	log.WriteString("ts_ms,tenant,key,op,weight\n")
	for n := range 5000 {
		fmt.Fprintf(&log, "%d,t,K,PUT,1000000\n", start+n*10)
	}
	for _, weight := range []string{"0", "-1", "NaN", "+Inf", "1e300", "x"} {
		fmt.Fprintf(&log, "%d,t,K,PUT,%s\n", start, weight)
	}
	s := summaryOf(t, mustReplay(t, "--shards", "4", save(t, "log.csv", log.Bytes())))
	refused := 0.0
	for reason, n := range s["refused"].(map[string]any) {
		switch reason {
		case "count", "count_huge", "type":
			refused += n.(float64)
		default:
			t.Errorf("refused as %s", reason)
		}
	}
	top := s["window"].(map[string]any)["top_keys"].([]any)[0].(map[string]any)
	if refused != 6 || s["counted"] != 5000.0 || top["load"] != 5e9 {
		t.Errorf("refused %v, counted %v, top key %v; want 6, 5000, 5e9", refused, s["counted"], top)
	}
}

// TestStrayDate (S09): a line stamped a day ahead is refused and warned of once; the 10,000 after it are counted.
func TestStrayDate(t *testing.T) {
	tr := traffic{seconds: 100, perSecond: 100}
	n := 0
	tr.line = func(l *logLine) {
		if n++; n == 300 || n == 301 {
			l.ms += 24 * 3600 * 1000
		}
	}
	s := summaryOf(t, mustReplay(t, "--shards", "16", save(t, "log.csv", tr.write())))
	if s["future"] != 2.0 || s["late"] != 0.0 || s["counted"] != 9998.0 {
		t.Errorf("future %v, late %v, counted %v; want 2, 0, 9998", s["future"], s["late"], s["counted"])
	}
	if got := text(s["findings"]); strings.Count(got, "far ahead") != 1 || !strings.Contains(got, "2026-03-02T12:00:02Z") {
		t.Errorf("findings %q, want one warning that names the first of them", got)
	}
}

// TestMixedRates (S20): shards of equal load whose logs are sampled at different rates, one of which changes, are not hot;
// lines without a rate take the configured default and are counted, and a default that is wrong can be seen.
func TestMixedRates(t *testing.T) {
	var log bytes.Buffer
	log.WriteString(canonicalHeader)
	const seconds, load = 900, 400 // a shard serves 400/s
	for s := range seconds {
		for shard := range 8 {
			rate := 0.01
			switch {
			case shard == 1:
				rate = 0.1
			case shard == 2 && s >= 600:
				rate = 0.005
			}
			each := int(load * rate)
			for i := range each {
				shown := fmt.Sprint(rate)
				if (s*31+i*7+shard)%100 == 0 && rate == 0.01 {
					shown = ""
				}
				fmt.Fprintf(&log, "%d,t%d,k%d-%d,GET,1,%s,s%d,\n", start+s*1000+i*1000/each, (s+i)%50, shard, (s*each+i)%997, shown, shard)
			}
		}
	}
	path := save(t, "log.csv", log.Bytes())
	cfg := save(t, "fleets.yml", []byte("fleets: [{name: mixed, placement: {map: explicit}, record: {rate: 0.01}}]"))
	lines := mustReplay(t, "--config", cfg, path)
	s := summaryOf(t, lines)
	if len(lines["verdict"]) > 0 {
		t.Errorf("a hotspot was raised: %v", lines["verdict"][0]["reason"])
	}
	if n := s["unrated"].(float64); n < 100 || n > 400 {
		t.Errorf("%v records without a rate", n)
	}
	if got := text(s["findings"]); !strings.Contains(got, "lack a rate") {
		t.Errorf("findings %q do not warn of the default rate", got)
	}
}

// TestJSONHasNoNaN: whatever the numbers, a line is JSON.
func TestJSONHasNoNaN(t *testing.T) {
	zero := 0.0
	for _, f := range []float64{1 / zero, -1 / zero, zero / zero, 0, 1e300, -zero, 123456.789, 1e-9} {
		text, err := json.Marshal(line.Number(f))
		var back float64
		if err != nil || json.Unmarshal(text, &back) != nil {
			t.Errorf("%v is written as %s: %v", f, text, err)
		}
	}
	if text, _ := json.Marshal(line.Number(123456.789)); string(text) != "123457" {
		t.Errorf("six significant digits: %s", text)
	}
	at := time.Date(2026, 3, 1, 1, 2, 3, 456_789_000, time.FixedZone("", 3600))
	if text, _ := json.Marshal(line.Stamp(at)); string(text) != `"2026-03-01T00:02:03.456Z"` {
		t.Errorf("time: %s", text)
	}
}

// FuzzNames: any bytes come out as valid JSON and can be taken back, and print.
func FuzzNames(f *testing.F) {
	for _, seed := range []string{"", "plain", "\x00\n\x1b[2J", "a\xffb", `\xff`, "\u202e", "\U000e0001", "\u2028", "\\", `a" of "b`, "two  spaces ", strings.Repeat("k ", 600)} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		text, err := json.Marshal(map[string]any{"key": line.Name(s), "why": line.Prose(s)})
		if err != nil {
			t.Fatal(err)
		}
		var back map[string]string
		if err := json.Unmarshal(text, &back); err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		if raw, err := routing.Unescape(back["key"]); err != nil || raw != s {
			t.Errorf("%q comes back as %q: %v", s, raw, err)
		}
		if back, err := strconv.Unquote(shownName(s)); utf8.RuneCountInString(strconv.Quote(s)) <= maxShown && (err != nil || back != s) {
			t.Errorf("%q is shown as %s, which is %q: %v", s, shownName(s), back, err)
		}
		var wrapped strings.Builder
		if say(&wrapped, "what", "a "+shownName(s)+" b"); !strings.Contains(wrapped.String(), shownName(s)) {
			t.Errorf("%s is torn apart in\n%s", shownName(s), wrapped.String())
		}
		for _, shown := range []string{shownName(s), printable(s)} {
			if strings.ContainsAny(shown, "\x00\n\r\x1b\x7f\u0085\u009b\u2028\u202e") {
				t.Errorf("%q is shown as %q", s, shown)
			}
		}
	})
}

// TestNamesInText: no two names look the same, whatever quotes, spaces and escapes they hold, and a long key keeps its hash.
func TestNamesInText(t *testing.T) {
	long := strings.Repeat("k", 4000)
	cut := func(key string) string { out, _, _ := record.Cut([]byte(key), nil); return string(out) }
	names := []string{
		`a`, `a"`, `a\"`, `a" of tenant "b`, "a b", "a  b", "a b ", "a\tb", `a\tb`, "a\xff", `a\xff`, "a\ufffd", `a\u{9}b`,
		cut(long), cut(long + "1"), long[:1024], long[:1023], long[:200] + " ... " + long[:200], long[:200] + " ... " + long[:201],
	}
	seen := map[string]string{}
	for _, n := range names {
		var b strings.Builder
		say(&b, "key", shownName(n)+" of it")
		if other, twice := seen[b.String()]; twice {
			t.Errorf("%q and %q are both shown as %s", n, other, b.String())
		}
		seen[b.String()] = n
	}
	if got, hash := shownName(cut(long)), cut(long)[record.MaxKey:]; !strings.HasSuffix(got, "..."+hash) || len(got) > 2*maxShown {
		t.Errorf("a cut key is shown as %s, want its whole hash %s", got, hash)
	}
	if got := shownName("plain"); got != `"plain"` {
		t.Errorf("a plain name is shown as %s", got)
	}
}

// sharedData is the folder of the real logs; the test is skipped where it is absent.
func sharedData(t *testing.T) string {
	t.Helper()
	path := filepath.Join("..", "..", "..", "shared", "data")
	if _, err := os.Stat(path); err != nil {
		t.Skipf("the real logs are not here: %v", err)
	}
	return path
}

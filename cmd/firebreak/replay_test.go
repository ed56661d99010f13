package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite testdata/replay")

// canonicalHeader begins a canonical log with all of its columns.
const canonicalHeader = "ts_ms,tenant,key,op,weight,rate,shard,caller\n"

// start is the time of the first line of a generated log, in ms: 2026-03-01T12:00:00Z.
const start = 1772366400000

// traffic is a generated log: uniform keys and tenants, and one key that gets a share of all from a moment on.
type traffic struct {
	seconds, perSecond int
	hot                string // the key; empty = none
	onset              int    // second
	share              float64
	reads              float64              // share of reads, of all
	line               func(l *logLine)     // changes a line before it is written
	form               func(logLine) string // how a line is written; nil = canonical
}

type logLine struct {
	ms                                   int64
	tenant, key, op, rate, shard, caller string
	weight                               string
}

func (l logLine) canonical() string {
	return fmt.Sprintf("%d,%s,%s,%s,%s,%s,%s,%s\n", l.ms, l.tenant, l.key, l.op, l.weight, l.rate, l.shard, l.caller)
}

// write gives the log as bytes; the same traffic gives the same bytes.
func (tr traffic) write() []byte {
	r := rand.New(rand.NewPCG(3, 5))
	var b bytes.Buffer
	if tr.form == nil {
		b.WriteString(canonicalHeader)
		tr.form = logLine.canonical
	}
	for n := range tr.seconds * tr.perSecond {
		l := logLine{ms: start + int64(n)*1000/int64(tr.perSecond), weight: "1", rate: "0.01", caller: fmt.Sprint("web-", r.IntN(4))}
		key := r.IntN(5000)
		l.key, l.tenant, l.op = fmt.Sprint("item:", key), fmt.Sprint("shop-", key%100), "PUT"
		if r.Float64() < tr.reads {
			l.op = "GET"
		}
		if tr.hot != "" && n/tr.perSecond >= tr.onset && r.Float64() < tr.share {
			l.key, l.tenant = tr.hot, "shop-7"
		}
		if tr.line != nil {
			tr.line(&l)
		}
		b.WriteString(tr.form(l))
	}
	return b.Bytes()
}

// hotKeyRecords is the number of records of hotKey: four minutes of 40 a second.
const hotKeyRecords = 9600

// hotKey is the traffic of most tests: a key with 30 % of all writes from the second minute on.
func hotKey() traffic {
	return traffic{seconds: hotKeyRecords / 40, perSecond: 40, hot: "cart:42", onset: 60, share: 0.3}
}

// save writes a file of the test.
func save(t *testing.T, name string, data []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// replayed runs replay and returns its lines by type.
func replayed(t *testing.T, stdin io.Reader, args ...string) (lines map[string][]map[string]any, err error) {
	t.Helper()
	var out, errOut bytes.Buffer
	err = run(t.Context(), append([]string{"replay", "--output", "json"}, args...), stdin, &out, &errOut)
	if errOut.Len() > 0 {
		t.Errorf("replay %v wrote to stderr: %s", args, errOut.String())
	}
	lines = map[string][]map[string]any{}
	for text := range strings.Lines(out.String()) {
		var line map[string]any
		if err := json.Unmarshal([]byte(text), &line); err != nil {
			t.Fatalf("line %q: %v", text, err)
		}
		kind, _ := line["type"].(string)
		lines[kind] = append(lines[kind], line)
	}
	return lines, err
}

// mustReplay is replayed for what must work.
func mustReplay(t *testing.T, args ...string) map[string][]map[string]any {
	t.Helper()
	lines, err := replayed(t, strings.NewReader(""), args...)
	if err != nil {
		t.Fatalf("replay %v: %v", args, err)
	}
	return lines
}

// summaryOf is the one summary.
func summaryOf(t *testing.T, lines map[string][]map[string]any) map[string]any {
	t.Helper()
	if len(lines["summary"]) != 1 {
		t.Fatalf("%d summaries", len(lines["summary"]))
	}
	return lines["summary"][0]
}

// text joins a list of strings of a line.
func text(list any) string {
	var b strings.Builder
	for _, v := range list.([]any) {
		switch v := v.(type) {
		case string:
			b.WriteString(v + "\n")
		case map[string]any:
			fmt.Fprintln(&b, v["shard"], v["reason"])
		}
	}
	return b.String()
}

// TestReplayHotKey: the whole way from a file to the verdict, its plan and its hold; exit 3 on demand; from standard
// input, compressed or cut into two files it is the same.
func TestReplayHotKey(t *testing.T) {
	log := hotKey().write()
	path := save(t, "log.csv", log)
	lines := mustReplay(t, "--shards", "16", path)
	v := lines["verdict"][0]
	for member, want := range map[string]any{
		"cause": "hot_key", "key": "cart:42", "tenant": "shop-7", "phase": "firing", "severity": "warning", "fleet": "default",
		"read_share": 0.0, "placement": "key via xxh64, mod-n",
	} {
		if v[member] != want {
			t.Errorf("%s = %v, want %v", member, v[member], want)
		}
	}
	share := v["share"].(map[string]any)
	const truth = 0.3 / (0.3 + 0.7/16) // of the hot key in its shard
	if low, at, high := share["low"].(float64), share["value"].(float64), share["high"].(float64); math.Abs(at-truth) > 0.05 || low >= at || high <= at || high-low > 0.1 {
		t.Errorf("share %v, want about %v and bounds around it", share, truth)
	}
	if onset := v["onset"].(string); onset < "2026-03-01T12:00:50" || onset > "2026-03-01T12:01:10.000Z" {
		t.Errorf("onset %s, the key came at 12:01:00", onset)
	}
	s := summaryOf(t, lines)
	if s["verdicts"].(map[string]any)["hot_key"] != 1.0 || s["counted"] != float64(hotKeyRecords) || s["requests"] != float64(100*hotKeyRecords) {
		t.Errorf("summary %v", s)
	}
	if d := s["detection_delay"].(map[string]any)["max"].(float64); d > 95 {
		t.Errorf("detected after %v s", d)
	}
	if _, err := replayed(t, strings.NewReader(""), "--shards", "16", "--fail-on", "hotspot", path); !errors.Is(err, errFailOn) {
		t.Errorf("--fail-on hotspot: %v", err)
	}
	stdin, err := replayed(t, bytes.NewReader(log), "--shards", "16", "-")
	if diff := cmp.Diff(lines, stdin); diff != "" || err != nil {
		t.Errorf("from standard input: %v (-file +stdin):\n%s", err, diff)
	}
	// Odd lines in one file, even ones in the other.
	halves := [2]bytes.Buffer{}
	for i, line := range bytes.SplitAfter(log, []byte("\n")) {
		if halves[i%2].Write(line); i == 0 {
			halves[1].Write(line)
		}
	}
	two := mustReplay(t, "--shards", "16", save(t, "a.csv", halves[0].Bytes()), save(t, "b.csv", halves[1].Bytes()))
	if diff := cmp.Diff(lines, two); diff != "" {
		t.Errorf("as two files (-one +two):\n%s", diff)
	}
}

// TestReplayIsDeterministic: the same input and flags give the same bytes, in both forms.
func TestReplayIsDeterministic(t *testing.T) {
	path := save(t, "log.csv", hotKey().write())
	for _, output := range []string{"json", "text"} {
		first, err := call(t, "replay --shards 16 --output "+output+" "+path)
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if again, _ := call(t, "replay --shards 16 --output "+output+" "+path); again != first {
				t.Errorf("%s differs (-first +again):\n%s", output, cmp.Diff(first, again))
			}
		}
	}
}

// TestReplayNote: what a person on call reads. Rewrite with -update and read it before committing.
func TestReplayNote(t *testing.T) {
	path := save(t, "log.csv", hotKey().write())
	got, err := call(t, "replay --shards 16 --capacity 720 "+path)
	if err != nil {
		t.Fatal(err)
	}
	golden := filepath.Join("..", "..", "testdata", "replay", "hot_key.txt")
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if n := strings.Count(strings.Join(strings.Fields(got), " "), "read of the key costs"); n != 1 {
		t.Errorf("the note says %d times what a read of the key costs", n)
	}
	for _, must := range []string{"FIRING", `hot_key "cart:42" of tenant "shop-7"`, "not split", "stay on one shard, however many there are", "fix", "plan", "detectable"} {
		if !strings.Contains(got, must) {
			t.Errorf("the note does not say %q", must)
		}
	}
}

// TestMissingFields: what a log lacks takes away what depends on it, says so, and nothing else.
func TestMissingFields(t *testing.T) {
	for _, tt := range []struct {
		name    string
		change  func(*logLine)
		args    []string
		missing string
		cause   string // of the first verdict; empty = there is none
	}{
		{"everything is there", nil, []string{"--shards", "16"}, "", "hot_key"},
		{"no tenant", func(l *logLine) { l.tenant = "" }, []string{"--shards", "16"}, "no tenant in the log: a whale cannot be ruled out", "hot_key"},
		{"no op", func(l *logLine) { l.op = "" }, []string{"--shards", "16"}, "no op in the log: salt or cache: op unknown", "hot_key"},
		{"no shard and no placement", nil, nil, "leaderboards only", ""},
		{"no time", nil, []string{"--shards", "16"}, "no time in the log: the file is one window", "hot_key"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tr := hotKey()
			tr.line = tt.change
			log := tr.write()
			if tt.name == "no time" {
				log = bytes.Replace(log, []byte("ts_ms,"), []byte("when,"), 1)
			}
			lines := mustReplay(t, append(tt.args, save(t, "log.csv", log))...)
			if got := text(summaryOf(t, lines)["missing"]); !strings.Contains(got, tt.missing) || tt.missing == "" && got != "" {
				t.Errorf("missing %q, want %q", got, tt.missing)
			}
			cause := ""
			if len(lines["verdict"]) > 0 {
				cause, _ = lines["verdict"][0]["cause"].(string)
			}
			if cause != tt.cause {
				t.Errorf("cause %q, want %q", cause, tt.cause)
			}
			if tt.name == "no op" {
				if fix := lines["verdict"][0]["fix"]; fix == "salt" || fix == "cache" {
					t.Errorf("fix %v although nobody knows whether the key is read or written", fix)
				}
			}
			top := summaryOf(t, lines)["window"].(map[string]any)["top_keys"].([]any)[0].(map[string]any)
			if top["key"] != "cart:42" {
				t.Errorf("the top key is %v", top)
			}
		})
	}
}

// TestPlacementNeedsItsField: a placement by what the log never names is an error, not a verdict about one shard.
func TestPlacementNeedsItsField(t *testing.T) {
	for _, tt := range []struct {
		place  string
		change func(*logLine)
		want   string
	}{
		{"tenant", func(l *logLine) { l.tenant = "" }, "placement is by tenant, but no record of the log names a tenant"},
		{"tenant,key", func(l *logLine) { l.tenant = "" }, "placement is by tenant,key, but no record of the log names a tenant"},
		{"key", func(l *logLine) { l.key = "" }, "placement is by key, but no record of the log names a key"},
		{"explicit", nil, "no record names a shard"},
	} {
		tr := traffic{seconds: 60, perSecond: 10, line: tt.change}
		_, err := replayed(t, strings.NewReader(""), "--place", tt.place, save(t, "log.csv", tr.write()))
		if exitCode(err) != exitError || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("--place %s: %v, want %q", tt.place, err, tt.want)
		}
	}
}

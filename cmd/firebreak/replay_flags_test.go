package main

import (
	"bytes"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"firebreak/internal/line"
	"firebreak/policy"
	"firebreak/routing"
)

// TestReplayUsage: each flag that cannot be meant is a usage error that names it, and nothing is printed.
func TestReplayUsage(t *testing.T) {
	path := save(t, "log.csv", []byte(canonicalHeader))
	broken := save(t, "broken.yml", []byte("fleets:\n  - name: a\n    shrads: 3\n"))
	for _, tt := range []struct{ args, want string }{
		{"", "requires at least 1 arg"},
		{"--output xml " + path, "--output"},
		{"--fail-on smoke " + path, "--fail-on"},
		{"--shards 0 " + path, "--shards"},
		{"--shards 100000 " + path, "--shards"},
		{"--shards 16 --vshards 100 " + path, "100 is no multiple of the 16 shards"},
		{"--place moon " + path, "--place"},
		{"--place explicit --shards 4 " + path, "leave out --shards"},
		{"--hash rot13 " + path, "--hash"},
		{"--capacity -1 " + path, "--capacity"},
		{"--capacity 0 " + path, "--capacity"},
		{"--sampling by_key " + path, "says nothing about anyone's share"},
		{"--sampling dice " + path, "--sampling"},
		{"--pane 7s --window 1m " + path, "want a whole number of panes"},
		{"--window 0s " + path, "--window"},
		{"--for -1s " + path, "--for"},
		{"--from yesterday " + path, "--from"},
		{"--from 2000 --to 1000 " + path, "--to"},
		{"--format parquet " + path, "--format parquet: want json, csv, tsv, combined, logfmt, canonical, envoy-json, nginx-json"},
		{"--format jsno " + path, "did you mean json?"},
		{"--format xml --config " + save(t, "c.yml", []byte("fleets: [{name: a}]")) + " " + path, "--format xml: want json, csv"},
		{"--warmup 100h " + path, "--warmup 100h0m0s: want at most the window of 5m0s"},
		{"--warmup 2m --window 1m " + path, "--warmup 2m0s: want at most the window of 1m0s"},
		{"--window 15s " + path, "--window 15s: want a whole number of panes of 10s"},
		{"--config nowhere.yml " + path, "nowhere.yml"},
		{"--config " + broken + " " + path, broken + `:3:5: fleets[0]: unknown field "shrads"; did you mean "shards"?`},
		{"--frequency 3 " + path, "unknown flag"},
	} {
		out, err := call(t, "replay "+tt.args)
		if exitCode(err) != exitUsage || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "\n") || out != "" {
			t.Errorf("replay %s: %v (exit %d, %d bytes printed), want %q", tt.args, err, exitCode(err), len(out), tt.want)
		}
	}
}

// TestFromTo: the cut leaves out records, nothing else; both forms of a time mean the same.
func TestFromTo(t *testing.T) {
	path := save(t, "log.csv", traffic{seconds: 100, perSecond: 10}.write())
	for _, args := range [][]string{
		{"--from", "2026-03-01T12:00:20Z", "--to", "2026-03-01T13:00:50+01:00"},
		{"--from", fmt.Sprint(start + 20_000), "--to", fmt.Sprint(start + 50_000)},
	} {
		s := summaryOf(t, mustReplay(t, append([]string{"--shards", "4", path}, args...)...))
		if s["counted"] != 300.0 || s["outside_cut"] != 700.0 || s["from"] != "2026-03-01T12:00:20.000Z" || s["to"] != "2026-03-01T12:00:49.900Z" {
			t.Errorf("%v: counted %v, outside %v, from %v to %v", args, s["counted"], s["outside_cut"], s["from"], s["to"])
		}
	}
}

// TestWarmup: nothing fires before a full fast window, unless partial ones are asked for.
func TestWarmup(t *testing.T) {
	tr := hotKey()
	tr.onset = 0
	path := save(t, "log.csv", tr.write())
	first := func(args ...string) string {
		return mustReplay(t, append([]string{"--shards", "16", path}, args...)...)["verdict"][0]["time"].(string)
	}
	if cold, partial := first(), first("--warmup", "0s"); cold < "2026-03-01T12:01:05.000Z" || partial >= cold {
		t.Errorf("first verdict at %s, with --warmup 0s at %s", cold, partial)
	}
	// What is asked for is waited for, to the whole window.
	if late := first("--warmup", "3m", "--window", "3m"); late < "2026-03-01T12:03:05.000Z" {
		t.Errorf("with --warmup 3m the first verdict came at %s", late)
	}
	if short := first("--window", "30s"); short >= "2026-03-01T12:01:05.000Z" {
		t.Errorf("a window of 30s waits no longer than that, but the first verdict came at %s", short)
	}
}

// TestWhole: one judgement of everything, also of two seconds, whatever the panes become.
func TestWhole(t *testing.T) {
	for _, seconds := range []int{2, 47, 3000} {
		tr := traffic{seconds: seconds, perSecond: max(10, 4000/seconds), hot: "cart:42", share: 0.4}
		lines := mustReplay(t, "--shards", "16", "--whole", save(t, "log.csv", tr.write()))
		s := summaryOf(t, lines)
		if s["ticks"] != 1.0 || len(lines["verdict"]) != 1 || lines["verdict"][0]["cause"] != "hot_key" || lines["verdict"][0]["key"] != "cart:42" {
			t.Errorf("%d s: %v ticks, verdicts %v", seconds, s["ticks"], lines["verdict"])
			continue
		}
		w := lines["verdict"][0]["window"].(map[string]any)
		from, _ := time.Parse(time.RFC3339, w["from"].(string))
		to, _ := time.Parse(time.RFC3339, w["to"].(string))
		if got := to.Sub(from); got < time.Duration(seconds)*time.Second || got > time.Duration(seconds)*time.Second*11/10+2*time.Second {
			t.Errorf("%d s: judged over %v", seconds, got)
		}
	}
}

// TestFormats: each format and preset is found by the first lines; the verdict is the same in all.
func TestFormats(t *testing.T) {
	iso := func(ms int64) string { return time.UnixMilli(ms).UTC().Format("2006-01-02T15:04:05.000Z") }
	for _, tt := range []struct {
		name string
		form func(logLine) string
		head string
	}{
		{"csv", logLine.canonical, canonicalHeader},
		{"tsv", func(l logLine) string { return strings.ReplaceAll(l.canonical(), ",", "\t") }, strings.ReplaceAll(canonicalHeader, ",", "\t")},
		{"json", func(l logLine) string {
			return fmt.Sprintf(`{"ts_ms":%d,"tenant":"%s","key":"%s","op":"%s"}`+"\n", l.ms, l.tenant, l.key, l.op)
		}, ""},
		{"logfmt", func(l logLine) string {
			return fmt.Sprintf("ts_ms=%d tenant=%s key=%s op=%s\n", l.ms, l.tenant, l.key, l.op)
		}, ""},
		{"combined", func(l logLine) string {
			return fmt.Sprintf("%s - - [%s] \"%s %s HTTP/1.1\" 200 17 \"-\" \"-\"\n", l.tenant, time.UnixMilli(l.ms).UTC().Format("02/Jan/2006:15:04:05 -0700"), l.op, l.key)
		}, ""},
		{"envoy-json", func(l logLine) string {
			return fmt.Sprintf(`{"start_time":"%s","method":"%s","path":"%s","response_code":200,"downstream_remote_address":"%s:4711"}`+"\n", iso(l.ms), l.op, l.key, l.tenant)
		}, ""},
		{"nginx-json", func(l logLine) string {
			return fmt.Sprintf(`{"time_iso8601":"%s","remote_addr":"%s","request_method":"%s","request_uri":"%s?x=1","status":200}`+"\n", iso(l.ms), l.tenant, l.op, l.key)
		}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tr := hotKey()
			tr.form = tt.form
			path := save(t, "log", append([]byte(tt.head), tr.write()...))
			for _, args := range [][]string{{}, {"--format", tt.name}} {
				lines := mustReplay(t, append(args, "--shards", "16", path)...)
				s := summaryOf(t, lines)
				if s["counted"] != float64(hotKeyRecords) || len(lines["verdict"]) == 0 {
					t.Fatalf("%v: %v", args, s)
				}
				if v := lines["verdict"][0]; v["cause"] != "hot_key" || v["key"] != "cart:42" || v["tenant"] != "shop-7" {
					t.Errorf("%v: %v %v %v", args, v["cause"], v["key"], v["tenant"])
				}
			}
		})
	}
}

// TestTwoFleets: two fleets in one log are never merged; each has its verdicts, its summary and its name on every line.
func TestTwoFleets(t *testing.T) {
	tr := hotKey()
	n := 0
	tr.line = func(l *logLine) {
		if n++; n%2 == 0 {
			l.caller = "cache"
			if l.key == "cart:42" {
				l.key = "item:1"
			}
		} else {
			l.caller = "db"
		}
	}
	path := save(t, "log.csv", tr.write())
	cfg := save(t, "fleets.yml", []byte(`
fleets:
  - {name: db, shards: 16, record: {match: [{field: caller, equals: db}], rate: 1}}
  - {name: cache, shards: 8, record: {match: [{field: caller, equals: cache}], rate: 1}}
`))
	lines := mustReplay(t, "--config", cfg, path)
	keys := map[string]bool{}
	for _, v := range lines["verdict"] {
		keys[fmt.Sprint(v["fleet"], " ", v["key"])] = true
	}
	if diff := cmp.Diff(map[string]bool{"db cart:42": true, "cache item:1": true}, keys); diff != "" {
		t.Errorf("verdicts (-want +got):\n%s", diff)
	}
	if len(lines["summary"]) != 2 || lines["summary"][0]["counted"] != hotKeyRecords/2.0 || lines["summary"][1]["counted"] != hotKeyRecords/2.0 {
		t.Errorf("summaries %v", lines["summary"])
	}
}

// TestExplicitReplay: the log's own shards are judged, by themselves or asked for, and fixes are the store's own.
func TestExplicitReplay(t *testing.T) {
	tr := hotKey()
	tr.hot = ""
	n := 0
	tr.line = func(l *logLine) {
		l.shard = fmt.Sprint("db-", n%6)
		if n++; n > hotKeyRecords/4 && n%3 > 0 {
			l.shard = "db-hot"
		}
	}
	path := save(t, "log.csv", tr.write())
	for _, args := range [][]string{{path}, {"--place", "explicit", path}} {
		v := mustReplay(t, args...)["verdict"]
		if len(v) == 0 || v[0]["shard"] != "db-hot" || v[0]["cause"] != "volume" {
			t.Errorf("%v: %d verdicts, want volume on db-hot first: %.300v", args, len(v), v)
		}
	}
}

// TestDisagreement: where log and table name different shards, projections are refused with the share.
func TestDisagreement(t *testing.T) {
	tr := hotKey()
	tr.line = func(l *logLine) { l.shard = "shard-3" }
	v := mustReplay(t, "--shards", "16", save(t, "log.csv", tr.write()))["verdict"]
	if len(v) == 0 || len(v[0]["projections"].([]any)) != 0 || !strings.Contains(v[0]["reason"].(string), "another shard") {
		t.Errorf("%v", v)
	}
}

// TestDocument: a control document is the placement, its salts included.
func TestDocument(t *testing.T) {
	doc, err := routing.Adopt("orders", routing.Placement{Bytes: "key", Function: routing.XXH64, Map: routing.ModN}, routing.NumberedShards(16))
	if err != nil {
		t.Fatal(err)
	}
	doc.Salts = []routing.Salt{{Key: "cart:42", Suffixes: []uint32{0, 3, 5, 11, 17, 20, 21, 33}, Read: 8, Write: 8}}
	data, err := doc.Encode()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, content := range map[string][]byte{"doc.json": data, "fleets.yml": []byte("fleets: [{name: orders, document: doc.json, log_point: client}]")} {
		if err := os.WriteFile(dir+"/"+name, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	path := save(t, "log.csv", hotKey().write())
	for _, args := range [][]string{{"--config", dir + "/fleets.yml"}, {"--document", dir + "/doc.json"}} {
		for _, v := range mustReplay(t, append(args, path)...)["verdict"] {
			if v["load"].(float64) > 1000 {
				t.Errorf("%v: the key's 1,200/s lie on %v although it is salted: %v", args, v["shard"], v["load"])
			}
		}
	}
	for _, args := range [][]string{{"--document", dir + "/doc.json", "--shards", "16"}, {"--document", dir + "/none.json"}} {
		if _, err := call(t, "replay "+strings.Join(args, " ")+" "+path); exitCode(err) != exitUsage {
			t.Errorf("%v: %v, want a usage error", args, err)
		}
	}
	if plain := mustReplay(t, "--shards", "16", path); len(plain["verdict"]) == 0 || plain["verdict"][0]["load"].(float64) < 1000 {
		t.Errorf("without the salt: %v", plain["verdict"])
	}
}

// TestContract: the members of each line are those of docs/replay-json.md, every one of them and no other.
func TestContract(t *testing.T) {
	page, err := os.ReadFile("../../docs/replay-json.md")
	if err != nil {
		t.Fatal(err)
	}
	for kind, form := range map[string]any{
		"verdict": line.Verdict{}, "plan": line.Plan{}, "hold": line.Hold{}, "advice": line.Advice{}, "summary": line.Summary{},
	} {
		_, section, found := strings.Cut(string(page), "\n## `"+kind+"`\n")
		section, _, _ = strings.Cut(section, "\n## ")
		if !found {
			t.Errorf("no section for %s", kind)
			continue
		}
		var rows []string
		for row := range strings.Lines(section) {
			if strings.HasPrefix(row, "| `") {
				rows = append(rows, strings.Split(row, "`")[1])
			}
		}
		var want []string
		for _, m := range members(reflect.TypeOf(form)) {
			if m.owner != reflect.TypeFor[line.Head]() {
				want = append(want, m.name)
			}
			if !strings.Contains(section, "`"+m.name+"`") && m.owner != reflect.TypeFor[line.Head]() {
				t.Errorf("%s: %s is not documented", kind, m.name)
			}
			for _, inner := range members(m.holds) {
				if !strings.Contains(string(page), "`"+inner.name+"`") {
					t.Errorf("%s: %s.%s is not documented", kind, m.name, inner.name)
				}
			}
		}
		if diff := cmp.Diff(want, rows); diff != "" {
			t.Errorf("%s: rows (-members +rows):\n%s", kind, diff)
		}
	}
}

type member struct {
	name         string
	owner, holds reflect.Type
}

// members lists the JSON members of a struct, those of what it embeds first.
func members(t reflect.Type) []member {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct || t == reflect.TypeFor[line.Stamp]() {
		return nil
	}
	var all []member
	for f := range t.Fields() {
		if f.Anonymous {
			all = append(all, members(f.Type)...)
			continue
		}
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		all = append(all, member{name, t, f.Type})
	}
	return all
}

// TestEveryLineHasItsShape: a line of each type, made of everything that policy can say, in both forms.
func TestEveryLineHasItsShape(t *testing.T) {
	table, err := routing.NewTable(func() *routing.Document {
		d, err := routing.Adopt("f", routing.Placement{Bytes: "key", Function: routing.XXH64, Map: routing.ModN}, routing.NumberedShards(2))
		if err != nil {
			t.Fatal(err)
		}
		return d
	}())
	if err != nil {
		t.Fatal(err)
	}
	plan := &policy.Plan{
		ID: "p", Hotspot: "h", Fix: policy.FixSplit, Footprint: []routing.Entry{routing.VShardEntry(7)},
		Steps: []policy.Step{
			{Kind: policy.StepMove, Moves: []routing.Move{{VShard: 7, To: 1}, {VShard: 9, To: 5}}, Operations: 2},
			{Kind: policy.StepSalt, Key: "k\xff", Salt: &routing.Salt{Suffixes: []uint32{0, 4}}, Text: "salt it"},
			{Kind: policy.StepLimitCaller, Caller: "batch", Rate: 700, Refused: 300},
		},
		Ready: true, Projection: policy.Projection{Fix: policy.FixLimitCaller, Rate: 700},
	}
	undo := &policy.Plan{ID: "u", Fix: policy.FixSalt, Undo: true, Steps: []policy.Step{{Kind: policy.StepUnsalt, Text: "unsalt it"}}}
	var out bytes.Buffer
	for _, p := range []printer{jsonPrinter{&out}, newTextPrinter(&out)} {
		for _, err := range []error{
			p.plan(line.NewPlan("f", line.Stamp{}, plan, table), plan, false),
			p.plan(line.NewPlan("f", line.Stamp{}, undo, table), undo, false),
			p.verdict(&policy.Verdict{Fleet: "f", Missing: []string{"the op", "the tenant"}}, telling{}),
			p.hold("f", line.Stamp{}, policy.Hold{Hotspot: "h", Reason: policy.HoldReadHot, Detail: "d"}, false),
			p.hold("f", line.Stamp{}, policy.Hold{Reason: policy.HoldStale}, false),
			p.advice("f", line.Stamp{}, policy.Advice{Shard: "s\n1", Topic: policy.TopicCapacity, Level: policy.SeverityCritical, Reason: "r"}),
		} {
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, want := range []string{
		`"moves":[{"vshard":7,"to":"shard-1"},{"vshard":9,"to":""}]`, `"key":"k\\xff"`, `"suffixes":[0,4]`, `"footprint":[{"kind":"vshard","tenant":"","name":"7"}]`,
		`{"type":"hold","schema":1,"fleet":"f","hotspot":"h","reason":"read_hot","detail":"d"}`, `"shard":"s\u000a1","topic":"capacity","level":"critical"`,
		`"id":"p","undo":false,"ready":true,`, `"id":"u","undo":true,"ready":false,`, `"rate":700,"refused":300,`, `"moved_share":0,"rate":700,`,
		`"missing":["the op","the tenant"]`, "open          the op; the tenant", "PLAN  undo salt, fleet \"f\"\n",
		"PLAN  split, fleet \"f\" (hotspot h)", "2. salt it", "HOLD  read_hot", `shard "s\n1"`,
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %s in\n%s", want, out.String())
		}
	}
}

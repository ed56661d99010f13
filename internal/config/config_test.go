package config

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"firebreak/policy"
	"firebreak/routing"
)

func TestParse(t *testing.T) {
	c, err := Parse("fleets.yml", []byte(`
fleets:
  - name: orders
    shards:
      - db-a
      - {name: db-b, capacity: 9000}
      - {name: db-c, role: spare}
    placement: {bytes: "{tenant}:{key}", function: md5}
    pane: 1s
    window: 4s
    warmup: 2500ms
    sampling: independent
    log_point: shard
    cost: bytes
    policy: {capacity: {total: 5000}, for: 10s}
    record: {rate: 0.01}
  - name: sessions
    placement: {map: explicit}
  - name: lists
`))
	if err != nil {
		t.Fatal(err)
	}
	f := c.Fleets[0]
	doc, discover, err := f.Adopt()
	if err != nil || discover {
		t.Fatalf("adopt: %v, discover %v", err, discover)
	}
	want := []routing.Shard{{Name: "db-a", Role: routing.Serving}, {Name: "db-b", Role: routing.Serving, Capacity: 9000}, {Name: "db-c", Role: routing.Spare}}
	if diff := cmp.Diff(want, doc.Shards); diff != "" || doc.Placement.Shards != 2 {
		t.Errorf("%d shards in the map, shards (-want +got):\n%s", doc.Placement.Shards, diff)
	}
	judge := f.Judge()
	if judge.LongPanes != 4 || judge.FastPanes != 4 || judge.WarmPanes != 3 || judge.For != 10*time.Second || judge.Resolve != 2*time.Minute {
		t.Errorf("policy %+v", judge)
	}
	p := f.Pipeline()
	if p.Rate != 0.01 || p.Pane != time.Second || p.LogPoint != policy.LogPointShard || p.Cost.String() != "bytes" {
		t.Errorf("pipeline %+v", p)
	}
	if doc, discover, err = c.Fleets[1].Adopt(); doc != nil || !discover || err != nil {
		t.Errorf("explicit without shards: %v, %v, %v", doc, discover, err)
	}
	if doc, discover, err = c.Fleets[2].Adopt(); doc != nil || discover || err != nil {
		t.Errorf("without a placement: %v, %v, %v", doc, discover, err)
	}
}

func TestDefaultsAreThoseOfTheOwners(t *testing.T) {
	f := DefaultFleet()
	f.Name = "f"
	if err := f.Validate(); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(policy.Default(), f.Judge()); diff != "" {
		t.Errorf("policy (-want +got):\n%s", diff)
	}
}

// TestMistakes: each is refused where its value stands in the file, with its full path and what is wrong; nothing else is said.
func TestMistakes(t *testing.T) {
	for _, tt := range []struct{ yaml, want string }{
		{"    shard: 3\n", `3:5: fleets[0]: unknown field "shard"; did you mean "shards"?`},
		{"    placement: {map: explicit, bytes: key}\n", `3:39: fleets[0].placement.bytes: "key": where the log names the shards it holds only beside a list of them; name one under shards, others join it`},
		{"    window: 300\n", `3:13: fleets[0].window: "300" has no unit`},
		{"    shards: 0\n", `3:13: fleets[0].shards: 0: want 1 to ` + strconv.Itoa(routing.MaxShards)},
		{"    shards: 3\n    window: 15s\n", `4:13: fleets[0].window: 15s: want a whole number of panes of 10s`},
		{"    window: -5m\n", `3:13: fleets[0].window: -5m0s: want a time above 0`},
		{"    pane: -1s\n", `3:11: fleets[0].pane: -1s: want 1ms to 1h`},
		{"    warmup: -1s\n", `3:13: fleets[0].warmup: -1s: want 0 or more`},
		{"    warmup: 100h\n", `3:13: fleets[0].warmup: 100h0m0s: want at most the window of 5m0s`},
		{"    sampling: by_key\n", `3:15: fleets[0].sampling: by_key: refused`},
		{"    sampling: indepedent\n", `3:15: fleets[0].sampling: sampling "indepedent": want unknown, none, independent, by_trace or by_key; did you mean "independent"?`},
		{"    log_point: clint\n", `3:16: fleets[0].log_point: log point "clint": want unknown, client or shard; did you mean "client"?`},
		{"    cost: byte\n", `3:11: fleets[0].cost: cost "byte": want requests, bytes, latency or dynamodb; did you mean "bytes"?`},
		{"    cost: euros\n", `3:11: fleets[0].cost: cost "euros": want requests`},
		{"    policy: {mode: atuo}\n", `3:20: fleets[0].policy.mode: mode "atuo": want observe, approve or auto; did you mean "auto"?`},
		{"    policy: {modes: {splt: auto}}\n", `3:22: fleets[0].policy.modes.splt: fix "splt": want none, split`},
		{"    policy: {modes: {split: atuo}}\n", `3:29: fleets[0].policy.modes.split: mode "atuo"`},
		{"    placement: {bytes: key}\n", `2:5: fleets[0].shards: a placement needs their number`},
		{"    shards: 3\n    placement: {vshards: 100}\n", `4:26: fleets[0].placement.vshards: 100 is no multiple`},
		{"    shards: 3\n    placement: {function: xxh46}\n", `4:27: fleets[0].placement.function: function: "xxh46" is none of`},
		{"    shards: 3\n    placement: {map: rnig}\n", `did you mean "ring"?`},
		{"    shards: 3\n    placement: {map: ranges, bounds: [\"1\", '\\q']}\n", `4:44: fleets[0].placement.bounds[1]: escape: `},
		{"    shards:\n      - a\n      - {name: b, capacity: -5}\n", `5:29: fleets[0].shards[1].capacity: -5 a second`},
		{"    shards:\n      - a\n      - {name: b, read_capacity: -5}\n", `5:34: fleets[0].shards[1].read_capacity: -5 a second`},
		{"    shards:\n      - a\n      - {name: b, role: spair}\n", `5:25: fleets[0].shards[1].role: role: "spair" is none of`},
		{"    shards: [a, b, a]\n", `3:20: fleets[0].shards[2].name: "a" is the name of shards[0] too`},
		{"    record: {preset: canonicle}\n", `3:22: fleets[0].record.preset: "canonicle": want canonical, combined, envoy-json or nginx-json; did you mean "canonical"?`},
		{"    record: {format: jsno}\n", `3:22: fleets[0].record.format: "jsno": want json, csv, tsv, combined or logfmt; did you mean "json"?`},
		{"    record:\n      ops:\n        - {value: x, op: read}\n        - {value: /adclick.php, op: raed}\n", `6:37: fleets[0].record.ops[1].op: "raed": want read, write or unknown; did you mean "read"?`},
		{"    record:\n      ops: [{on: kye, value: x, op: read}]\n", `4:18: fleets[0].record.ops[0].on: "kye": want op, key, tenant, shard or caller; did you mean "key"?`},
		{"    record: {ops: [{pattern: '(', op: read}]}\n", `3:30: fleets[0].record.ops[0].pattern: error parsing regexp`},
		{"    record: {fields: {key: {path: a, regex: '('}}}\n", `3:45: fleets[0].record.fields.key.regex: error parsing regexp`},
		{"    record: {match: [{field: a, regex: '['}]}\n", `3:40: fleets[0].record.match[0].regex: error parsing regexp`},
		{"    record: {preset: combined, fields: {key: pahth}}\n", `3:46: fleets[0].record.fields.key: "pahth" is not a part of the combined log`},
		{"    record: {format: json, fields: {key: a, time: t}, time: {layout: yyyy}}\n", `3:70: fleets[0].record.time.layout: layout "yyyy" does not keep`},
		{"    record: {time: {unit: sm}}\n", `3:27: fleets[0].record.time.unit: "sm": want s, ms, us or ns; did you mean "s"?`},
		{"    record: {rate: 7}\n", `3:20: fleets[0].record.rate: 7 is not a probability`},
		{"    document: d.json\n    shards: 3\n", `3:15: fleets[0].document: excludes placement and shards`},
		{"    policy: {capacity: {total: -5}}\n", `3:32: fleets[0].policy.capacity.total: -5: want load/s above 0`},
		{"    policy: {lines: {warning: 0.9}}\n", `3:31: fleets[0].policy.lines.warning: 0.9: want at most the critical line of 0.8`},
		{"    policy: {for: -30s}\n", `3:19: fleets[0].policy.for: -30s: want 0 or more`},
		{"    policy: {key_spaces: [{prefix: a, merge: cuonter}]}\n", `3:46: fleets[0].policy.key_spaces[0].merge: "cuonter": want counter, append, set or max; did you mean "counter"?`},
		{"    policy: {windows: [{days: [mon, teu], from: '22:00', to: '04:00'}]}\n", `3:37: fleets[0].policy.windows[0].days[1]: "teu": want sun, mon`},
		{"    policy: {health: {disk_io: {warning: 0.9}}}\n", `3:32: fleets[0].policy.health.disk_io.critical: 0.85: want at least the warning level of 0.9`},
		{"  - name: ..\n", `3:11: fleets[1].name: ".." cannot stand in the address of a page`},
		{"  - name: ''\n", `3:11: fleets[1].name: want 1 to 255 bytes`},
		{"  - name: b\n  - name: a\n", `4:11: fleets[2].name: "a" is the name of fleets[0] too`},
	} {
		_, err := Parse("f.yml", []byte("fleets:\n  - name: a\n"+tt.yaml))
		if err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s got %v\nwant %s", tt.yaml, err, tt.want)
		}
	}
	for yaml, want := range map[string]string{
		"": "f.yml: fleets: no fleet: want", "fleets: []": "f.yml:1:9: fleets: no fleet: want", "fleets: [{name: ''}]": `f.yml:1:17: fleets[0].name: want 1`,
	} {
		if _, err := Parse("f.yml", []byte(yaml)); err == nil || !strings.HasPrefix(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q got %v\nwant %s", yaml, err, want)
		}
	}
}

// TestEveryMistakeAtOnce: mistakes of every kind in one file are reported together, in the order of the file, and no mistake is
// reported that is only a consequence of another.
func TestEveryMistakeAtOnce(t *testing.T) {
	_, err := Parse("f.yml", []byte(`fleets:
  - name: a
    sampling: dice
    window: -5m
    shrads: 16
    placement: {bytes: tenant}
    record:
      format: json
      feilds: {key: k}
      rate: often
      ops:
        - {value: a, op: raed}
        - {pattern: "(", op: write}
      time: {layout: yyyy}
    policy:
      capacity: {total: -5}
      lines: {warning: hot, target: 0.75}
      grace: -1h
  - nam: b
    pane: 10
    window: 15s
    shards: [{name: x, capacity: -1}, {name: y, capacity: -2}]
  - name: a
    record: {preset: aphache, rate: 3}
`))
	want := []string{
		`f.yml:3:15: fleets[0].sampling: sampling "dice"`,
		`f.yml:4:13: fleets[0].window: -5m0s`,
		`f.yml:5:5: fleets[0]: unknown field "shrads"; did you mean "shards"?`,
		`f.yml:9:7: fleets[0].record: unknown field "feilds"; did you mean "fields"?`,
		`f.yml:10:13: fleets[0].record.rate: want a number, got text "often"`,
		`f.yml:12:26: fleets[0].record.ops[0].op: "raed"`,
		`f.yml:13:21: fleets[0].record.ops[1].pattern: error parsing`,
		`f.yml:14:22: fleets[0].record.time.layout: layout "yyyy"`,
		`f.yml:16:25: fleets[0].policy.capacity.total: -5`,
		`f.yml:17:24: fleets[0].policy.lines.warning: want a number`,
		`f.yml:18:14: fleets[0].policy.grace: -1h0m0s`,
		`f.yml:19:5: fleets[1]: unknown field "nam"; did you mean "name"?`,
		`f.yml:20:11: fleets[1].pane: "10" has no unit`,
		`f.yml:22:34: fleets[1].shards[0].capacity: -1`,
		`f.yml:22:59: fleets[1].shards[1].capacity: -2`,
		`f.yml:23:11: fleets[2].name: "a" is the name of fleets[0] too`,
		`f.yml:24:22: fleets[2].record.preset: "aphache"`,
		`f.yml:24:37: fleets[2].record.rate: 3`,
	}
	got := strings.Split(fmt.Sprint(err), "\n")
	if len(got) != len(want) {
		t.Errorf("%d mistakes, want %d:\n%v", len(got), len(want), err)
	}
	for i := range min(len(got), len(want)) {
		if !strings.HasPrefix(got[i], want[i]) {
			t.Errorf("got  %s\nwant %s", got[i], want[i])
		}
	}
}

// TestWarmup: by default a minute or the window, whichever is shorter; what is asked for is what is waited for.
func TestWarmup(t *testing.T) {
	for yaml, want := range map[string]int{"": 6, "window: 30s": 3, "warmup: 0s": 1, "warmup: 5m": 30, "window: 2h, warmup: 1h": 360} {
		c, err := Parse("f.yml", []byte("fleets: [{name: a, "+yaml+"}]"))
		if err != nil {
			t.Errorf("%s: %v", yaml, err)
			continue
		}
		if got := c.Fleets[0].Judge().WarmPanes; got != want {
			t.Errorf("%s: %d panes, want %d", yaml, got, want)
		}
	}
}

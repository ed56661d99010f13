package config

import (
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

// TestMistakes: each is refused where it stands in the file, with what is wrong.
func TestMistakes(t *testing.T) {
	for _, tt := range []struct{ yaml, want string }{
		{"fleets:\n  - name: a\n    shard: 3\n", `f.yml:3:5: fleets[0]: unknown field "shard"`},
		{"fleets:\n  - name: a\n    window: 300\n", `f.yml:3:13: fleets[0].window: "300" has no unit`},
		{"fleets:\n  - name: a\n    shards: 0\n", `f.yml:3:13: fleets[0].shards: 0: want 1 to ` + strconv.Itoa(routing.MaxShards)},
		{"fleets:\n  - name: a\n    shards: 3\n    window: 15s\n", `f.yml:2:5: fleets[0]: window 15s: want a whole number of panes of 10s`},
		{"fleets:\n  - name: a\n    sampling: by_key\n", `f.yml:2:5: fleets[0]: sampling by_key: refused`},
		{"fleets:\n  - name: a\n    placement: {bytes: key}\n", `f.yml:2:5: fleets[0]: shards: a placement needs their number`},
		{"fleets:\n  - name: a\n    shards: 3\n    placement: {vshards: 100}\n", `f.yml:2:5: fleets[0]: placement.vshards: 100 is no multiple`},
		{"fleets:\n  - name: a\n    record: {preset: apache}\n", `f.yml:2:5: fleets[0]: record.preset: "apache" is not known`},
		{"fleets:\n  - name: a\n    document: d.json\n    shards: 3\n", `f.yml:2:5: fleets[0]: document: excludes placement and shards`},
		{"fleets:\n  - name: a\n    policy: {lines: {warning: 0.9}}\n", `f.yml:2:5: fleets[0]: policy: lines: want`},
		{"fleets:\n  - name: a\n    cost: euros\n", `f.yml:3:11: fleets[0].cost: cost "euros": want requests`},
		{"fleets:\n  - name: ''\n", `f.yml:2:5: fleets[0]: name: want 1 to 255 bytes`},
		{"fleets:\n  - name: a\n  - name: a\n", `f.yml: two fleets are called "a"`},
		{"", `f.yml: no fleet`},
	} {
		_, err := Parse("f.yml", []byte(tt.yaml))
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%q\n got %v\nwant %s", tt.yaml, err, tt.want)
		}
	}
}

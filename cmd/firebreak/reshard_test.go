package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"firebreak/routing"
)

// TestReshard runs the golden command lines; `go test ./cmd/firebreak -rewrite` writes them anew.
func TestReshard(t *testing.T) {
	datadriven.Walk(t, "testdata/reshard", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			var out strings.Builder
			for line := range strings.Lines(d.Input) {
				text, err := call(t, strings.TrimSpace(line))
				out.WriteString(text)
				if err != nil {
					fmt.Fprintf(&out, "%d  %v\n", exitCode(err), err)
				}
			}
			return out.String()
		})
	})
}

// TestReshardDocument plans from a document, as a file and as standard input, and makes the moves that JSON lists: the fleet is even, and
// the tenant on the shard that leaves is named.
func TestReshardDocument(t *testing.T) {
	d, err := routing.Adopt("orders", routing.Placement{Bytes: "key", Function: routing.XXH64, Map: routing.ModN, VShards: 40}, routing.NumberedShards(4))
	if err != nil {
		t.Fatal(err)
	}
	d.Moves = []routing.Move{{VShard: 7, To: 0}, {VShard: 0, To: 3}}
	d.Tenants = []routing.TenantPlacement{{Tenant: "wh\xffle", Shards: []routing.ShardID{3}}}
	data, err := d.Encode()
	if err != nil {
		t.Fatal(err)
	}
	text, err := call(t, "reshard plan --to 3 --document "+save(t, "orders.json", append(data, '\n')))
	if err != nil || !strings.Contains(text, `be placed elsewhere first: "wh\xffle".`) {
		t.Errorf("%v\n%s\nwant that the tenant is named", err, text)
	}
	var out strings.Builder
	args := strings.Fields("reshard plan --to 3 --output json --document -")
	if err := run(t.Context(), args, strings.NewReader(string(data)), &out, io.Discard); err != nil {
		t.Fatal(err)
	}
	var report reshardReport
	if err := json.Unmarshal([]byte(out.String()), &report); err != nil {
		t.Fatal(err)
	}
	for _, s := range report.Steps {
		for _, m := range s.Moves {
			if err := d.Set(routing.VShardEntry(m.VShard), m.To); err != nil {
				t.Fatal(err)
			}
		}
	}
	table, err := routing.NewTable(d)
	if err != nil {
		t.Fatal(err)
	}
	for i, n := range ownedBy(table) {
		if s := report.Shards[i]; n != s.After || s.After != []int{14, 13, 13, 0}[i] {
			t.Errorf("%s owns %d virtual shards, the report says %d, want [14 13 13 0]", s.Name, n, s.After)
		}
	}
	if _, err := call(t, "reshard plan --to 3 --document "+save(t, "broken.json", data[:len(data)-1])); exitCode(err) != exitUsage {
		t.Errorf("half a document: %v, want a usage error", err)
	}
}

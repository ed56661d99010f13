package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"firebreak/internal/config"
	"firebreak/routing/control"
)

// triedSet is what a dry run of a change says for a fleet whose configuration has something more, and whether it is refused.
func triedSet(t *testing.T, more string, edits ...string) string {
	t.Helper()
	text := strings.Replace(fmt.Sprintf(runConfig, "127.0.0.1:1", "http://127.0.0.1:1/"), "    pane: 1s\n", "    pane: 1s\n"+more, 1)
	text = strings.Replace(text, "policy: {", `policy: {key_spaces: [{prefix: feed, staleness: 5s}], `, 1)
	cfg, err := config.Parse("firebreak.yml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	d, _, err := cfg.Fleets[0].Adopt()
	if err != nil {
		t.Fatal(err)
	}
	q := &control.Request{ID: "R", By: "ann", At: time.Now(), Reason: "it is hot", Do: control.DoSet, IfVersion: 1}
	if q.Edits, err = parseEdits(edits); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := (&routed{fleet: "orders", cfg: cfg}).tryOut(&out, control.First(d), q); err != nil {
		return out.String() + err.Error()
	}
	return out.String()
}

// TestTryOut: a dry run says what is refused, and that no data follows clients where the fleet's has to be carried.
func TestTryOut(t *testing.T) {
	const carries = "    mover: {moves: {command: [carry]}}\n"
	const still = "no data is moved by this: clients go "
	for _, c := range []struct {
		more  string
		edits []string
		want  string
		not   string
	}{
		{"", []string{"cache/feed:1=5s"}, "cache/feed:1", "refused"},
		{"", []string{"cache/home=5m"}, "refused: cache/home: none of policy.key_spaces", "->"},
		{carries, []string{"vshard/17=shard-3"}, still + "to shard-3 at once", ""},
		{carries, []string{"vshard/17=shard-3", "vshard/18=shard-4"}, still + "where the table sends them at once", ""},
		{carries, []string{"tenant/acme=shard-3"}, still + "to shard-3 at once", ""},
		{carries, []string{"quota/acme=5"}, "quota/acme", still},
		{"", []string{"vshard/17=shard-3"}, still + "to shard-3 at once", ""},
		{"    mover: {moves: none}\n", []string{"vshard/17=shard-3"}, "vshard/17", still},
	} {
		said := triedSet(t, c.more, c.edits...)
		if !strings.Contains(said, c.want) || c.not != "" && strings.Contains(said, c.not) {
			t.Errorf("%s with %q:\n%s\nwant %q and not %q", c.edits, c.more, said, c.want, c.not)
		}
	}
}

// TestRouteBeginsInATable: a fleet whose Kafka was lost begins with its backup in a table, although nothing has made a journal yet.
func TestRouteBeginsInATable(t *testing.T) {
	_, endpoint := tableRig(t)
	r, config := newRouter(t)
	config += "state: {dynamodb: {table: firebreak, region: eu-west-1, endpoint: \"" + endpoint + "\"}}\n"
	if err := os.WriteFile(r.path, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, said := createdTable(t, "--table", "firebreak", "--endpoint", endpoint); code != exitOK {
		t.Fatal(said)
	}
	cfg, err := commandConfig(r.path, "")
	if err != nil {
		t.Fatal(err)
	}
	d, _, err := cfg.Fleets[0].Adopt()
	if err != nil {
		t.Fatal(err)
	}
	d.Version = 17
	b, err := d.Encode()
	if err != nil {
		t.Fatal(err)
	}
	backup := filepath.Join(t.TempDir(), "orders.json")
	if err := os.WriteFile(backup, b, 0o600); err != nil {
		t.Fatal(err)
	}
	args := []string{"import", backup, "--if-version", "0", "--direct", "--reason", "Kafka was lost", "--by", "ann"}
	r.ok("there is no watch.journal", args...)
	r.ok("begins at version 17", append(args, "--yes")...)
	r.ok("version 17", "show")
}

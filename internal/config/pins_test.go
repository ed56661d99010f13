package config

import (
	"strings"
	"testing"

	"firebreak/routing"
)

// TestPins: a pin that names no shard is refused where the shards are known, with its place and the name that was meant.
func TestPins(t *testing.T) {
	for _, tt := range []struct{ yaml, want string }{
		{"shards: 16\n    policy: {pinned: {shards: [shard-3, shard-16]}}", `fleets.yml:4:41: fleets[0].policy.pinned.shards[1]: "shard-16" is no shard of the fleet; did you mean "shard-1`},
		{"shards: [db-a, db-b]\n    policy: {pinned: {shards: [db_a]}}", `pinned.shards[0]: "db_a" is no shard of the fleet; did you mean "db-a"?`},
		{"shards: [db-a]\n    placement: {map: explicit}\n    policy: {pinned: {shards: [other]}}", ""}, // the log may name it
		{"shards: [db-a]\n    policy: {pinned: {shards: [db-a]}}", ""},
		{"placement: {map: explicit}\n    policy: {pinned: {shards: [db-z]}}", ""}, // the log names them
		{"document: doc.json\n    policy: {pinned: {shards: [db-z]}}", ""},         // the document does
	} {
		_, err := Parse("fleets.yml", []byte("fleets:\n  - name: f\n    "+tt.yaml+"\n"))
		if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "\n")) {
			t.Errorf("%s: %v, want %q", tt.yaml, err, tt.want)
		}
	}
}

// TestPinsInDocument: shards that are known later are asked then.
func TestPinsInDocument(t *testing.T) {
	f := DefaultFleet()
	f.Policy.Pinned.Shards = []string{"db-a", "db-q"}
	doc := &routing.Document{Shards: []routing.Shard{{Name: "db-a"}, {Name: "db-b"}}}
	if err := f.PinsIn(doc); err == nil || !strings.Contains(err.Error(), `"db-q" is no shard`) {
		t.Errorf("got %v", err)
	}
	f.Policy.Pinned.Shards = f.Policy.Pinned.Shards[:1]
	if err := f.PinsIn(doc); err != nil {
		t.Error(err)
	}
}

package config

import (
	"strings"
	"testing"
)

// TestVersionedWants: clients write twice where they ask a document for the shard, and nowhere else.
func TestVersionedWants(t *testing.T) {
	for placement, want := range map[string]string{
		"    placement: {bytes: key}\n    shards: 4\n":      "",
		"    placement: {map: explicit}\n    shards: [a]\n": "f.yml:7:47: fleets[0].mover.moves.writes: the log names the shards",
	} {
		_, err := Parse("f.yml", []byte("group: g\nkafka: {brokers: [k:9092]}\nfleets:\n  - name: a\n"+placement+"    mover: {moves: {command: [carry], writes: versioned}}\n"))
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", placement, err, want)
		}
	}
}

package ingest

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"firebreak/bench/decode"
	"firebreak/pipeline/record"
	"firebreak/routing"
)

// smallLoad is a log that is read in no time.
func smallLoad() Load {
	return Load{Records: 6_000, Partitions: 3, Batch: 50, Rate: 200, Keys: 500, Tenants: 20, Shards: 8, Seed: 3}
}

// TestLines holds what lines say against what was drawn: by encoding/json, by our decoder, and by the fleet's table.
func TestLines(t *testing.T) {
	load := DefaultLoad()
	draw, err := newLines(&load)
	if err != nil {
		t.Fatal(err)
	}
	fleet, err := load.Fleet()
	if err != nil {
		t.Fatal(err)
	}
	d, err := record.NewDecoder(fleet.Record)
	if err != nil {
		t.Fatal(err)
	}
	table, err := routing.NewTable(fleet.Document)
	if err != nil {
		t.Fatal(err)
	}
	const n = 1000
	size := 0
	tenants := map[string]string{}
	for i := range n {
		line, want := draw.next(nil, start().UnixMilli()+int64(i))
		size += len(line)
		var got decode.Row
		var members map[string]any
		if err := json.Unmarshal(line, &got); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(line, &members); err != nil || len(members) != 14 {
			t.Fatalf("%d members, want 14 (%v): %s", len(members), err, line)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("-drawn +read:\n%s", diff)
		}
		var rec record.Record
		if reason := d.Decode(line, &rec); reason != record.ReasonNone || string(rec.Key) != want.Key || rec.Count != want.Weight || rec.Time != want.TS*1e6 {
			t.Fatalf("%v, decoded %+v of %s", reason, rec, line)
		}
		if shard := table.Document().Shards[table.Locate(nil, []byte(want.Key)).Shard].Name; shard != want.Shard {
			t.Fatalf("key %s lies on %s, the log says %s", want.Key, shard, want.Shard)
		}
		if had, ok := tenants[want.Key]; ok && had != want.Tenant {
			t.Fatalf("key %s is of %s and of %s", want.Key, had, want.Tenant)
		}
		tenants[want.Key] = want.Tenant
	}
	if mean := size / n; mean < 255 || mean > 285 {
		t.Errorf("a record has %d bytes, want about 270", mean)
	}
	if len(tenants) < n/10 || len(tenants) > n*9/10 {
		t.Errorf("%d keys in %d records: want some often and many seldom", len(tenants), n)
	}
}

// TestKeysDiffer: as many keys as are asked for.
func TestKeysDiffer(t *testing.T) {
	load := smallLoad()
	draw, err := newLines(&load)
	if err != nil {
		t.Fatal(err)
	}
	keys := map[string]bool{}
	for range 200_000 {
		_, row := draw.next(nil, 0)
		keys[row.Key] = true
	}
	if len(keys) != load.Keys {
		t.Errorf("%d keys, want %d", len(keys), load.Keys)
	}
}

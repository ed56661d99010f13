package main

import (
	"bytes"
	"strings"
	"testing"

	"firebreak/routing"
	"firebreak/routing/control"
)

// TestRouteShowsFences: what nobody may serve now, and what is written twice, is seen by who looks.
func TestRouteShowsFences(t *testing.T) {
	d, err := routing.Adopt("orders", routing.Placement{Bytes: "key", Function: routing.XXH64, Map: routing.ModN}, routing.NumberedShards(4))
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := showState(&out, control.First(d), "", nil, nil); err != nil || strings.Contains(out.String(), "fenced") {
		t.Errorf("%v: %s", err, out.String())
	}
	d.Fence(routing.VShardEntry(17))
	d.Double(routing.Double{Entry: routing.VShardEntry(18), Value: "shard-3", Both: true})
	if err := showState(&out, &control.State{Document: d}, "", nil, nil); err != nil || !strings.Contains(out.String(), "fenced         vshard/17") ||
		!strings.Contains(out.String(), `written twice  vshard/18, as by "shard-3" too, done when both have it`) {
		t.Errorf("%v: %s", err, out.String())
	}
}

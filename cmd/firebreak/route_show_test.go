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

// TestRouteGetWants: nothing is said of where a key lives without what that goes by, and what is missing is named.
func TestRouteGetWants(t *testing.T) {
	for name, c := range map[string]struct {
		placement   routing.Placement
		placed      bool
		tenant, key bool
		want        string // of the refusal; empty = there is none
	}{
		"by tenant, none given":            {routing.Placement{Bytes: "tenant"}, false, false, true, "--tenant: want whose key it is"},
		"by tenant":                        {routing.Placement{Bytes: "tenant"}, false, true, false, ""},
		"by both, none given":              {routing.Placement{Bytes: "{tenant}:{key}"}, false, false, true, "placed by {tenant}:{key}"},
		"by both, no key":                  {routing.Placement{Bytes: "{tenant}:{key}"}, false, true, false, "--key: want which one"},
		"by both":                          {routing.Placement{Bytes: "{tenant}:{key}"}, false, true, true, ""},
		"by key":                           {routing.Placement{Bytes: "key"}, false, false, true, ""},
		"by key, no key":                   {routing.Placement{Bytes: "key"}, false, true, false, "--key: want which one"},
		"by key, tenants are apart":        {routing.Placement{Bytes: "key", TenantKeys: true}, false, false, true, "two keys"},
		"by key, a tenant lives elsewhere": {routing.Placement{Bytes: "key"}, true, false, true, "tenants live on shards of their own: 1"},
		"by key, a tenant lives elsewhere, and is one": {routing.Placement{Bytes: "key"}, true, true, true, ""},
	} {
		c.placement.Function, c.placement.Map = routing.XXH64, routing.ModN
		d, err := routing.Adopt("orders", c.placement, routing.NumberedShards(4))
		if err != nil {
			t.Fatal(err)
		}
		if c.placed {
			if err := d.Set(routing.TenantEntry("acme"), "shard-1"); err != nil {
				t.Fatal(err)
			}
		}
		switch err := placeable(d, c.tenant, c.key); {
		case c.want == "" && err != nil:
			t.Errorf("%s: %v", name, err)
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

package actuator

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"firebreak/routing"
	"firebreak/routing/control"
)

// TestRouted: a note of the outbox is one entry, whoever takes it from there, and names no key or tenant where the journal must not.
func TestRouted(t *testing.T) {
	n := &control.Note{
		ID: "R1", At: time.UnixMilli(1_790_000_000_123), Do: control.DoSet, By: "ann\xff", Reason: "it is hot", Epoch: 3, Version: 8, Refused: `quota/acme: "secret" is not a rate`, More: 2,
		Changes: []routing.Change{
			{Entry: routing.QuotaEntry("secret"), Was: "5", Is: ""}, {Entry: routing.CacheEntry("secret", "secret"), Is: "5s"}, {Entry: routing.VShardEntry(17), Is: "shard-3"},
		},
	}
	hash, err := ParseRedact("hash")
	if err != nil {
		t.Fatal(err)
	}
	for name, redact := range map[string]Redact{"plain": nil, "redacted": hash} {
		e, err := NewRouted("orders", n, true, redact)
		if err != nil {
			t.Fatal(err)
		}
		again, err := NewRouted("orders", n, true, redact)
		if err != nil || again.ID != e.ID {
			t.Errorf("%s: another entry the second time: %v", name, err)
		}
		e.Epoch, e.Instance = 3, "fb-1"
		b, err := Encode(&e)
		if err != nil {
			t.Fatal(err)
		}
		back, err := Decode(b)
		if err != nil {
			t.Fatal(err)
		}
		r, err := Read[Routed](&back)
		if err != nil || r.Do != "set" || string(r.By) != "ann\xff" || r.Version != 8 || r.More != 2 || !r.ReadBack || len(r.Changes) != 3 || r.Changes[2] != (Change{"vshard/17", "", "shard-3"}) {
			t.Errorf("%s: %v %+v", name, err, r)
		}
		if has := strings.Contains(fmt.Sprint(r), "secret"); has != (redact == nil) {
			t.Errorf("%s: a tenant's name is there: %v\n%s", name, has, b)
		}
	}
}

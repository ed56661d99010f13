package operation_test

import (
	"strings"
	"testing"
	"time"

	"firebreak/actuator/operation"
	"firebreak/policy"
	"firebreak/routing"
	"firebreak/routing/control"
)

// TestPermitDeclaredKeys: whoever asks, a key is cached or salted by hand only as far as a key space declares; what stands may stay, be set
// as it is, and go.
func TestPermitDeclaredKeys(t *testing.T) {
	r := newRig(t)
	cfg := policy.Config{KeySpaces: []policy.KeySpace{{Prefix: "feed", Merge: "counter", Staleness: 5 * time.Second}}}
	set := func(key, value string) *control.Request {
		return &control.Request{Do: control.DoSet, Edits: []control.Edit{{Entry: routing.CacheEntry("", key), Value: value}}}
	}
	imported := func(change func(d *routing.Document)) *control.Request {
		d := r.state.Document.Clone()
		change(d)
		return &control.Request{Do: control.DoImport, Document: d}
	}
	r.state.Document.Cached = []routing.CachedKey{{Key: "old", Staleness: time.Minute}}
	r.state.Document.PutSalt(routing.Salt{Key: "old", Suffixes: []uint32{0, 1}, Read: 2, Write: 2})
	for name, c := range map[string]struct {
		request *control.Request
		want    string
	}{
		"declared":            {set("feed", "5s"), ""},
		"for longer":          {set("feed", "6s"), "at most"},
		"not declared":        {set("home", "5s"), "it may not be cached"},
		"as it stands":        {set("old", "60s"), ""},
		"another that stands": {set("old", "30s"), "it may not be cached"},
		"goes":                {set("old", ""), ""},
		"no time":             {set("home", "soon"), ""},
		"a quota":             {&control.Request{Do: control.DoSet, Edits: []control.Edit{{Entry: routing.QuotaEntry("mega"), Value: "5"}}}, ""},
		"the same document":   {imported(func(*routing.Document) {}), ""},
		"with a cache": {imported(func(d *routing.Document) {
			d.Cached = append(d.Cached, routing.CachedKey{Key: "home", Staleness: time.Second})
		}), "cache/home"},
		"with a salt": {imported(func(d *routing.Document) {
			d.PutSalt(routing.Salt{Key: "home", Suffixes: []uint32{0, 1}, Read: 2, Write: 2})
		}), "salt/home"},
		"with a declared salt": {imported(func(d *routing.Document) {
			d.PutSalt(routing.Salt{Key: "feed", Suffixes: []uint32{0, 1}, Read: 2, Write: 2})
		}), ""},
	} {
		switch err := operation.Permit(r.state, c.request, &operation.Numbers{}, &cfg); {
		case c.want == "" && err != nil:
			t.Errorf("%s: refused: %v", name, err)
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

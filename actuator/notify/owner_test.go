package notify

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"firebreak/actuator"
)

// TestOwners: the first owner that fits counts; whole names, beginnings and patterns; an empty list fits all, and no name fits none.
func TestOwners(t *testing.T) {
	o := Owners{
		{Keys: []string{"cart:*"}, Tenants: []string{"shop-7"}, Team: "carts of shop-7"},
		{Keys: []string{"cart:*", `\*`}, Team: "carts"},
		{Tenants: []string{"shop-*-eu"}, Team: "europe"},
		{Keys: []string{"*session*x*"}, Team: "sessions"},
		{Fleets: []string{"orders"}, Team: "orders"},
	}
	for _, tt := range []struct{ fleet, tenant, key, want string }{
		{"f", "shop-7", "cart:42", "carts of shop-7"},
		{"f", "shop-8", "cart:", "carts"},
		{"f", "", "*", "carts"},
		{"f", "", "xcart:", ""},
		{"f", "shop-9-eu", "k", "europe"},
		{"f", "shop-eu", "", ""},
		{"f", "", "a session of x", "sessions"},
		{"f", "", "x session", ""},
		{"orders", "", "", "orders"},
		{"f", "", "", ""},
	} {
		got := ""
		if w := o.Of(tt.fleet, tt.tenant, tt.key, nil); w != nil {
			got = w.Team
		}
		if got != tt.want {
			t.Errorf("%+v: %q", tt, got)
		}
	}
	hash, err := actuator.ParseRedact("hash")
	if err != nil {
		t.Fatal(err)
	}
	if w := (Owners{{Tenants: []string{"shop-7"}, Team: "carts"}}).Of("f", hash([]byte("shop-7")), "", hash); w == nil {
		t.Error("a whole name is not known in a redacted journal")
	}
}

// TestFit: a pattern without stars is its name, a star is any run, and escapes are stars and backslashes.
func TestFit(t *testing.T) {
	part := rapid.StringMatching(`[ab*\\]{0,4}`)
	escape := func(s string) (out string) {
		for _, c := range s {
			if c == '*' || c == '\\' {
				out += `\`
			}
			out += string(c)
		}
		return out
	}
	rapid.Check(t, func(t *rapid.T) {
		a, b, c, x, y := part.Draw(t, "a"), part.Draw(t, "b"), part.Draw(t, "c"), part.Draw(t, "x"), part.Draw(t, "y")
		if !fit(escape(a)+"*"+escape(b)+"*"+escape(c), a+x+b+y+c, nil) {
			t.Fatal("what the pattern was made of does not fit")
		}
		if fit(escape(a), x, nil) != (a == x) {
			t.Fatalf("%q and %q", a, x)
		}
	})
}

// TestOwnersValidate: what is wrong is named by its path.
func TestOwnersValidate(t *testing.T) {
	o := Owners{{}, {Team: "t", Runbook: "wiki"}, {Team: "t", Keys: []string{"", "a*"}, Fleets: []string{"f*"}}}
	for hashed, want := range map[bool][]string{
		false: {"[0].team", "[1].runbook", "[2].keys[0]"},
		true:  {"[0].team", "[1].runbook", "[2].keys[0]", "[2].keys[1]"},
	} {
		var got []string
		for _, err := range o.Validate(hashed) {
			if e, ok := errors.AsType[*ConfigError](err); ok {
				path, _ := e.Field()
				got = append(got, path)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("hashed %v (-want +got):\n%s", hashed, diff)
		}
	}
}

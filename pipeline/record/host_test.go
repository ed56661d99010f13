package record

import (
	"bytes"
	"regexp"
	"testing"
)

// FuzzHost holds hostOf against the expression that it stands for.
func FuzzHost(f *testing.F) {
	for _, seed := range []string{
		"10.0.0.1:38412", "10.0.0.1", "[::1]:80", "[::1]", "::1", ":80", "", "[", "[]", "[]:1", "a:", "a:1x", "a[:1", "a[1]:2", "[a]b:1", "[a:1", "a:1:2", "a\n:1", "\xff:1", "x:01", "[a]]:1",
	} {
		f.Add([]byte(seed))
	}
	re := regexp.MustCompile(addressPattern)
	f.Fuzz(func(t *testing.T, b []byte) {
		want := re.FindSubmatch(b)
		if got := hostOf(b); want == nil || !bytes.Equal(got, want[1]) {
			t.Fatalf("%q: %q, the expression has %q", b, got, want)
		}
	})
}

// The Envoy preset's expression is the one that hostOf knows.
func TestEnvoyNeedsNoExpression(t *testing.T) {
	if d := mustDecoder(t, Config{Preset: presetEnvoy}); !d.fields[fieldTenant].host {
		t.Error("the preset's tenant goes through a regular expression")
	}
}

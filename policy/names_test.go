package policy

import (
	"strings"
	"testing"
)

// TestNamesRoundTrip: every name is its own, reads back, and a value out of range still shows itself.
func TestNamesRoundTrip(t *testing.T) {
	seen := map[string]bool{}
	once := func(list string, name string) {
		t.Helper()
		if seen[list+name] || strings.HasPrefix(name, "invalid") {
			t.Errorf("%s: name %q is there twice or missing", list, name)
		}
		seen[list+name] = true
	}
	for _, c := range Causes() {
		once("cause", c.String())
		var back Cause
		if err := back.UnmarshalText([]byte(c.String())); err != nil || back != c {
			t.Errorf("cause %s reads back as %s, %v", c, back, err)
		}
	}
	for _, f := range Fixes() {
		once("fix", f.String())
		var back Fix
		if err := back.UnmarshalText([]byte(f.String())); err != nil || back != f {
			t.Errorf("fix %s reads back as %s, %v", f, back, err)
		}
	}
	for _, s := range Samplings() {
		once("sampling", s.String())
		var back Sampling
		if err := back.UnmarshalText([]byte(s.String())); err != nil || back != s {
			t.Errorf("sampling %s reads back as %s, %v", s, back, err)
		}
	}
	for _, r := range HoldReasons() {
		once("hold", r.String())
	}
	for _, m := range Metrics() {
		once("metric", m.String())
		if back, err := ParseMetric(m.String()); err != nil || back != m {
			t.Errorf("metric %s reads back as %s, %v", m, back, err)
		}
	}
	for k := StepNone; k <= StepDrain; k++ {
		once("step", k.String())
	}
	for _, topic := range append(Topics(), TopicNone) {
		once("topic", topic.String())
	}
	if got := Cause(99).String(); got != "invalid(99)" {
		t.Errorf("Cause(99) = %q", got)
	}
	c := CauseVolume
	err := c.UnmarshalText([]byte("hot"))
	if want := `cause "hot": want unknown, volume, hot_key or whale_tenant`; err == nil || err.Error() != want || c != CauseVolume {
		t.Errorf("cause hot: %v, %v, want %s", c, err, want)
	}
}

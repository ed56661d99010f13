package strictyaml_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"firebreak/internal/strictyaml"
)

func TestParseRatio(t *testing.T) {
	for text, want := range map[string]strictyaml.Ratio{
		"12%": 0.12, "0.12": 0.12, "0": 0, "0%": 0, "1": 1, "100%": 1, "0.1%": 0.001, "12.5%": 0.125, ".5": 0.5, "5.%": 0.05,
	} {
		if got, err := strictyaml.ParseRatio(text); err != nil || got != want {
			t.Errorf("ParseRatio(%q) = %v, %v; want %v", text, got, err, want)
		}
	}
	for text, want := range map[string]string{
		"12": `did you mean "12%"?`, "1.5": `did you mean "1.5%"?`, "101": "more than the whole", "101%": "more than the whole", "-1": "no ratio",
		"": "no ratio", "%": "no ratio", "NaN": "no ratio", "1e-3": "no ratio", "12 %": "no ratio", "12%%": "no ratio", "0x1p-2": "no ratio",
		"1:100": "no ratio", "1.2.3": "no ratio", "twelve": "no ratio",
	} {
		if got, err := strictyaml.ParseRatio(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("ParseRatio(%q) = %v, %v; want an error with %q", text, got, err, want)
		}
	}
}

func TestRatioRoundTrips(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := strictyaml.Ratio(rapid.Float64Range(0, 1).Draw(t, "ratio"))
		if got, err := strictyaml.ParseRatio(r.String()); err != nil || got != r {
			t.Fatalf("ParseRatio(%q) = %v, %v", r.String(), got, err)
		}
	})
}

func TestNearest(t *testing.T) {
	known := []string{"capacity", "coverage", "for", "from", "key", "key_identity", "tenant", "thresholds"}
	for word, want := range map[string]string{
		"capcity": "capacity", "Capacity": "capacity", "cpaacity": "capacity", "capacitys": "capacity", "fro": "for", "kye": "key",
		"key_ident": "key_identity", "tenants_list": "tenant", "thresh": "thresholds", "tneant": "tenant", "tneatn": "tenant",
		"x": "", "zzzz": "", "": "", "k": "", "overage": "coverage", "frmo": "from",
	} {
		if got := strictyaml.Nearest(word, known); got != want {
			t.Errorf("Nearest(%q) = %q, want %q", word, got, want)
		}
	}
}

// TestNearestFindsAnyTypo makes one mistake in a long word; nothing else known is as near.
func TestNearestFindsAnyTypo(t *testing.T) {
	known := []string{"capacity", "thresholds", "placement", "receivers"}
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.SampledFrom(known).Draw(t, "word")
		i := rapid.IntRange(0, len(word)-2).Draw(t, "at")
		c := string(rapid.ByteRange('a', 'z').Draw(t, "letter"))
		typo := []string{
			word[:i] + word[i+1:], word[:i] + c + word[i:], word[:i] + c + word[i+1:], word[:i] + word[i+1:i+2] + word[i:i+1] + word[i+2:],
		}[rapid.IntRange(0, 3).Draw(t, "mistake")]
		if got := strictyaml.Nearest(typo, known); got != word {
			t.Fatalf("Nearest(%q) = %q, want %q", typo, got, word)
		}
	})
}

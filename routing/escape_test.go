package routing

import "testing"

// TestEscapeInvalid: only what is not UTF-8 changes.
func TestEscapeInvalid(t *testing.T) {
	for in, want := range map[string]string{"": "", "a\\b\"\n": "a\\b\"\n", "\xff\uFFFDé\xe9": "\\xff\uFFFDé\\xe9"} {
		if got := EscapeInvalid(in); got != want {
			t.Errorf("EscapeInvalid(%q) = %q, want %q", in, got, want)
		}
	}
}

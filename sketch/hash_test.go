package sketch

import (
	"testing"

	"pgregory.net/rapid"
)

// TestKeyHashIsXXH3: the short way to hash a key and the library say the same, so that either may read what the other
// counted.
func TestKeyHashIsXXH3(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		seed := rapid.Uint64().Draw(t, "seed")
		h := newHasher(seed)
		for n := range 70 {
			name := rapid.SliceOfN(rapid.Byte(), n, n).Draw(t, "name")
			if got, want := h.key(name), hashed(name, seed); got != want {
				t.Fatalf("%d bytes: %x, want %x", n, got, want)
			}
		}
	})
}

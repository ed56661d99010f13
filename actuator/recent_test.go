package actuator

import (
	"strconv"
	"testing"
)

// TestRecent: an id is new once, and again after so many others that it was forgotten; memory does not grow.
func TestRecent(t *testing.T) {
	r := NewRecent()
	for n := range 3 * remembered {
		id := strconv.Itoa(n)
		if r.Has(id) || !r.Add(id) || r.Add(id) || !r.Has(id) {
			t.Fatalf("%s is not new once", id)
		}
		if n >= remembered {
			oldest := strconv.Itoa(n - remembered)
			if next := strconv.Itoa(n - remembered + 1); r.Has(oldest) || !r.Has(next) {
				t.Fatalf("after %s: %s is known (%v), %s is (%v)", id, oldest, r.Has(oldest), next, r.Has(next))
			}
		}
	}
	if len(r.known) != remembered || len(r.order) != remembered {
		t.Errorf("%d ids and %d places, want %d", len(r.known), len(r.order), remembered)
	}
	if !r.Add("0") {
		t.Error("what was forgotten is not new")
	}
}

package sketch

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

// roomy is a small window in which nothing of a few names is ever left out.
func roomy(panes int) Config {
	return Config{
		Panes: panes, Ahead: 12, Open: 2, Shards: 4, VShards: 8, Seed: 7, Listed: 64, Slots: 128, Width: 64,
		TenantSlots: 64, CallerSlots: 64, TenantWidth: 32, PairSlots: 64, Spread: 4,
	}
}

func newSliding(t testing.TB, cfg Config) *Sliding {
	t.Helper()
	s, err := NewSliding(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// sameWindow tells where two answers differ that should be equal, bounds apart: an exact answer has none.
func sameWindow(exact, got Window) string {
	return cmp.Diff(exact, got,
		cmpopts.IgnoreUnexported(Listed{}), cmpopts.IgnoreFields(Listed{}, "Low", "High"), cmpopts.IgnoreFields(PaneSums{}, "Version"),
		cmpopts.EquateEmpty(), cmpopts.EquateApprox(0, 1e-9))
}

// TestSlidingIsExactForFewNames: where every name fits, what Sliding lists is what Exact lists, after any records in any
// open or closed pane, slides, gaps and listings; bounds close on the truth.
func TestSlidingIsExactForFewNames(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		panes := rapid.IntRange(1, 6).Draw(t, "panes")
		x := NewExact(panes)
		s, err := NewSliding(roomy(panes))
		if err != nil {
			t.Fatal(err)
		}
		newest := int64(100)
		x.Slide(newest)
		s.Slide(newest)
		for range rapid.IntRange(1, 80).Draw(t, "steps") {
			switch rapid.IntRange(0, 9).Draw(t, "step") {
			case 0, 1:
				newest += rapid.SampledFrom([]int64{1, 1, 1, 2, 9}).Draw(t, "slide")
				x.Slide(newest)
				s.Slide(newest)
			case 2, 3:
				n := rapid.IntRange(1, 20).Draw(t, "n")
				if diff := cmp.Diff(weights(x.Window(n), n), weights(s.Window(n), n)); diff != "" {
					t.Fatalf("weights of %d (-exact +sliding):\n%s", n, diff)
				}
			default:
				e := drawTwoSided(t, newest)
				x.Add(&e)
				s.Add(&e)
			}
		}
		if diff := sameWindow(x.Window(100), s.Window(100)); diff != "" {
			t.Fatalf("window (-exact +sliding):\n%s", diff)
		}
		for _, l := range s.Window(100).Keys {
			if l.Low != l.High || l.Low != l.weight {
				t.Fatalf("%q has %d, bounds %d and %d", l.Name, l.weight, l.Low, l.High)
			}
		}
		if s.Refused() > 0 {
			t.Fatalf("%d events refused", s.Refused())
		}
	})
}

// weights are the weights of the n heaviest, whoever comes first among equals. Who else is listed for its newest panes
// depends on which of equals came first.
func weights(w Window, n int) (all [][]uint64) {
	for _, list := range [][]Listed{w.Keys, w.Tenants, w.Pairs} {
		var of []uint64
		for i := range min(n, len(list)) {
			of = append(of, list[i].weight)
		}
		all = append(all, of)
	}
	return all
}

// drawTwoSided draws an event whose key, tenant and shard have at most two tenants and callers each.
func drawTwoSided(t *rapid.T, newest int64) Event {
	e := drawEvent(t, newest)
	if e.Key != nil {
		e.VShard = int32(e.Key[len(e.Key)-1]) % 9
		e.Shard = e.VShard % 4
		if e.VShard == 8 {
			e.VShard, e.Shard = None, None
		}
	}
	if len(e.Tenant) > 0 {
		e.Tenant = fmt.Appendf(nil, "tenant-%d", int(e.Tenant[len(e.Tenant)-1])%2)
	}
	if len(e.Caller) > 0 {
		e.Caller = fmt.Appendf(nil, "caller-%d", int(e.Caller[len(e.Caller)-1])%2)
	}
	return e
}

// ignoreOrder leaves out what depends on the order in which parts came.
func ignoreOrder() cmp.Option {
	return cmp.Options{
		cmpopts.IgnoreFields(Listed{}, "slot"), cmpopts.IgnoreFields(PaneSums{}, "Version"), cmpopts.EquateEmpty(),
		cmpopts.EquateApprox(0, 1e-9),
	}
}

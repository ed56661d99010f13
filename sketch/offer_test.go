package sketch

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestOfferIsAdd: what is taken leaves the cells as add does, however large they are; what is over the limit leaves no trace.
func TestOfferIsAdd(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		added, offered := newCountMin(16), newCountMin(16)
		for range rapid.IntRange(1, 60).Draw(t, "records") {
			h := rapid.Uint64Range(0, 40).Draw(t, "name") * 0x9e3779b97f4a7c15
			cost := rapid.Uint64().Draw(t, "cost") >> rapid.IntRange(0, 63).Draw(t, "light")
			limit := rapid.Uint64().Draw(t, "limit") >> rapid.IntRange(0, 40).Draw(t, "low")
			before := slices.Clone(offered.cells)
			want := plus(offered.least(offered.locate(h)), cost)
			now, taken := offered.offer(h, cost, limit)
			if now != want || taken && now > limit {
				t.Fatalf("now %d, taken %v, limit %d, want %d", now, taken, limit, want)
			}
			if !taken {
				if !slices.Equal(before, offered.cells) {
					t.Fatal("cells changed by what was not taken")
				}
				offered.add(h, cost)
			}
			added.add(h, cost)
			if !slices.Equal(added.cells, offered.cells) || added.shift != offered.shift || added.mass != offered.mass || added.any != offered.any {
				t.Fatalf("%+v\n%+v", added, offered)
			}
		}
	})
}

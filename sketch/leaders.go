package sketch

import (
	"cmp"
	"slices"
)

// Leader is a heavy name with its estimate over the long window, in 1/256 cost units.
type Leader struct {
	Name string
	Cost uint64
}

// Leaders gives the n heaviest keys and tenants of the long window as Window ranks them, from the running totals alone:
// for who looks often. Records that came since the last Slide are not in it.
func (s *Sliding) Leaders(n int) (keys, tenants []Leader) {
	return s.leaders(keyKind, n), s.leaders(tenantKind, n)
}

func (s *Sliding) leaders(k kind, n int) []Leader {
	names := &s.names[k]
	ids := largest(names.long, n)
	out := make([]Leader, 0, len(ids))
	for _, id := range ids {
		out = append(out, Leader{names.name[id], names.long[id]})
	}
	slices.SortFunc(out, func(a, b Leader) int { return cmp.Or(cmp.Compare(b.Cost, a.Cost), cmp.Compare(a.Name, b.Name)) })
	return out
}

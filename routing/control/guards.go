package control

import (
	"slices"
	"strings"
	"time"
)

// Guarding is a guard of a shard as a decider sees it.
type Guarding struct {
	Confirmation

	// Silent is for how long nothing was heard of it. From NoLongerLive on it is gone, or cut off and serving on by its last document:
	// nobody can tell.
	Silent time.Duration
}

// Live says that the guard was heard of.
func (g *Guarding) Live() bool { return g.Silent < NoLongerLive }

// Guards lists those of a shard, by name: all that are not forgotten.
func (r *Roll) Guards(now time.Time, shard string) []Guarding {
	var out []Guarding
	for _, c := range r.clients {
		if silent := now.Sub(c.changed); c.Guard && c.Shard == shard && silent < Forgotten {
			out = append(out, Guarding{c.Confirmation, silent})
		}
	}
	slices.SortFunc(out, func(a, b Guarding) int { return strings.Compare(a.Client, b.Client) })
	return out
}

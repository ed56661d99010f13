package operation

import (
	"fmt"
	"slices"
	"time"

	"firebreak/routing/control"
)

// guarded says whether the guards of all shards that give or take what an operation moves are there: no fence is begun that nobody
// could acknowledge.
func guarded(s *control.State, op *control.Operation, v *View) (string, bool) {
	return v.guardedFrom(s, op, op.Do)
}

// guardedFrom is guarded for what an operation moves from where it lies to where some edits put it.
func (v *View) guardedFrom(s *control.State, op *control.Operation, edits []control.Edit) (string, bool) {
	next := s.Document.Clone()
	if err := lay(next, edits); err != nil {
		return err.Error(), false
	}
	gives, err := holders(s.Document, op)
	if err != nil {
		return err.Error(), false
	}
	takes, err := holders(next, op)
	if err != nil {
		return err.Error(), false
	}
	for _, shard := range append(gives, takes...) {
		if why, ok := v.guards(shard, 0); !ok {
			return why, false
		}
	}
	return "", true
}

// mayReturn says whether an operation can go where its phase's way back leads: where that is a fence, the guards of all shards that give or
// take what moves back must be there, or nobody would serve it for nothing.
func mayReturn(s *control.State, op *control.Operation, m *Machine, v *View) (string, bool) {
	to := m.at(m.Phases[m.at(op.Phase)].Back)
	if to < 0 || !slices.Contains(m.Phases[to].Until, Acknowledged) {
		return "", true
	}
	return v.guardedFrom(s, op, op.Was)
}

// acknowledged says whether the guards of all shards that have what an operation moves go by the document of its phase: serve it no longer,
// or, where it is written twice, refuse who may not know that, on both sides.
func acknowledged(s *control.State, op *control.Operation, v *View) (string, bool) {
	gives, err := sides(s.Document, op)
	if err != nil {
		return err.Error(), false
	}
	for _, shard := range gives {
		if why, ok := v.guards(shard, op.Version); !ok {
			return why, false
		}
	}
	return "", true
}

// guards says whether a shard has a guard, and whether all that it has hold a version. One that is silent may be cut off, and serve on by
// an older document.
func (v *View) guards(shard string, version uint64) (string, bool) {
	var all []control.Guarding
	if v.Guards != nil {
		all = v.Guards(shard)
	}
	if len(all) == 0 {
		return fmt.Sprintf("no guard of %s is known", shard), false
	}
	live := false
	for i := range all {
		g := &all[i]
		switch {
		case !g.Live() && (version == 0 || g.Version < version):
			return fmt.Sprintf("guard %s of %s has been silent for %s: it may be cut off, and serve on", g.Client, shard, g.Silent.Round(time.Second)), false
		case g.Version < version:
			return fmt.Sprintf("guard %s of %s has not acknowledged the document", g.Client, shard), false
		}
		live = live || g.Live()
	}
	if !live {
		return fmt.Sprintf("no guard of %s lives", shard), false
	}
	return "", true
}

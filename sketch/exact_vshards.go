package sketch

import (
	"cmp"
	"maps"
	"slices"
)

// vshards counts virtual shards by pane. An open pane finds a vshard's place by an index as long as there are vshards;
// a complete one is a sorted list.
type vshards struct {
	panes map[int64]*vpane
	spare [][]int32 // indexes of completed panes, all zero
	last  *vpane    // the pane of the last record
}

type vpane struct {
	pane    int64
	version uint64
	index   []int32 // by vshard: 1 + place in sums; nil once the pane is complete
	sums    []VShardSums
}

func newVShards() vshards { return vshards{panes: map[int64]*vpane{}} }

func (v *vshards) add(pane int64, vshard int32, s *Sums, w span) {
	p := v.last
	if p == nil || p.pane != pane {
		p = v.panes[pane]
		if p == nil {
			p = &vpane{pane: pane}
			if !w.holds(pane) {
				p.index = v.takeIndex()
			}
			v.panes[pane] = p
		}
		v.last = p
	}
	p.version++
	p.place(vshard).add(s)
}

func (v *vshards) takeIndex() []int32 {
	n := len(v.spare)
	if n == 0 {
		return []int32{}
	}
	index := v.spare[n-1]
	v.spare = v.spare[:n-1]
	return index
}

// place finds the sums of a vshard, and makes them.
func (p *vpane) place(vshard int32) *Sums {
	if p.index == nil {
		at, found := slices.BinarySearchFunc(p.sums, vshard, func(s VShardSums, v int32) int { return cmp.Compare(s.VShard, v) })
		if !found {
			// A copy: whoever read the pane before goes on reading what it was.
			p.sums = slices.Insert(slices.Clone(p.sums), at, VShardSums{VShard: vshard})
		}
		return &p.sums[at].Sums
	}
	if int(vshard) >= len(p.index) {
		p.index = append(p.index, make([]int32, int(vshard)+1-len(p.index))...)
	}
	if p.index[vshard] == 0 {
		p.sums = append(p.sums, VShardSums{VShard: vshard})
		p.index[vshard] = int32(len(p.sums))
	}
	return &p.sums[p.index[vshard]-1].Sums
}

// slide sorts the panes that became complete and drops those that left the window.
func (v *vshards) slide(to span) {
	v.last = nil
	for pane, p := range v.panes {
		switch {
		case to.past(pane):
			v.release(p)
			delete(v.panes, pane)
		case to.holds(pane) && p.index != nil:
			v.release(p)
			slices.SortFunc(p.sums, func(a, b VShardSums) int { return cmp.Compare(a.VShard, b.VShard) })
		}
	}
}

func (v *vshards) release(p *vpane) {
	if p.index == nil {
		return
	}
	for i := range p.sums {
		p.index[p.sums[i].VShard] = 0
	}
	v.spare = append(v.spare, p.index)
	p.index = nil
}

// complete lists the complete panes with traffic, ascending.
func (v *vshards) complete(w span) []PaneSums {
	var all []PaneSums
	for _, pane := range slices.Sorted(maps.Keys(v.panes)) {
		if w.holds(pane) {
			p := v.panes[pane]
			all = append(all, PaneSums{Pane: pane, Version: p.version, VShards: p.sums})
		}
	}
	return all
}

// coarsen merges each pair of panes 2n and 2n+1 into pane n. No pane is complete yet.
func (v *vshards) coarsen() {
	old := v.panes
	v.panes, v.last = map[int64]*vpane{}, nil
	for _, pane := range slices.Sorted(maps.Keys(old)) {
		p := old[pane]
		into := v.panes[pane>>1]
		if into == nil {
			p.pane = pane >> 1
			v.panes[p.pane] = p
			continue
		}
		for i := range p.sums {
			into.place(p.sums[i].VShard).add(&p.sums[i].Sums)
		}
		v.release(p)
	}
}

package sketch

import (
	"maps"
	"math"
	"slices"
)

// table counts names of one kind by pane. A name has one slot from its first record until its last pane leaves the
// window; then the slot is used again. long and recent are sums of Cost over complete panes, by slot.
type table[K comparable] struct {
	index   map[K]int32
	entries []entry[K]
	long    []uint64
	recent  []uint64
	unused  []int32
	touched map[int64][]int32 // by pane: the slots that have a cell there, once each
	peak    int               // most names since the maps were made

	saturated []int32 // slots whose sums a slide cannot bring forward
}

type entry[K comparable] struct {
	key    K
	vshard int32
	cells  []Cell // ascending by pane
}

func newTable[K comparable]() table[K] {
	return table[K]{index: map[K]int32{}, touched: map[int64][]int32{}}
}

// insert gives a new name its slot.
func (t *table[K]) insert(k K, vshard int32) int32 {
	var slot int32
	if n := len(t.unused); n > 0 {
		slot = t.unused[n-1]
		t.unused = t.unused[:n-1]
	} else {
		slot = int32(len(t.entries))
		t.entries = append(t.entries, entry[K]{})
		t.long, t.recent = append(t.long, 0), append(t.recent, 0)
	}
	e := &t.entries[slot]
	e.key, e.vshard, e.cells = k, vshard, e.cells[:0]
	t.index[k] = slot
	t.peak = max(t.peak, len(t.index))
	return slot
}

// add counts s in a pane that has not left the window.
func (t *table[K]) add(slot int32, pane int64, s *Sums, w span) {
	e := &t.entries[slot]
	i := len(e.cells) - 1
	for i >= 0 && e.cells[i].Pane > pane {
		i--
	}
	if i < 0 || e.cells[i].Pane != pane {
		i++
		e.cells = slices.Insert(e.cells, i, Cell{Pane: pane})
		t.touched[pane] = append(t.touched[pane], slot)
	}
	e.cells[i].Sums.add(s)
	if w.holds(pane) {
		t.long[slot] = plus(t.long[slot], s.Cost)
	}
	if w.recent(pane) {
		t.recent[slot] = plus(t.recent[slot], s.Cost)
	}
}

// slide brings the sums from one span to a later one and frees what left the window.
func (t *table[K]) slide(from, to span) {
	for _, pane := range slices.Sorted(maps.Keys(t.touched)) {
		moves := move{
			longer: to.holds(pane) && !from.holds(pane), shorter: from.holds(pane) && !to.holds(pane),
			newer: to.recent(pane) && !from.recent(pane), older: from.recent(pane) && !to.recent(pane), past: to.past(pane),
		}
		if moves == (move{}) {
			continue
		}
		for _, slot := range t.touched[pane] {
			t.settle(slot, pane, moves)
		}
		if moves.past {
			delete(t.touched, pane)
		}
	}
	for _, slot := range t.saturated {
		t.resum(slot, to)
	}
	t.saturated = t.saturated[:0]
}

// move is what a slide does to a pane: it comes into the sums, or leaves them.
type move struct{ longer, shorter, newer, older, past bool }

// settle applies a move to one slot.
func (t *table[K]) settle(slot int32, pane int64, m move) {
	e := &t.entries[slot]
	i := len(e.cells) - 1
	if m.shorter || m.past {
		i = 0 // panes leave from the oldest on
	}
	for e.cells[i].Pane != pane {
		i--
	}
	cost := e.cells[i].Sums.Cost
	if m.past {
		e.cells = e.cells[1:]
	}
	if t.long[slot] == math.MaxUint64 || t.recent[slot] == math.MaxUint64 {
		t.saturated = append(t.saturated, slot)
	} else {
		t.long[slot] = moved(t.long[slot], cost, m.longer, m.shorter)
		t.recent[slot] = moved(t.recent[slot], cost, m.newer, m.older)
	}
	if len(e.cells) == 0 {
		delete(t.index, e.key)
		*e = entry[K]{}
		t.long[slot], t.recent[slot] = 0, 0
		t.unused = append(t.unused, slot)
	}
}

func moved(sum, cost uint64, in, out bool) uint64 {
	switch {
	case in:
		return plus(sum, cost)
	case out:
		return sum - cost
	}
	return sum
}

// resum sums a slot anew: what had saturated comes down to the truth.
func (t *table[K]) resum(slot int32, w span) {
	var long, recent uint64
	for _, c := range t.entries[slot].cells {
		if w.holds(c.Pane) {
			long = plus(long, c.Sums.Cost)
		}
		if w.recent(c.Pane) {
			recent = plus(recent, c.Sums.Cost)
		}
	}
	t.long[slot], t.recent[slot] = long, recent
}

// cells gives the cells of a slot as they are now, whatever becomes of the table.
func (t *table[K]) cells() func(slot int32) []Cell {
	entries := t.entries
	return func(slot int32) []Cell {
		if int(slot) >= len(entries) {
			return nil
		}
		return entries[slot].cells
	}
}

// sparse tells a table most of whose memory stands empty.
func (t *table[K]) sparse() bool { return t.peak > 4096 && len(t.index) < t.peak/4 }

// compact moves the names to the front of fresh memory and returns where each slot went. rekey gives a name's new key.
func (t *table[K]) compact(rekey func(K) K) []int32 {
	fresh := newTable[K]()
	moved := make([]int32, len(t.entries))
	for slot := range t.entries {
		e := &t.entries[slot]
		if len(e.cells) == 0 {
			continue
		}
		to := fresh.insert(rekey(e.key), e.vshard)
		fresh.entries[to].cells = slices.Clone(e.cells)
		fresh.long[to], fresh.recent[to] = t.long[slot], t.recent[slot]
		moved[slot] = to
	}
	for pane, slots := range t.touched {
		for _, slot := range slots {
			fresh.touched[pane] = append(fresh.touched[pane], moved[slot])
		}
	}
	*t = fresh
	return moved
}

// coarsen merges each pair of panes 2n and 2n+1 into pane n. No pane is complete yet.
func (t *table[K]) coarsen() {
	t.touched = map[int64][]int32{}
	for slot := range t.entries {
		e := &t.entries[slot]
		kept := e.cells[:0]
		for _, c := range e.cells {
			c.Pane >>= 1
			if n := len(kept); n > 0 && kept[n-1].Pane == c.Pane {
				kept[n-1].Sums.add(&c.Sums)
				continue
			}
			kept = append(kept, c)
			t.touched[c.Pane] = append(t.touched[c.Pane], int32(slot))
		}
		e.cells = kept
	}
}

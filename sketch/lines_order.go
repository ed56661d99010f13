package sketch

import (
	"cmp"
	"math/bits"
	"slices"
)

// least is not over the n-th largest of values, by number of a name: what the n-th largest is among the names of lines.
// It is 1 where there are too few of them.
func (l *lines) least(values []uint64, n int, scratch []uint64) (uint64, []uint64) {
	scratch = scratch[:0]
	if n > len(l.all) {
		return 1, scratch
	}
	for i := range l.all {
		if id := l.all[i].id; id >= 0 {
			scratch = append(scratch, values[id])
		}
	}
	if n > len(scratch) {
		return 1, scratch
	}
	return max(nthLargest(scratch, n), 1), scratch
}

// sort gives every line its place by name: new ones are put among the others.
func (l *lines) sort(n *names) {
	if !l.unsorted {
		return
	}
	l.unsorted = false
	order := func(a, b int32) int {
		i, j := l.all[a].id, l.all[b].id
		return cmp.Or(cmp.Compare(n.name[i], n.name[j]), cmp.Compare(n.place[i], n.place[j]))
	}
	l.byName = slices.DeleteFunc(l.byName, func(i int32) bool { return l.all[i].id < 0 || l.all[i].place < 0 })
	old := len(l.byName)
	for i := range l.all {
		if t := &l.all[i]; t.id >= 0 && t.place < 0 {
			l.byName = append(l.byName, int32(i))
		}
	}
	l.idle = append(l.idle[:0], l.byName[old:]...)
	slices.SortFunc(l.idle, order)
	to := len(l.byName)
	for _, fresh := range slices.Backward(l.idle) {
		at, _ := slices.BinarySearchFunc(l.byName[:old], fresh, order)
		to -= old - at + 1
		copy(l.byName[to+1:], l.byName[at:old])
		l.byName[to] = fresh
		old = at
	}
	for place, i := range l.byName {
		l.all[i].place = int32(place)
	}
}

// rank sorts lines, of which all have a place by name: heaviest first, then by name. Both go into one number where they fit;
// keys is memory for it.
func (l *lines) rank(lines []int32, keys []uint64) []uint64 {
	places, most := uint(bits.Len(uint(len(l.all)))), uint64(0)
	for _, at := range lines {
		t := &l.all[at]
		most = max(most, t.sum)
		keys = append(keys, ^t.sum<<places|uint64(t.place))
	}
	if most>>(64-places) > 0 {
		slices.SortFunc(lines, func(a, b int32) int {
			x, y := &l.all[a], &l.all[b]
			return cmp.Or(cmp.Compare(y.sum, x.sum), cmp.Compare(x.place, y.place))
		})
		return keys
	}
	slices.Sort(keys)
	for i, key := range keys {
		lines[i] = l.byName[key&(1<<places-1)]
	}
	return keys
}

package sketch

import "slices"

// pick finds the numbers of the n names of a kind that are heaviest over the long window, and of the n that are over the
// recent panes, each once, in no order. Of equal ones the lower number goes first.
func (s *Sliding) pick(k kind, n int) []int32 {
	names, a := &s.names[k], &s.answer
	a.ids = a.ids[:0]
	if n <= 0 {
		return a.ids
	}
	a.add(k, names.long, n)
	long := len(a.ids)
	for _, id := range a.ids {
		names.mark[id] = 1
	}
	a.add(k, names.recent, n)
	kept := a.ids[:long]
	for _, id := range a.ids[long:] {
		if names.mark[id] == 0 {
			kept = append(kept, id)
		}
	}
	for _, id := range kept[:long] {
		names.mark[id] = 0
	}
	return kept
}

// add appends to ids those of the n largest values above 0. What was listed last tells where to draw the line at least.
func (a *answer) add(k kind, values []uint64, n int) {
	var line uint64
	line, a.weights = a.lines[k].least(values, n, a.weights)
	from := len(a.ids)
	for id, v := range values {
		if v >= line {
			a.ids = append(a.ids, int32(id))
		}
	}
	if len(a.ids)-from <= n {
		return
	}
	a.weights = a.weights[:0]
	for _, id := range a.ids[from:] {
		a.weights = append(a.weights, values[id])
	}
	line = nthLargest(a.weights, n)
	ties := n
	for _, v := range a.weights {
		if v > line {
			ties--
		}
	}
	kept := a.ids[:from]
	for _, id := range a.ids[from:] {
		switch v := values[id]; {
		case v > line:
			kept = append(kept, id)
		case v == line && ties > 0:
			kept = append(kept, id)
			ties--
		}
	}
	a.ids = kept
}

// heaviest returns the slots of the n largest values above 0 of long and the n largest of recent, each slot once, in no
// order. Of equal values the lower slot goes first.
func heaviest(long, recent []uint64, n int) []int32 {
	slots := append(largest(long, n), largest(recent, n)...)
	slices.Sort(slots)
	return slices.Compact(slots)
}

// largest keeps the n largest values in a heap whose root is the smallest of them: one comparison a value that does not
// belong.
func largest(values []uint64, n int) []int32 {
	heap := make([]int32, 0, min(n, len(values)))
	less := func(a, b int32) bool {
		return values[a] < values[b] || values[a] == values[b] && a > b
	}
	for slot, v := range values {
		switch {
		case v == 0 || n <= 0:
		case len(heap) < n:
			heap = append(heap, int32(slot))
			up(heap, less)
		case v > values[heap[0]]:
			heap[0] = int32(slot)
			down(heap, less)
		}
	}
	return heap
}

// up moves the last element of a heap to its place.
func up(heap []int32, less func(a, b int32) bool) {
	i := len(heap) - 1
	for i > 0 {
		parent := (i - 1) / 2
		if !less(heap[i], heap[parent]) {
			return
		}
		heap[i], heap[parent] = heap[parent], heap[i]
		i = parent
	}
}

// down moves the root of a heap to its place.
func down(heap []int32, less func(a, b int32) bool) {
	i := 0
	for {
		child := 2*i + 1
		if child >= len(heap) {
			return
		}
		if child+1 < len(heap) && less(heap[child+1], heap[child]) {
			child++
		}
		if !less(heap[child], heap[i]) {
			return
		}
		heap[i], heap[child] = heap[child], heap[i]
		i = child
	}
}

package sketch

import "slices"

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

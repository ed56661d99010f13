package textbook

import (
	"cmp"
	"slices"
)

// heap is a min-heap of the k heaviest keys, with an index by key.
type heap struct {
	entries []Entry
	index   map[string]int
	k       int
}

func newHeap(k int) heap { return heap{index: make(map[string]int, k), k: k} }

// offer brings a key up to its count, or lets it in if it beats the lightest.
func (h *heap) offer(key []byte, count uint64) {
	full := len(h.entries) == h.k
	if full && count <= h.entries[0].Count {
		return
	}
	if i, ok := h.index[string(key)]; ok {
		h.entries[i].Count = count
		h.down(i)
		return
	}
	if full {
		delete(h.index, h.entries[0].Key)
		h.entries[0] = Entry{string(key), count}
		h.index[h.entries[0].Key] = 0
		h.down(0)
		return
	}
	h.entries = append(h.entries, Entry{string(key), count})
	h.index[string(key)] = len(h.entries) - 1
	h.up(len(h.entries) - 1)
}

// refresh asks for every count anew.
func (h *heap) refresh(estimate func(string) uint64) {
	for i := range h.entries {
		h.entries[i].Count = estimate(h.entries[i].Key)
	}
	for i := len(h.entries)/2 - 1; i >= 0; i-- {
		h.down(i)
	}
}

func (h *heap) swap(i, j int) {
	h.entries[i], h.entries[j] = h.entries[j], h.entries[i]
	h.index[h.entries[i].Key], h.index[h.entries[j].Key] = i, j
}

func (h *heap) up(i int) {
	for i > 0 && h.entries[i].Count < h.entries[(i-1)/2].Count {
		h.swap(i, (i-1)/2)
		i = (i - 1) / 2
	}
}

func (h *heap) down(i int) {
	for {
		child := 2*i + 1
		if child >= len(h.entries) {
			return
		}
		if child+1 < len(h.entries) && h.entries[child+1].Count < h.entries[child].Count {
			child++
		}
		if h.entries[i].Count <= h.entries[child].Count {
			return
		}
		h.swap(i, child)
		i = child
	}
}

func (h *heap) top(n int) []Entry {
	all := slices.Clone(h.entries)
	slices.SortFunc(all, func(a, b Entry) int { return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Key, b.Key)) })
	return all[:min(n, len(all))]
}

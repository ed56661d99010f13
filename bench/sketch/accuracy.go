package sketch

import (
	"cmp"
	"math"
	"slices"

	"firebreak/bench/textbook"
)

const (
	shortList = 100  // keys whose estimates are judged
	longList  = 1000 // keys that are listed
)

// Accuracy is how right the list of the heaviest keys of a window is.
type Accuracy struct {
	// Recall100 and Recall1000 are the shares of the 100 and 1,000 heaviest keys that are among as many listed. Where
	// keys tie for the last place, any of them is right.
	Recall100, Recall1000 float64
	// Error is the mean relative error of the estimates of the 100 heaviest keys; one that is not listed counts as 1.
	Error float64
	// False is how many of the first 100 listed have less than half of what the 100th heaviest key has.
	False int
}

// name is a key of a stream; a map of it has no pointers.
type name [textbook.KeyBytes]byte

// truth is the exact counts of a stream.
type truth struct {
	counts map[name]uint64
	top    []textbook.Entry // the heaviest, at least longList of them if there are so many, heaviest first
}

// count counts a stream exactly.
func count(s *textbook.Stream) *truth {
	t := &truth{counts: map[name]uint64{}}
	for i := range s.Len() {
		t.counts[name(s.Key(i))]++
	}
	all := make([]uint64, 0, len(t.counts))
	for _, n := range t.counts {
		all = append(all, n)
	}
	slices.Sort(all)
	least := all[max(0, len(all)-longList)]
	for key, n := range t.counts {
		if n >= least {
			t.top = append(t.top, textbook.Entry{Key: string(key[:]), Count: n})
		}
	}
	slices.SortFunc(t.top, func(a, b textbook.Entry) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Key, b.Key))
	})
	return t
}

// of gives the exact count of a key; what is no key of the stream has none.
func (t *truth) of(key string) uint64 {
	if len(key) != textbook.KeyBytes {
		return 0
	}
	return t.counts[name([]byte(key))]
}

// judge holds a list, heaviest first, against the exact counts.
func (t *truth) judge(list []textbook.Entry) Accuracy {
	a := Accuracy{Recall100: t.recall(list, shortList), Recall1000: t.recall(list, longList)}
	estimates := make(map[string]uint64, len(list))
	for _, e := range list {
		estimates[e.Key] = e.Count
	}
	heavy := t.top[:min(shortList, len(t.top))]
	for _, want := range heavy {
		got := float64(estimates[want.Key])
		a.Error += math.Abs(got-float64(want.Count)) / float64(want.Count) / float64(len(heavy))
	}
	for _, e := range list[:min(shortList, len(list))] {
		if 2*t.of(e.Key) < heavy[len(heavy)-1].Count {
			a.False++
		}
	}
	return a
}

// recall is the share of the n heaviest keys that are among the first n of a list.
func (t *truth) recall(list []textbook.Entry, n int) float64 {
	n = min(n, len(t.top))
	found := map[string]bool{}
	for _, e := range list[:min(n, len(list))] {
		if t.of(e.Key) >= t.top[n-1].Count {
			found[e.Key] = true
		}
	}
	return float64(len(found)) / float64(n)
}

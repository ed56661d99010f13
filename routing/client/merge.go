package client

import (
	"cmp"
	"slices"
)

// Merge makes one value of the values of a key's pieces.
type Merge[T any] struct {
	kind Kind
	fold func(a, b T) T
}

// Kind is what the key's space must declare.
func (m Merge[T]) Kind() Kind { return m.kind }

// Number is what can be counted.
type Number interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~float32 | ~float64
}

// Sum merges counters.
func Sum[N Number]() Merge[N] {
	return Merge[N]{KindCounter, func(a, b N) N { return a + b }}
}

// Concat merges what is appended to: the elements of one piece behind those of the one before. Across pieces there is no order of time.
func Concat[E any]() Merge[[]E] {
	return Merge[[]E]{KindAppend, func(a, b []E) []E { return append(slices.Clip(a), b...) }}
}

// Union merges sets: each element once, in the order of the pieces.
func Union[E comparable]() Merge[[]E] {
	return Merge[[]E]{KindSet, func(a, b []E) []E {
		seen := make(map[E]bool, len(a)+len(b))
		out := make([]E, 0, len(a)+len(b))
		for _, s := range [2][]E{a, b} {
			for _, e := range s {
				if !seen[e] {
					seen[e] = true
					out = append(out, e)
				}
			}
		}
		return out
	}}
}

// Largest merges values of which the largest counts.
func Largest[N cmp.Ordered]() Merge[N] {
	return Merge[N]{KindMax, func(a, b N) N { return max(a, b) }}
}

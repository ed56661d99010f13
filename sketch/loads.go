package sketch

import "math/bits"

// loads counts virtual shards exactly. It grows to the highest vshard that comes.
type loads struct {
	sums    []Sums
	touched []uint64 // a bit by vshard
	any     bool
}

func newLoads(n int) loads { return loads{sums: make([]Sums, n), touched: make([]uint64, (n+63)/64)} }

func (l *loads) add(vshard int32, s *Sums) {
	if int(vshard) >= len(l.sums) {
		l.grow(int(vshard) + 1)
	}
	l.touched[vshard>>6] |= 1 << (uint(vshard) & 63)
	l.any = true
	l.sums[vshard].add(s)
}

func (l *loads) grow(n int) {
	n = max(n, 2*len(l.sums))
	l.sums = append(l.sums, make([]Sums, n-len(l.sums))...)
	l.touched = append(l.touched, make([]uint64, (n+63)/64-len(l.touched))...)
}

// drain appends what was counted, ascending, and starts anew.
func (l *loads) drain(to []VShardSums) []VShardSums {
	if !l.any {
		return to
	}
	for word, m := range l.touched {
		for ; m != 0; m &= m - 1 {
			v := word<<6 + bits.TrailingZeros64(m)
			to = append(to, VShardSums{int32(v), l.sums[v]})
			l.sums[v] = Sums{}
		}
		l.touched[word] = 0
	}
	l.any = false
	return to
}

// reset forgets what was counted.
func (l *loads) reset() {
	if l.any {
		clear(l.sums)
		clear(l.touched)
		l.any = false
	}
}

// mergeLoads adds b to a, both ascending, and gives the result in memory of spare or of its own.
func mergeLoads(a, b, spare []VShardSums) []VShardSums {
	out := spare[:0]
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0].VShard < b[0].VShard:
			out, a = append(out, a[0]), a[1:]
		case a[0].VShard > b[0].VShard:
			out, b = append(out, b[0]), b[1:]
		default:
			out = append(out, VShardSums{a[0].VShard, a[0].Sums.Plus(b[0].Sums)})
			a, b = a[1:], b[1:]
		}
	}
	return append(append(out, a...), b...)
}

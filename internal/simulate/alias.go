package simulate

import "math/rand/v2"

// alias draws an index with probability proportional to its weight, in constant time.
//
// Source: A. J. Walker, "An efficient method for generating discrete random variables with general distributions", ACM
// TOMS 3 (1977), built as M. D. Vose, IEEE TSE 17 (1991).
type alias struct {
	cells []aliasCell
}

// aliasCell is its own index with probability keep, and other otherwise.
type aliasCell struct {
	keep  float64
	other int32
}

// newAlias takes weights of which at least one is above 0.
func newAlias(weights []float64) alias {
	var sum float64
	for _, w := range weights {
		sum += w
	}
	n := float64(len(weights))
	a := alias{cells: make([]aliasCell, len(weights))}
	var small, large []int32
	for i, w := range weights {
		a.cells[i] = aliasCell{keep: w / sum * n, other: int32(i)}
		if a.cells[i].keep < 1 {
			small = append(small, int32(i))
		} else {
			large = append(large, int32(i))
		}
	}
	for len(small) > 0 && len(large) > 0 {
		s, l := small[len(small)-1], large[len(large)-1]
		small = small[:len(small)-1]
		a.cells[s].other = l
		a.cells[l].keep -= 1 - a.cells[s].keep
		if a.cells[l].keep < 1 {
			large = large[:len(large)-1]
			small = append(small, l)
		}
	}
	for _, i := range append(small, large...) { // what rounding left over
		a.cells[i].keep = 1
	}
	return a
}

func (a *alias) draw(r *rand.Rand) int {
	u := r.Float64() * float64(len(a.cells))
	i := min(int(u), len(a.cells)-1)
	if c := &a.cells[i]; u-float64(i) >= c.keep {
		return int(c.other)
	}
	return i
}

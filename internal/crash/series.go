package crash

import (
	"math"
	"time"
)

// Series is a figure that was measured again and again. The zero value is empty.
type Series struct {
	at    []float64 // seconds
	value []float64
}

// Add takes a measurement.
func (s *Series) Add(at time.Duration, value float64) {
	s.at, s.value = append(s.at, at.Seconds()), append(s.value, value)
}

// Since is the part of the series from a moment on.
func (s *Series) Since(from time.Duration) *Series {
	out := &Series{}
	for i, at := range s.at {
		if at >= from.Seconds() {
			out.at, out.value = append(out.at, at), append(out.value, s.value[i])
		}
	}
	return out
}

// Mean is the average; 0 of nothing.
func (s *Series) Mean() float64 { return mean(s.value) }

// Least is the lowest value.
func (s *Series) Least() float64 {
	least := math.Inf(1)
	for _, v := range s.value {
		least = min(least, v)
	}
	return least
}

// Most is the highest value.
func (s *Series) Most() float64 {
	most := math.Inf(-1)
	for _, v := range s.value {
		most = max(most, v)
	}
	return most
}

// Slope is by how much the least-squares line through the series rises over its length, as a share of the mean. 0 where
// there is no line.
func (s *Series) Slope() float64 {
	n := len(s.at)
	if n < 2 || s.Mean() == 0 {
		return 0
	}
	at, value := mean(s.at), mean(s.value)
	var up, across float64
	for i := range s.at {
		up += (s.at[i] - at) * (s.value[i] - value)
		across += (s.at[i] - at) * (s.at[i] - at)
	}
	if across == 0 {
		return 0
	}
	return up / across * (s.at[n-1] - s.at[0]) / value
}

func mean(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	var sum float64
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}

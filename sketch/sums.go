package sketch

import (
	"math"
	"math/bits"
)

// One is one request (or one cost unit) in the fixed-point unit of Sums.
const One = 256

// Sums is what was counted, in 1/256 of its unit. It saturates: it never wraps. The zero value is no traffic.
type Sums struct {
	Requests  uint64 // requests
	Cost      uint64 // cost units; equal to Requests where every request costs 1
	Variance  uint64 // cost units squared, of Cost by sampling and arrival
	Records   uint64 // log lines
	Reads     uint64 // cost units, the part of Cost whose op is a read
	Writes    uint64 // cost units, the part of Cost whose op is a write
	Throttled uint64 // cost units, the part of Cost that was refused
}

// Fixed converts a value to the unit of Sums, rounded to the nearest; what is negative or no number is 0, what is too
// large saturates.
func Fixed(v float64) uint64 {
	v *= One
	switch {
	case !(v > 0):
		return 0
	case v >= math.MaxUint64:
		return math.MaxUint64
	}
	return uint64(v + 0.5)
}

// Float converts back. A saturated value gives 2^56, the least it can have been.
func Float(v uint64) float64 { return float64(v) / One }

// plus adds and saturates.
func plus(a, b uint64) uint64 {
	sum, carry := bits.Add64(a, b, 0)
	if carry != 0 {
		return math.MaxUint64
	}
	return sum
}

// add adds o to s and saturates.
func (s *Sums) add(o *Sums) {
	s.Requests = plus(s.Requests, o.Requests)
	s.Cost = plus(s.Cost, o.Cost)
	s.Variance = plus(s.Variance, o.Variance)
	s.Records = plus(s.Records, o.Records)
	s.Reads = plus(s.Reads, o.Reads)
	s.Writes = plus(s.Writes, o.Writes)
	s.Throttled = plus(s.Throttled, o.Throttled)
}

// saturated is a sum that may have been more.
const saturated = math.MaxUint64

// light is what every value of an event must be under to be added without looking for carries, and lightest the number of
// such events whose sum has none: 2^38 is 2^30 requests.
const (
	light    = 1 << 38
	lightest = 1 << 26
)

// light tells that every value of s is under light.
func (s *Sums) light() bool {
	return s.Requests|s.Cost|s.Variance|s.Records|s.Reads|s.Writes|s.Throttled < light
}

// plain adds o to s without looking for carries: there must be none.
func (s *Sums) plain(o *Sums) {
	s.Requests += o.Requests
	s.Cost += o.Cost
	s.Variance += o.Variance
	s.Records += o.Records
	s.Reads += o.Reads
	s.Writes += o.Writes
	s.Throttled += o.Throttled
}

// minus is what s has more than o, which was s at an earlier time.
func (s *Sums) minus(o *Sums) Sums {
	return Sums{
		s.Requests - o.Requests, s.Cost - o.Cost, s.Variance - o.Variance, s.Records - o.Records,
		s.Reads - o.Reads, s.Writes - o.Writes, s.Throttled - o.Throttled,
	}
}

// Plus returns the saturating sum of both.
func (s Sums) Plus(o Sums) Sums {
	s.add(&o)
	return s
}

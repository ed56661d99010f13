// Package measure times contenders that do the same work, in one run: every round runs each of them once, in an order
// that rotates, so that what else the machine does meets all of them alike. It knows nothing of what it times, prints
// nothing and starts no goroutine.
//
// Invariants:
//  1. A figure is the median of the rounds; a ratio is the median of the ratios within rounds.
//  2. Allocations are those of the whole process while a contender ran: nothing else may run beside it.
package measure

import (
	"errors"
	"runtime"
	"slices"
	"time"
)

// MinRounds is the smallest number of rounds: a median of fewer says little.
const MinRounds = 7

// Case is a contender.
type Case struct {
	// Name says who it is.
	Name string
	// Units is how many units of work (records, updates) one call of Run does, and Bytes how many bytes these have.
	Units, Bytes int
	// Run does the work once.
	Run func()
}

// Config says how long to measure. The zero value is MinRounds rounds of 20 ms.
type Config struct {
	// Rounds is how often every case is timed, at least MinRounds; 0 = MinRounds.
	Rounds int
	// Round is how long a case runs in one round at least; 0 = 20 ms.
	Round time.Duration
	// Clock gives a monotonic time; nil = the machine's.
	Clock func() time.Duration
	// Done, if set, is called after every round with the number of rounds that are over.
	Done func(rounds int)
}

// Result is what was measured of a case.
type Result struct {
	Name string
	// Nanos is the median time of one unit in nanoseconds, Low and High the quartiles.
	Nanos, Low, High float64
	// MBs is the median of 10^6 bytes a second; 0 if the case names no bytes.
	MBs float64
	// Allocs and AllocBytes are allocations and allocated bytes of one unit.
	Allocs, AllocBytes float64
	// Rounds has the nanoseconds of one unit by round.
	Rounds []float64
}

// run is a case while it is measured.
type run struct {
	Case
	calls  int // of Run in one round
	nanos  []float64
	allocs uint64
	bytes  uint64
}

// Run measures the cases and returns one result for each, in their order. It is an error if a case has no work or
// there are too few rounds.
func Run(cases []Case, cfg Config) ([]Result, error) {
	if cfg.Rounds == 0 {
		cfg.Rounds = MinRounds
	}
	if cfg.Round == 0 {
		cfg.Round = 20 * time.Millisecond
	}
	if cfg.Clock == nil {
		start := time.Now()
		cfg.Clock = func() time.Duration { return time.Since(start) }
	}
	if cfg.Rounds < MinRounds {
		return nil, errors.New("fewer rounds than a median needs")
	}
	runs := make([]*run, len(cases))
	for i, c := range cases {
		if c.Run == nil || c.Units < 1 {
			return nil, errors.New("case " + c.Name + " has no work")
		}
		runs[i] = &run{Case: c}
		runs[i].calibrate(cfg)
	}
	for round := range cfg.Rounds {
		for i := range runs {
			runs[(round+i)%len(runs)].round(cfg.Clock)
		}
		if cfg.Done != nil {
			cfg.Done(round + 1)
		}
	}
	results := make([]Result, len(runs))
	for i, r := range runs {
		results[i] = r.result()
	}
	return results, nil
}

// calibrate warms the case up and finds how many calls a round needs.
func (r *run) calibrate(cfg Config) {
	for r.calls = 1; ; r.calls *= 2 {
		from := cfg.Clock()
		for range r.calls {
			r.Run()
		}
		if cfg.Clock()-from >= cfg.Round || r.calls >= 1<<30 {
			return
		}
	}
}

// round times the case once.
func (r *run) round(clock func() time.Duration) {
	var before, after runtime.MemStats
	runtime.GC() // the last case's garbage is not this one's
	runtime.ReadMemStats(&before)
	from := clock()
	for range r.calls {
		r.Run()
	}
	took := clock() - from
	runtime.ReadMemStats(&after)
	r.nanos = append(r.nanos, float64(took.Nanoseconds())/float64(r.calls*r.Units))
	r.allocs += after.Mallocs - before.Mallocs
	r.bytes += after.TotalAlloc - before.TotalAlloc
}

// result sums up.
func (r *run) result() Result {
	units := float64(len(r.nanos) * r.calls * r.Units)
	out := Result{
		Name: r.Name, Nanos: quantile(r.nanos, 0.5), Low: quantile(r.nanos, 0.25), High: quantile(r.nanos, 0.75),
		Allocs: float64(r.allocs) / units, AllocBytes: float64(r.bytes) / units, Rounds: r.nanos,
	}
	if out.Nanos > 0 {
		out.MBs = float64(r.Bytes) / float64(r.Units) / out.Nanos * 1000
	}
	return out
}

// Ratio returns how many times as long as base r takes for a unit: the median of the ratios of the rounds, which must
// be of one Run.
func (r Result) Ratio(base Result) float64 {
	ratios := make([]float64, 0, len(r.Rounds))
	for i := range min(len(r.Rounds), len(base.Rounds)) {
		if base.Rounds[i] > 0 {
			ratios = append(ratios, r.Rounds[i]/base.Rounds[i])
		}
	}
	return quantile(ratios, 0.5)
}

// quantile returns the value at q, between neighbours where it falls between them; 0 of nothing.
func quantile(values []float64, q float64) float64 {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	at := q * float64(len(sorted)-1)
	i := int(at)
	if i+1 == len(sorted) {
		return sorted[i]
	}
	return sorted[i] + (at-float64(i))*(sorted[i+1]-sorted[i])
}

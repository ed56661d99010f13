package policy

import (
	"math"
	"time"
)

// What detection can promise. A shard is found by a window when the lower bound of its load, at 0.01/N, is over the line.
// Here the window is taken to lie wholly after the onset. The fast window is full of the new load a minute after it,
// the long one after five; `for` and the tests against spikes add up to half a minute to the first.

// Promise is the probability at which a load counts as detectable.
const Promise = 0.95

// Watch is what a log shows of a fleet and the line that its shards are held to. The zero value detects nothing.
type Watch struct {
	Samples      float64 // records/s that the log has of the whole fleet, after sampling
	Shards       int     // that serve
	Line         float64 // as a multiple of the mean load
	Absolute     bool    // the line is a rate (from a capacity), not a share of the fleet's load
	DesignEffect float64 // variance of counts over that of independent requests; below 1 counts as 1
}

// Detectable is what one [Watch] can promise at [Promise].
type Detectable struct {
	Samples float64 // effective samples a minute on a shard at the line
	Fast    float64 // smallest load / line found by a full fast window (1 minute); +Inf if none is
	Long    float64 // the same by a full long window (5 minutes)
}

// Detectable returns the smallest loads that windows of one and of five minutes find with probability [Promise].
func (w Watch) Detectable() Detectable {
	perMinute, line := w.scale(time.Minute)
	return Detectable{
		Samples: perMinute * line,
		Fast:    w.Smallest(time.Minute, Promise),
		Long:    w.Smallest(5*time.Minute, Promise),
	}
}

// Power is the probability that one window has the lower bound over the line when the shard's load is ratio times the
// line: exact for independent requests (binomial where the line is a share, Poisson where it is a rate); clumped ones
// are counted as 1/DesignEffect of a request each.
func (w Watch) Power(ratio float64, window time.Duration) float64 {
	n, line := w.scale(window)
	least, ok := w.least(n, line)
	if !ok || !(ratio > 0) {
		return 0
	}
	if w.Absolute {
		return regIncGammaLower(least, n*line*ratio)
	}
	return regIncBeta(least, n-least+1, min(1, line*ratio))
}

// Smallest is the smallest load / line that one window finds with at least this probability; +Inf where none that the
// fleet can have is found: a single shard, or too few samples.
func (w Watch) Smallest(window time.Duration, probability float64) float64 {
	n, line := w.scale(window)
	least, ok := w.least(n, line)
	if !ok || !(probability > 0 && probability < 1) {
		return math.Inf(1)
	}
	if w.Absolute {
		return gammaQuantile(least, probability, true) / (n * line)
	}
	return tailQuantile(least, n-least+1, probability) / line
}

// scale returns the effective samples of the fleet in a window, and the line as a share of the fleet's load.
func (w Watch) scale(window time.Duration) (n, line float64) {
	return w.Samples * window.Seconds() / max(1, w.DesignEffect), w.Line / count(w.Shards)
}

// least is the smallest effective count on a shard whose lower bound is over the line, as the argument of the
// distribution of effective counts. ok is false where no count is enough.
func (w Watch) least(n, line float64) (k float64, ok bool) {
	if !(n > 0) || !(line > 0) || math.IsInf(n, 1) || math.IsInf(line, 1) {
		return 0, false
	}
	level := hotLevel / count(w.Shards)
	proves := func(k float64) bool { return propAbove(k, n, line, level) }
	low, high := n*line, n
	if w.Absolute {
		proves = func(k float64) bool { return countAbove(k, n*line, level) }
		high = 2*low + 20*math.Log(1/level)
	}
	// Effective counts move in steps of one request.
	step := 1 / max(1, w.DesignEffect)
	first, last := math.Floor(low/step), math.Floor(high/step+1e-9)
	if !proves(last * step) {
		return 0, false
	}
	for last-first > 1 {
		if middle := math.Floor((first + last) / 2); proves(middle * step) {
			last = middle
		} else {
			first = middle
		}
	}
	// Both distributions are those of counts in steps of 1; smaller steps need the difference of the half steps.
	return last*step + (1-step)/2, true
}

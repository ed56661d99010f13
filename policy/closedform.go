package policy

import "math"

// Form is the closed form of one hot key on an otherwise even fleet: what a new table can and cannot do about it,
// before any real table is looked at. Projections on the real loads stand beside it in every verdict.
//
// The formulas hold for 0 <= Share <= 1, Rate >= 0, Shards >= 1 and 0 <= Reads <= 1; outside they mean nothing. Shard
// counts and pieces below 1 count as 1. In the comments f is the share, lambda the rate, N the shards, r the reads
// and w = 1-r the writes.
type Form struct {
	Share  float64 // of the fleet's requests that go to the hot key, 0 to 1
	Rate   float64 // of the fleet, requests/s
	Shards int     // that serve
	Reads  float64 // share of reads among the hot key's requests, 0 to 1
}

// Mean is the load of an average shard: lambda/N, requests/s.
func (f Form) Mean() float64 { return f.Rate / count(f.Shards) }

// Hottest is the load of the key's shard on a fleet of n shards: f*lambda + (1-f)*lambda/n, requests/s.
func (f Form) Hottest(n int) float64 { return f.Floor() + f.rest(n) }

// Floor is what stays on one shard at any shard count: f*lambda, requests/s.
func (f Form) Floor() float64 { return f.Share * f.Rate }

// rest is what a shard bears beside the key: (1-f)*lambda/n.
func (f Form) rest(n int) float64 { return (1 - f.Share) * f.Rate / count(n) }

// piece is the load of one of s pieces: writes are spread, every read asks all pieces: (w/s + r)*f*lambda.
func (f Form) piece(s int) float64 { return ((1-f.Reads)/count(s) + f.Reads) * f.Floor() }

// Salted is the load of the hottest shard after a salt of s pieces that are placed on distinct shards as far as there
// are any: ceil(s/N) * (w/s + r)*f*lambda + (1-f)*lambda/N, requests/s.
func (f Form) Salted(s int) float64 {
	onOne := math.Ceil(count(s) / count(f.Shards))
	return onOne*f.piece(s) + f.rest(f.Shards)
}

// SaltFloor is what the hottest shard bears under any salt: r*f*lambda + (1-f)*lambda/N, requests/s.
func (f Form) SaltFloor() float64 { return f.Reads*f.Floor() + f.rest(f.Shards) }

// SmallestSalt is the smallest s <= N with Salted(s) <= target (requests/s); ok is false where there is none. Without
// reads and for a target of t times the mean it is the smallest s >= f*N / (t - 1 + f). A target that is met but for
// rounding (1e-9) is met.
func (f Form) SmallestSalt(target float64) (s int, ok bool) {
	return smallest(f.Shards, target, f.Salted)
}

// smallest is the first s of 1 to most at which load, which never rises with s, is at most target.
func smallest(most int, target float64, load func(s int) float64) (s int, ok bool) {
	meets := func(s int) bool { return load(s) <= target*(1+1e-9) }
	low, high := 0, max(1, most)
	if !meets(high) {
		return 0, false
	}
	for high-low > 1 {
		if middle := low + (high-low)/2; meets(middle) {
			high = middle
		} else {
			low = middle
		}
	}
	return high, true
}

// SmallestFleet is the smallest number of shards at which Hottest is at most target (requests/s) without a salt; ok is
// false at or below the floor, and above a billion.
func (f Form) SmallestFleet(target float64) (n int, ok bool) {
	return shardsFor(f.Rate-f.Floor(), target-f.Floor())
}

// shardsFor is the smallest number of shards at which an even load leaves each at most room, 1 to a billion.
func shardsFor(load, room float64) (n int, ok bool) {
	need := math.Ceil(load/room - 1e-9)
	if !(room > 0) || !(need <= 1e9) {
		return 0, false
	}
	return max(1, int(need)), true
}

// KeyReadMultiplier is what one read of the key costs after a salt of s pieces, in reads: s.
func (f Form) KeyReadMultiplier(s int) float64 { return count(s) }

// FleetReadMultiplier is the growth of all reads of the fleet after a salt of s pieces: 1 - f_r + f_r*s, with f_r the
// key's share of all reads, 0 to 1.
func (f Form) FleetReadMultiplier(s int, keyShareOfReads float64) float64 {
	return 1 - keyShareOfReads + keyShareOfReads*count(s)
}

// Alone is the load of the hottest shard after the key's neighbours have moved away from its shard, a split:
// max(f*lambda, (1-f)*lambda/(N-1)), requests/s. It holds where the rest moves in small parts.
func (f Form) Alone() float64 {
	if f.Shards <= 1 {
		return f.Rate
	}
	return max(f.Floor(), f.rest(f.Shards-1))
}

// Cached is [Form.Salted] for a key whose reads a cache or a replica answers: w/s*f*lambda + (1-f)*lambda/N, requests/s;
// s = 1 is the cache alone. What the cache still asks for is not in it.
func (f Form) Cached(s int) float64 {
	onOne := math.Ceil(count(s) / count(f.Shards))
	return onOne*(1-f.Reads)/count(s)*f.Floor() + f.rest(f.Shards)
}

// SmallestCachedSalt is [Form.SmallestSalt] beside a cache: the smallest s <= N with Cached(s) <= target.
func (f Form) SmallestCachedSalt(target float64) (s int, ok bool) {
	return smallest(f.Shards, target, f.Cached)
}

// SmallestSaltedFleet is the smallest number of shards on which a salt over all of them meets target: n >=
// (1 - f*r)*lambda / (target - r*f*lambda). ok is false where the reads alone are at or above target, and above a billion.
func (f Form) SmallestSaltedFleet(target float64) (n int, ok bool) {
	reads := f.Reads * f.Floor()
	return shardsFor(f.Rate-reads, target-reads)
}

// SmallestCachedFleet is [Form.SmallestSaltedFleet] beside a cache: n >= (1 - f*r)*lambda / target.
func (f Form) SmallestCachedFleet(target float64) (n int, ok bool) {
	return shardsFor(f.Rate-f.Reads*f.Floor(), target)
}

// Zipf is the share of all requests that the top ranks of n keys have when the key of rank i has weight i^-s: 98 % for the
// top 1 % of 100,000 keys at 1.5, and 38 % for the first key alone; 34 % for the top 1 % at 0.8.
func Zipf(s float64, n, top int) float64 {
	var head, all float64
	for i := n; i >= 1; i-- {
		weight := math.Pow(float64(i), -s)
		all += weight
		if i <= top {
			head += weight
		}
	}
	if all == 0 {
		return 0
	}
	return head / all
}

// MovedShares are the two bases of "at most 10 %": what moving some of a fleet's vshards is of all, and of the one
// shard that they leave. 100 of 10,240 on 32 shards are 1 % of the fleet and 31 % of the shard.
func MovedShares(moved, vshards, shards int) (ofFleet, ofShard float64) {
	return float64(moved) / count(vshards), float64(moved) * count(shards) / count(vshards)
}

func count(n int) float64 { return float64(max(1, n)) }

package survey

import (
	"cmp"
	"slices"
	"time"
)

// Clump is how requests of one key come: one by one, or several at once. The zero value says nothing.
type Clump struct {
	Effect float64 // the design effect: how many requests of one key come at once; 1 = one by one
	Keys   int     // that were looked at
}

// arrivalOf is one record of a key.
type arrivalOf struct {
	name uint64 // hash of the key
	at   int64  // Unix nanoseconds
}

const (
	// clumpBin is the time in which requests count as at once.
	clumpBin = int64(time.Second)
	// clumpRecords is how many records a key must have to be looked at.
	clumpRecords = 5
	// clumpBins is how many seconds with records a sample must have.
	clumpBins = 5
	// clumpKeys is how many such keys a sample must have.
	clumpKeys = 5
	// clumpShare is the share of the log above which a key is left out: it makes the log's own ups and downs.
	clumpShare = 0.10
)

// clumping measures the index of dispersion of a key's records over seconds, against the whole log's own ups and downs:
// for a key with n of the N records, chi^2 of its counts against n N(second) / N, by its degrees of freedom. It is 1 for
// independent requests, and the size of a clump where they come in clumps of one size. Keys weigh by their records. (The
// index of dispersion of counts: D. R. Cox and P. A. W. Lewis, The Statistical Analysis of Series of Events, 1966.)
func clumping(arrivals []arrivalOf) Clump {
	seconds, keys := map[int64]float64{}, map[uint64]float64{}
	for _, a := range arrivals {
		seconds[a.at/clumpBin]++
		keys[a.name]++
	}
	if len(seconds) < clumpBins {
		return Clump{}
	}
	// In the order of keys, so that sums do not depend on the order of a map.
	sorted := slices.Clone(arrivals)
	slices.SortFunc(sorted, func(a, b arrivalOf) int { return cmp.Or(cmp.Compare(a.name, b.name), cmp.Compare(a.at, b.at)) })
	all, degrees := float64(len(sorted)), float64(len(seconds)-1)
	var out Clump
	var sum, weight float64
	for from := 0; from < len(sorted); {
		n := keys[sorted[from].name]
		to := from + int(n)
		if n >= clumpRecords && n <= clumpShare*all {
			sum += n * (squares(sorted[from:to], seconds, n/all) - n) / degrees
			weight += n
			out.Keys++
		}
		from = to
	}
	if out.Keys < clumpKeys {
		return Clump{}
	}
	out.Effect = max(1, sum/weight)
	return out
}

// squares is the sum of count^2 / expected over the seconds in which a key has records; expected is share of all that
// came in the second.
func squares(records []arrivalOf, seconds map[int64]float64, share float64) float64 {
	var sum, count float64
	for i, r := range records {
		count++
		if second := r.at / clumpBin; i == len(records)-1 || records[i+1].at/clumpBin != second {
			sum += count * count / (share * seconds[second])
			count = 0
		}
	}
	return sum
}

package client

import (
	"math"
	"time"
)

const (
	// unitBytes is what half a read unit reads, eventually consistent (DynamoDB's developer guide, "Read and write capacity").
	unitBytes = 4096
	headUnits = 0.5
	// used is the share of the read units that is planned with; the rest is for scatter. 10,000 clients read a document of 2 units about
	// 900 times in a second of the busier slot, which scatters by 60 units.
	used = 0.95
	// longest bounds the wait after failures, and the interval of very many clients: above it they would be stale by their own pace.
	longest = 12 * time.Second
	// consistentCost is what a read costs that is cheap first and then consistent, in cheap ones.
	consistentCost = 3
)

// pace spreads the reads of all clients over time so that they stay under the read units together. It knows no state: each client draws
// its turn by itself, u uniform in [0, 1).
//
// Clients look at the head at moments spread evenly over the interval, so a change is noticed at an even rate over one interval, and who
// reads at once reads at an even rate. Where that is too much, some wait exactly one interval, or two: each such slot is an even rate over
// an interval of its own, and the slots do not overlap. The first one shares the units with everybody's look at the head; in the later ones
// only who has read looks, since who waits does not. 10,000 clients and 16 KB: two slots, so all have it within two intervals.
type pace struct {
	poll  time.Duration
	units float64 // of all clients together, a second
}

func documentUnits(bytes int) float64 {
	return headUnits * math.Ceil(float64(max(bytes, 1))/unitBytes)
}

// interval is the mean time between two looks at the head: looks take at most half of the units.
func (p pace) interval(clients int) time.Duration {
	need := time.Duration(float64(clients) * headUnits / (p.units * used / 2) * float64(time.Second))
	return max(p.poll, min(need, longest))
}

// look is a time to the next look at the head.
func (p pace) look(clients int, u float64) time.Duration {
	return time.Duration(float64(p.interval(clients)) * (0.9 + 0.2*u))
}

// spread is a time within which every client may read so many units, where all have the same reason at the same moment: half of the units
// are for that. It is within an interval.
func (p pace) spread(clients int, units, u float64) time.Duration {
	need := time.Duration(float64(clients) * units / (p.units * used / 2) * float64(time.Second))
	return time.Duration(float64(min(need, p.interval(clients))) * u)
}

// turn is how long a client that saw a newer head waits before it reads a document of so many bytes.
func (p pace) turn(clients, bytes int, u float64) time.Duration {
	total := 0.0
	for slot := 0; total < 1; slot++ {
		total += p.slot(clients, bytes, slot, total)
	}
	done := 0.0
	for slot := 0; ; slot++ {
		done += p.slot(clients, bytes, slot, done)
		if u*total < done {
			return time.Duration(slot) * p.interval(clients)
		}
	}
}

// slot is the share of the clients that may read in a slot, where the share done read before it. At least a quarter of the units is for
// documents, however many clients look at the head.
func (p pace) slot(clients, bytes, slot int, done float64) float64 {
	every := p.interval(clients).Seconds()
	looks := float64(clients) * headUnits / every
	if slot > 0 {
		looks *= min(done, 1)
	}
	room := max(p.units*used-looks, p.units/4)
	return room * every / (float64(max(clients, 1)) * documentUnits(bytes))
}

// after is the wait after so many failures in a row, from 1; asked is how long the source asked for.
func (p pace) after(failures int, asked time.Duration, u float64) time.Duration {
	d := p.poll << min(max(failures-1, 0), 8)
	return max(time.Duration(float64(min(d, 2*longest))*(0.5+0.5*u)), asked+time.Duration(float64(asked)*u/2))
}

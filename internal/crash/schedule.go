package crash

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"
)

// What is what a fault does. The zero value is none.
type What uint8

// The faults.
const (
	None    What = iota
	Kill         // kill -9 of a process, which is started anew after a while
	Freeze       // SIGSTOP of a process, SIGCONT after a while
	Grow         // the topic gets more partitions
	Restart      // kill -9 of the broker, which is started from its disk after a while
)

// String returns the one spelling of w.
func (w What) String() string {
	words := [...]string{"none", "kill", "freeze", "grow", "restart"}
	if int(w) >= len(words) {
		return fmt.Sprintf("invalid(%d)", w)
	}
	return words[w]
}

// Decider is the target of a fault that hits the process that decides at that moment, whichever it is.
const Decider = -1

// Fault is one thing that happens at a moment after the start.
type Fault struct {
	At     time.Duration
	What   What
	Target int           // the process, from 0; or Decider. Only of Kill and Freeze
	For    time.Duration // until the process or the broker comes back
}

func (f Fault) String() string {
	switch {
	case f.What == Grow || f.What == Restart:
		return fmt.Sprintf("%v %v for %v", f.At.Round(time.Millisecond), f.What, f.For.Round(time.Millisecond))
	case f.Target == Decider:
		return fmt.Sprintf("%v %v the decider for %v", f.At.Round(time.Millisecond), f.What, f.For.Round(time.Millisecond))
	}
	return fmt.Sprintf("%v %v process %d for %v", f.At.Round(time.Millisecond), f.What, f.Target, f.For.Round(time.Millisecond))
}

// Story says when things happen in a run of any number of faults. Every round has ten faults, and a hot key of its own that
// begins and ends in it.
//
//	lead | round: faults, hot key from hotFrom to hotTo | ... | tail
type Story struct {
	Seed      uint64
	Faults    int // kills and freezes
	Processes int
}

// Times of a story. A hot key lasts long enough to be seen through a few faults, and to fire again after its end if it could.
const (
	lead      = 15 * time.Second
	round     = 120 * time.Second
	perRound  = 10
	hotFrom   = 30 * time.Second // of its round
	hotTo     = 85 * time.Second
	tail      = 25 * time.Second
	maxFreeze = 15 * time.Second
	maxDead   = 4 * time.Second
)

// Rounds is how many hot keys the story has.
func (s *Story) Rounds() int { return max(1, (s.Faults+perRound-1)/perRound) }

// Length is how long records are written.
func (s *Story) Length() time.Duration { return lead + time.Duration(s.Rounds())*round + tail }

// Hot is the number of the key that is hot at a moment, from 0; false if none is.
func (s *Story) Hot(at time.Duration) (key int, hot bool) {
	if at < lead {
		return 0, false
	}
	key = int((at - lead) / round)
	in := (at - lead) % round
	return key, key < s.Rounds() && in >= hotFrom && in < hotTo
}

// Schedule draws the faults: at random moments, of random processes. Of each round's ten one is a kill of the decider while
// its key is hot. The topic grows once and the broker is restarted once, in the first round.
func (s *Story) Schedule() []Fault {
	rng := rand.New(rand.NewPCG(s.Seed, 1))
	within := func(from, to time.Duration) time.Duration { return from + time.Duration(rng.Int64N(int64(to-from))) }
	var all []Fault
	for r := range s.Rounds() {
		at := lead + time.Duration(r)*round
		n := min(perRound, s.Faults-r*perRound)
		if n > 0 {
			all = append(all, Fault{within(at+hotFrom+10*time.Second, at+hotTo-20*time.Second), Kill, Decider, within(time.Second/2, maxDead)})
		}
		for range n - 1 {
			f := Fault{At: within(at, at+round), What: Kill, Target: rng.IntN(s.Processes), For: within(time.Second/2, maxDead)}
			if rng.IntN(2) == 0 {
				f.What, f.For = Freeze, within(time.Second, maxFreeze)
			}
			all = append(all, f)
		}
	}
	all = append(all,
		Fault{At: within(lead, lead+round/2), What: Grow},
		Fault{At: within(lead+round/2, lead+round), What: Restart, For: within(time.Second/2, maxDead)})
	slices.SortStableFunc(all, func(a, b Fault) int { return cmp.Compare(a.At, b.At) })
	return all
}

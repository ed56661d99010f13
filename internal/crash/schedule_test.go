package crash

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// TestSchedule: the same seed gives the same faults; each run has what a proof needs.
func TestSchedule(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := &Story{Seed: rapid.Uint64().Draw(t, "seed"), Faults: rapid.IntRange(0, 200).Draw(t, "faults"), Processes: 3}
		all := s.Schedule()
		if diff := cmp.Diff(all, s.Schedule()); diff != "" {
			t.Fatalf("the same seed gives another schedule:\n%s", diff)
		}
		count, deaths, last := map[What]int{}, map[int]bool{}, time.Duration(0)
		for _, f := range all {
			count[f.What]++
			if f.At < last || f.At < lead || f.At > s.Length()-tail {
				t.Fatalf("%v is out of order, or of the story", f)
			}
			last = f.At
			if f.Target == Decider {
				key, hot := s.Hot(f.At)
				if !hot || f.What != Kill {
					t.Fatalf("%v: no key is hot", f)
				}
				deaths[key] = true
			}
			if f.What == Freeze && (f.For < time.Second || f.For > maxFreeze) || f.Target >= s.Processes {
				t.Fatalf("%v is out of bounds", f)
			}
		}
		if count[Kill]+count[Freeze] != s.Faults || count[Grow] != 1 || count[Restart] != 1 {
			t.Fatalf("faults %v, want %d", count, s.Faults)
		}
		if s.Faults > 0 && len(deaths) != s.Rounds() {
			t.Fatalf("the decider is killed in %d of %d rounds", len(deaths), s.Rounds())
		}
	})
}

// TestHot: every key is hot for one stretch, long enough to fire and to resolve within its round.
func TestHot(t *testing.T) {
	s := &Story{Faults: 20}
	seen := map[int]time.Duration{}
	for at := time.Duration(0); at < s.Length(); at += time.Second {
		if key, hot := s.Hot(at); hot {
			seen[key] += time.Second
		}
	}
	if diff := cmp.Diff(map[int]time.Duration{0: hotTo - hotFrom, 1: hotTo - hotFrom}, seen); diff != "" {
		t.Errorf("hot keys (-want +got):\n%s", diff)
	}
}

// TestWords: every fault has a word and says what it is.
func TestWords(t *testing.T) {
	for f, want := range map[Fault]string{
		{At: time.Second, What: Kill, Target: Decider, For: 2 * time.Second}: "1s kill the decider for 2s",
		{At: time.Second, What: Freeze, Target: 2, For: time.Second}:         "1s freeze process 2 for 1s",
		{At: time.Second, What: Restart, For: time.Second}:                   "1s restart for 1s",
	} {
		if got := f.String(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	if got := What(9).String(); got != "invalid(9)" {
		t.Errorf("got %q", got)
	}
}

package sketch

import (
	"fmt"
	"runtime"
	"slices"
	"time"

	"firebreak/bench/measure"
	"firebreak/bench/textbook"
)

// stopwatch is a clock that can be stopped.
type stopwatch struct {
	start   time.Time
	stopped time.Duration // how long it stood
}

// read gives the time that passed while the watch ran.
func (w *stopwatch) read() time.Duration { return time.Since(w.start) - w.stopped }

// aside does something while the watch stands, and gives the microseconds it took.
func (w *stopwatch) aside(do func()) float64 {
	from := time.Now()
	do()
	took := time.Since(from)
	w.stopped += took
	return micros(took)
}

// micros gives a duration in microseconds.
func micros(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1000 }

// heap gives the bytes that are in use.
func heap() int {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

// fill opens the window, counts the stream once, and measures what that takes in memory.
func (s *seat) fill(stream *textbook.Stream) error {
	before := heap()
	var err error
	if s.window, err = s.Open(stream); err != nil {
		return err
	}
	for range stream.Panes {
		s.window.Count(s.next)
		if err := s.window.Turn(s.next); err != nil {
			return err
		}
		s.next++
	}
	s.row.Heap, s.row.Most = max(0, heap()-before), s.window.Most
	return nil
}

// race measures windows that are full, in turns; the first is what the others are measured by.
func race(seats []*seat, units, rounds int) error {
	watch := &stopwatch{start: time.Now()}
	cases := make([]measure.Case, len(seats))
	for i, s := range seats {
		s.turns = nil
		cases[i] = measure.Case{Name: s.Name, Units: units, Run: func() { s.step(watch) }}
	}
	// A round is one pane, however short.
	results, err := measure.Run(cases, measure.Config{Rounds: rounds, Round: time.Nanosecond, Clock: watch.read})
	if err != nil {
		return err
	}
	for i, s := range seats {
		s.row.Result, s.row.Times, s.row.Least = results[i], results[i].Ratio(results[0]), slices.Min(results[i].Rounds)
		s.row.Turn, s.row.Worst = median(s.turns), slices.Max(s.turns)
		s.row.Top = s.top(watch)
		if s.err != nil {
			return fmt.Errorf("%s: %w", s.Name, s.err)
		}
	}
	return nil
}

// step counts one more pane and ends it.
func (s *seat) step(watch *stopwatch) {
	s.window.Count(s.next)
	took := watch.aside(func() {
		if err := s.window.Turn(s.next); err != nil {
			s.err = err
		}
	})
	s.turns = append(s.turns, took)
	s.next++
}

const (
	topCalls = 51
	topTime  = 2 * time.Second
)

// top gives the median time of a list in microseconds, each after one more pane: of topCalls, or as many as fit topTime.
func (s *seat) top(watch *stopwatch) float64 {
	var took []float64
	for from := time.Now(); len(took) == 0 || len(took) < topCalls && time.Since(from) < topTime; {
		s.step(watch)
		took = append(took, watch.aside(func() { s.window.Top(shortList) }))
	}
	return median(took)
}

// median gives the value in the middle; of an even number the upper one.
func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[len(sorted)/2]
}

package model

import (
	"fmt"
	"strings"
)

// Bound is how many states a walk may visit.
const Bound = 5_000_000

// Step is what happens between two states, in words: the client | writes to | the old shard.
type Step struct{ Who, Does, What string }

// Property is something that is or is not so in a state.
type Property[S comparable] struct {
	Name  string
	Holds func(S) bool
}

// Model is a protocol as a graph of states.
type Model[S comparable] struct {
	Start S
	// Next calls visit for each state that can follow s, in an order that depends on s only. The same state may be visited twice.
	Next func(s S, visit func(Step, S))
	// Always are the properties that hold in every state.
	Always []Property[S]
	// Reached are properties that some state has: a model that does not get there shows nothing.
	Reached []Property[S]
	// Done is a state in which the protocol is over; from every state one can be reached. Nil = it is not asked.
	Done func(S) bool
}

// NothingStuck is the name of the property that a state from which no end can be reached violates.
const NothingStuck = "nothing is stuck"

// Result is what a walk found.
type Result struct {
	// States and Steps are how many were visited, Depth is the length of the longest of the shortest paths.
	States, Steps, Depth int
	// Violated names the property that does not hold; empty = all hold. The walk ended there.
	Violated string
	// Path leads from the start to the violation.
	Path []Step
	// Unreached names what no state has.
	Unreached []string
}

// String is the result for people, with the path in words.
func (r *Result) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d states, %d steps, depth %d", r.States, r.Steps, r.Depth)
	if r.Violated == "" {
		b.WriteString(": all properties hold")
	} else {
		fmt.Fprintf(&b, ": violated: %s", r.Violated)
	}
	for i, s := range r.Path {
		fmt.Fprintf(&b, "\n%4d. %s", i+1, strings.TrimSpace(s.Who+" "+s.Does+" "+s.What))
	}
	for _, u := range r.Unreached {
		fmt.Fprintf(&b, "\n      never reached: %s", u)
	}
	return b.String()
}

// walk is a breadth-first walk. Its states stand in the order of their first visit.
type walk[S comparable] struct {
	model  *Model[S]
	index  map[S]uint32
	states []S
	parent []uint32
	depth  []uint16
	from   []uint32 // where each state's steps begin in to
	to     []uint32
	steps  int
}

// Check visits every state of m, at most bound of them: more is an error.
func Check[S comparable](m *Model[S], bound int) (*Result, error) {
	w := &walk[S]{model: m, index: make(map[S]uint32)}
	reached := make([]bool, len(m.Reached))
	w.add(0, 0, m.Start)
	for at := uint32(0); int(at) < len(w.states); at++ {
		if len(w.states) > bound {
			return nil, fmt.Errorf("model: more than %d states", bound)
		}
		s := w.states[at]
		for i, p := range m.Reached {
			reached[i] = reached[i] || p.Holds(s)
		}
		for _, p := range m.Always {
			if !p.Holds(s) {
				return w.violated(p.Name, at), nil
			}
		}
		w.from = append(w.from, uint32(len(w.to)))
		m.Next(s, func(_ Step, next S) {
			w.steps++
			w.to = append(w.to, w.add(at, w.depth[at]+1, next))
		})
	}
	r := w.result()
	if stuck, ok := w.stuck(); ok {
		return w.violated(NothingStuck, stuck), nil
	}
	for i, p := range m.Reached {
		if !reached[i] {
			r.Unreached = append(r.Unreached, p.Name)
		}
	}
	return r, nil
}

// add gives the number of s, a new one where it was not seen yet.
func (w *walk[S]) add(parent uint32, depth uint16, s S) uint32 {
	if n, ok := w.index[s]; ok {
		return n
	}
	n := uint32(len(w.states))
	w.index[s] = n
	w.states, w.parent, w.depth = append(w.states, s), append(w.parent, parent), append(w.depth, depth)
	return n
}

func (w *walk[S]) result() *Result {
	return &Result{States: len(w.states), Steps: w.steps, Depth: int(w.depth[len(w.depth)-1])}
}

func (w *walk[S]) violated(name string, at uint32) *Result {
	r := w.result()
	r.Violated = name
	r.Path = make([]Step, w.depth[at])
	for ; at != 0; at = w.parent[at] {
		r.Path[w.depth[at]-1] = w.step(w.parent[at], w.states[at])
	}
	return r
}

// step finds out again what led from one state to another.
func (w *walk[S]) step(from uint32, to S) (found Step) {
	w.model.Next(w.states[from], func(step Step, next S) {
		if found == (Step{}) && next == to {
			found = step
		}
	})
	return found
}

// stuck is the first state from which no end can be reached, if there is one.
func (w *walk[S]) stuck() (uint32, bool) {
	if w.model.Done == nil {
		return 0, false
	}
	w.from = append(w.from, uint32(len(w.to)))
	ends := make([]bool, len(w.states))
	for i, s := range w.states {
		ends[i] = w.model.Done(s)
	}
	// Most steps lead forward, so that a few sweeps from the last state to the first one find all.
	for changed := true; changed; {
		changed = false
		for i := len(ends) - 1; i >= 0; i-- {
			for _, to := range w.to[w.from[i]:w.from[i+1]] {
				if ends[to] && !ends[i] {
					ends[i], changed = true, true
				}
			}
		}
	}
	for i, ok := range ends {
		if !ok {
			return uint32(i), true
		}
	}
	return 0, false
}

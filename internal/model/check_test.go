package model

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// jars are two jars of 3 and 5 litres.
type jars struct{ small, large int }

func pour(s jars, visit func(Step, jars)) {
	visit(Step{"small", "is filled", ""}, jars{3, s.large})
	visit(Step{"large", "is filled", ""}, jars{s.small, 5})
	visit(Step{"small", "is emptied", ""}, jars{0, s.large})
	visit(Step{"large", "is emptied", ""}, jars{s.small, 0})
	d := min(s.small, 5-s.large)
	visit(Step{"small", "is poured into large", ""}, jars{s.small - d, s.large + d})
	d = min(s.large, 3-s.small)
	visit(Step{"large", "is poured into small", ""}, jars{s.small + d, s.large - d})
}

// TestShortestPath measures four litres with two jars, which takes six steps.
func TestShortestPath(t *testing.T) {
	m := &Model[jars]{Next: pour, Always: []Property[jars]{{"no jar holds four litres", func(s jars) bool { return s.large != 4 }}}}
	for range 2 { // the same each time
		r, err := Check(m, 1000)
		if err != nil {
			t.Fatal(err)
		}
		want := []Step{
			{"large", "is filled", ""},
			{"large", "is poured into small", ""},
			{"small", "is emptied", ""},
			{"large", "is poured into small", ""},
			{"large", "is filled", ""},
			{"large", "is poured into small", ""},
		}
		if diff := cmp.Diff(want, r.Path); diff != "" || r.Violated != "no jar holds four litres" {
			t.Errorf("path (-want +got):\n%s\n%s", diff, r)
		}
		if text := r.String(); !strings.Contains(text, "\n   3. small is emptied\n") {
			t.Errorf("String() = %s", text)
		}
	}
}

// TestAllStates counts the states of the jars: at least one of the two is always full or empty.
func TestAllStates(t *testing.T) {
	m := &Model[jars]{Next: pour, Done: func(s jars) bool { return s == jars{} }, Reached: []Property[jars]{
		{"four litres", func(s jars) bool { return s.large == 4 }},
		{"six litres in one jar", func(s jars) bool { return s.large == 6 }},
	}}
	r, err := Check(m, 1000)
	if err != nil {
		t.Fatal(err)
	}
	want := &Result{States: 16, Steps: 96, Depth: 7, Unreached: []string{"six litres in one jar"}}
	if diff := cmp.Diff(want, r); diff != "" {
		t.Errorf("Check (-want +got):\n%s", diff)
	}
	if _, err := Check(m, 15); err == nil {
		t.Error("Check with a bound of 15 states = nil, want an error")
	}
}

// TestStuck finds the state from which there is no way to the end, and not those that only go round.
func TestStuck(t *testing.T) {
	m := &Model[int]{
		Next: func(s int, visit func(Step, int)) {
			switch s {
			case 0:
				visit(Step{"it", "goes round", ""}, 1)
				visit(Step{"it", "falls", ""}, 2)
			case 1:
				visit(Step{"it", "goes back", ""}, 0)
				visit(Step{"it", "ends", ""}, 3)
			}
		},
		Done: func(s int) bool { return s == 3 },
	}
	r, err := Check(m, 10)
	if err != nil || r.Violated != NothingStuck || !cmp.Equal(r.Path, []Step{{"it", "falls", ""}}) {
		t.Errorf("Check = %v, %v, want that it falls", r, err)
	}
}

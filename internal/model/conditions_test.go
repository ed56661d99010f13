package model

import (
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"

	"firebreak/internal/numerals"
)

// figures are what a walk of a protocol counted.
type figures struct{ states, steps, depth int }

// all is a protocol with every condition.
func all[C any]() (c C) {
	v := reflect.ValueOf(&c).Elem()
	for _, f := range v.Fields() {
		f.SetBool(true)
	}
	return c
}

// testProtocol walks a protocol with all its conditions, which must hold and give these figures, and without each of them by itself,
// which must violate the property that violated names. docs/protocols.md has the figures and all conditions, under the name.
func testProtocol[C any, S comparable](t *testing.T, name string, model func(C) *Model[S], want figures, violated map[string]string) {
	t.Helper()
	documented(t, name, want, violated)
	if testing.Short() {
		t.Log("-short: only what breaks without each condition is walked")
	} else {
		holds(t, model(all[C]()), want)
	}
	fields := reflect.TypeFor[C]()
	for i := range fields.NumField() {
		name := fields.Field(i).Name
		t.Run(name, func(t *testing.T) {
			c := all[C]()
			reflect.ValueOf(&c).Elem().Field(i).SetBool(false)
			r, err := Check(model(c), Bound)
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("without %s: %s", name, r)
			if r.Violated == "" || r.Violated != violated[name] {
				t.Errorf("violated: %q, want %q", r.Violated, violated[name])
			}
		})
	}
	if len(violated) != fields.NumField() {
		t.Errorf("%d conditions are expected to be needed, there are %d", len(violated), fields.NumField())
	}
}

// holds walks a protocol with all its conditions.
func holds[S comparable](t *testing.T, model *Model[S], want figures) {
	t.Helper()
	r, err := Check(model, Bound)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("all conditions: %s", r)
	if got := (figures{r.States, r.Steps, r.Depth}); r.Violated != "" || len(r.Unreached) > 0 || got != want {
		t.Errorf("walked %+v, want %+v, nothing violated, all reached: %s", got, want, r)
	}
}

// documented compares a protocol with its section of the documentation.
func documented(t *testing.T, name string, want figures, conditions map[string]string) {
	t.Helper()
	text, err := os.ReadFile("../../docs/protocols.md")
	if err != nil {
		t.Fatal(err)
	}
	row := fmt.Sprintf("| %s | %s | %s | %d |", strings.ToLower(name), numerals.Whole(want.states), numerals.Whole(want.steps), want.depth)
	if !strings.Contains(strings.ToLower(string(text)), row) {
		t.Errorf("docs/protocols.md lacks the row %q", row)
	}
	_, section, found := strings.Cut(string(text), "\n## "+name+"\n")
	section, _, _ = strings.Cut(section, "\n## ")
	names := strings.Count(section, "`") / 2
	if !found || names != len(conditions) {
		t.Errorf("docs/protocols.md names %d conditions of %s, there are %d", names, name, len(conditions))
	}
	for c := range conditions {
		if !strings.Contains(section, "`"+c+"`") {
			t.Errorf("docs/protocols.md lacks %s of %s", c, name)
		}
	}
}

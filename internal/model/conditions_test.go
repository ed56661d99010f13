package model

import (
	"reflect"
	"testing"
)

// figures are what a walk of a protocol counted.
type figures struct{ states, steps, depth int }

// all is a protocol with every condition.
func all[C any]() (c C) {
	v := reflect.ValueOf(&c).Elem()
	for i := range v.NumField() {
		v.Field(i).SetBool(true)
	}
	return c
}

// testProtocol walks a protocol with all its conditions, which must hold and give these figures, and without each of them by itself,
// which must violate the property that violated names.
func testProtocol[C any, S comparable](t *testing.T, model func(C) *Model[S], want figures, violated map[string]string) {
	t.Helper()
	r, err := Check(model(all[C]()), Bound)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("all conditions: %s", r)
	if got := (figures{r.States, r.Steps, r.Depth}); r.Violated != "" || len(r.Unreached) > 0 || got != want {
		t.Errorf("walked %+v, want %+v, nothing violated, all reached: %s", got, want, r)
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

package actuator

import (
	"reflect"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"firebreak/internal/line"
)

// TestRedactNames: of all names that a line has, only those that fleets, shards and firebreak itself gave are left as they are.
func TestRedactNames(t *testing.T) {
	hide, err := ParseRedact("hash")
	if err != nil {
		t.Fatal(err)
	}
	var v line.Verdict
	fillIn(reflect.ValueOf(&v).Elem())
	hide.verdict(&v)
	want := []string{"Verdict.Head.Fleet", "Verdict.Hotspot", "Verdict.Shard"}
	if diff := cmp.Diff(want, left(reflect.ValueOf(v), "Verdict")); diff != "" {
		t.Errorf("names of a verdict that stay (-want +got):\n%s", diff)
	}
	var p line.Plan
	fillIn(reflect.ValueOf(&p).Elem())
	hide.plan(&p)
	want = []string{"Plan.Head.Fleet", "Plan.Hotspot", "Plan.ID", "Plan.Steps.Moves.To", "Plan.Steps.Shards"}
	if diff := cmp.Diff(want, left(reflect.ValueOf(p), "Plan")); diff != "" {
		t.Errorf("names of a plan that stay (-want +got):\n%s", diff)
	}
}

// someone is a name that nothing else has.
const someone = line.Name("someone's name")

// fillIn writes it into every name of a line, and makes every list one long.
func fillIn(v reflect.Value) {
	switch kind := v.Kind(); {
	case kind == reflect.Struct:
		for _, field := range v.Fields() {
			if field.CanSet() {
				fillIn(field)
			}
		}
	case kind == reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fillIn(v.Index(0))
	case v.Type() == reflect.TypeFor[line.Name]():
		v.SetString(string(someone))
	}
}

// left lists the fields in which it still stands.
func left(v reflect.Value, path string) (at []string) {
	switch kind := v.Kind(); {
	case kind == reflect.Struct:
		for f, field := range v.Fields() {
			at = append(at, left(field, path+"."+f.Name)...)
		}
	case kind == reflect.Slice:
		for i := range v.Len() {
			at = append(at, left(v.Index(i), path)...)
		}
	case kind == reflect.String && v.String() == string(someone):
		at = append(at, path)
	}
	slices.Sort(at)
	return at
}

// TestRedactText: what stands in quotes is hidden, and what is said around it stays.
func TestRedactText(t *testing.T) {
	const text = `a limit of "whale" ends`
	if got := Redact(nil).Text(text); got != text {
		t.Errorf("without: %s", got)
	}
	hide := Redact(func([]byte) string { return "hidden" })
	if got := hide.Text(text); got != `a limit of "hidden" ends` {
		t.Errorf("with: %s", got)
	}
}

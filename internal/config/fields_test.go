package config

import (
	"encoding"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"firebreak/actuator/mover"
	"firebreak/pipeline/kafka"
	"firebreak/pipeline/record"
	"firebreak/policy"
)

// values are structs that stand in many fields and are documented once.
func values() []reflect.Type {
	return []reflect.Type{reflect.TypeFor[record.Field](), reflect.TypeFor[policy.Limit](), reflect.TypeFor[kafka.Cluster](), reflect.TypeFor[mover.Way]()}
}

// fieldsOf lists the dotted path of every field that the YAML of t takes; [] stands for an entry of a list or map.
func fieldsOf(t reflect.Type, path string) []string {
	if slices.Contains(values(), t) {
		return []string{path}
	}
	switch t.Kind() { //nolint:exhaustive // all others are plain values
	case reflect.Pointer:
		return fieldsOf(t.Elem(), path)
	case reflect.Slice, reflect.Map:
		if inner := fieldsOf(t.Elem(), path+"[]"); len(inner) > 1 || !strings.HasSuffix(inner[0], "[]") {
			return inner
		}
		return []string{path}
	case reflect.Struct:
		if t == reflect.TypeFor[Shards]() {
			return fieldsOf(reflect.TypeFor[[]Shard](), path)
		}
		if t == reflect.TypeFor[time.Time]() || reflect.PointerTo(t).Implements(reflect.TypeFor[encoding.TextUnmarshaler]()) {
			return []string{path}
		}
		return fieldsIn(t, path)
	default:
		return []string{path}
	}
}

// fieldsIn lists those of a struct; the fields of one that is inline are its own.
func fieldsIn(t reflect.Type, path string) []string {
	var all []string
	for field := range t.Fields() {
		name, option, _ := strings.Cut(field.Tag.Get("yaml"), ",")
		if option == "inline" {
			all = append(all, fieldsIn(field.Type, path)...)
			continue
		}
		if name == "" {
			name = strings.ToLower(field.Name)
		}
		if name != "-" {
			all = append(all, fieldsOf(field.Type, strings.TrimPrefix(path+"."+name, "."))...)
		}
	}
	return all
}

// TestEveryFieldIsDocumented: docs/config.md has a row for every field, and for none that does not exist.
func TestEveryFieldIsDocumented(t *testing.T) {
	page, err := os.ReadFile("../../docs/config.md")
	if err != nil {
		t.Fatal(err)
	}
	var documented []string
	for _, row := range regexp.MustCompile("(?m)^\\| `([^`]+)` \\|").FindAllSubmatch(page, -1) {
		documented = append(documented, string(row[1]))
	}
	fields := append(fieldsOf(reflect.TypeFor[Fleet](), ""), fieldsOf(reflect.TypeFor[Live](), "")...)
	for _, v := range values() {
		for field := range v.Fields() {
			if name := "`" + field.Tag.Get("yaml") + "`"; name != "`-`" && !strings.Contains(string(page), name) {
				t.Errorf("%s of %s is not explained", name, v)
			}
		}
	}
	for _, f := range fields {
		if !slices.Contains(documented, f) {
			t.Errorf("no row for %s", f)
		}
	}
	for _, d := range documented {
		if !slices.Contains(fields, d) {
			t.Errorf("the row of %s documents no field", d)
		}
	}
}

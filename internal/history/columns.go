package history

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"time"

	"firebreak/routing"
)

// The column form. Values of one type stand beside each other wherever they lie in the whole: all loads of all virtual
// shards of all panes are one column. Structs name their fields, so
// that a form outlives fields that come and go; a field that is zero in every value is left out.
//
//	struct  count of fields, then each: name, kind, size in 4 bytes, its column
//	list    length + 1 of each value (0 = nil), then the column of all elements
//	map     as list, with a column of keys (ascending) and one of values
//	ref     0 (nil) or 1 of each value, then the column of those that are there
//	text    length + 1 of each value (0 = nil), then all bytes
//	word    an enumeration by its spelling: count of words, the words, then the place of each value's among them
//	float   the bits with their bytes reversed, as a varint: round numbers are short
//	time    seconds since 1970 of each value, then nanoseconds
//
// Numbers are varints, signed ones in zigzag.
type wireKind byte

const (
	wireBool   wireKind = 'b'
	wireInt    wireKind = 'i'
	wireUint   wireKind = 'u'
	wireFloat  wireKind = 'f'
	wireText   wireKind = 's'
	wireTime   wireKind = 't'
	wireWord   wireKind = 'w'
	wireList   wireKind = 'l'
	wireMap    wireKind = 'm'
	wireRef    wireKind = 'r'
	wireStruct wireKind = 'o'
)

// errColumns is a form that nobody wrote.
var errColumns = errors.New("broken columns")

// wireOf is the kind of a type.
func wireOf(t reflect.Type) (wireKind, error) {
	switch {
	case t == reflect.TypeFor[time.Time]():
		return wireTime, nil
	case t.Kind() == reflect.Uint8 && t.Implements(reflect.TypeFor[fmt.Stringer]()):
		return wireWord, nil
	case t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Uint8:
		return wireText, nil
	}
	switch t.Kind() { //nolint:exhaustive // the rest has no form
	case reflect.Bool:
		return wireBool, nil
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return wireInt, nil
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return wireUint, nil
	case reflect.Float64:
		return wireFloat, nil
	case reflect.String:
		return wireText, nil
	case reflect.Slice:
		return wireList, nil
	case reflect.Map:
		return wireMap, nil
	case reflect.Pointer:
		return wireRef, nil
	case reflect.Struct:
		return wireStruct, nil
	}
	return 0, fmt.Errorf("%s has no form", t)
}

// fieldsOf lists the fields of a struct that are written. A compiled table is none: its document stands elsewhere.
func fieldsOf(t reflect.Type) ([]reflect.StructField, error) {
	out := make([]reflect.StructField, 0, t.NumField())
	for f := range t.Fields() {
		if f.Type == reflect.TypeFor[*routing.Table]() {
			continue
		}
		if !f.IsExported() {
			return nil, fmt.Errorf("%s.%s is not exported: it would be lost", t, f.Name)
		}
		out = append(out, f)
	}
	return out, nil
}

// isZero also takes the zero time of any zone for zero.
func isZero(v reflect.Value) bool {
	if t, ok := timeOf(v); ok {
		return t.IsZero()
	}
	return v.IsZero()
}

func timeOf(v reflect.Value) (time.Time, bool) {
	if v.Type() != reflect.TypeFor[time.Time]() {
		return time.Time{}, false
	}
	return reflect.TypeAssert[time.Time](v)
}

// sortedKeys are the keys of a map, ascending.
func sortedKeys(m reflect.Value) []reflect.Value {
	keys := m.MapKeys()
	slices.SortFunc(keys, func(a, b reflect.Value) int {
		if a.Kind() == reflect.String {
			return cmp.Compare(a.String(), b.String())
		}
		return cmp.Compare(a.Uint(), b.Uint())
	})
	return keys
}

// keyed says whether a type can be a key here.
func keyed(t reflect.Type) bool { return t.Kind() == reflect.String || t.Kind() == reflect.Uint8 }

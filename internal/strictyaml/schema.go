package strictyaml

import (
	"fmt"
	"reflect"
	"strings"
)

// field is one field of a struct that a file may set.
type field struct {
	name   string // as written in the file
	index  []int  // for reflect.Value.FieldByIndex
	secret bool   // tag `secret:"true"`
}

// fieldsOf returns the fields of a struct type in their order: `yaml:"name"` or the name in lower case; `yaml:"-"` and unexported
// ones are left out; `yaml:",inline"` puts the fields of a struct in its place.
func fieldsOf(t reflect.Type) []field {
	var fields []field
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("yaml"), ",")
		switch {
		case name == "-" || !f.IsExported():
		case options == "inline" && f.Type.Kind() == reflect.Struct:
			for _, inner := range fieldsOf(f.Type) {
				inner.index = append([]int{i}, inner.index...)
				inner.secret = inner.secret || f.Tag.Get("secret") == "true"
				fields = append(fields, inner)
			}
		default:
			if name == "" {
				name = strings.ToLower(f.Name)
			}
			fields = append(fields, field{name: name, index: []int{i}, secret: f.Tag.Get("secret") == "true"})
		}
	}
	return fields
}

// unknownField shows a word only where it looks like a name: "password hunter2: x" is no name.
func unknownField(word string, p place, known []field) string {
	names := make([]string, len(known))
	for i, f := range known {
		names[i] = f.name
	}
	if p.secret || !isName(word) {
		return "unknown field; known here: " + strings.Join(names, ", ")
	}
	if near := meant(word, names); near != "" {
		return fmt.Sprintf("unknown field %q%s", word, near)
	}
	return fmt.Sprintf("unknown field %q; known here: %s", word, strings.Join(names, ", "))
}

// Nearest returns the known word that was most likely meant: within two edits (and fewer than the word has letters), else the first
// that begins with word, else the first that word begins with (two letters at least). Case does not count. "" if none is near.
func Nearest(word string, known []string) string {
	word = strings.ToLower(word)
	best, least := "", min(3, len(word))
	for _, k := range known {
		if e := edits(word, strings.ToLower(k)); e < least {
			best, least = k, e
		}
	}
	if best != "" || len(word) < 2 {
		return best
	}
	for _, k := range known {
		if strings.HasPrefix(strings.ToLower(k), word) {
			return k
		}
	}
	for _, k := range known {
		if len(k) >= 2 && strings.HasPrefix(word, strings.ToLower(k)) {
			return k
		}
	}
	return ""
}

// edits is the Damerau-Levenshtein distance in bytes, restricted to neighbours swapped (optimal string alignment).
func edits(a, b string) int {
	if d := len(a) - len(b); d > 2 || d < -2 {
		return 3 // more than anyone asks for: long words cost nothing
	}
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			change := 1
			if a[i-1] == b[j-1] {
				change = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+change)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}

package strictyaml

import (
	"encoding"
	"fmt"
	"reflect"
)

// words lists the closed set of an enumeration: of a type of small integers that writes itself as text, the words that it reads
// back as the value that wrote them. Any other type has none.
func words(t reflect.Type) []string {
	if !reflect.Zero(t).CanUint() && !reflect.Zero(t).CanInt() {
		return nil
	}
	const most = 127 // what every kind of integer holds
	var all []string
	for i := range most + 1 {
		value := reflect.New(t).Elem()
		if value.CanUint() {
			value.SetUint(uint64(i))
		} else {
			value.SetInt(int64(i))
		}
		writer, ok := reflect.TypeAssert[encoding.TextMarshaler](value)
		if !ok {
			return nil
		}
		back := reflect.New(t)
		reader, ok := reflect.TypeAssert[encoding.TextUnmarshaler](back)
		if !ok {
			return nil
		}
		text, err := writer.MarshalText()
		if err == nil && reader.UnmarshalText(text) == nil && back.Elem().Equal(value) {
			all = append(all, string(text))
		}
	}
	return all
}

// meant is the end of a message about a word that is not known: the known one that is nearest, if one is near.
func meant(word string, known []string) string {
	if near := Nearest(word, known); near != "" {
		return fmt.Sprintf("; did you mean %q?", near)
	}
	return ""
}

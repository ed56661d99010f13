package config

import (
	"errors"
	"fmt"
	"slices"

	"firebreak/internal/strictyaml"
	"firebreak/routing"
)

// validPins judges the pinned shards of a fleet whose shards are known: one that is misspelt would protect nothing. Where the
// log names shards beside those that are listed, or a document that is not read yet does, they are known later, see PinsIn.
func (f *Fleet) validPins() error {
	if len(f.Policy.Pinned.Shards) == 0 || f.Document != "" {
		return nil
	}
	doc, _, err := f.Adopt()
	if err != nil || doc == nil || doc.Placement.Map == routing.Explicit {
		return nil //nolint:nilerr // a mistake of the placement is told as such
	}
	return f.PinsIn(doc)
}

// PinsIn reports the pins that name no shard of a document, each with the path of its field.
func (f *Fleet) PinsIn(doc *routing.Document) error {
	names := make([]string, len(doc.Shards))
	for i, s := range doc.Shards {
		names[i] = s.Name
	}
	var errs []error
	for i, pin := range f.Policy.Pinned.Shards {
		if slices.Contains(names, pin) {
			continue
		}
		text := fmt.Sprintf("%q is no shard of the fleet", pin)
		if near := strictyaml.Nearest(pin, names); near != "" {
			text += fmt.Sprintf("; did you mean %q?", near)
		}
		errs = append(errs, strictyaml.Wrong(fmt.Sprintf("policy.pinned.shards[%d]", i), "%s", text))
	}
	return errors.Join(errs...)
}

package strictyaml

import (
	"errors"
	"reflect"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
)

// custom lets the type choose among shapes, and judge what it read. Problems of a shape that it tried and gave up do not count;
// where one word stands and no shape took it, those of the first shape do.
func (d *decoder) custom(n ast.Node, u yaml.InterfaceUnmarshaler, p place) {
	var first Report
	err := u.UnmarshalYAML(func(into any) error {
		try := &decoder{file: d.file}
		try.value(n, reflect.ValueOf(into).Elem(), p)
		if len(try.problems) == 0 {
			return nil
		}
		if first == nil {
			first = try.problems
		}
		return try.problems
	})
	var unread Report
	var judged []error
	for _, e := range leaves(err) {
		if report, ok := e.(Report); ok { //nolint:errorlint // leaves took it out of what wrapped it
			unread = report
			continue
		}
		judged = append(judged, e)
	}
	if _, oneWord := wordOf(n); oneWord && unread != nil {
		unread = first
	}
	d.problems = append(d.problems, unread...)
	for _, e := range judged {
		d.judge(n, reflect.TypeOf(u).Elem(), p, e, unread)
	}
}

// leaves takes joined errors apart, down to those that are one problem each, or a Report.
func leaves(err error) []error {
	if err == nil {
		return nil
	}
	if _, report := err.(Report); report { //nolint:errorlint // a wrapped one has a text of its own
		return []error{err}
	}
	joined, many := err.(interface{ Unwrap() []error })
	if !many {
		return []error{err}
	}
	var all []error
	for _, e := range joined.Unwrap() {
		all = append(all, leaves(e)...)
	}
	return all
}

// judge notes what the type t at n found wrong with a value. It says nothing where a field that could not be read may be the reason.
func (d *decoder) judge(n ast.Node, t reflect.Type, p place, err error, unread Report) {
	var field FieldError
	if !errors.As(err, &field) {
		if len(unread) == 0 {
			d.add(n, p, p.hide(err.Error()))
		}
		return
	}
	path, text := field.Field()
	if choice, ok := field.(Chooser); ok {
		text += meant(choice.Choices())
	}
	at, where, found := find(n, t, p, path)
	paths := []string{where.path}
	if compared, ok := field.(Comparer); ok {
		for _, other := range compared.Compared() {
			_, beside, _ := find(n, t, p, other)
			paths = append(paths, beside.path)
		}
	}
	for _, u := range unread {
		for _, path := range paths {
			if within(u.Path, path) || within(path, u.Path) || !found && parent(u.Path) == parent(path) {
				return
			}
		}
	}
	d.add(at, where, where.hide(text))
}

// find follows a path from a node of type t as far as the file goes: what is not in the file (found is false) has the place of what
// it would stand in.
func find(n ast.Node, t reflect.Type, p place, path string) (at ast.Node, where place, found bool) {
	found = true
	for path != "" {
		var step string
		var secret bool
		step, path = cutStep(path)
		t, secret = typeOf(t, step)
		p = p.child(step, secret)
		next := entryOf(n, step)
		found = found && next != nil
		if found {
			n = next
		}
	}
	return n, p, found
}

// cutStep splits off the first name or "[index]" of a path.
func cutStep(path string) (step, rest string) {
	end := strings.IndexAny(path[1:], ".[") + 1
	if end == 0 {
		return path, ""
	}
	return path[:end], strings.TrimPrefix(path[end:], ".")
}

// typeOf is the type of a step from a value of type t, and whether it is a secret; nil if the path is none of the type.
func typeOf(t reflect.Type, step string) (of reflect.Type, secret bool) {
	for t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t == nil {
		return nil, false
	}
	switch t.Kind() { //nolint:exhaustive // the others hold nothing
	case reflect.Slice, reflect.Map:
		return t.Elem(), false
	case reflect.Struct:
		for _, f := range fieldsOf(t) {
			if f.name == step {
				return t.FieldByIndex(f.index).Type, f.secret
			}
		}
	}
	return nil, false
}

// entryOf is the node of a field, of a map's entry or, for "[3]", of a list's element; nil if there is none.
func entryOf(n ast.Node, step string) ast.Node {
	switch n := n.(type) {
	case *ast.MappingNode:
		for _, e := range n.Values {
			if w, ok := wordOf(e.Key); ok && w.text == step {
				return e.Value
			}
		}
	case *ast.SequenceNode:
		i, err := strconv.Atoi(strings.Trim(step, "[]"))
		if err == nil && step[0] == '[' && i >= 0 && i < len(n.Values) {
			return n.Values[i]
		}
	}
	return nil
}

// within says whether a path is the outer one or leads into it.
func within(inner, outer string) bool {
	rest, ok := strings.CutPrefix(inner, outer)
	return ok && (rest == "" || outer == "" || rest[0] == '.' || rest[0] == '[')
}

// parent is the path without its last step.
func parent(path string) string { return path[:max(0, strings.LastIndexAny(path, ".["))] }

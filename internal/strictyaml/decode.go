package strictyaml

import (
	"encoding"
	"fmt"
	"reflect"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
)

// Defaulter is implemented by elements of lists and maps whose absent fields are not zero: SetDefaults is called on a new
// element before its fields are read.
type Defaulter interface{ SetDefaults() }

// decoder walks the nodes of one file beside the type that they fill.
type decoder struct {
	file     string
	problems Report
}

// place is where in the file the walk stands; the zero value is the top.
type place struct {
	path   string // "fleets.orders.for"
	secret bool   // nothing from here on may be shown
}

// child is the place of a field, or of an element (name "[3]").
func (p place) child(name string, secret bool) place {
	if p.path != "" && name[0] != '[' {
		name = "." + name
	}
	return place{path: p.path + name, secret: p.secret || secret}
}

// add notes a problem of the value at p, which node n is; text gets the path in front.
func (d *decoder) add(n ast.Node, p place, text string) {
	d.note(n, p.path, p.path, text)
}

// note notes a problem at node n: text with the path shown in front, and the path of the field that has it.
func (d *decoder) note(n ast.Node, shown, path, text string) {
	if shown != "" {
		text = shown + ": " + text
	}
	problem := at(n, text)
	problem.File, problem.Path = d.file, path
	d.problems = append(d.problems, *problem)
}

// value sets v from node n. "field:" without a value keeps the default.
func (d *decoder) value(n ast.Node, v reflect.Value, p place) {
	if _, null := n.(*ast.NullNode); null {
		return
	}
	if v.Kind() == reflect.Pointer {
		target := reflect.New(v.Type().Elem())
		if !v.IsNil() {
			target.Elem().Set(v.Elem())
		}
		d.value(n, target.Elem(), p)
		v.Set(target)
		return
	}
	switch u := v.Addr().Interface().(type) {
	case yaml.InterfaceUnmarshaler:
		d.custom(n, u, p)
		return
	case encoding.TextUnmarshaler:
		d.text(n, u.UnmarshalText, func() []string { return words(v.Type()) }, p)
		return
	}
	switch v.Kind() { //nolint:exhaustive // the other kinds are scalars, or refused there
	case reflect.Struct:
		d.fields(n, v, p)
	case reflect.Map:
		d.mapping(n, v, p)
	case reflect.Slice:
		d.list(n, v, p)
	default:
		d.scalar(n, v, p)
	}
}

// entry is one entry of a mapping.
type entry struct {
	name       string
	key, value ast.Node
}

// entries returns the entries of a mapping in their order. Duplicates, and what is no mapping, are problems.
func (d *decoder) entries(n ast.Node, p place) []entry {
	m, ok := n.(*ast.MappingNode)
	if !ok {
		p.secret = true // "password:x", its space forgotten, is no mapping
		d.wrong(n, p, "fields (name: value)")
		return nil
	}
	own := make([]entry, 0, len(m.Values))
	first := map[string]int{} // line of a name's first entry
	for _, e := range m.Values {
		w, ok := wordOf(e.Key)
		line, twice := first[w.text]
		switch {
		case !ok:
			d.add(e.Key, p, "a field's name must be one word")
		case twice:
			d.add(e.Key, p, fmt.Sprintf("duplicate field%s; it stands in line %d already", p.show(w.text), line))
		default:
			first[w.text] = e.Key.GetToken().Position.Line
			own = append(own, entry{name: w.text, key: e.Key, value: e.Value})
		}
	}
	return own
}

// fields sets the struct v from a mapping.
func (d *decoder) fields(n ast.Node, v reflect.Value, p place) {
	known := fieldsOf(v.Type())
next:
	for _, e := range d.entries(n, p) {
		for _, f := range known {
			if f.name == e.name {
				d.value(e.value, v.FieldByIndex(f.index), p.child(f.name, f.secret))
				continue next
			}
		}
		d.note(e.key, p.path, p.child("?", false).path, unknownField(e.name, p, known))
	}
}

// mapping replaces the map v.
func (d *decoder) mapping(n ast.Node, v reflect.Value, p place) {
	made := reflect.MakeMap(v.Type())
	for _, e := range d.entries(n, p) {
		inner := p.child("?", false) // a key may be secret too
		switch {
		case !p.secret && isName(e.name):
			inner = p.child(e.name, false)
		case !p.secret:
			inner = p.child(shown(e.name), false)
		}
		key := reflect.New(v.Type().Key()).Elem()
		d.value(e.key, key, inner)
		made.SetMapIndex(key, d.element(e.value, v.Type().Elem(), inner))
	}
	v.Set(made)
}

// list replaces the slice v.
func (d *decoder) list(n ast.Node, v reflect.Value, p place) {
	seq, ok := n.(*ast.SequenceNode)
	if !ok {
		d.wrong(n, p, "a list")
		return
	}
	made := reflect.MakeSlice(v.Type(), 0, len(seq.Values))
	for i, item := range seq.Values {
		made = reflect.Append(made, d.element(item, v.Type().Elem(), p.child(fmt.Sprintf("[%d]", i), false)))
	}
	v.Set(made)
}

// element returns a new element of a list or map, its defaults set first.
func (d *decoder) element(n ast.Node, t reflect.Type, p place) reflect.Value {
	v := reflect.New(t)
	if def, ok := reflect.TypeAssert[Defaulter](v); ok {
		def.SetDefaults()
	}
	if _, null := n.(*ast.NullNode); null && t.Kind() != reflect.Struct {
		d.add(n, p, "has no value")
	}
	d.value(n, v.Elem(), p)
	return v.Elem()
}

// text sets a type that reads itself from one word; known lists all the words that it takes, or none.
func (d *decoder) text(n ast.Node, set func([]byte) error, known func() []string, p place) {
	w, ok := wordOf(n)
	if !ok {
		d.wrong(n, p, "one value")
		return
	}
	if err := set([]byte(w.text)); err != nil {
		d.add(n, p, p.hide(err.Error()+meant(w.text, known())))
	}
}

// hide is a message that may show the value at p, or that it is wrong where the value is a secret.
func (p place) hide(text string) string {
	if p.secret {
		return "is not valid (the value is not shown)"
	}
	return text
}

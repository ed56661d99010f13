package record

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// avroType is a type of an Avro schema (specification 1.12). Named types may contain themselves.
type avroType struct {
	kind     string // null, boolean, int, long, float, double, bytes, string, fixed, enum, array, map, union, record
	size     int    // of a fixed
	symbols  []string
	items    *avroType // of an array or a map
	branches []*avroType
	fields   []avroField
}

// avroField is a field of a record.
type avroField struct {
	name string
	typ  *avroType
}

// avroParser reads the JSON of a schema.
type avroParser struct {
	named map[string]*avroType // by full name
}

// maxFixed is the largest fixed that a schema may have: what a message can hold.
const maxFixed = maxMaxLine

// parseAvro reads a schema. Names are checked for nothing but that they are known; logical types are what they are
// written as.
func parseAvro(text string) (*avroType, error) {
	var schema any
	if err := json.Unmarshal([]byte(text), &schema); err != nil {
		return nil, fmt.Errorf("avro: %w", err)
	}
	p := avroParser{named: map[string]*avroType{}}
	t, err := p.parse(schema, "", 0)
	if err != nil {
		return nil, fmt.Errorf("avro: %w", err)
	}
	return t, nil
}

// parse reads a schema within a namespace.
func (p *avroParser) parse(schema any, space string, depth int) (*avroType, error) {
	if depth > maxDepth {
		return nil, errors.New("nested too deep")
	}
	switch s := schema.(type) {
	case string:
		return p.byName(s, space)
	case []any:
		union := &avroType{kind: "union"}
		for _, branch := range s {
			t, err := p.parse(branch, space, depth+1)
			if err != nil {
				return nil, err
			}
			union.branches = append(union.branches, t)
		}
		return union, nil
	case map[string]any:
		return p.object(s, space, depth)
	}
	return nil, fmt.Errorf("%v is no schema", schema)
}

// byName returns a primitive type, or a named one that was defined before.
func (p *avroParser) byName(name, space string) (*avroType, error) {
	switch name {
	case "null", "boolean", "int", "long", "float", "double", "bytes", "string":
		return &avroType{kind: name}, nil
	}
	if t := p.named[fullName(name, space)]; t != nil {
		return t, nil
	}
	if t := p.named[name]; t != nil {
		return t, nil
	}
	return nil, fmt.Errorf("type %.80q is not defined in this schema", name)
}

// fullName puts a name without dots into a namespace.
func fullName(name, space string) string {
	if space == "" || strings.Contains(name, ".") {
		return name
	}
	return space + "." + name
}

// object reads a schema that is an object.
func (p *avroParser) object(s map[string]any, space string, depth int) (t *avroType, err error) {
	kind, ok := s["type"].(string)
	if !ok {
		return p.parse(s["type"], space, depth+1)
	}
	switch kind {
	case "array", "map":
		t = &avroType{kind: kind}
		items := "items"
		if kind == "map" {
			items = "values"
		}
		t.items, err = p.parse(s[items], space, depth+1)
		return t, err
	case "record", "error", "enum", "fixed":
		return p.define(kind, s, space, depth)
	}
	return p.byName(kind, space)
}

// define reads a named type.
func (p *avroParser) define(kind string, s map[string]any, space string, depth int) (*avroType, error) {
	name, _ := s["name"].(string)
	if given, ok := s["namespace"].(string); ok && !strings.Contains(name, ".") {
		space = given
	}
	name = fullName(name, space)
	if i := strings.LastIndexByte(name, '.'); i >= 0 {
		space = name[:i]
	}
	if p.named[name] != nil {
		return nil, fmt.Errorf("type %.80q is defined twice", name)
	}
	t := &avroType{kind: kind}
	p.named[name] = t
	switch kind {
	case "fixed":
		size, ok := s["size"].(float64)
		if !ok || size < 0 || size > maxFixed || size != float64(int(size)) {
			return nil, fmt.Errorf("fixed %.80q has the size %v", name, s["size"])
		}
		t.size = int(size)
	case "enum":
		symbols, _ := s["symbols"].([]any)
		for _, symbol := range symbols {
			text, _ := symbol.(string)
			t.symbols = append(t.symbols, text)
		}
	default:
		t.kind = "record"
		return t, p.fields(t, name, s, space, depth)
	}
	return t, nil
}

// fields reads the fields of a record.
func (p *avroParser) fields(t *avroType, name string, s map[string]any, space string, depth int) error {
	list, ok := s["fields"].([]any)
	if !ok {
		return fmt.Errorf("record %.80q has no fields", name)
	}
	for _, f := range list {
		field, _ := f.(map[string]any)
		fieldName, ok := field["name"].(string)
		if !ok {
			return fmt.Errorf("record %.80q has a field without a name", name)
		}
		typ, err := p.parse(field["type"], space, depth+1)
		if err != nil {
			return fmt.Errorf("%s.%s: %w", name, fieldName, err)
		}
		t.fields = append(t.fields, avroField{fieldName, typ})
	}
	return nil
}

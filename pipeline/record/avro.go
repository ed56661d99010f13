package record

import "fmt"

// avroOp is what a step of a program reads.
type avroOp uint8

const (
	avroNull avroOp = iota
	avroBoolean
	avroInt
	avroLong
	avroFloat
	avroDouble
	avroBytes // and strings
	avroFixed
	avroEnum
	avroArray
	avroMap
	avroUnion
	avroRecord
)

// avroStep is a part of a program: it reads one value of a schema's type and puts what is wanted of it.
type avroStep struct {
	target
	op      avroOp
	size    int         // of a fixed
	symbols [][]byte    // of an enum
	kids    []*avroStep // fields, branches, items
	members []avroMember
}

// avroMember is a member of a map that is wanted.
type avroMember struct {
	name []byte
	step *avroStep
}

// avroCompiler makes programs. A type at a place has one step, however it is come by, so that what is not wanted of a type
// that contains itself ends.
type avroCompiler struct{ made map[avroPlace]*avroStep }

// avroPlace is a type at a place in the tree of paths; nil = not wanted.
type avroPlace struct {
	typ  *avroType
	node *node
}

// compileAvro makes the program of an Avro schema: members by their names, also those of maps; of unions whatever branch
// is there, null being absent.
func compileAvro(text string, root *node) (program, error) {
	t, err := parseAvro(text)
	if err != nil {
		return nil, err
	}
	for t.kind == "union" && len(t.branches) == 1 {
		t = t.branches[0]
	}
	if t.kind != "record" && t.kind != "map" && t.kind != "union" {
		return nil, fmt.Errorf("avro: want a record, not %s", t.kind)
	}
	c := avroCompiler{made: map[avroPlace]*avroStep{}}
	return c.step(t, root), nil
}

// step makes the step of a type at a place; nil = not wanted.
func (c *avroCompiler) step(t *avroType, n *node) *avroStep {
	place := avroPlace{t, n}
	if known := c.made[place]; known != nil {
		return known
	}
	s := &avroStep{target: targetOf(n), op: avroOpOf(t.kind), size: t.size, symbols: byteSlices(t.symbols)}
	c.made[place] = s
	switch s.op { //nolint:exhaustive // all others hold no other values
	case avroRecord:
		for _, f := range t.fields {
			var kid *node
			if n != nil {
				kid = n.find([]byte(f.name))
			}
			s.kids = append(s.kids, c.step(f.typ, kid))
		}
	case avroUnion:
		for _, branch := range t.branches {
			s.kids = append(s.kids, c.step(branch, n))
		}
	case avroArray, avroMap:
		s.kids = []*avroStep{c.step(t.items, nil)}
		if n != nil && s.op == avroMap {
			for _, kid := range n.kids {
				s.members = append(s.members, avroMember{kid.name, c.step(t.items, kid)})
			}
		}
	}
	return s
}

// avroOpOf returns the op of a type that parseAvro gives.
func avroOpOf(kind string) avroOp {
	return map[string]avroOp{
		"null": avroNull, "boolean": avroBoolean, "int": avroInt, "long": avroLong, "float": avroFloat, "double": avroDouble,
		"bytes": avroBytes, "string": avroBytes, "fixed": avroFixed, "enum": avroEnum, "array": avroArray, "map": avroMap,
		"union": avroUnion, "record": avroRecord,
	}[kind]
}

// run implements program.
func (s *avroStep) run(b []byte, out *finds) Reason {
	rest, reason := s.read(b, out, 0)
	if reason == ReasonNone && len(rest) > 0 {
		return ReasonSyntax
	}
	return reason
}

// read reads one value from the start of b.
func (s *avroStep) read(b []byte, out *finds, depth int) (rest []byte, reason Reason) {
	switch s.op {
	case avroNull:
		return b, ReasonNone
	case avroBoolean:
		return s.boolean(b, out)
	case avroInt, avroLong, avroEnum:
		return s.whole(b, out)
	case avroFloat, avroDouble, avroFixed:
		return s.sized(b, out)
	case avroBytes:
		text, rest, reason := avroText(b)
		if reason == ReasonNone {
			out.text(&s.target, text)
		}
		return rest, reason
	case avroArray, avroMap, avroUnion, avroRecord:
		if depth == maxDepth {
			return nil, ReasonTooDeep
		}
		return s.inner(b, out, depth+1)
	default:
		return nil, ReasonSyntax
	}
}

// inner reads what holds other values.
func (s *avroStep) inner(b []byte, out *finds, depth int) (rest []byte, reason Reason) {
	switch s.op { //nolint:exhaustive // read has the others
	case avroUnion:
		branch, rest, reason := avroVarint(b)
		if reason != ReasonNone {
			return nil, reason
		}
		if branch < 0 || branch >= int64(len(s.kids)) {
			return nil, ReasonSyntax
		}
		return s.kids[branch].read(rest, out, depth)
	case avroRecord:
		out.nested(&s.target)
		for _, kid := range s.kids {
			if b, reason = kid.read(b, out, depth); reason != ReasonNone {
				return nil, reason
			}
		}
		return b, ReasonNone
	default:
		out.nested(&s.target)
		if s.op == avroArray {
			out.below(&s.target)
		}
		return s.blocks(b, out, depth)
	}
}

// blocks reads the blocks of an array or a map, up to the empty one.
func (s *avroStep) blocks(b []byte, out *finds, depth int) (rest []byte, reason Reason) {
	for {
		count, rest, reason := avroVarint(b)
		if reason != ReasonNone || count == 0 {
			return rest, reason
		}
		if count < 0 { // the size in bytes follows
			if count = -count; count < 0 {
				return nil, ReasonSyntax
			}
			if _, rest, reason = avroVarint(rest); reason != ReasonNone {
				return nil, reason
			}
		}
		for b = rest; count > 0; count-- {
			before := len(b)
			if b, reason = s.entry(b, out, depth); reason != ReasonNone {
				return nil, reason
			}
			if len(b) == before { // items of no bytes: so are all that follow
				break
			}
		}
	}
}

// entry reads an item of an array, or a member of a map.
func (s *avroStep) entry(b []byte, out *finds, depth int) (rest []byte, reason Reason) {
	step := s.kids[0]
	if s.op == avroMap {
		var name []byte
		if name, b, reason = avroText(b); reason != ReasonNone {
			return nil, reason
		}
		for i := range s.members {
			if string(s.members[i].name) == string(name) {
				step = s.members[i].step
			}
		}
	}
	return step.read(b, out, depth)
}

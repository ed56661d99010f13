package record

import "math/bits"

// maxDepth is how deep objects and arrays may nest in a record. A path is at most as long.
const maxDepth = 64

// jsonSplitter scans one JSON object (RFC 8259) for the wanted paths, without a tree and without copying what has no
// escapes. It checks the grammar of all of it, wanted or not, and what RFC 7493 (I-JSON) asks for beyond that: a name
// that occurs twice in one object, and an escape that is a lone surrogate, are refused wherever they stand, because
// readers do not agree on what such a line says. Where it differs from encoding/json, beside these two: names are
// compared byte by byte; bytes that are not UTF-8 stay as they are.
//
// Lines are first compared with the shapes of earlier ones (see step); the full scan is for the others.
type jsonSplitter struct {
	root   *node
	line   []byte
	pos    int
	vals   []value
	arena  []byte // of strings without their escapes
	name   []byte // without its escapes
	names  nameSet
	shapes shapes
	found  []found // the scalars of this line in order
	filled slots   // the values that may be set
	plain  bool    // found says all that there is to know about this line
}

// newJSONSplitter makes a splitter for paths that splitPath accepts.
func newJSONSplitter(p paths) *jsonSplitter {
	return &jsonSplitter{root: newTree(p), shapes: newShapes()}
}

// split implements splitter.
func (s *jsonSplitter) split(line []byte, vals []value) Reason {
	s.line, s.vals, s.arena = line, vals, s.arena[:0]
	resting := s.shapes.resting()
	if !resting {
		if end := s.predicted(); end != 0 {
			s.absent(s.filled &^ s.shapes.steps[end].filled)
			s.filled = s.shapes.steps[end].filled
			return ReasonNone
		}
		s.shapes.misses++
		s.arena = s.arena[:0]
	}
	clear(vals)
	s.filled = ^slots(0)
	reason := s.scanned()
	if reason == ReasonNone && s.plain && !resting {
		s.shapes.learn(line, s.found)
	}
	return reason
}

// absent clears values.
func (s *jsonSplitter) absent(stale slots) {
	for ; stale != 0; stale &= stale - 1 {
		if i := bits.TrailingZeros64(uint64(stale)); i < len(s.vals) {
			s.vals[i] = value{}
		}
	}
}

// scanned scans the whole line.
func (s *jsonSplitter) scanned() Reason {
	s.pos, s.plain, s.found = 0, true, s.found[:0]
	s.names.reset()
	reason := s.value(s.root, 0)
	if reason != ReasonNone {
		return reason
	}
	s.space()
	if s.pos < len(s.line) {
		return ReasonSyntax
	}
	if firstByte(s.line) != '{' {
		return ReasonType
	}
	return ReasonNone
}

// firstByte returns the first byte that is not white space, 0 if there is none.
func firstByte(line []byte) byte {
	for _, c := range line {
		if !isSpace(c) {
			return c
		}
	}
	return 0
}

// isSpace tells JSON's white space.
func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

// space skips white space.
func (s *jsonSplitter) space() {
	for s.pos < len(s.line) && isSpace(s.line[s.pos]) {
		s.pos++
	}
}

// value scans the value at pos, which stands at node n; nil = not wanted.
func (s *jsonSplitter) value(n *node, depth int) Reason {
	s.space()
	if s.pos == len(s.line) {
		return ReasonTruncated
	}
	switch s.line[s.pos] {
	case '{':
		if n != nil && n.slot >= 0 {
			s.plain = false
			put(&s.vals[n.slot], value{kind: kindNested})
		}
		return s.object(n, depth)
	case '[':
		s.plain = s.plain && n == nil
		s.mark(n, kindNested)
		return s.array(depth)
	case '"':
		raw, escaped, reason := s.str()
		if reason != ReasonNone {
			return reason
		}
		s.note(n, scalarString, s.pos-1-len(raw), s.pos-1)
		if n == nil {
			return ReasonNone
		}
		return s.text(n, raw, escaped)
	default:
		start := s.pos
		k, reason := s.scanBare()
		if reason != ReasonNone {
			return reason
		}
		s.note(n, scalarBare, start, s.pos)
		if n != nil {
			s.scalar(n, value{kind: k, text: s.line[start:s.pos:s.pos]})
		}
		return ReasonNone
	}
}

// note keeps where a scalar stands.
func (s *jsonSplitter) note(n *node, kind scalar, from, to int) {
	slot := -1
	if n != nil {
		slot = n.slot
		s.plain = s.plain && len(n.kids) == 0
	}
	if len(s.found) == maxFound || slot >= maxSlots {
		s.plain = false
		return
	}
	s.found = append(s.found, found{from: int32(from), to: int32(to), slot: int32(slot), scalar: kind})
}

// object scans from the opening brace to behind the closing one.
func (s *jsonSplitter) object(n *node, depth int) Reason {
	if depth == maxDepth {
		return ReasonTooDeep
	}
	s.pos++
	if s.closed('}') {
		return ReasonNone
	}
	for id := s.names.object(); ; {
		kid, reason := s.member(n, id)
		if reason != ReasonNone {
			return reason
		}
		if reason = s.value(kid, depth+1); reason != ReasonNone {
			return reason
		}
		if done, reason := s.more('}'); done || reason != ReasonNone {
			return reason
		}
	}
}

// array scans from the opening bracket to behind the closing one. Nothing in it can be wanted.
func (s *jsonSplitter) array(depth int) Reason {
	if depth == maxDepth {
		return ReasonTooDeep
	}
	s.pos++
	if s.closed(']') {
		return ReasonNone
	}
	for {
		if reason := s.value(nil, depth+1); reason != ReasonNone {
			return reason
		}
		if done, reason := s.more(']'); done || reason != ReasonNone {
			return reason
		}
	}
}

// closed skips the end of an empty object or array, if it is one.
func (s *jsonSplitter) closed(end byte) bool {
	s.space()
	if s.pos < len(s.line) && s.line[s.pos] == end {
		s.pos++
		return true
	}
	return false
}

// more skips a comma, or the end: then it is done.
func (s *jsonSplitter) more(end byte) (done bool, reason Reason) {
	s.space()
	if s.pos == len(s.line) {
		return false, ReasonTruncated
	}
	c := s.line[s.pos]
	s.pos++
	if c != ',' && c != end {
		return false, ReasonSyntax
	}
	return c == end, ReasonNone
}

package record

// maxDepth is how deep objects and arrays may nest in a record. A path is at most as long.
const maxDepth = 64

// jsonSplitter scans one JSON object (RFC 8259) for the wanted paths, without a tree and without copying what has no
// escapes. It checks the grammar of all of it, wanted or not. Where it differs from encoding/json: names are compared
// byte by byte; bytes that are not UTF-8 stay as they are; a wanted string with a lone surrogate is refused; a wanted
// member that occurs twice has no value.
type jsonSplitter struct {
	root  *node
	line  []byte
	pos   int
	vals  []value
	scan  uint64 // number of this scan, see node.seen
	arena []byte
	name  []byte
}

// newJSONSplitter makes a splitter for paths that splitPath accepts.
func newJSONSplitter(p paths) *jsonSplitter {
	return &jsonSplitter{root: newTree(p)}
}

// split implements splitter.
func (s *jsonSplitter) split(line []byte, vals []value) Reason {
	s.line, s.pos, s.vals, s.arena = line, 0, vals, s.arena[:0]
	s.scan++
	reason := s.value(s.root, 0)
	if reason == ReasonNone {
		s.space()
		if s.pos < len(s.line) {
			reason = ReasonSyntax
		}
	}
	isObject := firstByte(line) == '{'
	s.line, s.vals = nil, nil
	if reason == ReasonNone && !isObject {
		return ReasonType
	}
	return reason
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
	switch c := s.line[s.pos]; c {
	case '{':
		if n != nil && n.slot >= 0 {
			put(&s.vals[n.slot], value{kind: kindNested})
		}
		return s.object(n, depth)
	case '[':
		s.mark(n, kindNested)
		return s.array(depth)
	case '"':
		raw, escaped, reason := s.str()
		if reason != ReasonNone || n == nil {
			return reason
		}
		return s.text(n, raw, escaped)
	case 't':
		return s.literal(n, "true", kindBool)
	case 'f':
		return s.literal(n, "false", kindBool)
	case 'n':
		return s.literal(n, "null", kindAbsent)
	default:
		return s.number(n)
	}
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
	for {
		kid, reason := s.member(n)
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

// member scans a name and its colon and returns the node of that name under n, nil if it is not wanted.
func (s *jsonSplitter) member(n *node) (kid *node, reason Reason) {
	s.space()
	if s.pos == len(s.line) {
		return nil, ReasonTruncated
	}
	if s.line[s.pos] != '"' {
		return nil, ReasonSyntax
	}
	raw, escaped, reason := s.str()
	if reason != ReasonNone {
		return nil, reason
	}
	s.space()
	if s.pos == len(s.line) {
		return nil, ReasonTruncated
	}
	if s.line[s.pos] != ':' {
		return nil, ReasonSyntax
	}
	s.pos++
	if n == nil {
		return nil, ReasonNone
	}
	return s.enter(n, raw, escaped), ReasonNone
}

// enter finds the node of a name. A second visit takes the value away from all that is wanted below.
func (s *jsonSplitter) enter(n *node, raw []byte, escaped bool) *node {
	if escaped {
		ok := false
		if s.name, ok = appendJSON(s.name[:0], raw); !ok {
			return nil // a lone surrogate: no path has it
		}
		raw = s.name
	}
	kid := n.find(raw)
	if kid == nil {
		return nil
	}
	if kid.seen == s.scan {
		s.mark(kid, kindDuplicate)
		return nil
	}
	kid.seen = s.scan
	return kid
}

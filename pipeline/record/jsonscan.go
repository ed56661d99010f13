package record

// str scans a string from its opening quote to behind the closing one and checks its escapes. raw is the inside.
func (s *jsonSplitter) str() (raw []byte, escaped bool, reason Reason) {
	start := s.pos + 1
	for i := start; i < len(s.line); i++ {
		c := s.line[i]
		switch {
		case c == '"':
			s.pos = i + 1
			return s.line[start:i:i], escaped, ReasonNone
		case c == '\\':
			n, reason := checkEscape(s.line[i+1:])
			if reason != ReasonNone {
				return nil, false, reason
			}
			i += n
			escaped = true
		case c < ' ':
			return nil, false, ReasonSyntax
		}
	}
	return nil, false, ReasonTruncated
}

// checkEscape returns the length of the escape whose backslash stands before b. Surrogates need not be in pairs here:
// that matters only in a wanted string.
func checkEscape(b []byte) (n int, reason Reason) {
	if len(b) == 0 {
		return 0, ReasonTruncated
	}
	if b[0] != 'u' {
		_, ok := simpleEscape(b[0])
		return 1, cond(ok)
	}
	if len(b) < 5 {
		return 0, ReasonTruncated
	}
	_, ok := hex4(b[1:])
	return 5, cond(ok)
}

// cond returns ReasonNone if ok, else ReasonSyntax.
func cond(ok bool) Reason {
	if ok {
		return ReasonNone
	}
	return ReasonSyntax
}

// literal scans true, false or null.
func (s *jsonSplitter) literal(n *node, word string, k kind) Reason {
	rest := s.line[s.pos:]
	if len(rest) < len(word) {
		return cutOr(string(rest) == word[:len(rest)], ReasonSyntax)
	}
	if string(rest[:len(word)]) != word {
		return ReasonSyntax
	}
	s.pos += len(word)
	if n != nil {
		s.scalar(n, value{kind: k, text: rest[:len(word):len(word)]})
	}
	return ReasonNone
}

// number scans -?(0|[1-9][0-9]*)(.[0-9]+)?([eE][+-]?[0-9]+)?.
func (s *jsonSplitter) number(n *node) Reason {
	start := s.pos
	s.accept('-', '-')
	if !s.accept('0', '0') && !s.digits() {
		return s.unexpected()
	}
	if s.accept('.', '.') && !s.digits() {
		return s.unexpected()
	}
	if s.accept('e', 'E') {
		s.accept('+', '-')
		if !s.digits() {
			return s.unexpected()
		}
	}
	if n != nil {
		s.scalar(n, value{kind: kindNumber, text: s.line[start:s.pos:s.pos]})
	}
	return ReasonNone
}

// accept skips one byte, a or b, if it is there.
func (s *jsonSplitter) accept(a, b byte) bool {
	if s.pos < len(s.line) && (s.line[s.pos] == a || s.line[s.pos] == b) {
		s.pos++
		return true
	}
	return false
}

// digits skips digits; false if there is none.
func (s *jsonSplitter) digits() bool {
	n := digitRun(s.line[s.pos:])
	s.pos += n
	return n > 0
}

// unexpected is the reason for a byte, or an end, where a number or a value was due.
func (s *jsonSplitter) unexpected() Reason {
	return cutOr(s.pos == len(s.line), ReasonSyntax)
}

// text stores a wanted string.
func (s *jsonSplitter) text(n *node, raw []byte, escaped bool) Reason {
	if escaped {
		start, ok := len(s.arena), false
		if s.arena, ok = appendJSON(s.arena, raw); !ok {
			return ReasonSyntax
		}
		raw = s.arena[start:len(s.arena):len(s.arena)]
	}
	s.scalar(n, text(raw))
	return ReasonNone
}

// scalar stores a value at a node; where paths go deeper than a scalar they find the wrong type, and nothing if it is
// null.
func (s *jsonSplitter) scalar(n *node, v value) {
	if n.slot >= 0 {
		put(&s.vals[n.slot], v)
	}
	if v.kind == kindAbsent && len(v.text) > 0 { // null
		return
	}
	for _, kid := range n.kids {
		s.mark(kid, kindNested)
	}
}

// mark gives every path at and below a node a kind without bytes.
func (s *jsonSplitter) mark(n *node, k kind) {
	if n == nil {
		return
	}
	if n.slot >= 0 {
		put(&s.vals[n.slot], value{kind: k})
	}
	for _, kid := range n.kids {
		s.mark(kid, k)
	}
}

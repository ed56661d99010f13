package record

// member scans a name and its colon and returns the node of that name under n, nil if it is not wanted. object is the
// number of the object that the name is in.
func (s *jsonSplitter) member(n *node, object uint64) (kid *node, reason Reason) {
	s.space()
	if s.pos == len(s.line) {
		return nil, ReasonTruncated
	}
	if s.line[s.pos] != '"' {
		return nil, ReasonSyntax
	}
	name, escaped, reason := s.str()
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
	if escaped {
		s.name, _ = appendJSON(s.name[:0], name)
		name = s.name
	}
	if !s.names.add(object, name) {
		return nil, ReasonDuplicate
	}
	if n == nil {
		return nil, ReasonNone
	}
	return n.find(name), ReasonNone
}

// str scans a string from its opening quote to behind the closing one and checks its escapes. raw is the inside, to
// which appendJSON may be applied.
func (s *jsonSplitter) str() (raw []byte, escaped bool, reason Reason) {
	start := s.pos + 1
	for i := start; ; {
		i = stringEnd(s.line, i)
		switch {
		case i == len(s.line):
			return nil, false, ReasonTruncated
		case s.line[i] == '"':
			s.pos = i + 1
			return s.line[start:i:i], escaped, ReasonNone
		case s.line[i] != '\\':
			return nil, false, ReasonSyntax
		}
		n, reason := checkEscape(s.line[i+1:])
		if reason != ReasonNone {
			return nil, false, reason
		}
		i += 1 + n
		escaped = true
	}
}

// checkEscape returns the length of the escape, or of the pair of surrogates, whose backslash stands before b.
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
	_, n, ok := unicodeEscape(b[1:])
	return 1 + n, cond(ok)
}

// cond returns ReasonNone if ok, else ReasonSyntax.
func cond(ok bool) Reason {
	if ok {
		return ReasonNone
	}
	return ReasonSyntax
}

// scanBare scans a number, true, false or null from its first byte to behind the last.
func (s *jsonSplitter) scanBare() (k kind, reason Reason) {
	switch s.line[s.pos] {
	case 't':
		return kindBool, s.literal("true")
	case 'f':
		return kindBool, s.literal("false")
	case 'n':
		return kindAbsent, s.literal("null")
	default:
		return kindNumber, s.number()
	}
}

// literal scans a word.
func (s *jsonSplitter) literal(word string) Reason {
	rest := s.line[s.pos:]
	if len(rest) < len(word) {
		return cutOr(string(rest) == word[:len(rest)], ReasonSyntax)
	}
	if string(rest[:len(word)]) != word {
		return ReasonSyntax
	}
	s.pos += len(word)
	return ReasonNone
}

// number scans -?(0|[1-9][0-9]*)(.[0-9]+)?([eE][+-]?[0-9]+)?.
func (s *jsonSplitter) number() Reason {
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

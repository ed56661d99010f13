package record

// text stores a wanted string.
func (s *jsonSplitter) text(n *node, raw []byte, escaped bool) Reason {
	if escaped {
		var reason Reason
		if raw, reason = s.unescape(raw); reason != ReasonNone {
			return reason
		}
	}
	s.scalar(n, text(raw))
	return ReasonNone
}

// unescape puts what the inside of a string stands for into the arena.
func (s *jsonSplitter) unescape(raw []byte) (b []byte, reason Reason) {
	start, ok := len(s.arena), false
	if s.arena, ok = appendJSON(s.arena, raw); !ok {
		return nil, ReasonSyntax
	}
	return s.arena[start:len(s.arena):len(s.arena)], ReasonNone
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

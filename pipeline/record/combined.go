package record

import (
	"bytes"
	"slices"
)

// combinedNames lists the parts of the combined log in their order; method, path and protocol, the last,
// are parts of the request.
func combinedNames() []string {
	return []string{
		"host", "ident", "user", "time", "request", "status", "bytes", "referer", "agent",
		"extra1", "extra2", "extra3", "extra4", "extra5", "extra6", "extra7", "extra8", "extra9",
		"method", "path", "protocol",
	}
}

const (
	partRequest  = 4
	partReferer  = 7
	partExtra9   = 17
	partMethod   = 18
	partPath     = 19
	partProtocol = 20
	parts        = 21
)

// combinedIndex returns the part of that name, -1 if there is none.
func combinedIndex(name string) int { return slices.Index(combinedNames(), name) }

// combinedSplitter splits a line of Apache's and nginx' access logs, common or combined:
//
//	host ident user [time] "request" status bytes ["referer" "agent" [extra...]]
//
// "-" is absent. Only mapped parts are unescaped. A line that was cut inside a part that nothing maps, behind the
// bytes, is whole for us.
type combinedSplitter struct {
	slots [parts]int // -1 = not mapped
	arena []byte
	vals  []value
}

// newCombinedSplitter makes a splitter.
func newCombinedSplitter(p paths) *combinedSplitter {
	s := &combinedSplitter{}
	for i := range s.slots {
		s.slots[i] = -1
	}
	for slot, path := range p {
		s.slots[combinedIndex(path)] = slot
	}
	return s
}

// split implements splitter.
func (s *combinedSplitter) split(line []byte, vals []value) Reason {
	s.arena, s.vals = s.arena[:0], vals
	clear(vals)
	rest, reason := s.origin(line)
	for part := partRequest; reason == ReasonNone && part <= partExtra9; part++ {
		if len(rest) == 0 && part >= partReferer {
			break
		}
		rest, reason = s.part(part, rest)
	}
	s.vals = nil
	return reason
}

// origin reads host, ident, user and time. A user may hold spaces, so it ends where the time begins.
func (s *combinedSplitter) origin(line []byte) (rest []byte, reason Reason) {
	host, rest, _ := bytes.Cut(line, []byte{' '})
	ident, rest, _ := bytes.Cut(rest, []byte{' '})
	user, rest, ok := bytes.Cut(rest, []byte(" ["))
	if !ok {
		return nil, cutOr(!bytes.ContainsAny(line, `["`), ReasonSyntax)
	}
	stamp, rest, ok := bytes.Cut(rest, []byte{']'})
	if !ok {
		return nil, ReasonTruncated
	}
	for i, raw := range [][]byte{host, ident, user, stamp} {
		if len(raw) == 0 {
			return nil, ReasonSyntax
		}
		if reason = s.put(i, raw); reason != ReasonNone {
			return nil, reason
		}
	}
	return afterSpace(rest)
}

// afterSpace cuts the space between two parts; nothing at all is the end.
func afterSpace(rest []byte) (after []byte, reason Reason) {
	switch {
	case len(rest) == 0:
		return nil, ReasonNone
	case rest[0] != ' ':
		return nil, ReasonSyntax
	default:
		return rest[1:], ReasonNone
	}
}

// cutOr returns ReasonTruncated if cut, else the other.
func cutOr(cut bool, other Reason) Reason {
	if cut {
		return ReasonTruncated
	}
	return other
}

// part reads one part at the start of rest: quoted, or a word.
func (s *combinedSplitter) part(part int, rest []byte) (after []byte, reason Reason) {
	if len(rest) == 0 {
		return nil, ReasonTruncated
	}
	if rest[0] != '"' {
		if part == partRequest {
			return nil, ReasonSyntax
		}
		word, after, _ := bytes.Cut(rest, []byte{' '})
		if len(word) == 0 {
			return nil, ReasonSyntax
		}
		return after, s.put(part, word)
	}
	end := closingQuote(rest, 1)
	if end < 0 {
		return nil, cutOr(part < partReferer || s.slots[part] >= 0, ReasonNone)
	}
	reason = s.put(part, rest[1:end])
	if part == partRequest && reason == ReasonNone {
		reason = s.request(rest[1:end])
	}
	if reason != ReasonNone {
		return nil, reason
	}
	return afterSpace(rest[end+1:])
}

// closingQuote returns where the quoted value that starts at pos ends, -1 if it does not.
func closingQuote(b []byte, pos int) int {
	for {
		for ; pos+wordSize <= len(b); pos += wordSize {
			w := word(b, pos)
			if stops := equalTo(w, '"') | equalTo(w, '\\'); stops != 0 {
				pos += firstOf(stops)
				break
			}
		}
		for pos < len(b) && b[pos] != '"' && b[pos] != '\\' {
			pos++
		}
		switch {
		case pos >= len(b):
			return -1
		case b[pos] == '"':
			return pos
		}
		pos += 2 // the backslash and what it stands before
	}
}

// request splits METHOD PATH PROTOCOL. HTTP/0.9 has no protocol; a path may hold spaces. What does not start with a
// method (a TLS hello on a plain port) has none of the three.
func (s *combinedSplitter) request(raw []byte) Reason {
	method, path, ok := bytes.Cut(raw, []byte{' '})
	if !ok || !isMethod(method) {
		return ReasonNone
	}
	var protocol []byte
	if i := bytes.LastIndexByte(path, ' '); i >= 0 && bytes.HasPrefix(path[i+1:], []byte("HTTP/")) {
		path, protocol = path[:i], path[i+1:]
	}
	for i, b := range [][]byte{method, path, protocol} {
		if reason := s.put(partMethod+i, b); reason != ReasonNone {
			return reason
		}
	}
	return ReasonNone
}

// isMethod tells whether b is letters, hyphens and underscores only (RFC 9110 allows more; nobody uses it).
func isMethod(b []byte) bool {
	for _, c := range b {
		letter := c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z'
		if !letter && c != '-' && c != '_' {
			return false
		}
	}
	return len(b) > 0
}

// put stores a part, unescaped, if it is mapped and present.
func (s *combinedSplitter) put(part int, raw []byte) Reason {
	slot := s.slots[part]
	if slot < 0 || len(raw) == 0 || string(raw) == "-" {
		return ReasonNone
	}
	if bytes.IndexByte(raw, '\\') >= 0 {
		start, ok := len(s.arena), false
		if s.arena, ok = appendAccess(s.arena, raw); !ok {
			return ReasonSyntax
		}
		raw = s.arena[start:len(s.arena):len(s.arena)]
	}
	s.vals[slot] = value{kind: kindText, text: raw}
	return ReasonNone
}

package record

import "bytes"

// logfmtSplitter splits a line of name=value pairs between spaces and tabs. A value that starts with a quote is
// escaped as in JSON; any other runs to the next space and may hold further equals signs, but no quote. A name without
// an equals sign is a boolean.
//
// The names of the line before, in their order, are what is looked for first.
type logfmtSplitter struct {
	names [][]byte // by slot
	order []guess
	arena []byte
}

// guess is a name that was found, with its equals sign, and its slot, -1 if nothing maps it.
type guess struct {
	name []byte
	slot int
}

const (
	maxGuesses   = 64
	maxGuessName = 64 // bytes, with the equals sign
)

// newLogfmtSplitter makes a splitter.
func newLogfmtSplitter(p paths) *logfmtSplitter {
	return &logfmtSplitter{names: byteSlices(p)}
}

// split implements splitter.
func (s *logfmtSplitter) split(line []byte, vals []value) Reason {
	s.arena = s.arena[:0]
	clear(vals)
	for n, pos := 0, 0; ; n++ {
		for pos < len(line) && (line[pos] == ' ' || line[pos] == '\t') {
			pos++
		}
		if pos == len(line) {
			return ReasonNone
		}
		slot, next, paired := s.name(n, line, pos)
		if next == pos {
			return ReasonSyntax
		}
		if pos = next; !paired {
			if slot >= 0 {
				put(&vals[slot], value{kind: kindBool, text: []byte("true")})
			}
			continue
		}
		found, next, reason := s.value(line, pos, slot >= 0)
		if reason != ReasonNone {
			return reason
		}
		if pos = next; slot >= 0 {
			put(&vals[slot], found)
		}
	}
}

// name reads the nth name of a line, which starts at pos. next is behind it and, if it is paired with a value, its
// equals sign; pos itself if it is none.
func (s *logfmtSplitter) name(n int, line []byte, pos int) (slot, next int, paired bool) {
	if n < len(s.order) {
		g := &s.order[n]
		if end := pos + len(g.name); end <= len(line) && bytes.Equal(line[pos:end], g.name) {
			return g.slot, end, true
		}
	}
	end := pos
	for end < len(line) && line[end] != '=' && line[end] != ' ' && line[end] != '\t' && line[end] != '"' {
		end++
	}
	if end == pos || end < len(line) && line[end] == '"' {
		return -1, pos, false
	}
	slot = s.slot(line[pos:end])
	if end == len(line) || line[end] != '=' {
		return slot, end, false
	}
	s.guess(n, line[pos:end+1], slot)
	return slot, end + 1, true
}

// guess remembers the nth name of a line.
func (s *logfmtSplitter) guess(n int, name []byte, slot int) {
	if n > len(s.order) || n == maxGuesses || len(name) > maxGuessName {
		return
	}
	if n == len(s.order) {
		s.order = append(s.order, guess{})
	}
	s.order[n].name, s.order[n].slot = append(s.order[n].name[:0], name...), slot
}

// put stores a value where none was; a second one is a duplicate. An empty or null one is absent, but counts as seen.
func put(at *value, v value) {
	if at.kind != kindAbsent || at.text != nil {
		v = value{kind: kindDuplicate}
	}
	if v.text == nil {
		v.text = []byte{}
	}
	*at = v
}

// slot returns the slot of a name, -1 if nothing maps it.
func (s *logfmtSplitter) slot(name []byte) int {
	for slot, n := range s.names {
		if bytes.Equal(n, name) {
			return slot
		}
	}
	return -1
}

// value reads the value at pos; next is behind it. Only a wanted one is unescaped.
func (s *logfmtSplitter) value(line []byte, pos int, wanted bool) (v value, next int, reason Reason) {
	if pos == len(line) || line[pos] != '"' {
		end := wordEnd(line, pos)
		if end < len(line) && line[end] == '"' {
			return v, 0, ReasonSyntax
		}
		return text(line[pos:end]), end, ReasonNone
	}
	end := closingQuote(line, pos+1)
	if end < 0 {
		return v, 0, ReasonTruncated
	}
	if next = end + 1; next < len(line) && line[next] != ' ' && line[next] != '\t' {
		return v, 0, ReasonSyntax
	}
	raw := line[pos+1 : end]
	if wanted && bytes.IndexByte(raw, '\\') >= 0 {
		start, ok := len(s.arena), false
		if s.arena, ok = appendJSON(s.arena, raw); !ok {
			return v, 0, ReasonSyntax
		}
		raw = s.arena[start:]
	}
	return text(raw), next, ReasonNone
}

// wordEnd returns where the word at pos ends: at the first space, tab or quote, or at the end.
func wordEnd(line []byte, pos int) int {
	for {
		for pos+wordSize <= len(line) {
			w := word(line, pos)
			if low := (w - ('"'+1)*lowBits) &^ w & highBits; low != 0 { // up to the quote: few bytes are that low
				pos += firstOf(low)
				break
			}
			pos += wordSize
		}
		if pos >= len(line) || line[pos] == ' ' || line[pos] == '\t' || line[pos] == '"' {
			return pos
		}
		pos++
	}
}

// text makes a text value; an empty one is absent.
func text(b []byte) value {
	if len(b) == 0 {
		return value{text: b}
	}
	return value{kind: kindText, text: b}
}

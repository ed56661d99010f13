package record

import "bytes"

// logfmtSplitter splits a line of name=value pairs between spaces and tabs. A value that starts with a quote is
// escaped as in JSON; any other runs to the next space and may hold further equals signs, but no quote. A name without
// an equals sign is a boolean.
type logfmtSplitter struct {
	names [][]byte // by slot
	arena []byte
}

// newLogfmtSplitter makes a splitter.
func newLogfmtSplitter(p paths) *logfmtSplitter {
	return &logfmtSplitter{names: byteSlices(p)}
}

// split implements splitter.
func (s *logfmtSplitter) split(line []byte, vals []value) Reason {
	s.arena = s.arena[:0]
	for {
		line = bytes.TrimLeft(line, " \t")
		if len(line) == 0 {
			return ReasonNone
		}
		end := bytes.IndexAny(line, "= \t\"")
		if end < 0 {
			end = len(line)
		}
		name, found := line[:end], value{kind: kindBool}
		line = line[end:]
		if len(name) == 0 || len(line) > 0 && line[0] == '"' {
			return ReasonSyntax
		}
		slot := s.slot(name)
		if len(line) > 0 && line[0] == '=' {
			var reason Reason
			if found, line, reason = s.value(line[1:], slot >= 0); reason != ReasonNone {
				return reason
			}
		}
		if slot >= 0 {
			if found.kind == kindBool {
				found.text = []byte("true")
			}
			put(&vals[slot], found)
		}
	}
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

// value reads the value at the start of line. Only a wanted one is unescaped.
func (s *logfmtSplitter) value(line []byte, wanted bool) (v value, rest []byte, reason Reason) {
	if len(line) == 0 || line[0] != '"' {
		end := bytes.IndexAny(line, " \t\"")
		if end < 0 {
			end = len(line)
		}
		if end < len(line) && line[end] == '"' {
			return v, nil, ReasonSyntax
		}
		return text(line[:end:end]), line[end:], ReasonNone
	}
	end := closingQuote(line, 1)
	if end < 0 {
		return v, nil, ReasonTruncated
	}
	raw, rest := line[1:end:end], line[end+1:]
	if len(rest) > 0 && rest[0] != ' ' && rest[0] != '\t' {
		return v, nil, ReasonSyntax
	}
	if wanted && bytes.IndexByte(raw, '\\') >= 0 {
		start, ok := len(s.arena), false
		if s.arena, ok = appendJSON(s.arena, raw); !ok {
			return v, nil, ReasonSyntax
		}
		raw = s.arena[start:len(s.arena):len(s.arena)]
	}
	return text(raw), rest, ReasonNone
}

// text makes a text value; an empty one is absent.
func text(b []byte) value {
	if len(b) == 0 {
		return value{text: b}
	}
	return value{kind: kindText, text: b}
}

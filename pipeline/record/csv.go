package record

import (
	"bytes"
	"fmt"
)

// csvSplitter splits a row of comma or tab separated values by RFC 4180: a field that starts with a quote ends with
// one, two quotes inside it are one; a quote anywhere else is refused, because the row may then be one half of a field
// that holds a line end. Such fields are out of reach of a reader of lines: both halves are refused. (A Kafka value
// that holds the whole row is read.)
//
// With a header every row has exactly its number of fields: one with fewer was cut. Without one a row has at least the
// highest mapped column.
type csvSplitter struct {
	comma byte
	named bool
	slots []int // by column, -1 = not mapped
	found []int // by slot, how many columns have its path
	width int   // columns of a row; 0 = no header was read yet
	names []string
	arena []byte
}

// newCSVSplitter makes a splitter. Where columns have names it refuses every row until header was called.
func newCSVSplitter(comma byte, named bool, p paths) *csvSplitter {
	s := &csvSplitter{comma: comma, named: named, found: make([]int, len(p))}
	if named {
		return s
	}
	for slot, path := range p {
		n, _ := columnNumber(path)
		for len(s.slots) < n {
			s.slots = append(s.slots, -1)
		}
		s.slots[n-1] = slot
	}
	s.width = len(s.slots)
	return s
}

// has tells whether the header has the slot's column.
func (s *csvSplitter) has(slot int) bool { return s.found[slot] > 0 }

// reset forgets the header.
func (s *csvSplitter) reset() {
	s.slots, s.width = s.slots[:0], 0
	clear(s.found)
}

// header reads the names of the columns.
func (s *csvSplitter) header(line []byte, p paths) error {
	s.reset()
	s.names, s.arena = s.names[:0], s.arena[:0]
	line = bytes.TrimPrefix(line, []byte(bom))
	for pos := 0; pos <= len(line); {
		name, next, reason := s.field(line, pos, true)
		if reason != ReasonNone {
			return fmt.Errorf("header: %s at byte %d", reason, pos)
		}
		if len(s.names) == maxColumns {
			return fmt.Errorf("header: more than %d columns", maxColumns)
		}
		s.names = append(s.names, string(name))
		pos = next
	}
	for _, name := range s.names {
		slot := -1
		for i, path := range p {
			if path == name {
				slot = i
				s.found[i]++
				if s.found[i] > 1 {
					s.reset()
					return s.errorf("column %q occurs twice", name)
				}
			}
		}
		s.slots = append(s.slots, slot)
	}
	s.width = len(s.slots)
	return nil
}

// errorf describes a problem with the header and names what was found.
func (s *csvSplitter) errorf(format string, args ...any) error {
	return fmt.Errorf("header: %s; found %.300q", fmt.Sprintf(format, args...), s.names)
}

// split implements splitter.
func (s *csvSplitter) split(line []byte, vals []value) Reason {
	if s.width == 0 {
		return ReasonSyntax
	}
	s.arena = s.arena[:0]
	column := 0
	for pos := 0; pos <= len(line); column++ {
		slot := -1
		if column < len(s.slots) {
			slot = s.slots[column]
		}
		text, next, reason := s.field(line, pos, slot >= 0)
		if reason != ReasonNone {
			return reason
		}
		if slot >= 0 && slot < len(vals) && len(text) > 0 {
			vals[slot] = value{kind: kindText, text: text}
		}
		pos = next
	}
	switch {
	case column < s.width:
		return ReasonTruncated
	case column > s.width && s.named:
		return ReasonSyntax
	default:
		return ReasonNone
	}
}

// field reads the field that starts at pos. next is the start of the one after it, above len(line) after the last.
// Only a wanted field is unescaped.
func (s *csvSplitter) field(line []byte, pos int, wanted bool) (text []byte, next int, reason Reason) {
	if pos < len(line) && line[pos] == '"' {
		return s.quoted(line, pos+1, wanted)
	}
	for i := pos; i < len(line); i++ {
		switch line[i] {
		case s.comma:
			return line[pos:i:i], i + 1, ReasonNone
		case '"', '\n':
			return nil, 0, ReasonSyntax
		}
	}
	return line[pos:], len(line) + 1, ReasonNone
}

// quoted reads a field behind its opening quote.
func (s *csvSplitter) quoted(line []byte, pos int, wanted bool) (text []byte, next int, reason Reason) {
	start, doubled := len(s.arena), false
	for {
		i := bytes.IndexByte(line[pos:], '"')
		if i < 0 {
			return nil, 0, ReasonSyntax
		}
		part := line[pos : pos+i : pos+i]
		pos += i + 1
		again := pos < len(line) && line[pos] == '"'
		if wanted && (again || doubled) {
			s.arena = append(s.arena, part...)
		}
		switch {
		case again:
			doubled = true
			if wanted {
				s.arena = append(s.arena, '"')
			}
			pos++
			continue
		case pos < len(line) && line[pos] != s.comma:
			return nil, 0, ReasonSyntax
		case doubled:
			part = s.arena[start:len(s.arena):len(s.arena)]
		}
		return part, pos + 1, ReasonNone
	}
}

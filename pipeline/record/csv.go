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
	comma  byte
	named  bool
	given  []byte // the header that the configuration gives; nil = none
	slots  []int  // by column, -1 = not mapped
	mapped []mapped
	found  []int // by slot, how many columns have its path
	width  int   // columns of a row; 0 = no header was read yet
	fresh  bool  // no row was split since the last header
	names  []string
	arena  []byte
	starts [plainStarts]uint32 // of the fields of a plain row, see fieldStartsGo
}

// mapped is a column that is mapped. That of a plain row has a byte's number, an index that needs no check.
type mapped struct {
	slot   int
	column uint8
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
	s.open()
	return s
}

// open takes the slots into use.
func (s *csvSplitter) open() {
	s.width, s.fresh, s.mapped = len(s.slots), true, s.mapped[:0]
	for column, slot := range s.slots {
		if slot >= 0 && column < plainColumns {
			s.mapped = append(s.mapped, mapped{slot, uint8(column)})
		}
	}
}

// has tells whether the header has the slot's column. What stands beside a line needs none.
func (s *csvSplitter) has(slot int) bool { return slot >= len(s.found) || s.found[slot] > 0 }

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
	s.open()
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
	if s.given != nil && bytes.Equal(line, s.given) {
		return ReasonBlank
	}
	if s.fresh { // from here on every row sets what the one before it set, or is refused
		clear(vals)
		s.fresh = false
	}
	columns := fieldStarts(line, s.comma, &s.starts)
	if columns >= s.width {
		s.take(line, vals)
	} else if columns < 0 {
		var reason Reason
		if columns, reason = s.fieldwise(line, vals); reason != ReasonNone {
			return reason
		}
	}
	switch {
	case columns < s.width:
		return ReasonTruncated
	case columns > s.width && s.named:
		return ReasonSyntax
	default:
		return ReasonNone
	}
}

// fieldwise splits any row.
func (s *csvSplitter) fieldwise(line []byte, vals []value) (columns int, reason Reason) {
	s.arena = s.arena[:0]
	for pos := 0; pos <= len(line); columns++ {
		slot := -1
		if columns < len(s.slots) {
			slot = s.slots[columns]
		}
		text, next, reason := s.field(line, pos, slot >= 0)
		if reason != ReasonNone {
			return 0, reason
		}
		if slot >= 0 {
			vals[slot].set(text)
		}
		pos = next
	}
	return columns, ReasonNone
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

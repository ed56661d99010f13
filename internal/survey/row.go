package survey

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
)

// splitRow splits a row of comma or tab separated values by RFC 4180, as package record does; false where it would be
// refused. The cells are unquoted.
func splitRow(row []byte, comma byte) (cells []string, ok bool) {
	row = bytes.TrimPrefix(bytes.TrimRight(row, "\r\n"), []byte("\uFEFF"))
	for {
		if len(row) > 0 && row[0] == '"' {
			cell, rest, ok := quotedCell(row[1:])
			if !ok || len(rest) > 0 && rest[0] != comma {
				return nil, false
			}
			cells = append(cells, cell)
			if len(rest) == 0 {
				return cells, true
			}
			row = rest[1:]
			continue
		}
		cell, rest, more := bytes.Cut(row, []byte{comma})
		if bytes.IndexByte(cell, '"') >= 0 {
			return nil, false
		}
		cells = append(cells, string(cell))
		if !more {
			return cells, true
		}
		row = rest
	}
}

// quotedCell reads a cell behind its opening quote; rest is what follows the closing one.
func quotedCell(row []byte) (cell string, rest []byte, ok bool) {
	var b strings.Builder
	for {
		part, after, found := bytes.Cut(row, []byte{'"'})
		if !found {
			return "", nil, false
		}
		b.Write(part)
		if len(after) == 0 || after[0] != '"' {
			return b.String(), after, true
		}
		b.WriteByte('"')
		row = after[1:]
	}
}

// headed says whether the first line names the columns: no cell of it is a number or empty, none occurs twice, and it is
// told from the rows below by a word that names a field or by a column of numbers under a name.
func (s *Sample) headed(f *form) bool {
	names, ok := splitRow(s.parts[0].lines[0].bytes, f.comma())
	if !ok {
		return false
	}
	known := false
	for i, name := range names {
		if _, err := strconv.ParseFloat(strings.TrimSpace(name), 64); err == nil || slices.Contains(names[:i], name) && name != "" {
			return false
		}
		known = known || knownName(name)
	}
	return known || s.numbersBelow(f, names)
}

// numbersBelow says whether a column has a word in the first line and numbers in nearly all others.
func (s *Sample) numbersBelow(f *form, names []string) bool {
	numbers, rows := make([]int, len(names)), 0
	for _, l := range s.parts[0].lines[1:] {
		cells, ok := splitRow(l.bytes, f.comma())
		if !ok || len(cells) != len(names) {
			continue
		}
		rows++
		for i, c := range cells {
			if _, err := strconv.ParseFloat(strings.TrimSpace(c), 64); err == nil {
				numbers[i]++
			}
		}
	}
	return rows > 0 && slices.ContainsFunc(numbers, func(n int) bool { return n*10 >= rows*9 })
}

// comma is what parts the columns.
func (f *form) comma() byte {
	if f.format == formatTSV {
		return '\t'
	}
	return ','
}

package survey

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"firebreak/pipeline/record"
)

const (
	// maxColumns bounds the columns that are looked at; a log has 5 to 40.
	maxColumns = 64
	// maxName is the longest name of a column that can be mapped here, in bytes.
	maxName = 128
	// maxNesting is how deep a member may stand to be looked at.
	maxNesting = 8
	// pathLines is how many lines are read for the names of their members.
	pathLines = 2000
)

// names is the columns of a log in the order in which they first appear.
type names struct {
	paths   []string
	seen    map[string]bool
	skipped []string // that cannot be mapped: a name that does not print, that is empty, too long or there twice
	more    bool     // there are more than maxColumns
}

// add takes a column; usable says that a configuration can name it.
func (n *names) add(path, name string, usable bool) {
	if n.seen[path] {
		return
	}
	if n.seen == nil {
		n.seen = map[string]bool{}
	}
	if len(n.paths)+len(n.skipped) >= maxColumns {
		n.more = true
		return
	}
	n.seen[path] = true
	if !usable || !nameable(name) {
		n.skipped = append(n.skipped, name)
		return
	}
	n.paths = append(n.paths, record.Literal(path))
}

// nameable says whether a name can stand in a configuration as it is.
func nameable(name string) bool {
	return name != "" && len(name) <= maxName && utf8.ValidString(name) && !strings.ContainsRune(name, utf8.RuneError) &&
		strings.IndexFunc(name, func(r rune) bool { return !unicode.IsPrint(r) }) < 0
}

// columnNames lists the columns of a sample.
func (s *Sample) columnNames(f *form) names {
	var n names
	switch f.format {
	case formatCombined:
		for p := range strings.FieldsSeq("time host path method status bytes user referer agent extra1 extra2 extra3") {
			n.add(p, p, true)
		}
	case formatCSV, formatTSV:
		s.headerNames(f, &n)
	case formatJSON, formatLogfmt:
		left := pathLines
		for p := range s.parts {
			for _, l := range s.parts[p].lines[:min(left, len(s.parts[p].lines))] {
				if f.format == formatJSON {
					memberNames(l.bytes, &n)
				} else {
					pairNames(l.bytes, &n)
				}
			}
			left -= min(left, len(s.parts[p].lines))
		}
	}
	return n
}

// headerNames lists the columns of a table: by number where it has no header. What only a part of the files has is a
// column too.
func (s *Sample) headerNames(f *form, n *names) {
	if f.noHeader {
		for i := range f.width {
			n.add(strconv.Itoa(i+1), strconv.Itoa(i+1), true)
		}
		return
	}
	for p := range s.parts {
		cells, _ := splitRow(s.parts[p].lines[0].bytes, f.comma())
		times := map[string]int{}
		for _, c := range cells {
			times[c]++
		}
		for _, c := range cells {
			n.add(c, c, times[c] == 1)
		}
	}
}

// memberNames lists the scalar members of a JSON object, nested ones by their path. A line that is no object adds what
// stands before its mistake.
func memberNames(text []byte, n *names) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return
	}
	objectNames(d, "", true, 1, n)
}

// objectNames reads the members up to the closing brace; false = the line is broken.
func objectNames(d *json.Decoder, prefix string, usable bool, depth int, n *names) bool {
	for d.More() {
		t, err := d.Token()
		name, ok := t.(string)
		if err != nil || !ok {
			return false
		}
		path := prefix + escapePath(name)
		usable := usable && nameable(name)
		t, err = d.Token()
		if err != nil {
			return false
		}
		switch t {
		case json.Delim('{'):
			if depth >= maxNesting {
				return false
			}
			if !objectNames(d, path+".", usable, depth+1, n) {
				return false
			}
		case json.Delim('['):
			if !skipArray(d) {
				return false
			}
		default:
			n.add(path, path, usable)
		}
	}
	_, err := d.Token()
	return err == nil
}

// skipArray reads up to the closing bracket of an array that was opened.
func skipArray(d *json.Decoder) bool {
	for depth := 1; depth > 0; {
		t, err := d.Token()
		if err != nil {
			return false
		}
		switch t {
		case json.Delim('['), json.Delim('{'):
			depth++
		case json.Delim(']'), json.Delim('}'):
			depth--
		}
	}
	return true
}

// escapePath writes a member's name as a part of a path.
func escapePath(name string) string {
	return strings.ReplaceAll(strings.ReplaceAll(name, `\`, `\\`), `.`, `\.`)
}

// pairNames lists the names of a logfmt line.
func pairNames(text []byte, n *names) {
	quoted := false
	start := 0
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == ' ' || c == '\t':
			start = i + 1
		case c == '=' && start >= 0 && i > start:
			n.add(string(text[start:i]), string(text[start:i]), true)
			start = -1
		}
	}
}

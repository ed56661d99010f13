package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"firebreak/internal/config"
	"firebreak/pipeline/record"
)

// formatError says that the first lines of a file cannot be read, what they look like, and what to do about it.
type formatError struct {
	said  string // "--format csv" or "record.format csv"; empty = nobody named a format
	seen  string // what they look like: json, csv, tsv, combined or logfmt; empty = none of these
	what  string // that in words, with the names that stand there
	reads string // the format that does read them; empty = none
	twice string // a name that stands twice in a header
}

// newFormatError looks at the lines that the format (empty = any) does not read.
func newFormatError(format string, lines [][]byte) *formatError {
	e := &formatError{what: "what is there"}
	if len(lines) > 0 {
		e.seen, e.what = look(lines[0])
		e.twice = twice(e.seen, lines[0])
	}
	if format != "" {
		e.said = "record.format " + format
		if other, err := detect(record.Config{}, lines); err == nil {
			e.seen = cmp.Or(other.Format, e.seen)
			e.reads = cmp.Or(other.Format, other.Preset)
		}
	}
	return e
}

// Error is one line.
func (e *formatError) Error() string {
	const mapping = "map its fields in a configuration, which firebreak init proposes"
	switch {
	case e.twice != "":
		return fmt.Sprintf("the header names the column %s twice: which of them is meant nobody can know", shownName(e.twice))
	case e.said == "" && e.seen == "":
		return "the format is not one that the first lines give away: " + e.what + " is no JSON, table with a header, access log or logfmt"
	case e.said == "":
		return "the format is not one that the first lines give away: " + e.what + ", of which none is known; " + mapping
	case e.reads != "":
		return fmt.Sprintf("%s does not read it: the first line looks like %s; say --format %s", e.said, e.what, e.reads)
	case e.seen != "" && strings.HasSuffix(e.said, " "+e.seen):
		return fmt.Sprintf("%s does not know its names: %s, of which none is known; %s", e.said, e.what, mapping)
	case e.seen != "":
		return fmt.Sprintf("%s does not read it: the first line looks like %s, of which none is known; %s", e.said, e.what, mapping)
	}
	return e.said + " does not read it: the first line is " + e.what
}

// look says what a line looks like, in one word and in more.
func look(line []byte) (format, what string) {
	line = bytes.TrimSpace(line)
	var members map[string]json.RawMessage
	switch {
	case bytes.HasPrefix(line, []byte("{")) && json.Unmarshal(line, &members) == nil:
		return "json", "JSON with the members " + listed(slices.Sorted(maps.Keys(members)))
	case bytes.HasPrefix(line, []byte("{")):
		return "", "a JSON object that is broken, " + shownName(string(line)) + ","
	case bytes.Contains(line, []byte(" [")) && bytes.Contains(line, []byte(`] "`)):
		return "combined", "an access log, " + shownName(string(line)) + ","
	case len(columns(line, "\t")) > 1:
		return "tsv", "tab-separated columns " + listed(columns(line, "\t"))
	case len(pairs(line)) > 1:
		return "logfmt", "logfmt with the names " + listed(pairs(line))
	case len(columns(line, ",")) > 1:
		return "csv", "comma-separated columns " + listed(columns(line, ","))
	}
	return "", shownName(string(line))
}

// twice finds a name that stands twice in a header; empty = none, or no header.
func twice(format string, line []byte) string {
	separator, ok := map[string]string{"csv": ",", "tsv": "\t"}[format]
	if !ok {
		return ""
	}
	seen := map[string]bool{}
	for _, name := range columns(bytes.TrimSpace(line), separator) {
		if seen[name] {
			return name
		}
		seen[name] = true
	}
	return ""
}

// columns lists the fields that a separator parts in a header; none if one is empty.
func columns(line []byte, separator string) []string {
	names := strings.Split(string(line), separator)
	for i := range names {
		if names[i] = strings.Trim(names[i], `" `); names[i] == "" {
			return nil
		}
	}
	return names
}

// pairs lists the names of a line of name=value; none if a word has another form.
func pairs(line []byte) []string {
	var names []string
	for word := range strings.FieldsSeq(string(line)) {
		name, _, ok := strings.Cut(word, "=")
		if !ok || name == "" {
			return nil
		}
		names = append(names, name)
	}
	return names
}

// listed shows the first of some names.
func listed(names []string) string {
	const most = 8
	shown := make([]string, 0, most)
	for _, n := range names[:min(len(names), most)] {
		shown = append(shown, shownName(n))
	}
	text := strings.Join(shown, ", ")
	if more := len(names) - most; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// suits refuses a file of whose first lines the preset that was asked for by name reads none.
func (in *input) suits(format string, fleets []config.Fleet) error {
	lines := in.firstLines()
	if !slices.Contains(record.Presets(), format) || len(lines) == 0 {
		return nil
	}
	for i := range fleets {
		cfg := fleets[i].Record
		cfg.Match = nil // the lines of another fleet are no reason
		if readable(cfg, lines) > 0 {
			return nil
		}
	}
	return newFormatError(format, lines)
}

// firstLines are those of the first lines that are not blank.
func (in *input) firstLines() [][]byte {
	var lines [][]byte
	for _, l := range in.ahead {
		if len(bytes.TrimSpace(l)) > 0 {
			lines = append(lines, l)
		}
	}
	return lines
}

package survey

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"firebreak/pipeline/record"
)

// The formats, as record.Config.Format names them.
const (
	formatJSON     = "json"
	formatCSV      = "csv"
	formatTSV      = "tsv"
	formatCombined = "combined"
	formatLogfmt   = "logfmt"
)

// mostlyOne is the share of lines that must have the format for it to be the log's; the others are refused as records.
const mostlyOne = 0.9

// form is how the lines of a sample are written.
type form struct {
	format   string
	noHeader bool
	width    int // columns of csv and tsv
	lines    int // that have this format, the header included
	first    int // number of the first line that does not; 0 = all do
}

// config is the record part that only says the format.
func (f *form) config() record.Config { return record.Config{Format: f.format, NoHeader: f.noHeader} }

// find finds the format of a sample. An error says in words what the lines are instead.
func (s *Sample) find() (form, error) {
	forms := s.typed()
	best := slices.MaxFunc(forms, func(a, b form) int { return a.lines - b.lines })
	if best.lines*2 < s.size() {
		forms = append(forms, s.tabular(',', formatCSV), s.tabular('\t', formatTSV))
		best = slices.MaxFunc(forms, func(a, b form) int { return a.lines - b.lines })
	}
	share := float64(best.lines) / float64(s.size())
	switch {
	case share < mostlyOne && best.lines > 0 && s.several(forms) != "":
		return form{}, fmt.Errorf("the lines have several formats: %s; the first line that is not %s is line %d: one log has one format",
			s.several(forms), best.format, best.first)
	case share < mostlyOne:
		return s.bare()
	}
	if best.format == formatCSV || best.format == formatTSV {
		best.noHeader = !s.headed(&best)
	}
	return best, nil
}

// typed counts the lines of the formats that a single line gives away.
func (s *Sample) typed() []form {
	accepts := map[string]func([]byte) bool{formatJSON: decodes(formatJSON), formatCombined: decodes(formatCombined), formatLogfmt: decodes(formatLogfmt)}
	forms := []form{{format: formatJSON}, {format: formatCombined}, {format: formatLogfmt}}
	for p := range s.parts {
		for _, l := range s.parts[p].lines {
			text := bytes.TrimSpace(l.bytes)
			for i := range forms {
				f := &forms[i]
				f.take(accepts[f.format](text) && looks(f.format, text), l.number)
			}
		}
	}
	return forms
}

// take counts a line.
func (f *form) take(has bool, number int) {
	if has {
		f.lines++
	} else if f.first == 0 {
		f.first = number
	}
}

// looks says what a line of the format has at least: any line of words would be logfmt.
func looks(format string, text []byte) bool {
	switch format {
	case formatJSON:
		return text[0] == '{'
	case formatLogfmt:
		return bytes.Count(text, []byte{'='}) >= 2 && !bytes.ContainsAny(text[:1], `{["=`)
	}
	return true
}

// decodes tells whether a decoder of the format can split a line.
func decodes(format string) func([]byte) bool {
	cfg := record.Config{Format: format, Fields: record.Fields{Key: record.Field{Path: "key"}}}
	if format == formatCombined {
		cfg = record.Config{Preset: formatCombined}
	}
	d, err := record.NewDecoder(cfg)
	if err != nil {
		return func([]byte) bool { return false }
	}
	var rec record.Record
	return func(text []byte) bool {
		reason := d.Decode(text, &rec)
		if reason == record.ReasonTime {
			return format != formatCombined
		}
		return !slices.Contains([]record.Reason{record.ReasonSyntax, record.ReasonTruncated, record.ReasonTooDeep, record.ReasonTooLong, record.ReasonBlank}, reason)
	}
}

// tabular counts the lines that have the commonest number of columns, two at least.
func (s *Sample) tabular(comma byte, format string) form {
	widths := map[int]int{}
	for p := range s.parts {
		for _, l := range s.parts[p].lines {
			if cells, ok := splitRow(l.bytes, comma); ok && len(cells) > 1 {
				widths[len(cells)]++
			}
		}
	}
	f := form{format: format}
	for width, n := range widths {
		if n > f.lines || n == f.lines && width < f.width {
			f.width, f.lines = width, n
		}
	}
	for p := range s.parts {
		for _, l := range s.parts[p].lines {
			if cells, ok := splitRow(l.bytes, comma); (!ok || len(cells) != f.width) && f.first == 0 {
				f.first = l.number
			}
		}
	}
	return f
}

// several lists the formats that a twentieth of the lines or more have; empty if that is no more than one.
func (s *Sample) several(forms []form) string {
	var out []string
	for _, f := range forms {
		if f.lines*20 >= s.size() {
			out = append(out, fmt.Sprintf("%s %s", percent(f.lines, s.size()), f.format))
		}
	}
	if len(out) < 2 {
		return ""
	}
	return strings.Join(out, ", ")
}

// bare reads lines of a single word each: a list of keys.
func (s *Sample) bare() (form, error) {
	words, commas := 0, false
	for p := range s.parts {
		for _, l := range s.parts[p].lines {
			if isWord(l.bytes) {
				words++
			}
			commas = commas || bytes.IndexByte(l.bytes, ',') >= 0
		}
	}
	if float64(words) < 0.99*float64(s.size()) {
		return form{}, s.unknown()
	}
	f := form{format: formatCSV, noHeader: true, width: 1, lines: words}
	if commas {
		f.format = formatTSV // a comma parts no columns there
	}
	return f, nil
}

// isWord tells a line that is one printable word without quotes or brackets.
func isWord(text []byte) bool {
	text = bytes.TrimRight(text, "\r")
	return len(text) <= record.MaxKey && bytes.IndexFunc(text, func(r rune) bool { return r <= ' ' || r == '"' || r == 0x7F || r == 0xFFFD }) < 0 &&
		!bytes.ContainsAny(text[:1], "{}[]<>#;|")
}

// unknown says in words what the lines are that no format reads.
func (s *Sample) unknown() error {
	first, controls, counts := s.parts[0].lines[0].bytes, 0, map[byte]int{}
	for p := range s.parts {
		for _, l := range s.parts[p].lines {
			if bytes.IndexFunc(l.bytes, func(r rune) bool { return r < ' ' && r != '\t' && r != '\r' && r != 0x1B || r == 0xFFFD }) >= 0 {
				controls++
			}
			for _, c := range []byte(";|") {
				if bytes.Count(l.bytes, []byte{c}) >= 2 {
					counts[c]++
				}
			}
		}
	}
	trimmed := bytes.TrimSpace(first)
	switch {
	case controls*4 > s.size():
		return errors.New("binary, not lines of text: want JSON lines, csv, tsv, a combined access log or logfmt; plain, gzip, zstd or xz")
	case trimmed[0] == '[' || string(trimmed) == "{":
		return errors.New("a JSON document over the whole file, not one object a line: write each record on a line of its own (jq -c '.[]')")
	case counts[';']*10 > s.size()*9:
		return errors.New("columns parted by semicolons: want commas (csv) or tabs (tsv)")
	case counts['|']*10 > s.size()*9:
		return errors.New("columns parted by bars: want commas (csv) or tabs (tsv)")
	}
	return fmt.Errorf("no format that is known: want JSON lines, csv, tsv, a combined access log or logfmt; the first line is %s", shown(string(first)))
}

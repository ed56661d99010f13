package scenario

import (
	"fmt"
	"strings"
)

// Directive is one step of a story. The zero value does nothing.
type Directive struct {
	Line     int    // in the file, from 1
	Text     string // as it stands in the file, with the comments before it, up to its separator
	Name     string
	Args     []Arg
	Input    string // without white space around it
	Expected string // each line with its end; empty where nothing is expected
}

// Arg is one argument of a directive or of a line within one. Vals is empty for a bare word.
type Arg struct {
	Key  string
	Vals []string
}

// separator parts what a directive is given from what it is expected to say.
const separator = "----"

// Read reads a story in the form of cockroachdb/datadriven (without subtests). Errors name the line.
func Read(text string) ([]Directive, error) {
	r := &reader{lines: strings.Split(text, "\n")}
	var out []Directive
	for from := 0; r.at < len(r.lines); {
		d, err := r.next()
		if err != nil {
			return nil, err
		}
		if d.Name != "" {
			d.Text = strings.Join(r.lines[from:r.end], "\n")
			out = append(out, d)
			from = r.at
		}
	}
	return out, nil
}

type reader struct {
	lines []string
	at    int
	end   int // of what the last directive was given
}

func (r *reader) take() (string, bool) {
	if r.at >= len(r.lines) {
		return "", false
	}
	r.at++
	return strings.TrimSuffix(r.lines[r.at-1], "\r"), true
}

// next reads one directive; its Name is empty for a comment or a blank line.
func (r *reader) next() (Directive, error) {
	line, _ := r.take()
	d := Directive{Line: r.at}
	if line = strings.TrimSpace(line); strings.HasPrefix(line, "#") {
		return d, nil
	}
	for strings.HasSuffix(line, `\`) {
		more, ok := r.take()
		if !ok {
			break
		}
		line = strings.TrimSuffix(line, `\`) + " " + strings.TrimSpace(more)
	}
	var err error
	if d.Name, d.Args, err = ParseLine(line); err != nil || d.Name == "" {
		if err != nil {
			err = fmt.Errorf("line %d: %w", d.Line, err)
		}
		return d, err
	}
	if d.Name == "subtest" {
		return d, fmt.Errorf("line %d: stories have no subtests", d.Line)
	}
	var input strings.Builder
	for {
		line, ok := r.take()
		if !ok {
			d.Input, r.end = strings.TrimSpace(input.String()), r.at
			return d, nil
		}
		if r.end = r.at - 1; line == separator {
			break
		}
		input.WriteString(line + "\n")
	}
	d.Input = strings.TrimSpace(input.String())
	d.Expected, err = r.expected()
	return d, err
}

// expected reads up to a blank line or, if it begins with a second separator, up to two of them.
func (r *reader) expected() (string, error) {
	var out strings.Builder
	line, ok := r.take()
	if !ok || line != separator {
		for ok && strings.TrimSpace(line) != "" {
			out.WriteString(line + "\n")
			line, ok = r.take()
		}
		return out.String(), nil
	}
	for {
		line, ok := r.take()
		if !ok {
			return out.String(), nil
		}
		if line == separator && r.at < len(r.lines) && r.lines[r.at] == separator {
			r.at++
			if after, ok := r.take(); ok && after != "" {
				return "", fmt.Errorf("line %d: a blank line must follow two separators", r.at)
			}
			return out.String(), nil
		}
		out.WriteString(line + "\n")
	}
}

// ParseLine parses a directive: a word, then arguments of the forms word, word=value and word=(value, value); values in
// parentheses may hold parentheses. Errors name the column, from 1.
func ParseLine(line string) (name string, args []Arg, err error) {
	line = strings.TrimSpace(line)
	rest := line
	bad := func() error {
		return fmt.Errorf("column %d of %q: want word, word=value or word=(value, value)", len(line)-len(rest)+1, line)
	}
	if line == "" {
		return "", nil, nil
	}
	if name, rest = until(rest, " "); name == "" {
		return "", nil, bad()
	}
	for rest = strings.TrimSpace(rest); rest != ""; rest = strings.TrimSpace(rest) {
		var a Arg
		if a.Key, rest = until(rest, " ="); a.Key == "" {
			return "", nil, bad()
		}
		if rest != "" && rest[0] == '=' {
			if rest = rest[1:]; strings.HasPrefix(rest, "(") {
				vals, after, ok := list(rest)
				if !ok {
					return "", nil, bad()
				}
				a.Vals, rest = vals, after
			} else {
				var v string
				v, rest = until(rest, " ")
				a.Vals = []string{v}
			}
		}
		args = append(args, a)
	}
	return name, args, nil
}

func until(s, chars string) (head, rest string) {
	if i := strings.IndexAny(s, chars); i >= 0 {
		return s[:i], s[i:]
	}
	return s, ""
}

// list takes "(a, b)" apart; commas within inner parentheses part nothing.
func list(s string) (vals []string, rest string, ok bool) {
	depth, start := 1, 1
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return append(vals, s[start:i]), s[i+1:], true
			}
		case ',':
			if depth > 1 {
				continue
			}
			vals = append(vals, s[start:i])
			for start = i + 1; start < len(s) && s[start] == ' '; start++ {
				continue
			}
		}
	}
	return nil, s, false
}

package strictyaml

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"
)

// Problem is one mistake in a file. Without a line it is one of the file as a whole.
type Problem struct {
	File string // as given to Decode
	Line int    // from 1; 0: the file as a whole
	Col  int    // from 1, in characters; 0 with Line 0
	Path string // of the field it is about, "fleets[1].name"; "?" stands for a name that is not known or not shown
	Text string // what is wrong and what to write instead; never a secret
}

// Error returns "file:line:column: text".
func (p Problem) Error() string {
	if p.Line == 0 {
		return fmt.Sprintf("%s: %s", p.File, p.Text)
	}
	return fmt.Sprintf("%s:%d:%d: %s", p.File, p.Line, p.Col, p.Text)
}

// Report is every problem found in one file, ordered by line and column. Decode returns one, never an empty one.
type Report []Problem

// Error returns the problems, one a line.
func (r Report) Error() string {
	lines := make([]string, len(r))
	for i, p := range r {
		lines[i] = p.Error()
	}
	return strings.Join(lines, "\n")
}

// Unwrap returns the problems one by one, for errors.As.
func (r Report) Unwrap() []error {
	errs := make([]error, len(r))
	for i, p := range r {
		errs[i] = p
	}
	return errs
}

// sorted orders by place in the file; problems at one place keep the order in which they were found.
func (r Report) sorted() Report {
	slices.SortStableFunc(r, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Col, b.Col))
	})
	return r
}

// at is a problem where a node begins; a mapping in block style begins at its first key, not at the colon.
func at(n ast.Node, text string) *Problem {
	if m, ok := n.(*ast.MappingNode); ok && !m.IsFlowStyle && len(m.Values) > 0 {
		return at(m.Values[0].Key, text)
	}
	return atToken(n.GetToken(), text)
}

func atToken(tk *token.Token, text string) *Problem {
	if tk == nil || tk.Position == nil {
		return &Problem{Text: text}
	}
	return &Problem{Line: tk.Position.Line, Col: tk.Position.Column, Text: text}
}

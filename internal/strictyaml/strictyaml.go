// Package strictyaml reads a configuration file into a struct, and refuses what it does not understand.
//
// It serves every package that owns a part of the configuration: the package declares a struct with yaml tags and its defaults,
// this one fills it, the package's Validate judges the values. It does no I/O, and knows no field of anyone.
//
//  1. Every unknown field, wrong type, wrong unit and duplicate field of a file is one Problem with line and column.
//  2. What is not in the file keeps the value it had; lists and maps are replaced whole. After an error nothing has changed.
//  3. No Problem shows a value of a field tagged `secret:"true"`, nor a value whose field is not known.
//  4. What the judging of a type finds stands where the field stands that it is about, see FieldError; all of it is reported, but for
//     what may only follow from a field that could not be read.
//  5. Any input ends soon, in bounded memory, without a panic. Anchors, aliases and tags are refused, so nothing multiplies.
//
// Field types: struct, map, slice, pointer, string, bool, integers, floats (finite), time.Duration ("30s"; a bare number other than
// 0 is refused), Ratio, encoding.TextUnmarshaler, and yaml.InterfaceUnmarshaler (UnmarshalYAML(func(any) error) error) for values
// of several shapes. Tags: `yaml:"name"`, `yaml:",inline"`, `yaml:"-"`; a field without one has its name in lower case.
package strictyaml

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// The parser's time grows with the square of its input, its stack with the depth; these bounds hold both. Configurations are far below.
const (
	maxBytes  = 256 << 10
	maxLines  = 10_000
	maxTokens = 50_000 // about two a field
	maxDepth  = 64     // of brackets, or of list entries on one line
)

// Decode reads the YAML in data over the values that into, a pointer to a struct, has. An empty file changes nothing.
// name is the file's name for messages. The error is a Report, unless into is unfit.
func Decode(name string, data []byte, into any) error {
	v := reflect.ValueOf(into)
	if v.Kind() != reflect.Pointer || v.IsNil() || v.Elem().Kind() != reflect.Struct {
		return fmt.Errorf("strictyaml: decode %s: want a pointer to a struct, got %T", name, into)
	}
	root, problem := parse(data)
	if problem != nil {
		problem.File = name
		return Report{*problem}
	}
	if root == nil {
		return nil
	}
	d := &decoder{file: name}
	fresh := reflect.New(v.Elem().Type()).Elem()
	fresh.Set(v.Elem())
	d.value(root, fresh, place{})
	if len(d.problems) > 0 {
		return d.problems.sorted()
	}
	v.Elem().Set(fresh)
	return nil
}

// parse returns the one document of the file, nil if there is none. Its problems hold no text of the file: at this point nobody
// knows what is a secret.
func parse(data []byte) (root ast.Node, problem *Problem) {
	defer func() { // the parser is not ours: its panic is a mistake in the file for the reader
		if recover() != nil {
			root, problem = nil, &Problem{Text: "the YAML cannot be read"}
		}
	}()
	if lines := bytes.Count(data, []byte("\n")); len(data) > maxBytes || lines > maxLines {
		return nil, &Problem{Text: fmt.Sprintf("is too large: %d bytes in %d lines; at most %d in %d", len(data), lines, maxBytes, maxLines)}
	}
	if !utf8.Valid(data) || bytes.IndexByte(data, 0) >= 0 {
		bad := bytes.IndexFunc(data, func(r rune) bool { return r == utf8.RuneError || r == 0 })
		return nil, &Problem{Line: 1 + bytes.Count(data[:bad], []byte("\n")), Col: 1, Text: "a byte in this line is NUL or not UTF-8"}
	}
	tokens := lexer.Tokenize(string(bytes.TrimPrefix(data, []byte("\ufeff"))))
	if p := refused(tokens); p != nil {
		return nil, p
	}
	tree, err := parser.Parse(tokens, 0, parser.AllowDuplicateMapKey())
	if err != nil {
		return nil, syntaxProblem(err)
	}
	for _, doc := range tree.Docs {
		if doc.Body != nil && root != nil {
			return nil, at(doc.Body, "a second document; one file is one document")
		}
		if doc.Body != nil {
			root = doc.Body
		}
	}
	return root, nil
}

// syntaxProblem keeps the parser's message and leaves out the text of the file that it shows.
func syntaxProblem(err error) *Problem {
	var syntax *yaml.SyntaxError
	if !errors.As(err, &syntax) || syntax.GetToken() == nil {
		return &Problem{Text: "the YAML cannot be read"}
	}
	message := syntax.GetMessage()
	if message == "unexpected key name" || message == "non-map value is specified" {
		message += " (is a space missing after a colon?)"
	}
	return atToken(syntax.GetToken(), "YAML syntax: "+message)
}

// refused returns the first token that strict files do not use, or that would make the parser recurse too deep.
func refused(tokens token.Tokens) *Problem {
	flow, run, line := 0, 0, 0 // open brackets; list entries begun in a row on this line
	for _, tk := range tokens {
		if tk.Position.Line != line {
			run, line = 0, tk.Position.Line
		}
		switch tk.Type { //nolint:exhaustive // everything else is plain YAML
		case token.AnchorType, token.AliasType, token.MergeKeyType:
			return atToken(tk, "anchors (&), aliases (*) and merge keys (<<) are not supported; text that begins with one needs quotes")
		case token.TagType, token.DirectiveType:
			return atToken(tk, "tags (!) and directives (%) are not supported; text that begins with one needs quotes")
		case token.MappingKeyType:
			return atToken(tk, `complex keys (?) are not supported; write "name: value"`)
		case token.SequenceStartType, token.MappingStartType:
			flow++
		case token.SequenceEndType, token.MappingEndType:
			flow--
		case token.SequenceEntryType:
			run++
		default:
			run = 0
		}
		if flow > maxDepth || run > maxDepth {
			return atToken(tk, fmt.Sprintf("nested more than %d deep", maxDepth))
		}
	}
	if len(tokens) > maxTokens {
		return &Problem{Text: fmt.Sprintf("is too large: %d words and marks; at most %d", len(tokens), maxTokens)}
	}
	return nil
}

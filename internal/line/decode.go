package line

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"
)

// ErrSchema is a line of another schema or of a type that this one does not have: a newer firebreak may have written it.
var ErrSchema = errors.New("not a line of schema 1")

// Encode writes a line as one JSON object and a line break. < > and & stand as they are: the text is no HTML.
func Encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// Decode reads one line, with or without its line break. Members it does not know are skipped. The error wraps ErrSchema
// where the line is of another schema or type.
func Decode(b []byte) (Line, error) {
	if !utf8.Valid(b) {
		return nil, errors.New("line: not valid UTF-8")
	}
	var h Head
	if err := json.Unmarshal(b, &h); err != nil {
		return nil, fmt.Errorf("line: %w", err)
	}
	var v Line
	switch h.Type {
	case "verdict":
		v = &Verdict{}
	case "plan":
		v = &Plan{}
	case "hold":
		v = &Hold{}
	case "advice":
		v = &Advice{}
	case "summary":
		v = &Summary{}
	}
	if v == nil || h.Schema != Schema {
		return nil, fmt.Errorf("line: type %q, schema %d: %w", h.Type, h.Schema, ErrSchema)
	}
	if err := json.Unmarshal(b, v); err != nil {
		return nil, fmt.Errorf("line: %s: %w", h.Type, err)
	}
	return v, nil
}

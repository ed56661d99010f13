// Package secret holds values that nothing prints: they stand in the configuration, or in a file beside it.
package secret

import (
	"errors"
	"fmt"
	"os"
	"strings"
)

// Value is a value that nothing prints. The zero value is none.
type Value string

// String hides the value.
func (v Value) String() string {
	if v == "" {
		return ""
	}
	return "(secret)"
}

// GoString hides the value from %#v.
func (v Value) GoString() string { return v.String() }

// MarshalText hides the value from encoders.
func (v Value) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// Read returns the value, or that of a file if one is named. The file is read at each call, so that it can be changed in
// place; white space at its end is not part of the value. The error names the file only.
func (v Value) Read(file string) (string, error) {
	if file == "" {
		return string(v), nil
	}
	raw, err := os.ReadFile(file) //nolint:gosec // G304: the file that the configuration names
	if err != nil {
		return "", err
	}
	text := strings.TrimRight(string(raw), " \t\r\n")
	if text == "" {
		return "", fmt.Errorf("%s: %w", file, errEmpty)
	}
	return text, nil
}

// errEmpty says that a file of a secret has nothing in it.
var errEmpty = errors.New("is empty: want the secret")

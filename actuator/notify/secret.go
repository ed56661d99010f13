package notify

import (
	"errors"
	"fmt"
	"os"
	"strings"
)

// Secret is a value that nothing prints. The zero value is none.
type Secret string

// String hides the value.
func (s Secret) String() string {
	if s == "" {
		return ""
	}
	return "(secret)"
}

// GoString hides the value from %#v.
func (s Secret) GoString() string { return s.String() }

// MarshalText hides the value from encoders.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// read returns a secret that stands in the configuration or in a file; the file is read at each call, so that it can be
// changed in place, and white space at its end is not part of it. The error names the file only.
func (s Secret) read(file string) (string, error) {
	if file == "" {
		return string(s), nil
	}
	raw, err := os.ReadFile(file) //nolint:gosec // G304: the file that the configuration names
	if err != nil {
		return "", err
	}
	text := strings.TrimRight(string(raw), " \t\r\n")
	if text == "" {
		return "", fmt.Errorf("%s: %w", file, errEmptySecret)
	}
	return text, nil
}

var errEmptySecret = errors.New("is empty: want the secret")

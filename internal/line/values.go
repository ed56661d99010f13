package line

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"time"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"firebreak/routing"
)

// Name is a key, tenant or other name: bytes. It is written by routing.Escape, which routing.Unescape takes back.
type Name string

// MarshalJSON writes the escape as a JSON string.
func (n Name) MarshalJSON() ([]byte, error) {
	return appendString(nil, routing.Escape(string(n))), nil
}

// UnmarshalJSON reads what MarshalJSON writes: text that is no escape is an error.
func (n *Name) UnmarshalJSON(b []byte) error {
	var text string
	if err := json.Unmarshal(b, &text); err != nil {
		return err
	}
	raw, err := routing.Unescape(text)
	if err != nil {
		return err
	}
	*n = Name(raw)
	return nil
}

// Prose is a sentence that may hold names; bytes that are not UTF-8 are written as \xNN and stay so when read back.
type Prose string

// MarshalJSON writes a JSON string.
func (p Prose) MarshalJSON() ([]byte, error) {
	return appendString(nil, routing.EscapeInvalid(string(p))), nil
}

// Stamp is a time in UTC with milliseconds; the zero value is no time, written as an empty string.
type Stamp time.Time

// IsZero tells encoding/json what to leave out.
func (s Stamp) IsZero() bool { return time.Time(s).IsZero() }

// MarshalJSON writes RFC 3339.
func (s Stamp) MarshalJSON() ([]byte, error) {
	if s.IsZero() {
		return []byte(`""`), nil
	}
	return json.Marshal(time.Time(s).UTC().Format("2006-01-02T15:04:05.000Z07:00"))
}

// UnmarshalJSON reads what MarshalJSON writes, in any zone.
func (s *Stamp) UnmarshalJSON(b []byte) error {
	var text string
	if err := json.Unmarshal(b, &text); err != nil {
		return err
	}
	if text == "" {
		*s = Stamp{}
		return nil
	}
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return fmt.Errorf("time %q is not RFC 3339", text)
	}
	*s = Stamp(t.UTC())
	return nil
}

// Equal compares the moments.
func (s Stamp) Equal(o Stamp) bool { return time.Time(s).Equal(time.Time(o)) }

// Number is written with six significant digits; what is not finite is written as 0.
type Number float64

// MarshalJSON never writes NaN or an infinity, which JSON does not have.
func (n Number) MarshalJSON() ([]byte, error) {
	f := float64(n)
	if math.IsNaN(f) || math.IsInf(f, 0) || f == 0 {
		return []byte("0"), nil
	}
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(f, 'e', 5, 64), 64)
	if err != nil {
		return nil, err
	}
	return json.Marshal(rounded)
}

// appendString writes valid UTF-8 as a JSON string in which every character that does not print is escaped, so that a line
// can be shown on any terminal.
func appendString(b []byte, s string) []byte {
	b = append(b, '"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b = append(b, '\\', byte(r))
		case unicode.IsPrint(r):
			b = utf8.AppendRune(b, r)
		case r > 0xFFFF:
			high, low := utf16.EncodeRune(r)
			b = fmt.Appendf(b, `\u%04x\u%04x`, high, low)
		default:
			b = fmt.Appendf(b, `\u%04x`, r)
		}
	}
	return append(b, '"')
}

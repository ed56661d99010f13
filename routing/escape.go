package routing

import (
	"fmt"
	"strings"
)

// Escape makes valid UTF-8 of any bytes, reversibly: a backslash becomes \\, a byte that is not part of valid UTF-8
// becomes \xNN (two lower-case hex digits), everything else stays. No two inputs have the same escape. Control
// characters stay too; JSON and terminals need their own escapes on top.
func Escape(s string) string {
	if plain(s) {
		return s
	}
	return escape(s, `\\`)
}

// EscapeInvalid makes valid UTF-8 of text for people: a byte that is not part of it becomes \xNN, everything else stays,
// backslashes too. What it gives cannot be taken back; names go through Escape.
func EscapeInvalid(s string) string {
	if plain(s) {
		return s
	}
	return escape(s, `\`)
}

// escape writes a backslash as told and a byte that is not part of valid UTF-8 as \xNN.
func escape(s, backslash string) string {
	var b strings.Builder
	b.Grow(len(s) + 16)
	for i, r := range s {
		switch {
		case r == '\\':
			b.WriteString(backslash)
		case r == '\uFFFD' && !strings.HasPrefix(s[i:], "\uFFFD"):
			const digits = "0123456789abcdef"
			b.WriteString(`\x`)
			b.WriteByte(digits[s[i]>>4])
			b.WriteByte(digits[s[i]&0xf])
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

func plain(s string) bool {
	for i, r := range s {
		if r == '\\' || (r == '\uFFFD' && !strings.HasPrefix(s[i:], "\uFFFD")) {
			return false
		}
	}
	return true
}

// Unescape is the inverse of Escape. Text that Escape does not produce is an error, so that no two texts stand for the
// same bytes.
func Unescape(s string) (string, error) {
	if !strings.Contains(s, `\`) {
		if !plain(s) {
			return "", fmt.Errorf("escape: %q is not valid UTF-8", s)
		}
		return s, nil
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' {
			b.WriteByte(s[i])
			continue
		}
		rest := s[i+1:]
		switch {
		case strings.HasPrefix(rest, `\`):
			b.WriteByte('\\')
			i++
		case len(rest) >= 3 && rest[0] == 'x' && isHex(rest[1]) && isHex(rest[2]):
			b.WriteByte(unhex(rest[1])<<4 | unhex(rest[2]))
			i += 3
		default:
			return "", fmt.Errorf(`escape: %q has a backslash at byte %d that is neither \\ nor \xNN`, s, i)
		}
	}
	out := b.String()
	if Escape(out) != s {
		return "", fmt.Errorf("escape: %q is not the canonical form %q", s, Escape(out))
	}
	return out, nil
}

func isHex(c byte) bool { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') }

func unhex(c byte) byte {
	if c >= 'a' {
		return c - 'a' + 10
	}
	return c - '0'
}

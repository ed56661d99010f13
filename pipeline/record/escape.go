package record

import (
	"bytes"
	"unicode/utf16"
	"unicode/utf8"
)

// bom is the byte order mark that some writers put before the first line.
const bom = "\uFEFF"

// hexDigit returns the value of a hexadecimal digit.
func hexDigit(c byte) (v byte, ok bool) {
	switch {
	case c >= '0' && c <= '9':
		return c - '0', true
	case c >= 'a' && c <= 'f':
		return c - 'a' + 10, true
	case c >= 'A' && c <= 'F':
		return c - 'A' + 10, true
	default:
		return 0, false
	}
}

// hex4 reads the four digits of a \u escape.
func hex4(b []byte) (r rune, ok bool) {
	if len(b) < 4 {
		return 0, false
	}
	for _, c := range b[:4] {
		v, ok := hexDigit(c)
		if !ok {
			return 0, false
		}
		r = r<<4 | rune(v)
	}
	return r, true
}

// simpleEscape returns what a backslash and c stand for in C and in JSON, where that is one byte.
func simpleEscape(c byte) (b byte, ok bool) {
	switch c {
	case '"', '\\', '/':
		return c, true
	case 'b':
		return '\b', true
	case 'f':
		return '\f', true
	case 'n':
		return '\n', true
	case 'r':
		return '\r', true
	case 't':
		return '\t', true
	default:
		return 0, false
	}
}

// unescape reads what follows a backslash and appends what it stands for; rest is what follows it in turn. raw is not empty.
type unescape func(dst, raw []byte) (out, rest []byte, ok bool)

// appendUnescaped appends raw with its escapes resolved. It is false for one that is incomplete or not known.
func appendUnescaped(dst, raw []byte, read unescape) (out []byte, ok bool) {
	for {
		i := bytes.IndexByte(raw, '\\')
		if i < 0 {
			return append(dst, raw...), true
		}
		dst = append(dst, raw[:i]...)
		if raw = raw[i+1:]; len(raw) == 0 {
			return dst, false
		}
		if dst, raw, ok = read(dst, raw); !ok {
			return dst, false
		}
	}
}

// appendJSON appends the bytes that the inside of a JSON string stands for (RFC 8259 section 7). Bytes that are not
// escaped are copied, valid UTF-8 or not. It is false for an unknown or incomplete escape and for a lone surrogate,
// which stands for no character: other readers replace it, and two keys become one.
func appendJSON(dst, raw []byte) (out []byte, ok bool) { return appendUnescaped(dst, raw, readJSON) }

// readJSON reads an escape of JSON.
func readJSON(dst, raw []byte) (out, rest []byte, ok bool) {
	if raw[0] != 'u' {
		return readSimple(dst, raw)
	}
	r, n, ok := unicodeEscape(raw[1:])
	if !ok {
		return dst, raw, false
	}
	return utf8.AppendRune(dst, r), raw[1+n:], true
}

// readSimple reads an escape of one byte.
func readSimple(dst, raw []byte) (out, rest []byte, ok bool) {
	b, ok := simpleEscape(raw[0])
	if !ok {
		return dst, raw, false
	}
	return append(dst, b), raw[1:], true
}

// unicodeEscape reads what follows "\u": four digits, or a surrogate pair of which n counts the bytes.
func unicodeEscape(b []byte) (r rune, n int, ok bool) {
	r, ok = hex4(b)
	if !ok || !utf16.IsSurrogate(r) {
		return r, 4, ok
	}
	if len(b) < 10 || b[4] != '\\' || b[5] != 'u' {
		return 0, 0, false
	}
	low, ok := hex4(b[6:])
	if !ok {
		return 0, 0, false
	}
	r = utf16.DecodeRune(r, low)
	return r, 10, r != utf8.RuneError
}

// appendAccess appends what an access log's value stands for: \xhh (Apache and nginx), \" and \\ and the escapes of C
// that Apache writes (ap_escape_logitem). Any other escape is refused, because no writer makes it and it could pass
// for another value.
func appendAccess(dst, raw []byte) (out []byte, ok bool) {
	return appendUnescaped(dst, raw, readAccess)
}

// readAccess reads an escape of an access log.
func readAccess(dst, raw []byte) (out, rest []byte, ok bool) {
	switch raw[0] {
	case 'x', 'X':
		if len(raw) < 3 {
			return dst, raw, false
		}
		high, ok1 := hexDigit(raw[1])
		low, ok2 := hexDigit(raw[2])
		return append(dst, high<<4|low), raw[3:], ok1 && ok2
	case 'v':
		return append(dst, '\v'), raw[1:], true
	case '/':
		return dst, raw, false // JSON's alone
	}
	return readSimple(dst, raw)
}

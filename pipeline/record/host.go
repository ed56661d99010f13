package record

import "bytes"

// addressPattern takes the port off an address: "10.0.0.1:80" and "[::1]:80" lose it, "::1" has none. It is what the
// Envoy preset asks for of every record; hostOf does the same without an expression.
const addressPattern = `(?s)^(\[[^\]]*\]|[^:\[]*|.*)(?::[0-9]+)?$`

// hostOf returns the first group of addressPattern.
func hostOf(b []byte) []byte {
	end := bytes.IndexByte(b, ':')
	if len(b) > 0 && b[0] == '[' {
		end = bytes.IndexByte(b, ']') + 1
	} else if end >= 0 && bytes.IndexByte(b[:end], '[') >= 0 {
		return b
	}
	if end < 0 || !isPort(b[end:]) {
		return b
	}
	return b[:end]
}

// isPort tells whether b is nothing, or a colon and digits.
func isPort(b []byte) bool {
	return len(b) == 0 || len(b) > 1 && b[0] == ':' && digitRun(b[1:]) == len(b)-1
}

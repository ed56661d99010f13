package survey

import (
	"slices"
	"strings"
	"unicode"
)

// spelled is a column's name in words, with the unit that it ends with taken off.
type spelled struct {
	own     []string // of the last member of a path
	parents []string
	unit    string // s, ms, us, ns; empty = none
}

// spell parts a path into words: at dots, at what is no letter or digit, and where a small letter meets a large one.
func spell(path, format string) spelled {
	members := []string{path}
	if format == formatJSON {
		members = pathMembers(path)
	}
	var s spelled
	for _, m := range members[:len(members)-1] {
		s.parents = append(s.parents, wordsOf(m)...)
	}
	s.own = wordsOf(members[len(members)-1])
	if n := len(s.own); n > 1 {
		if s.unit = unitWord(s.own[n-1]); s.unit != "" {
			s.own = s.own[:n-1]
		}
	}
	for n := len(s.own); n > 1 && slices.Contains([]string{"id", "name", "value", "str", "string"}, s.own[n-1]); n-- {
		s.own = s.own[:n-1]
	}
	return s
}

// pathMembers parts a path at its dots and takes the escapes off.
func pathMembers(path string) []string {
	out := []string{""}
	for i := 0; i < len(path); i++ {
		switch c := path[i]; {
		case c == '\\' && i+1 < len(path):
			i++
			out[len(out)-1] += path[i : i+1]
		case c == '.':
			out = append(out, "")
		default:
			out[len(out)-1] += path[i : i+1]
		}
	}
	return out
}

// wordsOf parts one name.
func wordsOf(name string) []string {
	var out []string
	var word []rune
	flush := func() {
		if len(word) > 0 {
			out = append(out, strings.ToLower(string(word)))
			word = word[:0]
		}
	}
	runes := []rune(name)
	for i, r := range runes {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			flush()
			continue
		case unicode.IsUpper(r) && i > 0 && (unicode.IsLower(runes[i-1]) || i+1 < len(runes) && unicode.IsLower(runes[i+1]) && unicode.IsUpper(runes[i-1])):
			flush()
		}
		word = append(word, r)
	}
	flush()
	return out
}

// unitWord is the unit of time that a word stands for; empty = none.
func unitWord(word string) string {
	switch word {
	case "s", "sec", "secs", "second", "seconds":
		return "s"
	case "ms", "msec", "millis", "milli", "milliseconds":
		return "ms"
	case "us", "usec", "micros", "micro", "microseconds":
		return "us"
	case "ns", "nanos", "nano", "nanoseconds":
		return "ns"
	}
	return ""
}

// role is a field of a record.
type role int

// The roles, in the order of record.Fields.
const (
	roleTime role = iota
	roleTenant
	roleKey
	roleOp
	roleCount
	roleRate
	roleShard
	roleCaller
	roleBytes
	roleLatency
	roleStatus
)

// roles is their number.
const roles = int(roleStatus) + 1

// String is the field's name in the configuration.
func (r role) String() string {
	return [...]string{"time", "tenant", "key", "op", "count", "rate", "shard", "caller", "bytes", "latency", "status"}[r]
}

// qualified is what each word before a known phrase takes off: "op_count" is a count of its own, "retry_count" less so.
const qualified = 12

// score says how well a name fits a role, 0 to 100; 0 = not at all.
func (d dictionary) score(r role, s *spelled) int {
	if n := len(s.own); r == roleKey && n > 1 && s.own[n-1] == "key" && slices.Contains([]string{"api", "access", "secret", "public", "idempotency"}, s.own[n-2]) {
		return 0 // it names a person or a call
	}
	if r == roleBytes && slices.ContainsFunc(s.own, func(w string) bool {
		return slices.Contains([]string{"key", "id", "page", "batch", "header", "pool", "queue", "window"}, w)
	}) {
		return 0
	}
	for cut := range s.own {
		if weight := d[r][strings.Join(s.own[cut:], "")]; weight > 0 {
			return max(0, weight-qualified*cut)
		}
	}
	return 0
}

// exact says whether the whole name is a phrase of the role.
func (d dictionary) exact(r role, s *spelled) bool { return d[r][strings.Join(s.own, "")] > 0 }

// knownName says whether a cell of a first line is the name of a field of any role.
func knownName(cell string) bool {
	if strings.ContainsAny(cell, "/:,;?=") {
		return false
	}
	d, s := newDictionary(), spell(cell, formatCSV)
	for r := range role(roles) {
		if d.exact(r, &s) {
			return true
		}
	}
	return false
}

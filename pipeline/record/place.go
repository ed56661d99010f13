package record

import (
	"fmt"
	"slices"
	"strings"
)

// part is what a path of a message leads to that is not in its value.
type part struct {
	what   partKind
	header string // the name of a partHeader
}

// partKind tells the parts of a message apart.
type partKind uint8

const (
	partKey partKind = iota
	partHeader
	partTime
)

const (
	pathKey    = "@key"
	pathHeader = "@header"
	pathTime   = "@time"
)

// partOf reads a path as one to a part of a message: "@key", "@time", or "@header." and a name, which is all the rest,
// dots included. ok is false for any other path, and for one that is almost one, which is an error.
func partOf(path string) (p part, ok bool, err error) {
	name, inner, dotted := strings.Cut(path, ".")
	switch {
	case path == pathKey:
		return part{what: partKey}, true, nil
	case path == pathTime:
		return part{what: partTime}, true, nil
	case name == pathHeader && inner != "":
		return part{what: partHeader, header: inner}, true, nil
	case name == pathHeader:
		return p, false, fmt.Errorf(`%q: want @header.NAME; what has this name in the value is \%s`, path, path)
	case dotted && (name == pathKey || name == pathTime):
		return p, false, fmt.Errorf(`%q: %s has no members, a regex takes a part of it; what has this name in the value is \%s`, path, name, path)
	}
	return p, false, nil
}

// literal returns the path that a path means in the format: one that starts with a part of a message has a backslash in
// front where it does not mean that.
func literal(path string) string {
	rest, escaped := strings.CutPrefix(path, `\`)
	name, _, _ := strings.Cut(rest, ".")
	if escaped && slices.Contains([]string{pathKey, pathHeader, pathTime}, name) {
		return rest
	}
	return path
}

// Literal returns the path, in a configuration, of what has that path in a line: a backslash in front of what would
// else mean the key, a header or the time of a message.
func Literal(path string) string {
	if name, _, _ := strings.Cut(path, "."); slices.Contains([]string{pathKey, pathHeader, pathTime}, name) {
		return `\` + path
	}
	return path
}

// places collects the distinct paths of a decoder: those that it asks its splitter for, and the parts of messages.
type places struct {
	paths paths
	parts []part
}

// slot returns the slot of a path that checkPath accepts, a new one if it is new. Those of parts count down from -1
// until settle.
func (p *places) slot(path string) int {
	at, ok, _ := partOf(path)
	if !ok {
		return p.paths.slot(literal(path))
	}
	i := slices.Index(p.parts, at)
	if i < 0 {
		i = len(p.parts)
		p.parts = append(p.parts, at)
	}
	return -1 - i
}

// settle returns the slot for good: parts stand behind all paths.
func (p *places) settle(slot int) int {
	if slot < 0 {
		return len(p.paths) - 1 - slot
	}
	return slot
}

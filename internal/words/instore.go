package words

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"firebreak/internal/line"
)

// InStore says a step in the words of its store: what it is called there, and whether it is for a person.
func InStore(in *line.InStore) Phrase {
	text := "In " + string(in.Store) + ": " + string(in.Called)
	switch in.Possible {
	case "never":
		text += "; never by a command: "
	case "advice":
		text += "; by hand: "
	default:
		text += "; by these commands: "
		if in.Reason == "" {
			return Say(Ended(strings.TrimSuffix(text, "; by these commands: ")))
		}
	}
	return Say(Ended(text + string(in.Reason)))
}

// InStore says the steps of the plan in the words of their store, each word once; nil where the fleet names no profile.
func (t *Told) InStore() Phrase {
	if t.Plan == nil || t.Plan.Projection.Fix != t.Fix {
		return nil
	}
	var out Phrase
	seen := map[line.Prose]bool{}
	for i := range t.Plan.Steps {
		in := t.Plan.Steps[i].InStore
		if in == nil || seen[in.Called] {
			continue
		}
		if seen[in.Called] = true; len(out) > 0 {
			out = append(out, Say(" ")...)
		}
		out = append(out, InStore(in)...)
	}
	return out
}

// Commands are those of a step as one copies them to a shell, a line each, with what they read, and what is not known of them.
func Commands(in *line.InStore) []string {
	var out []string
	for i := range in.Commands {
		c := &in.Commands[i]
		text := Shell(c.Argv)
		if c.Stdin != "" {
			text += " <<< " + quoted(c.Stdin)
		}
		if len(c.Needs) > 0 {
			text += "  # not known here: " + strings.Join(c.Needs, ", ")
		}
		out = append(out, text)
	}
	if in.More > 0 {
		out = append(out, "# and "+Count(in.More, "command")+" more")
	}
	return out
}

// Shell writes arguments so that a shell of today (bash, zsh, ksh) takes them for what they are, to the byte, in printable text.
func Shell(argv []line.Name) string {
	parts := make([]string, len(argv))
	for i, a := range argv {
		parts[i] = quoted(string(a))
	}
	return strings.Join(parts, " ")
}

const plainBytes = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:=,@%+"

// quoted is one argument. What does not print stands as \xNN in $'...'.
func quoted(s string) string {
	if s != "" && strings.Trim(s, plainBytes) == "" {
		return s
	}
	printable := utf8.ValidString(s) && strings.IndexFunc(s, func(r rune) bool { return !unicode.IsPrint(r) || r == '\'' }) < 0
	if printable {
		return "'" + s + "'"
	}
	var b strings.Builder
	b.WriteString("$'")
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\'' || c == '\\':
			b.WriteString(`\` + string(c))
		case c >= ' ' && c < 0x7f:
			b.WriteByte(c)
		default:
			hex := strconv.FormatUint(uint64(c), 16)
			b.WriteString(`\x` + strings.Repeat("0", 2-len(hex)) + hex)
		}
	}
	return b.String() + "'"
}

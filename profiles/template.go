package profiles

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
)

// part is a piece of an argument: text, or a field where field is set.
type part struct{ text, field string }

// argument is one argument of a command, in parts.
type argument []part

// plainFields are the fields that need no setting. Those of names hold bytes that anybody may have chosen.
func plainFields() []string {
	return []string{"shard", "receiver", "slot", "count", "key", "tenant", "caller", "rate", "pieces"}
}

// hostile says whether a field holds bytes that come from the log.
func hostile(field string) bool {
	return slices.Contains([]string{"shard", "receiver", "key", "tenant", "caller"}, field)
}

// parseArgument takes an argument apart. {{ and }} are a brace; a field stands in single ones.
func parseArgument(text string) (argument, error) {
	var out argument
	var plain strings.Builder
	for i := 0; i < len(text); i++ {
		c := text[i]
		if (c == '{' || c == '}') && strings.HasPrefix(text[i+1:], string(c)) {
			plain.WriteByte(c)
			i++
			continue
		}
		if c == '}' {
			return nil, fmt.Errorf("%q: a } that ends no field; write }} for the brace", text)
		}
		if c != '{' {
			plain.WriteByte(c)
			continue
		}
		end := strings.IndexByte(text[i:], '}')
		if end < 0 {
			return nil, fmt.Errorf("%q: a { that is not closed; write {{ for the brace", text)
		}
		if plain.Len() > 0 {
			out = append(out, part{text: plain.String()})
			plain.Reset()
		}
		out = append(out, part{field: text[i+1 : i+end]})
		i += end
	}
	if plain.Len() > 0 || len(out) == 0 {
		out = append(out, part{text: plain.String()})
	}
	return out, nil
}

// known says whether a field is one of those that a profile can fill.
func (p *Profile) known(field string) bool {
	if kind, name, ok := strings.Cut(field, "."); ok {
		settings := p.Settings.Shard
		switch kind {
		case "set":
			settings = p.Settings.Fleet
		case "shard", "receiver":
		default:
			return false
		}
		_, ok := settings[name]
		return ok
	}
	return slices.Contains(plainFields(), field)
}

// compile parses and judges a command; the error is about argument number at, from 0.
func (p *Profile) compile(c *Command) (at int, err error) {
	if len(c.Argv) == 0 || strings.TrimSpace(c.Argv[0]) == "" {
		return 0, fmt.Errorf("want a program and its arguments")
	}
	c.args = make([]argument, len(c.Argv))
	behind := false // -- stands before
	for i, text := range c.Argv {
		if strings.IndexByte(text, 0) >= 0 {
			return i, fmt.Errorf("%q: an argument holds no NUL byte", text)
		}
		a, err := parseArgument(text)
		if err != nil {
			return i, err
		}
		if err := p.judge(a, i == 0, behind); err != nil {
			return i, fmt.Errorf("%q: %w", text, err)
		}
		c.args[i] = a
		behind = behind || text == "--"
	}
	return 0, nil
}

// judge refuses an argument in which a name could be read as anything but a value.
func (p *Profile) judge(a argument, program, behind bool) error {
	for i, part := range a {
		switch {
		case part.field == "":
		case program:
			return fmt.Errorf("the program is no field")
		case !p.known(part.field):
			return fmt.Errorf("there is no field {%s}", part.field)
		case !hostile(part.field):
		case i == 0 && len(a) == 1 && behind:
		case i != 1 || len(a) != 2 || !assigns(a[0].text):
			return fmt.Errorf("{%s} holds bytes that anybody may choose: want it alone behind --, or at the end behind NAME=", part.field)
		}
	}
	if program && shell(a[0].text) {
		return fmt.Errorf("a command is run by no shell")
	}
	return nil
}

// assigns says whether a text leads to a value and to nothing else.
func assigns(text string) bool {
	return regexp.MustCompile(`^-{0,2}[A-Za-z_][A-Za-z0-9_.-]*=$`).MatchString(text)
}

// shell says whether a program takes commands as text.
func shell(program string) bool {
	return slices.Contains([]string{"sh", "bash", "dash", "zsh", "ksh", "fish", "env", "xargs", "eval", "sudo", "ssh", "cmd", "powershell", "pwsh"}, path.Base(program))
}

// fill makes the arguments of a command. needs are the fields that lookup does not know: each is shown as <field>.
func (c *Command) fill(lookup func(field string) (string, bool)) (argv, needs []string) {
	argv = make([]string, len(c.args))
	for i, a := range c.args {
		var b strings.Builder
		for _, part := range a {
			if part.field == "" {
				b.WriteString(part.text)
				continue
			}
			value, ok := lookup(part.field)
			if !ok || strings.IndexByte(value, 0) >= 0 {
				if value = "<" + part.field + ">"; !slices.Contains(needs, part.field) {
					needs = append(needs, part.field)
				}
			}
			b.WriteString(value)
		}
		argv[i] = b.String()
	}
	return argv, needs
}

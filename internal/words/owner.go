package words

// Owner is who answers for a key of a tenant, as the configuration has it; what is empty is not named. The zero value is nobody.
type Owner struct{ Team, Channel, Runbook string }

// maxRunbook is as much of the address of a runbook as is shown, in characters: all that a configuration may have.
const maxRunbook = 2000

// Says names the team, where it is reached and what it does then; nil = nobody is named.
func (o Owner) Says() Phrase {
	var out Phrase
	part := func(label, text string, most int) {
		switch {
		case text == "":
			return
		case out != nil:
			label = "; " + label
		}
		if label != "" {
			out = append(out, Span{label, false})
		}
		out = append(out, Span{Show(text, most), true})
	}
	part("", o.Team, MaxName)
	part("channel ", o.Channel, MaxName)
	part("runbook ", o.Runbook, maxRunbook)
	return out
}

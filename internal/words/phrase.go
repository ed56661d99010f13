package words

import (
	"strconv"
	"strings"

	"firebreak/internal/line"
)

// Span is a piece of a sentence: our own words, or a name that is set apart.
type Span struct {
	Text string
	Name bool
}

// Phrase is a sentence with names in it. The zero value is an empty one.
type Phrase []Span

// Name is a key, tenant, shard or other name in a phrase: bytes.
type Name string

// Say puts a phrase together of strings (our own words, or a sentence of policy), names and phrases.
func Say(parts ...any) Phrase {
	var out Phrase
	for _, p := range parts {
		switch p := p.(type) {
		case Name:
			out = append(out, Span{Show(string(p), MaxName), true})
		case line.Name:
			out = append(out, Span{Show(string(p), MaxName), true})
		case Phrase:
			out = append(out, p...)
		case string:
			out = append(out, Span{Glue(Flat(p, MaxPhrase)), false})
		}
	}
	return out
}

// String is the phrase as plain text.
func (p Phrase) String() string {
	var b strings.Builder
	for _, s := range p {
		b.WriteString(s.Text)
	}
	return b.String()
}

// Quoted is the phrase as one line of printable text in which names stand in quotes: what is in them can be told from what is
// around them.
func (p Phrase) Quoted() string {
	var b strings.Builder
	for _, s := range p {
		if s.Name {
			b.WriteString(`"` + strings.ReplaceAll(s.Text, `"`, `\"`) + `"`)
			continue
		}
		b.WriteString(s.Text)
	}
	return strings.ReplaceAll(b.String(), "\u00a0", " ")
}

// Apart is the phrase with the names that stand in its sentences as quoted Go strings made names of their own, without quotes.
func (p Phrase) Apart() Phrase {
	var out Phrase
	for _, s := range p {
		text := s.Text
		for !s.Name {
			at := strings.IndexByte(text, '"')
			if at < 0 {
				break
			}
			quoted, err := strconv.QuotedPrefix(text[at:])
			if err != nil {
				break // a sentence that was cut within a name
			}
			if at > 0 {
				out = append(out, Span{text[:at], false})
			}
			out = append(out, Span{quoted[1 : len(quoted)-1], true})
			text = text[at+len(quoted):]
		}
		if text != "" {
			out = append(out, Span{text, s.Name})
		}
	}
	return out
}

// Capital is the phrase as the begin of a sentence; a name that it begins with stays as it is.
func (p Phrase) Capital() Phrase {
	if len(p) == 0 || p[0].Name {
		return p
	}
	return append(Phrase{{Text: Capital(p[0].Text)}}, p[1:]...)
}

// Capital begins a sentence.
func Capital(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// Ended is a sentence with one dot at its end.
func Ended(s string) string { return strings.TrimSuffix(s, ".") + "." }

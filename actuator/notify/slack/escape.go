package slack

import (
	"strings"
	"unicode/utf8"

	"firebreak/internal/words"
)

// cutMark stands where text was left out.
const cutMark = "…"

// escape writes a phrase as Slack's markup, in at most limit bytes: names as code, and what is markup in them or around them as
// the text that it is. &, < and > are the only characters that begin a mention, a link or a date, and are written as entities:
// https://api.slack.com/reference/surfaces/formatting#escaping. A backtick would end code: it is written as \u{60}.
func escape(p words.Phrase, limit int) string {
	var b strings.Builder
	for _, s := range p.Apart() {
		room := limit - b.Len() - len(cutMark)
		if s.Name {
			text := "`" + entities(strings.ReplaceAll(shown(s.Text), "`", `\u{60}`)) + "`"
			if len(text) > room {
				return b.String() + cutMark
			}
			b.WriteString(text)
			continue
		}
		text, whole := within(s.Text, room, plain)
		b.WriteString(text)
		if !whole {
			return b.String() + cutMark
		}
	}
	return b.String()
}

// shown gives an empty name a shape: code without text is none.
func shown(name string) string {
	if strings.TrimSpace(name) == "" {
		return `"` + name + `"`
	}
	return name
}

// fallback writes a phrase for a notification, where there is no markup: names in quotes.
func fallback(p words.Phrase) string {
	text, whole := within(p.Quoted(), maxFallback-len(cutMark), entities)
	if !whole {
		text += cutMark
	}
	return text
}

// header writes a phrase as plain text, which has no markup at all.
func header(p words.Phrase) string {
	text, whole := within(p.Quoted(), maxHeader-len(cutMark), func(s string) string { return s })
	if !whole {
		text += cutMark
	}
	return text
}

// within writes as much of a text as has room, character by character.
func within(text string, room int, write func(string) string) (out string, whole bool) {
	if all := write(text); len(all) <= room {
		return all, true
	}
	var b strings.Builder
	for i := 0; i < len(text); {
		_, size := utf8.DecodeRuneInString(text[i:])
		c := write(text[i : i+size])
		if b.Len()+len(c) > room {
			break
		}
		b.WriteString(c)
		i += size
	}
	return b.String(), false
}

// plain writes words of our own: their stars and the like are no markup either.
func plain(s string) string {
	if !strings.ContainsAny(s, "*~`&<>") {
		return s
	}
	return strings.NewReplacer("*", "∗", "~", "∼", "`", "'").Replace(entities(s))
}

// entities writes the characters that begin and end markup as text.
func entities(s string) string {
	if !strings.ContainsAny(s, "&<>") {
		return s
	}
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(s)
}

// link is a link of our own: what it leads to stands in the configuration, or is escaped for a URL already.
func link(text, url string) string {
	url = strings.NewReplacer("|", "%7C", "<", "%3C", ">", "%3E", " ", "%20", "\n", "%0A", "`", "%60", "&", "&amp;").Replace(url)
	return "<" + url + "|" + entities(text) + ">"
}

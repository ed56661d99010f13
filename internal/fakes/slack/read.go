package slack

import (
	"encoding/json"
	"html"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Limits of Block Kit, and what Slack takes in all.
const (
	mostBlocks  = 50
	mostSection = 3000
	mostHeader  = 150
	mostText    = 40_000
	mostInAll   = 13_200
)

type text struct {
	Type, Text string
	Emoji      *bool
	Verbatim   bool // links and names in it are no markup
}

type block struct {
	Type     string
	Text     *text
	ID       string `json:"block_id"`
	Elements []element
}

// read judges a message and gives what it shows; refusal is Slack's word for what is wrong.
func read(fallback, blocks, attachments string) (m *Message, refusal string) {
	m = &Message{Text: fallback}
	var list []block
	if blocks != "" && json.Unmarshal([]byte(blocks), &list) != nil {
		return nil, "invalid_blocks_format"
	}
	var attached []struct {
		Color  string
		Blocks []block
	}
	if attachments != "" && json.Unmarshal([]byte(attachments), &attached) != nil {
		return nil, "invalid_attachments"
	}
	for _, a := range attached {
		m.Colour = a.Color
		list = append(list, a.Blocks...)
	}
	switch {
	case fallback == "" && len(list) == 0:
		return nil, "no_text"
	case broken(fallback + blocks + attachments), len(list) > mostBlocks:
		return nil, "invalid_blocks"
	case long(fallback, mostText):
		return nil, "msg_too_long"
	}
	var all strings.Builder
	all.WriteString(fallback)
	m.markup(fallback)
	for _, b := range list {
		if b.Type == "actions" {
			buttons, ok := b.buttons()
			if !ok {
				return nil, "invalid_blocks"
			}
			m.Buttons = append(m.Buttons, buttons...)
			continue
		}
		if !b.sound() {
			return nil, "invalid_blocks"
		}
		all.WriteString(b.Text.Text)
		m.Shown = append(m.Shown, b.Text.Text)
		m.Blocks = append(m.Blocks, Block{b.Type == "header", b.Text.Type == "mrkdwn", b.Text.Text})
		if b.Text.Type == "mrkdwn" {
			m.Markup = append(m.Markup, b.Text.Text)
			m.markup(b.Text.Text)
		}
	}
	if long(all.String(), mostInAll) {
		return nil, "msg_blocks_too_long"
	}
	return m, ""
}

// broken says whether a character was cut, or an encoder put its mark in the place of one.
func broken(s string) bool {
	return !utf8.ValidString(s) || strings.ContainsRune(s, utf8.RuneError) || strings.Contains(s, `\ufffd`)
}

// sound says whether a block is one that Slack takes, and in which it looks for no names and links by itself.
func (b *block) sound() bool {
	switch {
	case b.Text == nil || b.Text.Text == "":
		return false
	case b.Type == "header":
		return b.Text.Type == "plain_text" && !long(b.Text.Text, mostHeader)
	case b.Type == "section":
		return (b.Text.Type == "mrkdwn" && b.Text.Verbatim && b.Text.Emoji == nil || b.Text.Type == "plain_text") && !long(b.Text.Text, mostSection)
	}
	return false
}

// long counts characters as Slack's own clients do, in UTF-16.
func long(s string, most int) bool { return len(utf16.Encode([]rune(s))) > most }

// markup notes the mentions and links of a text: what stands between < and > is one.
func (m *Message) markup(s string) {
	for {
		before, rest, found := strings.Cut(s, "<")
		inside, after, closed := strings.Cut(rest, ">")
		if strings.Contains(before, ">") || found != closed {
			m.Pinged = append(m.Pinged, "a bracket by itself: "+s)
		}
		if !found || !closed {
			return
		}
		target, _, _ := strings.Cut(inside, "|")
		if strings.HasPrefix(target, "http://") || strings.HasPrefix(target, "https://") {
			m.Links = append(m.Links, html.UnescapeString(target))
		} else {
			m.Pinged = append(m.Pinged, inside)
		}
		s = after
	}
}

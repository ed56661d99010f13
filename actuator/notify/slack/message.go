package slack

import (
	"slices"
	"strings"

	"github.com/slack-go/slack"

	"firebreak/actuator/notify"
)

// message is what is posted: text is for notifications, header and body are what a reader sees.
type message struct {
	text   string
	header []slack.Block
	body   slack.Attachment
}

// compose writes a message within the limits: where it is too long, the fixes that were not taken go first, then what stands
// last.
func compose(m *notify.Message) *message {
	title := header(m.Title)
	out := &message{
		text:   fallback(m.Text),
		header: []slack.Block{slack.NewHeaderBlock(slack.NewTextBlockObject(slack.PlainTextType, title, false, false))},
	}
	last := tail(m)
	room := maxMessage - len(out.text) - len(title) - len(last)
	sections := pack(facts(m), room)
	if last != "" {
		sections = append(sections, last)
	}
	var blocks []slack.Block
	for _, text := range sections[:min(len(sections), maxBlocks-len(out.header))] {
		blocks = append(blocks, section(text))
	}
	out.body = slack.Attachment{Color: colour(m), Blocks: slack.Blocks{BlockSet: blocks}}
	return out
}

// press adds the buttons of a message, where there is room.
func (c *message) press(m *notify.Message) {
	if b := buttons(m); b != nil && len(c.body.Blocks.BlockSet) < maxBlocks-len(c.header) {
		c.body.Blocks.BlockSet = append(c.body.Blocks.BlockSet, b)
	}
}

// section is a block of markup in which Slack finds no links or names by itself.
func section(text string) slack.Block {
	return slack.NewSectionBlock(&slack.TextBlockObject{Type: slack.MarkdownType, Text: text, Verbatim: true}, nil, nil)
}

// fact is a question with its answer as markup.
type fact struct {
	text string
	less bool // it is left out before others
}

func facts(m *notify.Message) []fact {
	var out []fact
	for _, f := range m.Facts {
		label := "*" + f.Label + "*  "
		out = append(out, fact{label + escape(f.Text, maxFact), f.Label == notify.LabelRejected})
	}
	return out
}

// pack puts facts into as few sections as hold them.
func pack(facts []fact, room int) []string {
	size := func() (n int) {
		for _, f := range facts {
			n += len(f.text) + 1
		}
		return n
	}
	for len(facts) > 1 && size() > room {
		drop := len(facts) - 1
		for i, f := range slices.Backward(facts) {
			if f.less {
				drop = i
				break
			}
		}
		facts = slices.Delete(facts, drop, drop+1)
	}
	var out []string
	var b strings.Builder
	for _, f := range facts {
		if b.Len() > 0 && b.Len()+1+len(f.text) > maxSection {
			out = append(out, b.String())
			b.Reset()
		}
		if b.Len() > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(f.text)
	}
	if b.Len() > 0 {
		out = append(out, b.String())
	}
	return out
}

// tail is where a reader goes on: links, the command, who answers for it. A link that is too long for a section is named all the same.
func tail(m *notify.Message) string {
	const between = "  ·  "
	var parts []string
	if m.Command != "" {
		parts = append(parts, "The evidence: `"+entities(m.Command)+"`")
	}
	if m.Owner != nil && m.Owner.Team != "" {
		parts = append(parts, "Owner: "+plain(m.Owner.Team))
	}
	room := maxSection - len(strings.Join(parts, between))
	var links []string
	for _, l := range m.Links {
		text, short := link(l.Text, l.URL), entities(l.Text)+": its URL is too long for Slack"
		if len(text)+len(between) > room-len(m.Links)*len(short) {
			text = short
		}
		room -= len(text) + len(between)
		links = append(links, text)
	}
	return strings.Join(append(links, parts...), between)
}

func colour(m *notify.Message) string {
	switch {
	case m.State == notify.Over:
		return green
	case m.Said.Spoken():
		return grey
	case m.Severity == notify.Critical:
		return red
	case m.State == notify.Firing:
		return amber
	}
	return grey
}

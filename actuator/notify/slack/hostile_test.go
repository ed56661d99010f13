package slack

import (
	"context"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/slack-go/slack"
	"pgregory.net/rapid"

	"firebreak/actuator"
	"firebreak/actuator/notify"
	"firebreak/internal/fakes/news"
	fake "firebreak/internal/fakes/slack"
	"firebreak/internal/line"
	"firebreak/internal/words"
)

// TestHostileNames (S18): 1,000 names that would be markup, mentions or links ping nobody, link nowhere, hide nothing and are all
// taken, in posts, updates and replies.
func TestHostileNames(t *testing.T) {
	w := newWorld(t, &notify.Guide{External: "https://fb.example", Owners: notify.Owners{{Team: "<!channel>"}}})
	for _, name := range news.Hostile(1000) {
		v := news.Verdict(name, "h"+name, name, name, name)
		v.Reason, v.Caller = line.Prose(name), line.Name(name)
		w.now = w.now.Add(time.Minute)
		n := &notify.Notice{Key: "k", Entry: news.Hotspot(v, actuator.PhaseFired, 0)}
		receipt, err := w.sender.Send(context.Background(), n)
		if err != nil {
			t.Fatalf("%q: %v", name, err)
		}
		n.Entry, n.Receipt = news.Hotspot(v, actuator.PhaseResolved, time.Minute), receipt
		if _, err := w.sender.Send(context.Background(), n); err != nil {
			t.Fatalf("%q: %v", name, err)
		}
	}
	in := w.slack.In("C1")
	if len(in) != 1000 {
		t.Fatalf("%d messages", len(in))
	}
	for _, m := range in {
		for _, m := range append(m.Replies, m) {
			for _, link := range m.Links {
				if !strings.HasPrefix(link, "https://fb.example/fleets/") {
					t.Errorf("a link to %s", link)
				}
			}
			for _, text := range append(m.Shown, m.Text) {
				if at := strings.IndexFunc(text, func(r rune) bool { return !unicode.IsPrint(r) && r != '\n' && r != '\u00a0' }); at >= 0 {
					t.Errorf("%q hides something", text)
				}
			}
			for _, text := range m.Markup {
				if strings.Count(text, "`")%2 != 0 {
					t.Errorf("code does not close: %s", text)
				}
			}
			if len(m.Pinged) > 0 {
				t.Errorf("pings %q", m.Pinged)
			}
		}
	}
}

// TestWithinLimits: whatever a message is made of, Slack takes it.
func TestWithinLimits(t *testing.T) {
	w := newWorld(t, &notify.Guide{})
	b := &bot{sender: w.sender.(*sender), api: slack.New(fake.Token, slack.OptionAPIURL(w.slack.API()))}
	whole := rapid.String().Filter(func(s string) bool { return !strings.ContainsRune(s, utf8.RuneError) }) // the fake takes it for a cut
	name := rapid.OneOf(whole, rapid.SampledFrom(news.Hostile(200)), rapid.StringMatching(`[<>&]{0,400}`))
	rapid.Check(t, func(t *rapid.T) {
		m := &notify.Message{Title: words.Say("CRITICAL: ", words.Name(name.Draw(t, "title"))), Text: words.Say(name.Draw(t, "text"), words.Name(name.Draw(t, "name")))}
		for range rapid.IntRange(0, 30).Draw(t, "facts") {
			var p words.Phrase
			for range rapid.IntRange(0, 12).Draw(t, "spans") {
				p = append(p, words.Say(strings.Repeat(name.Draw(t, "own"), 5), words.Name(name.Draw(t, "a name")))...)
			}
			m.Facts = append(m.Facts, notify.Fact{Label: rapid.SampledFrom([]string{"What", notify.LabelRejected}).Draw(t, "label"), Text: p})
		}
		m.Links = []notify.Link{{Text: "x", URL: "https://fb.example/" + strings.Repeat("a", rapid.IntRange(0, 3000).Draw(t, "link"))}}
		c := compose(m)
		all := len(c.text)
		for _, text := range c.texts() {
			all += len(text)
		}
		if all > maxMessage || len(c.body.Blocks.BlockSet)+1 > maxBlocks {
			t.Fatalf("%d characters", all)
		}
		w.now = w.now.Add(time.Minute)
		if _, err := b.post(context.Background(), m, c); err != nil {
			t.Fatal(err)
		}
	})
}

// texts are those of the blocks.
func (c *message) texts() []string {
	out := []string{c.header[0].(*slack.HeaderBlock).Text.Text}
	for _, b := range c.body.Blocks.BlockSet {
		out = append(out, b.(*slack.SectionBlock).Text.Text)
	}
	return out
}

// FuzzEscape: nothing that a name or a sentence holds is markup, code ends where it began, and no more is written than asked.
func FuzzEscape(f *testing.F) {
	for _, name := range news.Hostile(100) {
		f.Add(name, name, 100)
	}
	f.Fuzz(func(t *testing.T, name, text string, limit int) {
		limit = len(cutMark) + max(0, limit)%2000
		out := escape(words.Say(text, words.Name(name), text), limit)
		if len(out) > limit || strings.ContainsAny(out, "<>") || strings.Count(out, "`")%2 != 0 || !utf8.ValidString(out) {
			t.Errorf("%q", out)
		}
		for rest := out; ; {
			_, after, found := strings.Cut(rest, "&")
			if !found {
				break
			}
			if !strings.HasPrefix(after, "amp;") && !strings.HasPrefix(after, "lt;") && !strings.HasPrefix(after, "gt;") {
				t.Errorf("an entity of its own: %q", out)
			}
			rest = after
		}
	})
}

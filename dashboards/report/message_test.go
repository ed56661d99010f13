package report

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"firebreak/actuator"
	"firebreak/actuator/notify"
	"firebreak/internal/line"
	"firebreak/internal/words"
)

// TestSameTextAsMessages (S02): what a message says of a hotspot, read from the journal's line, is what the report says.
func TestSameTextAsMessages(t *testing.T) {
	for name, run := range stories(t) {
		teller := newTeller(&run.Fleets[0], "f", fullLimits())
		if len(teller.ranked) == 0 {
			continue
		}
		h := teller.ranked[0]
		b, err := line.Encode(line.NewVerdict(&h.told))
		if err != nil {
			t.Fatal(err)
		}
		n := &notify.Notice{
			Key:   "k",
			Entry: &actuator.Entry{ID: "k", Fleet: h.told.Fleet, At: h.told.Time, Kind: actuator.KindVerdict, Phase: actuator.PhaseFired, Hotspot: h.told.Hotspot, Line: json.RawMessage(b)},
			Story: &notify.Story{Plan: teller.words(h).Plan, Held: teller.words(h).Held, Verdict: line.NewVerdict(&h.told)},
		}
		told := teller.words(h)
		guide := &notify.Guide{Times: map[string]notify.Times{h.told.Fleet: {Window: told.Fast, Calm: told.Calm}}}
		m := guide.Message(n)
		said := map[string]string{}
		for _, f := range m.Facts {
			said[f.Label] = f.Text.String()
		}
		told.Shards = 0 // the journal does not know it
		for label, want := range map[string]words.Phrase{"Where": told.Where(), "Why": told.Why(), "What to do": told.Do(), "How sure": told.Sure()} {
			if label == "What to do" && told.Relief() != nil && (told.Fast == 0 || !strings.Contains(want.String(), told.Relief().String())) {
				t.Errorf("%s does not say when relief comes: %s", name, want)
			}
			if said[label] != want.String() {
				t.Errorf("%s, %s: the message says %s\nthe report %s", name, label, said[label], want)
			}
		}
		if !h.resolved.IsZero() {
			n.Entry.Phase = actuator.PhaseResolved
			over := (&notify.Guide{}).Message(n).Facts
			if !slices.ContainsFunc(over, func(f notify.Fact) bool {
				return f.Label == "What to do" && f.Text.String() == teller.doText(h).String()
			}) {
				t.Errorf("%s: what to do about what is over: the message says %v", name, over)
			}
		}
		for i := range h.told.Projected {
			p := &h.told.Projected[i]
			is := func(f notify.Fact) bool {
				return (f.Label == notify.LabelRejected || f.Label == told.WouldLabel()) && slices.ContainsFunc(f.Text, func(s words.Span) bool {
					return s.Text == say(words.Ended(strings.TrimPrefix(p.Why, "it would do ")))[0].Text
				})
			}
			if p.Fix != h.told.Fix && p.Why != "" && !slices.ContainsFunc(m.Facts, is) {
				t.Errorf("%s: the message does not say why not %s", name, p.Fix)
			}
		}
	}
}

package report

import (
	"fmt"

	"firebreak/dashboards/draw"
	"firebreak/internal/words"
)

// whatText says how hot the shard is, against what, and at most.
func (t *teller) whatText(h *hotspot) phrase {
	v, told := &h.told, t.words(h)
	text := " "
	if !h.peakAt.IsZero() && h.peak > 1.1*v.Load {
		text += fmt.Sprintf("At most %s, at %s. ", t.rate(h.peak), draw.Hour(h.peakAt))
	}
	text += told.Grade()
	if h.changed > 0 && v.Capacity == 0 {
		text += " The line is of the mean when it fired; the verdict was revised since, and its mean is of its own window."
	}
	return say(told.Load(), text)
}

// whenText is the life of the hotspot.
func (t *teller) whenText(h *hotspot) phrase {
	v := &h.told
	text := words.Since(v.Onset, h.found) + " "
	if t.whole() {
		return say(fmt.Sprintf("The whole log was judged as one window, from %s to %s.", draw.Clock(v.From), draw.Clock(v.To)))
	}
	if h.resolved.IsZero() {
		text += "Not seen to cool before the " + t.ending() + " ends."
	} else {
		text += fmt.Sprintf("Over at %s, after %s.", draw.Hour(h.resolved), draw.Span(h.resolved.Sub(v.Onset)))
	}
	return say(text)
}

// doText is the fix and what it brings, with all its steps; of a hotspot that is over, the fix for the next time.
func (t *teller) doText(h *hotspot) phrase {
	if !h.resolved.IsZero() {
		return t.words(h).Over()
	}
	return t.words(h).Do()
}

// sureText says what the verdict rests on.
func (t *teller) sureText(h *hotspot) phrase {
	if !h.resolved.IsZero() {
		return t.words(h).WasSure()
	}
	return t.words(h).Sure()
}

// sentence says what happened and, while it is not over, what helps.
func (t *teller) sentence(h *hotspot) phrase {
	if !h.resolved.IsZero() {
		return append(t.words(h).Was(false), append(say(" "), t.doText(h)...)...)
	}
	return t.words(h).Sentence(true, false)
}

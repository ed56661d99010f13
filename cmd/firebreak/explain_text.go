package main

import (
	"fmt"
	"io"
	"strings"
	"time"

	"firebreak/internal/line"
)

// write is the explanation for people: whether it holds, what is another now, the verdict, and where its numbers come from.
func (x *explanation) write(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "hotspot %s\n", x.hot.text())
	say(&b, "verdict of", fmt.Sprintf("%s, judged by firebreak %s then; decision and state %s", clock(time.Time(x.Time)), shownBuild(x.Build), x.Digest[:min(16, len(x.Digest))]))
	if n := len(x.Verdicts); n > 1 {
		say(&b, "", fmt.Sprintf("there is evidence of %d: --at %s", n, strings.Join(x.Verdicts, ", ")))
	}
	by := "firebreak " + shownBuild(x.This)
	if x.AsConfigured {
		by += ", by the policy of the file"
	}
	if x.Same {
		say(&b, "judged again", "the same decision and state, to the byte, by "+by)
	} else {
		say(&b, "judged again", "ANOTHER decision or state, by "+by)
	}
	x.toldText(&b)
	if _, err := io.WriteString(w, b.String()+"\n"); err != nil {
		return err
	}
	if err := x.saidNow(w); err != nil {
		return err
	}
	b.Reset()
	x.sumsText(&b)
	_, err := io.WriteString(w, b.String())
	return err
}

// toldText says how the journal's lines of the hotspot compare.
func (x *explanation) toldText(b *strings.Builder) {
	switch {
	case x.Told == 0:
		say(b, "journal", "it has no line of this time that can be compared")
	case len(x.Differences) == 0:
		say(b, "journal", fmt.Sprintf("%s of this hotspot, the same in every value", quantity(x.Told, "line", "lines")))
	default:
		say(b, "journal", fmt.Sprintf("%s of this hotspot; other than then:", quantity(x.Told, "line", "lines")))
	}
	for _, d := range x.Differences {
		then, now := d.Then, d.Now
		if then == "" {
			then = "(nothing)"
		}
		if now == "" {
			now = "(nothing)"
		}
		fmt.Fprintf(b, "    %s\n      then %s\n      now  %s\n", printable(d.At), printable(then), printable(now))
	}
	if x.More > 0 {
		fmt.Fprintf(b, "    and %d more\n", x.More)
	}
}

// saidNow prints the verdict, its plan and its holds as they are judged now.
func (x *explanation) saidNow(w io.Writer) error {
	v := x.verdict()
	if v == nil {
		_, err := fmt.Fprintf(w, "Nothing is said of it now.\n")
		return err
	}
	if x.hidden {
		_, err := fmt.Fprintf(w, "Names are hidden (journal.redact): --output json has the verdict, its plan and its holds as the journal has them.\n")
		return err
	}
	out := newTextPrinter(w)
	plan := planOf(&x.decision, x.hot.id)
	if err := out.verdict(v, telling{plan: plan, revised: x.revised()}); err != nil {
		return err
	}
	if plan != nil {
		var b strings.Builder
		label := "plan"
		for i := range plan.Steps {
			say(&b, label, fmt.Sprintf("%d. %s", i+1, plan.Steps[i].Text))
			label = ""
		}
		if err := out.write(&b); err != nil {
			return err
		}
	}
	for _, h := range x.decision.Holds {
		if h.Hotspot != x.hot.id {
			continue
		}
		if err := out.hold(string(x.Fleet), x.Time, h, true); err != nil {
			return err
		}
	}
	return nil
}

// sumsText is the arithmetic as a table.
func (x *explanation) sumsText(b *strings.Builder) {
	if len(x.Sums) == 0 {
		return
	}
	fmt.Fprintf(b, "\nARITHMETIC, from the inputs of the verdict; the closed forms take the rest of the fleet for even\n")
	var t table
	t.header("number", "arithmetic", "gives", "the verdict says")
	for _, s := range x.Sums {
		t.row(s.What, printable(string(s.Form)), s.unit(s.Value), s.unit(s.Told))
	}
	t.write(b)
}

// unit writes a value of the sum.
func (s *sum) unit(v line.Number) string {
	switch s.Unit {
	case "x":
		return times(float64(v))
	case "share":
		return percentShort(float64(v))
	}
	return perSecond(float64(v))
}

// revised says whether the hotspot was told before this verdict.
func (x *explanation) revised() bool {
	t := x.evidence.Before.Detection.Shards[x.verdict().Shard]
	return t.Hotspot != nil && t.Hotspot.ID == x.hot.id
}

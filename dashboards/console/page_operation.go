package console

import (
	"strings"

	"firebreak/dashboards/draw"
	"firebreak/internal/words"
)

// operationView is an operation with its phases.
type operationView struct {
	Number     uint64
	Fix, Shard string
	Hotspot    string // the address of its page; empty = it has none
	Tags       []string
	Stages     []stageView
	Facts      []fact
	Changes    []Change
	More       int
	Would      wouldView
	Form       sayForm
}

type stageView struct {
	Name, Does  string
	Mark, Class string
	Now         bool
}

// operation is an operation with what a person may say of it.
func (m *may) operation(f *fleet, o *Operation) operationView {
	v := operationView{Number: o.Number, Fix: words.Fix(o.Fix), Shard: draw.Name(o.Shard, draw.MaxName), Tags: []string{o.Phase}, Form: m.ofOperation(o)}
	if o.Hotspot != "" && f.hot[o.Hotspot] != nil {
		v.Hotspot = hotspotPath(f.Name, o.Hotspot)
	}
	if o.Outcome != "" {
		v.Tags = append(v.Tags, spaced(o.Outcome))
	}
	if o.Back {
		v.Tags = append(v.Tags, "on its way back")
	}
	v.Stages, v.Facts = stagesOf(o), operationFacts(o)
	v.Changes, v.More = shownChanges(o.Changes)
	if v.Would = (wouldView{Head: "A roll-back would write now", Lines: linesOf(o.Undo)}); o.NoUndo != "" {
		v.Would = wouldView{Cannot: words.Say("A roll-back would do nothing now: ", words.Ended(o.NoUndo)).Apart()}
	}
	return v
}

func stagesOf(o *Operation) []stageView {
	var out []stageView
	for _, s := range o.Stages {
		v := stageView{Name: s.Name, Does: s.Does, Mark: "to come", Class: "later", Now: s.Now}
		switch {
		case s.Done:
			v.Mark, v.Class = "done", "done"
		case s.Now:
			v.Mark, v.Class = "now", "now"
		}
		out = append(out, v)
	}
	return out
}

// operationFacts say since when it stands where it does, what it waits for, who allowed it, and what was said of it.
func operationFacts(o *Operation) []fact {
	out := []fact{{Label: "Stands in", Text: words.Say(o.Phase, " since ", words.Clock(o.Since), ".")}}
	for _, s := range o.Stages {
		if s.Now {
			out[0].Text = words.Say(o.Phase, " since ", words.Clock(o.Since), ": ", words.Ended(s.Does))
			if len(o.Waits) == 0 && len(s.Until) > 0 {
				out = append(out, fact{Label: "Is left when", Text: words.Say(strings.Join(s.Until, ", "), ".")})
			}
		}
	}
	for _, why := range o.Waits {
		out = append(out, fact{Label: "Waits for", Text: words.Say(words.Ended(why)).Apart()})
	}
	for _, c := range o.Behind {
		out = append(out, fact{Label: "Behind", Text: words.Say(words.Name(c), " holds an older document.")})
	}
	by := words.Say("Nobody had to.")
	if o.By != "" {
		by = words.Say(words.Name(o.By))
	}
	out = append(out, fact{Label: "Approved by", Text: by})
	if o.Back && o.Why != "" {
		out = append(out, fact{Label: "Taken back", Text: words.Say(words.Ended(o.Why)).Apart()})
	}
	if o.Held != "" {
		out = append(out, fact{Label: "Held", Text: words.Say("By ", words.Ended(o.Held))})
	}
	return out
}

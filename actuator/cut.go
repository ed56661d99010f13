package actuator

import (
	"encoding/json"
	"fmt"
	"slices"

	"firebreak/internal/line"
)

const (
	// keptContributors is how many contributors a verdict keeps that is too large.
	keptContributors = 8
	// keptProse is how much of a sentence an entry keeps that is too large, in characters.
	keptProse = 500
)

// cut leaves members out of the line of an entry until it fits, what is derived first, and says which.
func cut(e Entry) (Entry, error) {
	l, err := line.Decode(e.Line)
	if err == nil {
		var steps []step
		switch v := l.(type) {
		case *line.Plan:
			steps = planCuts(v)
		case *line.Verdict:
			steps = verdictCuts(v)
		case *line.Hold:
			steps = []step{{"detail", func() { v.Detail = shorter(v.Detail) }}}
		case *line.Advice:
			steps = []step{{"reason", func() { v.Reason = shorter(v.Reason) }}}
		}
		for _, s := range steps {
			s.do()
			e.Cut = append(e.Cut, s.name)
			if fits, err := e.with(l); err != nil || fits != nil {
				return deref(fits), err
			}
		}
	}
	var head line.Head
	if err := json.Unmarshal(e.Line, &head); err != nil {
		return Entry{}, fmt.Errorf("journal: %s: %w", e.Kind, err)
	}
	e.Cut = append(e.Cut, "line")
	fits, err := e.with(&head)
	if err == nil && fits == nil {
		err = fmt.Errorf("journal: an entry of kind %s is above %d bytes without its line", e.Kind, MaxEntry)
	}
	return deref(fits), err
}

// step is one cut. name is the member that it shortens.
type step struct {
	name string
	do   func()
}

// with is the entry with another line; nil if that is still too large.
func (e Entry) with(v any) (*Entry, error) {
	e, err := object(e, v)
	if err != nil {
		return nil, err
	}
	b, err := e.marshal()
	if err != nil || len(b) > MaxEntry {
		return nil, err
	}
	return &e, nil
}

func deref(e *Entry) Entry {
	if e == nil {
		return Entry{}
	}
	return *e
}

func planCuts(p *line.Plan) []step {
	each := func(do func(s *line.Step)) func() {
		return func() {
			for i := range p.Steps {
				do(&p.Steps[i])
			}
		}
	}
	cuts := []step{{"footprint", func() { p.Footprint = []line.Entry{} }}}
	if slices.ContainsFunc(p.Steps, func(s line.Step) bool { return s.InStore != nil }) {
		cuts = append(cuts, step{"commands", each(func(s *line.Step) {
			if s.InStore != nil {
				s.InStore.More, s.InStore.Commands = s.InStore.More+len(s.InStore.Commands), []line.Command{}
			}
		})})
	}
	return append(cuts, []step{
		{"moves", each(func(s *line.Step) { s.Moves = []line.Move{} })},
		{"shards", each(func(s *line.Step) { s.Shards = []line.Name{} })},
		{"text", each(func(s *line.Step) { s.Text = shorter(s.Text) })},
		{"why", func() { p.Projection.Why = shorter(p.Projection.Why) }},
		{"steps", func() { p.Steps = []line.Step{} }},
	}...)
}

func verdictCuts(v *line.Verdict) []step {
	return []step{
		{"why", func() {
			for i := range v.Projections {
				v.Projections[i].Why, v.Projections[i].Beyond = shorter(v.Projections[i].Why), shorter(v.Projections[i].Beyond)
			}
		}},
		{"contributors", func() { v.Contributors = v.Contributors[:min(len(v.Contributors), keptContributors)] }},
		{"missing", func() { v.Missing = []line.Prose{} }},
		{"reason", func() { v.Reason = shorter(v.Reason) }},
		{"projections", func() { v.Projections = []line.Projection{} }},
	}
}

// shorter is the beginning of a sentence.
func shorter(p line.Prose) line.Prose {
	n := 0
	for i := range p {
		if n++; n > keptProse {
			return p[:i] + "..."
		}
	}
	return p
}

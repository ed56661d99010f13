package report

import (
	"fmt"

	"firebreak/internal/words"
)

// hotspot writes one in full.
func (m *markdown) hotspot(h *hotspotView) {
	m.line(fmt.Sprintf("### %d. ", h.Number) + code(h.Shard) + ": " + said(h.Title) + ", " + h.Severity)
	m.line(said(h.Sentence))
	for _, t := range h.Times {
		_, _ = m.w.WriteString("- **" + text(t.Label) + "**: " + text(t.Text) + "\n")
	}
	if len(h.Times) > 0 {
		_, _ = m.w.WriteString("\n")
	}
	for i := range h.Boards {
		m.board(&h.Boards[i])
	}
	var rows [][]string
	for i := range h.Fixes {
		f := &h.Fixes[i]
		upper, cost := "", ""
		if f.Upper != "" {
			upper = " (at most " + f.Upper + ")"
		}
		for n, c := range f.Costs {
			if n > 0 {
				cost += "; "
			}
			cost += c
		}
		rows = append(rows, []string{text(f.Name), "**" + text(f.Verdict) + "**", text(f.Shard + upper), text(f.Hottest), text(cost), said(f.Why)})
	}
	m.table([]string{"Fix", "", "Shard then", "Hottest then", "Cost", "Why"}, rows)
	for i, s := range h.Steps {
		back := ""
		if s.Back != "" {
			back = " Way back: " + text(s.Back) + "."
		}
		_, _ = m.w.WriteString(fmt.Sprintf("%d. ", i+1) + shown(words.Ended(s.Text)) + back + "\n")
		m.inStore(&s)
	}
	if len(h.Steps) > 0 {
		_, _ = m.w.WriteString("\n")
	}
	m.facts(h.Next)
	m.facts(h.Evidence)
}

// board writes the heaviest keys or tenants.
func (m *markdown) board(b *board) {
	bound := b.Bound
	if bound == "" {
		bound = "Bounds"
	}
	m.line("**" + text(b.Title) + "**")
	var rows [][]string
	for i := range b.Rows {
		r := &b.Rows[i]
		name := code(r.Name)
		if r.Of != "" {
			name += " of " + code(r.Of)
		}
		if r.Blamed {
			name += " **named**"
		}
		if r.AboveAlone {
			name += " over the target alone"
		}
		rows = append(rows, []string{name, text(r.Share), text(r.Bounds), text(r.Load), text(r.Reads)})
	}
	m.table([]string{b.Unit, "Share", bound, text(b.Measure), "Reads"}, rows)
}

// notes are advice, findings and holds.
func (m *markdown) notes(f *fleetView) {
	if len(f.Notes) == 0 {
		return
	}
	m.line("### Also seen")
	var rows [][]string
	for _, n := range f.Notes {
		shard := "fleet"
		if n.Shard != "" {
			shard = code(n.Shard)
		}
		rows = append(rows, []string{text(n.Kind), shard, text(n.What), said(n.Text)})
	}
	m.table([]string{"Kind", "Shard", "About", "What"}, rows)
	m.more(f.NotesMore)
}

// inStore says a step in the words of its store, with its commands.
func (m *markdown) inStore(s *stepView) {
	if s.InStore == "" {
		return
	}
	_, _ = m.w.WriteString("   " + shown(words.Ended(s.InStore)) + "\n")
	for _, c := range s.Commands {
		_, _ = m.w.WriteString("   " + text(c) + "\n")
	}
}

package report

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"firebreak/internal/words"
)

// Markdown writes what Render shows as text in Markdown (CommonMark with tables), without its pictures: of the heat map the table of
// the shards. Names stand as code and sentences are escaped: nothing of them becomes markup. Errors are those of w.
func Markdown(w io.Writer, run *Run) error {
	p := newPage(run, fullLimits())
	m := &markdown{w: bufio.NewWriter(w)}
	m.line("# firebreak report")
	if p.Broken != "" {
		m.line("**Reading ended early.** " + text(p.Broken))
	}
	for i := range p.Fleets {
		m.fleet(&p.Fleets[i])
	}
	if p.Dropped > 0 {
		m.line(fmt.Sprintf("%d more fleets are not shown.", p.Dropped))
	}
	return m.w.Flush()
}

// markdown writes one document; its writer keeps the first error.
type markdown struct{ w *bufio.Writer }

// line writes a paragraph.
func (m *markdown) line(s string) {
	_, _ = m.w.WriteString(s + "\n\n") // the error stays in the writer
}

// table writes a table; without rows nothing.
func (m *markdown) table(head []string, rows [][]string) {
	if len(rows) == 0 {
		return
	}
	write := func(cells []string) {
		for _, c := range cells {
			_, _ = m.w.WriteString("| " + strings.ReplaceAll(strings.ReplaceAll(c, "|", `\|`), "\n", " ") + " ")
		}
		_, _ = m.w.WriteString("|\n")
	}
	write(head)
	_, _ = m.w.WriteString(strings.Repeat("|---", len(head)) + "|\n")
	for _, r := range rows {
		write(r)
	}
	_, _ = m.w.WriteString("\n")
}

// facts writes a list of questions with their answers.
func (m *markdown) facts(list []fact) {
	for _, f := range list {
		_, _ = m.w.WriteString("- **" + text(f.Label) + "**: " + said(f.Text) + "\n")
	}
	_, _ = m.w.WriteString("\n")
}

func (m *markdown) more(n int) {
	if n > 0 {
		m.line(fmt.Sprintf("%d more are not listed.", n))
	}
}

func (m *markdown) fleet(f *fleetView) {
	m.line("## Fleet " + code(f.Name))
	m.line(text(f.Period))
	m.line("**" + said(f.Headline) + "**")
	m.facts(f.Facts)
	if f.Week != nil {
		m.levels(f.Week)
	}
	if f.Picture != nil {
		m.picture(f.Picture)
	}
	if f.Week != nil {
		m.week(f.Week)
	}
	for i := range f.Hotspots {
		m.hotspot(&f.Hotspots[i])
	}
	if len(f.Rest) > 0 {
		m.line("### The other hotspots")
	}
	var rows [][]string
	for _, r := range f.Rest {
		rows = append(rows, []string{fmt.Sprint(r.Number), code(r.Shard), text(r.Onset), text(r.Until), text(r.Peak + ", " + r.Severity), text(r.Cause), said(r.Object), text(r.Fix)})
	}
	m.table([]string{"No.", "Shard", "Onset", "Until", "Peak", "Cause", "Who", "Fix"}, rows)
	m.more(f.RestMore)
	m.notes(f)
	for i := range f.Leaders {
		m.board(&f.Leaders[i])
	}
	m.line("### Method and bounds")
	m.facts(f.Method)
}

func (m *markdown) levels(v *weekView) {
	m.line("### Service levels")
	var rows [][]string
	for _, l := range v.Levels {
		rows = append(rows, []string{text(l.Name), text(l.Goal), "**" + text(l.Mark) + "**", text(l.Text), text(l.Before)})
	}
	m.table([]string{"Level", "Goal", "Kept", "This period", "The period before"}, rows)
	m.line(text(v.Watched))
	rows = nil
	for _, d := range v.Down {
		rows = append(rows, []string{text(d.From), text(d.To), text(d.For), text(d.Why)})
	}
	m.table([]string{"Not watched from", "to", "for", "why"}, rows)
	m.more(v.DownMore)
}

func (m *markdown) picture(p *pictureView) {
	m.line("### Load of every shard")
	var rows [][]string
	for _, s := range p.Shards {
		over := ""
		if s.Over {
			over = " **over**"
		} else if s.Doubted {
			over = " perhaps over"
		}
		rows = append(rows, []string{code(s.Name), text(s.Peak) + over, text(s.Load), text(s.At), text(s.Mean), text(s.Hotspots)})
	}
	m.table([]string{"Shard", "Peak", "Load then", "When", "Average", "Hotspot"}, rows)
	m.more(p.ShardMore)
}

func (m *markdown) week(v *weekView) {
	m.line("### Remapped")
	var rows [][]string
	for _, r := range v.Remaps {
		rows = append(rows, []string{
			fmt.Sprint(r.Operation), text(r.When), text(r.What), code(r.Shard), said(r.By), text(r.Predicted), text(r.Measured), text(r.Relief), several(r.Outcome),
		})
	}
	m.table([]string{"No.", "When", "Fix", "Shard", "Approved", "Predicted", "Measured", "Hotspot over", "What became of it"}, rows)
	m.more(v.RemapsMore)
	if len(rows) == 0 {
		m.line(text(v.NoRemaps))
	}
	for _, p := range v.Remains {
		m.line(said(p))
	}
	if rows = nil; len(v.Scores) > 0 {
		m.line("### Scorecard of the fixes")
	}
	for _, s := range v.Scores {
		rows = append(rows, []string{text(s.Fix), fmt.Sprint(s.Proposed), fmt.Sprint(s.Approved), text(s.Carried), text(s.Held), text(s.Cooled)})
	}
	m.table([]string{"Fix", "Proposed", "Approved", "Carried out", "Held", "Not carried out, would have cooled"}, rows)
	if rows = nil; len(v.Who) > 0 {
		m.line("### Who is hot, when and why")
	}
	for _, w := range v.Who {
		rows = append(rows, []string{text(w.Cause), said(w.Who), said(w.Shards), text(w.Times), text(w.Peak), text(w.When), text(w.Trend)})
	}
	m.table([]string{"Why", "Who", "Shards", "How often, how long", "Worst", "When", "Trend"}, rows)
	m.more(v.WhoMore)
	if rows = nil; len(v.Decisions) > 0 {
		m.line("### Recommended and declined")
	}
	for _, d := range v.Decisions {
		rows = append(rows, []string{fmt.Sprint(d.Number), code(d.Shard), said(d.Fix), text(d.Effect), text(d.Cost), several(d.Outcome), several(d.Declined)})
	}
	m.table([]string{"No.", "Shard", "Recommended", "Effect", "Cost", "What became of it", "Declined, and why"}, rows)
	m.more(v.DecisionsMore)
}

// several writes sentences one after the other.
func several(list []phrase) string {
	all := make([]string, len(list))
	for i, p := range list {
		all[i] = said(p)
	}
	return strings.Join(all, " ")
}

// said is a phrase; the names in it, also those in quotes, stand as code.
func said(p phrase) string {
	var b strings.Builder
	for _, s := range p.Apart() {
		if s.Name {
			b.WriteString(code(s.Text))
			continue
		}
		b.WriteString(text(s.Text))
	}
	return b.String()
}

// text escapes what Markdown, and those who read it as GitHub does, would take for markup, a link or a mention.
func text(s string) string {
	return strings.NewReplacer("\u00a0", " ", `\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, "<", `\<`, ">", `\>`, "&", `\&`, "~", `\~`, "#", `\#`,
		"@", `\@`, "://", `:\/\/`, "www.", `www\.`).Replace(s)
}

// code is a name as a code span.
func code(s string) string {
	longest, n := 0, 0
	for _, c := range s {
		if n++; c != '`' {
			n = 0
		}
		longest = max(longest, n)
	}
	fence := strings.Repeat("`", longest+1)
	if s == "" || s[0] == '`' || s[len(s)-1] == '`' || s[0] == ' ' || s[len(s)-1] == ' ' {
		return fence + " " + s + " " + fence
	}
	return fence + s + fence
}

// shown is a sentence that may hold names in quotes.
func shown(s string) string { return said(words.Say(s)) }

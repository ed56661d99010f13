package realogs

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

const (
	shared = "../../../shared/data"
	few    = 5  // placements of a row with -short: too few to count abstentions
	some   = 20 // by default
	all    = 50 // with -long

	// At most one placement in so many may abstain. Twins are allowed more: with a fifth of the lines of their
	// logs many of their placements lie within the bounds of a boundary between causes.
	mostHeld      = 5
	mostHeldTwins = 3
)

// placements of each row in this run.
func placements() int {
	switch {
	case *long:
		return all
	case testing.Short():
		return few
	}
	return some
}

func needShared(t *testing.T) {
	t.Helper()
	if _, err := os.Stat(shared); err != nil {
		t.Skip("the real request logs (../shared/data) are not on this machine; the synthetic twins in testdata/twins are tested instead")
	}
}

// TestRealLogs replays every row for many placements: no placement is wrong, at most one in five abstains.
func TestRealLogs(t *testing.T) {
	needShared(t)
	table(t, "logs", rows(), shared+"/norm", mostHeld)
}

// score is a row of the printed table.
type score struct {
	n [wrong + 1]int // placements by class

	strays  int // plans for another fix than the verdict's
	reports []string
}

// table replays all rows and prints what they come to: go test -v shows it, -update writes it into the page.
func table(t *testing.T, name string, rows []row, dir string, most int) {
	t.Helper()
	scores := make([]score, len(rows))
	t.Run("rows", func(t *testing.T) {
		for i := range rows {
			r := &rows[i]
			t.Run(strings.ReplaceAll(r.name, " ", "_")+"/"+r.by, func(t *testing.T) {
				t.Parallel()
				scores[i] = r.replayAll(t, r.path(dir))
				scores[i].hold(t, most)
			})
		}
	})
	text := render(rows, scores)
	t.Log("\n" + text)
	if *update && !slices.ContainsFunc(scores, func(s score) bool { return s.n == [wrong + 1]int{} }) {
		publish(t, name, text)
	}
}

// render writes the scores as a Markdown table.
func render(rows []row, scores []score) string {
	var b strings.Builder
	b.WriteString("| slice | placed by | right | abstained | wrong | of |\n|---|---|---|---|---|---|\n")
	for i, s := range scores {
		if s.n == [wrong + 1]int{} {
			continue // not asked for
		}
		fmt.Fprintf(&b, "| %s | %s | %d | %d | %d | %d |\n", rows[i].name, rows[i].by, s.n[right], s.n[abstained], s.n[wrong], placements())
	}
	return b.String()
}

// page shows the tables, each between two comments.
const page = "../../docs/real-logs.md"

// publish puts a table between its comments in the page.
func publish(t *testing.T, name, text string) {
	t.Helper()
	old, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, ok := strings.Cut(string(old), "<!-- "+name+" -->\n")
	_, tail, closed := strings.Cut(rest, "<!-- end of "+name+" -->\n")
	if !ok || !closed {
		t.Fatalf("%s: no place for the table of %s", page, name)
	}
	text = head + "<!-- " + name + " -->\n" + text + "<!-- end of " + name + " -->\n" + tail
	if err := os.WriteFile(page, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// replayAll replays one row for all placements.
func (r *row) replayAll(t *testing.T, path string) score {
	t.Helper()
	log := readLog(t, path, r.from, r.to)
	var s score
	for salt := range placements() {
		p := placement{r.by, salt}
		said := run(t, p, r.record, path, r.replayFlags()...)
		f := r.judged(t, p, log, said)
		s.n[f.class]++
		if f.class != right {
			s.reports = append(s.reports, fmt.Sprintf("%s, salt %d: %s", f.class, salt, f.text))
		}
		for _, text := range said.strays() {
			s.strays++
			s.reports = append(s.reports, fmt.Sprintf("stray plan, salt %d: %s", salt, text))
		}
	}
	return s
}

// hold fails the test where the contract is broken.
func (s *score) hold(t *testing.T, most int) {
	t.Helper()
	report := "\n  " + strings.Join(s.reports, "\n  ")
	switch {
	case s.n[wrong] > 0:
		t.Errorf("%d of %d placements are wrong, none may be%s", s.n[wrong], placements(), report)
	case s.strays > 0:
		t.Errorf("%d plans for another fix than the verdict's%s", s.strays, report)
	case placements() > few && s.n[abstained]*most > placements():
		t.Errorf("%d of %d placements abstain, at most one in %d may%s", s.n[abstained], placements(), most, report)
	case len(s.reports) > 0:
		t.Log(report)
	}
}

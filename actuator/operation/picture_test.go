package operation_test

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"firebreak/actuator/operation"
)

var update = flag.Bool("update", false, "write the tables in docs/acting.md anew")

const actingPage = "../../docs/acting.md"

// TestTablesInDocs compares the tables of docs/acting.md with the machines: each stands between two marks.
func TestTablesInDocs(t *testing.T) {
	b, err := os.ReadFile(actingPage)
	if err != nil {
		t.Fatal(err)
	}
	page := string(b)
	for _, m := range operation.Machines() {
		from, to := "<!-- machine "+m.Name+" -->\n", "<!-- end "+m.Name+" -->\n"
		before, rest, ok := strings.Cut(page, from)
		got, after, end := strings.Cut(rest, to)
		if !ok || !end {
			t.Errorf("docs/acting.md has no marks for %s", m.Name)
			continue
		}
		want := "\n" + diagram(&m) + "\n" + table(&m) + "\n"
		if got != want && !*update {
			t.Errorf("docs/acting.md shows another %s; write it anew with -update. Want:\n%s", m.Name, want)
		}
		page = before + from + want + to + after
	}
	if *update {
		if err := os.WriteFile(actingPage, []byte(page), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for c := operation.InTurn; c <= operation.Graced; c++ {
		if !strings.Contains(page, "\n| "+c.String()+" |") {
			t.Errorf("docs/acting.md does not say what %q is there for", c)
		}
	}
}

// table has a row for each phase.
func table(m *operation.Machine) string {
	var b strings.Builder
	b.WriteString("| phase | what its write does | it is left when | a roll-back |\n|---|---|---|---|\n")
	for _, p := range m.Phases {
		var until []string
		for _, c := range p.Until {
			until = append(until, c.String())
		}
		back := "to " + p.Back
		if p.Back == "" {
			back = "no: " + p.NoBack
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", p.Name, p.Does, strings.Join(until, ", "), back)
	}
	return b.String()
}

// chain are the phases from one on, to the end.
func chain(m *operation.Machine, name string) []string {
	out := []string{name}
	for name != operation.Over && name != operation.Undone {
		i := slices.IndexFunc(m.Phases, func(p operation.Phase) bool { return p.Name == name })
		if name = m.Phases[i].Next; name == "" {
			name = m.Phases[i+1].Name
		}
		out = append(out, name)
	}
	return out
}

// diagram shows the way forward, and below it where a roll-back goes from each phase:
//
//	planned -> flip -> settle -> grace -> over
//	|          |       |         |
//	|          +-------+---------+-> restore -> undone
//	+-> undone
func diagram(m *operation.Machine) string {
	forward := chain(m, operation.Planned)
	column, columns, targets := 4, map[string][]int{}, []string{}
	for _, name := range forward {
		i := slices.IndexFunc(m.Phases, func(p operation.Phase) bool { return p.Name == name })
		if back := m.Phases[i].Back; back != "" {
			if columns[back] == nil {
				targets = append(targets, back)
			}
			columns[back] = append(columns[back], column)
		}
		column += len(name) + len(" -> ")
	}
	lines := []string{"    " + strings.Join(forward, " -> "), bars(targets, columns)}
	for len(targets) > 0 {
		target := targets[len(targets)-1]
		targets = targets[:len(targets)-1]
		at := columns[target]
		line := []byte(bars(append(slices.Clone(targets), target), columns))
		for i := at[0]; i < at[len(at)-1]; i++ {
			if line[i] == ' ' {
				line[i] = '-'
			}
		}
		for _, i := range at {
			line[i] = '+'
		}
		lines = append(lines, string(line[:at[len(at)-1]+1])+"-> "+strings.Join(chain(m, target), " -> "))
	}
	return strings.Join(lines, "\n") + "\n"
}

// bars is a line with a bar at each column of some targets.
func bars(targets []string, columns map[string][]int) string {
	line := []byte{}
	for _, target := range targets {
		for _, at := range columns[target] {
			for len(line) <= at {
				line = append(line, ' ')
			}
			line[at] = '|'
		}
	}
	return string(line)
}

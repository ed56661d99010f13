package operation_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"firebreak/actuator/operation"
)

// mutant is a machine or a decider that lacks something, and what a walk then breaks; from is the seed from which one is looked for.
type mutant struct {
	name   string
	tables []operation.Machine
	lacks  lacks
	breaks string
	from   uint64
}

func mutants() []mutant {
	all := []mutant{
		{"salt without readers: writers are raised first", operation.Skipping(operation.MachineSalt, operation.Readers), lacks{}, missed, 13},
		{"unsalt without fold: the read factor is lowered first", operation.Skipping(operation.MachineUnsalt, operation.Fold), lacks{}, missed, 40},
		{"salt without fold: the way back lowers it first", operation.Skipping(operation.MachineSalt, operation.Fold), lacks{}, missed, 24},
		{"words that are used up: an approval is used twice", operation.Machines(), lacks{usedWord: true}, approved, 3},
		{"reading back: a lost reply is taken as failed", operation.Machines(), lacks{lostReply: true}, notes, 17},
	}
	for _, x := range []struct {
		phase  string
		c      operation.Condition
		breaks string
		from   uint64
	}{
		{operation.Planned, operation.InTurn, inTurn, 3},
		{operation.Planned, operation.Free, budgets, 10},
		{operation.Planned, operation.Fresh, fresh, 48},
		{operation.Planned, operation.Fits, caps, 24},
		{operation.Planned, operation.Able, foldable, 10},
		{operation.Apply, operation.Confirmed, confirmed, 0},
		{operation.Flip, operation.Confirmed, confirmed, 0},
		{operation.Readers, operation.Confirmed, missed, 22},
		{operation.Readers, operation.Minute, missed, 294},
		{operation.Readers, operation.Fresh, fresh, 69},
		{operation.Readers, operation.Fits, caps, 70},
		{operation.Writers, operation.Confirmed, confirmed, 0},
		{operation.Lower, operation.Confirmed, confirmed, 24},
		{operation.Lower, operation.Minute, minute, 40},
		{operation.Lower, operation.Able, foldable, 52},
		{operation.Fold, operation.Asked, missed, 24},
		{operation.Leave, operation.Confirmed, confirmed, 40},
		{operation.Settle, operation.Settled, watched, 0},
		{operation.Grace, operation.Graced, graced, 0},
		{operation.Restore, operation.Confirmed, confirmed, 1},
		{operation.Unread, operation.Confirmed, confirmed, 0},
		{operation.Raise, operation.Confirmed, confirmed, 29},
	} {
		all = append(all, mutant{named(x.phase, x.c), operation.Without(x.phase, x.c), lacks{}, x.breaks, x.from})
	}
	return all
}

func named(phase string, c operation.Condition) string {
	return fmt.Sprintf("%s without %s", phase, c)
}

// TestEachConditionIsNeeded leaves out one condition after the other, in every table that has the phase, phases of the salts, and what
// a decider does beside the tables: each time a walk breaks just the property that is named, which none does with the whole tables (TestAnyOrder).
func TestEachConditionIsNeeded(t *testing.T) {
	covered := map[string]bool{}
	var rows strings.Builder
	rows.WriteString("\n| left out | what breaks |\n|---|---|\n")
	for _, m := range mutants() {
		covered[m.name] = true
		fmt.Fprintf(&rows, "| %s | %s |\n", m.name, m.breaks)
		t.Run(m.name, func(t *testing.T) { kill(t, &m) })
	}
	for _, c := range carryWaits() { // TestCarryWaits shows these
		covered[named(c.phase, c.c)] = true
	}
	for _, c := range doubleWaits() { // and TestDoubleWaits these
		covered[named(c.phase, c.c)] = true
	}
	for _, m := range operation.Machines() {
		for _, p := range m.Phases {
			for _, c := range p.Until {
				if !covered[named(p.Name, c)] {
					t.Errorf("nothing shows that %s: %s waits for %s for a reason", m.Name, p.Name, c)
				}
			}
		}
	}
	b, err := os.ReadFile(actingPage)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, _ := strings.Cut(string(b), "<!-- mutants -->\n")
	got, after, ok := strings.Cut(rest, "<!-- end mutants -->\n")
	switch {
	case !ok:
		t.Error("docs/acting.md has no marks for the mutants")
	case got != rows.String()+"\n" && *update:
		page := before + "<!-- mutants -->\n" + rows.String() + "\n<!-- end mutants -->\n" + after
		if err := os.WriteFile(actingPage, []byte(page), 0o600); err != nil {
			t.Fatal(err)
		}
	case got != rows.String()+"\n":
		t.Errorf("docs/acting.md has other mutants; write them anew with -update. Want:\n%s", rows.String())
	}
}

// kill looks for a walk that breaks what a mutant is to break.
func kill(t *testing.T, m *mutant) {
	t.Helper()
	others := map[string]int{}
	for seed := m.from; seed < m.from+400; seed++ {
		w := seeded(t, seed, m.tables)
		w.lacks = m.lacks
		w.run(60)
		if w.broken == m.breaks {
			t.Logf("seed %d: %s: %s", seed, w.broken, w.why)
			return
		}
		others[w.broken]++
	}
	t.Errorf("no walk breaks %q; what broke: %v", m.breaks, others)
}

package operation_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"firebreak/actuator/operation"
	"firebreak/policy"
	"firebreak/routing/control"
)

// TestPath: from every phase of every machine the way leads to the end, and the operation stands in one place of it.
func TestPath(t *testing.T) {
	for _, m := range operation.Machines() {
		for _, p := range m.Phases {
			way, err := operation.Path(&control.Operation{Number: 1, Machine: m.Name, Phase: p.Name})
			if err != nil {
				t.Fatal(err)
			}
			now := -1
			for i := range way {
				if way[i].Now {
					if now >= 0 || way[i].Name != p.Name {
						t.Errorf("%s/%s: now in %s too", m.Name, p.Name, way[i].Name)
					}
					now = i
				}
			}
			for i := range way {
				if way[i].Done != (i < now) {
					t.Errorf("%s/%s: %s is done: %v", m.Name, p.Name, way[i].Name, way[i].Done)
				}
			}
			if last := way[len(way)-1].Name; now < 0 || last != operation.Over && last != operation.Undone {
				t.Errorf("%s/%s: it ends at %s: %v", m.Name, p.Name, last, way)
			}
		}
	}
	if _, err := operation.Path(&control.Operation{Machine: "newer", Phase: "x"}); err == nil {
		t.Error("a machine of a newer version is known")
	}
}

// TestPathOfASalt: what it says of a salt on its way, and on its way back from two phases.
func TestPathOfASalt(t *testing.T) {
	for _, c := range []struct {
		phase string
		back  bool
		want  string
	}{
		{operation.Writers, false, "planned+ readers+ writers! settle grace over"},
		{operation.Unread, true, "unread! undone"},
		{operation.Fold, true, "lower+ fold! leave undone"},
	} {
		way, err := operation.Path(&control.Operation{Machine: operation.MachineSalt, Phase: c.phase, Back: c.back})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, s := range way {
			mark := ""
			if s.Done {
				mark = "+"
			}
			if s.Now {
				mark = "!"
			}
			got = append(got, s.Name+mark)
		}
		if diff := cmp.Diff(c.want, strings.Join(got, " ")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.phase, diff)
		}
	}
}

// TestLines: what is shown of a plan beforehand is what it is carried out by.
func TestLines(t *testing.T) {
	r := newRig(t)
	r.load(3, 0, 4, 8)
	p := r.plan(policy.FixSplit, split())
	want, err := operation.Steps(r.state, p, r.terms())
	if err != nil {
		t.Fatal(err)
	}
	got, err := r.numbers.Lines(r.state, p.ID, &operation.Around{Moving: operation.MovingRouting})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, n := range []operation.Numbers{r.numbers, {}} {
		if _, err := n.Lines(r.state, "another", &operation.Around{}); !errors.Is(err, operation.ErrNoPlan) {
			t.Errorf("another plan: %v", err)
		}
	}
}

package report

import (
	"fmt"
	"strings"
	"testing"

	"firebreak/policy"
)

// onShard is a key that lives on a shard, the n-th such.
func (f *fleet) onShard(shard, n int) string {
	for i := 0; ; i++ {
		key := fmt.Sprint("hot:", i)
		if int(f.table.Locate([]byte("t"), []byte(key)).Shard) != shard {
			continue
		}
		if n--; n < 0 {
			return key
		}
	}
}

// doing is what the page says is to be done, and the sentence and costs of its hotspot.
func doing(t *testing.T, f *fleet, methods bool) (do, sentence, taken string) {
	t.Helper()
	out := f.of()
	out.Summary.Methods = methods
	_, root := rendered(t, &Run{Fleets: []Fleet{out}})
	for _, li := range all(root, "li", "taken") {
		taken += textOf(li)
	}
	teller := newTeller(&out, "f", fullLimits())
	if len(teller.ranked) == 0 {
		t.Fatal("nothing is hot")
	}
	return teller.doText(teller.ranked[0]).String(), teller.sentence(teller.ranked[0]).String(), taken
}

// TestSeveralSteps: what a plan of several keys brings is said of all its steps, not of the first.
func TestSeveralSteps(t *testing.T) {
	f := newFleet(t, 16, "key")
	for n := range 2 {
		f.sources = append(f.sources, source{"t", f.onShard(3, n), 0, steadyFrom(12, 900)})
	}
	f.run(40)
	do, sentence, taken := doing(t, f, false)
	for _, want := range []struct{ in, has string }{
		{do, "Salt the key"},
		{do, "Then: salt key"},
		{do, "All 2 steps together take the shard from"},
		{sentence, "With 1 more step that leaves"},
		{taken, "together with 1 more step of the plan"},
	} {
		if !strings.Contains(strings.ReplaceAll(want.in, "\u00a0", " "), want.has) {
			t.Errorf("no %q in %q", want.has, want.in)
		}
	}
	if strings.Contains(do, "It takes the shard") {
		t.Errorf("the effect is given to the first step: %s", do)
	}
	one := newFleet(t, 16, "key")
	one.sources = append(one.sources, source{"t", one.onShard(3, 0), 0, steadyFrom(12, 900)})
	one.run(40)
	if do, sentence, taken := doing(t, one, false); !strings.Contains(do, "It takes the shard from") || !strings.Contains(sentence, "That leaves") || strings.Contains(taken, "together") {
		t.Errorf("one step: %s / %s / %s", do, sentence, taken)
	}
}

// steadyFrom is a rate from a pane on.
func steadyFrom(from int, rate float64) func(int) float64 { return between(from, 1<<30, rate) }

// TestMethodsAreDoubted: a cache and a salt say what they rest on, where reads and writes are methods of HTTP.
func TestMethodsAreDoubted(t *testing.T) {
	for _, tt := range []struct {
		reads float64
		want  string
	}{{1, "if a GET of it writes"}, {0, "if a POST of it only reads"}} {
		f := newFleet(t, 16, "key")
		f.sources = append(f.sources, source{"t", f.onShard(3, 0), tt.reads, steadyFrom(12, 900)})
		f.run(40)
		if do, _, _ := doing(t, f, true); !strings.Contains(do, tt.want) {
			t.Errorf("reads %g: no %q in %q", tt.reads, tt.want, do)
		}
		if do, _, _ := doing(t, f, false); strings.Contains(do, "HTTP") {
			t.Errorf("reads %g: ops that are declared are doubted: %q", tt.reads, do)
		}
	}
}

// TestRevisedLine: a revised verdict says that its line and its mean are of two windows; with a capacity they do not depend
// on one.
func TestRevisedLine(t *testing.T) {
	const told = "The line is of the mean when it fired"
	for _, capacity := range []float64{0, 400} {
		f := newFleet(t, 16, "key")
		f.cfg.Capacity = policy.Capacity{Total: capacity}
		f.sources = append(f.sources, source{"t", f.onShard(3, 0), 0, between(12, 40, 900)}, source{"t", f.onShard(3, 1), 0, between(40, 200, 900)})
		f.run(30)
		whole := f.of()
		teller := newTeller(&whole, "f", fullLimits())
		if text := teller.whatText(teller.ranked[0]).String(); strings.Contains(text, told) {
			t.Errorf("capacity %g: revised although it was not: %s", capacity, text)
		}
		f.run(90)
		whole = f.of()
		teller = newTeller(&whole, "f", fullLimits())
		h := teller.ranked[0]
		if text := teller.whatText(h).String(); h.changed == 0 || strings.Contains(text, told) != (capacity == 0) {
			t.Errorf("capacity %g: revised %d times, %s", capacity, h.changed, text)
		}
	}
}

package scenario

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"firebreak/policy"
	"firebreak/routing"
)

// expect judges what must be true of all since the story began. Its error lists what is not.
func (p *Player) expect(a *args) error {
	if len(p.fleets) == 0 {
		return errors.New("expect: there is no story yet")
	}
	f := p.fleets[0]
	if of := a.word("fleet", f.setup.name); of != f.setup.name {
		at := slices.IndexFunc(p.fleets, func(f *fleet) bool { return f.setup.name == of })
		if at < 0 {
			return fmt.Errorf("expect: no fleet %q", of)
		}
		f = p.fleets[at]
	}
	t := &f.tally
	if t.ticks == 0 && f.table != nil {
		a.bad("nothing was judged at all")
	}
	t.expectCounts(a)
	t.expectWords(a)
	t.expectNumbers(a)
	if even := a.share("even", 0); even > 0 {
		f.expectEven(a, even)
	}
	return a.done()
}

func (t *tally) expectCounts(a *args) {
	critical := 0
	for i := range t.firing {
		if t.firing[i].Severity == policy.SeverityCritical {
			critical++
		}
	}
	for _, c := range []struct {
		name string
		got  int
	}{
		{"hotspots", len(t.hotspots)},
		{"lines", len(t.firing)},
		{"resolved", t.resolved},
		{"critical", critical},
		{"operations", len(t.operations)},
		{"findings", len(t.findings)},
		{"undos", len(t.undos)},
	} {
		if want := a.integer(c.name, -1); want >= 0 && c.got != want {
			a.bad("%s: %d, want %d", c.name, c.got, want)
		}
	}
}

// expectWords: every firing line says one of the words given, and each of them is said.
func (t *tally) expectWords(a *args) {
	for _, w := range []struct {
		name string
		of   func(*policy.Verdict) string
	}{
		{"cause", func(v *policy.Verdict) string { return v.Cause.String() }},
		{"fix", func(v *policy.Verdict) string { return v.Fix.String() }},
		{"key", func(v *policy.Verdict) string { return v.Key }},
		{"tenant", func(v *policy.Verdict) string { return v.Tenant }},
		{"shard", func(v *policy.Verdict) string { return v.Shard }},
		{"caller", func(v *policy.Verdict) string { return v.Caller }},
		{"dimension", func(v *policy.Verdict) string { return v.Dimension.String() }},
	} {
		if want, ok := a.find(w.name); ok {
			got := map[string]bool{}
			for i := range t.firing {
				got[w.of(&t.firing[i])] = true
			}
			sameSet(a, w.name, got, want)
		}
	}
	if want, ok := a.find("contributors"); ok {
		got := map[string]bool{}
		for i := range t.firing {
			for _, c := range t.firing[i].Contribute {
				got[map[bool]string{true: c.Key, false: c.Tenant}[c.Cause == policy.CauseHotKey]] = true
			}
		}
		sameSet(a, "contributors", got, want)
	}
	for name, got := range map[string]map[string]bool{"advice": t.advice, "held": t.heldSet()} {
		for _, want := range a.words(name) {
			if want == "none" && len(got) > 0 || want != "none" && !got[want] {
				a.bad("%s: %v, want %s", name, slices.Sorted(maps.Keys(got)), want)
			}
		}
	}
	for _, never := range a.words("never") {
		if t.heldSet()[never] {
			a.bad("held: %s, want it never", never)
		}
	}
	for _, text := range a.words("finding") {
		if !slices.ContainsFunc(t.findings, func(f string) bool { return strings.Contains(f, text) }) {
			a.bad("findings: %q, want one with %q", t.findings, text)
		}
	}
}

func sameSet(a *args, name string, got map[string]bool, want []string) {
	sorted := slices.Sorted(slices.Values(want))
	if have := slices.Sorted(maps.Keys(got)); !slices.Equal(have, sorted) {
		a.bad("%s: %q, want %q", name, have, sorted)
	}
}

// quantity is a number of a firing line that can be expected.
type quantity struct {
	name string
	of   func(v *policy.Verdict, fix *policy.Projection) float64
}

func quantities() []quantity {
	return []quantity{
		{"salt", func(_ *policy.Verdict, p *policy.Projection) float64 { return float64(p.Salt) }},
		{"read_multiplier", func(_ *policy.Verdict, p *policy.Projection) float64 { return p.ReadMultiplier }},
		{"key_read_multiplier", func(_ *policy.Verdict, p *policy.Projection) float64 { return p.KeyReadMultiplier }},
		{"after", func(_ *policy.Verdict, p *policy.Projection) float64 { return p.Shard }},
		{"share", func(v *policy.Verdict, _ *policy.Projection) float64 { return v.Share.Value }},
		{"load", func(v *policy.Verdict, _ *policy.Projection) float64 { return v.Load }},
		{"mean", func(v *policy.Verdict, _ *policy.Projection) float64 { return v.Mean }},
		{"imbalance", func(v *policy.Verdict, _ *policy.Projection) float64 { return v.Imbalance }},
		{"read_share", func(v *policy.Verdict, _ *policy.Projection) float64 { return v.ReadShare }},
	}
}

// expectNumbers: every firing line has the number, exactly or, written (value, tolerance), within it; within= bounds the time from
// the onset to the first of them.
func (t *tally) expectNumbers(a *args) {
	for _, q := range quantities() {
		vals, ok := a.find(q.name)
		if !ok {
			continue
		}
		if len(vals) == 0 || len(vals) > 2 || len(t.firing) == 0 {
			a.bad("%s: %d values and %d lines, want a value or (value, tolerance), and a line", q.name, len(vals), len(t.firing))
			continue
		}
		want, tolerance := numberOf(a, vals[0]), 1e-9
		if len(vals) == 2 {
			tolerance = numberOf(a, vals[1])
		}
		for i := range t.firing {
			v := &t.firing[i]
			if got := q.of(v, taken(v)); math.Abs(got-want) > tolerance {
				a.bad("%s: %s has %v, want %v within %v", q.name, v.Shard, got, want, tolerance)
			}
		}
	}
	within := a.duration("within", 0)
	if within == 0 {
		return
	}
	if len(t.firing) == 0 {
		a.bad("within: nothing fired, want it in %s", within)
	} else if took := t.at[0] - t.firing[0].Onset.Sub(start()); took > within {
		a.bad("within: %s after the onset, want %s", took, within)
	}
}

// taken is the projection of the fix that a verdict shows; empty where it shows none.
func taken(v *policy.Verdict) *policy.Projection {
	for i := range v.Projected {
		if v.Projected[i].Fix == v.Fix {
			return &v.Projected[i]
		}
	}
	return &policy.Projection{}
}

func numberOf(a *args, text string) float64 {
	if v, err := strconv.ParseFloat(text, 64); err == nil {
		return v
	}
	v, err := parseShare(text)
	if err != nil {
		a.bad("%w", err)
	}
	return v
}

// expectEven: in the last window every serving shard's load is the mean's, within a share of it.
func (f *fleet) expectEven(a *args, within float64) {
	loads := map[routing.ShardID]float64{}
	var sum float64
	for _, pane := range f.last.Panes {
		for _, v := range pane.VShards {
			loads[f.last.Table.Owner(v.VShard)] += v.Load
			sum += v.Load
		}
	}
	n := 0
	for _, s := range f.last.Table.Document().Shards {
		if s.Role == routing.Serving {
			n++
		}
	}
	mean := sum / float64(n)
	for i, s := range f.last.Table.Document().Shards {
		if s.Role == routing.Serving && math.Abs(loads[routing.ShardID(i)]-mean) > within*mean {
			a.bad("even: %s has %.3f x the mean, want 1 within %v", s.Name, loads[routing.ShardID(i)]/mean, within)
		}
	}
}

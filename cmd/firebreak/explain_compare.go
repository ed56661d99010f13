package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"firebreak/actuator"
	"firebreak/internal/config"
	"firebreak/internal/history"
	"firebreak/internal/line"
	"firebreak/policy"
)

// explanation is one verdict judged again. Its JSON form is a contract (schema 1), see docs/explain.md.
type explanation struct {
	Schema       int           `json:"schema"`
	Type         string        `json:"type"` // explain
	Fleet        line.Name     `json:"fleet"`
	Hotspot      line.Name     `json:"hotspot"`
	Time         line.Stamp    `json:"time"`          // of the verdict
	Build        string        `json:"build"`         // that judged it then
	This         string        `json:"this"`          // that judges it now
	AsConfigured bool          `json:"as_configured"` // the policy is that of the file, not of then
	Digest       string        `json:"digest"`        // SHA-256 of the decision and the state that were returned then
	Same         bool          `json:"same"`          // the decision and the state are those of then, to the byte
	Told         int           `json:"told"`          // lines of the journal that were compared
	Differences  []difference  `json:"differences"`   // in what the journal has of this hotspot, at most maxDifferences
	More         int           `json:"more_differences,omitzero"`
	Verdicts     []string      `json:"verdicts"` // times of all that there is evidence of, as --at takes them
	Verdict      *line.Verdict `json:"verdict"`  // as judged now; null = nothing is said of the hotspot now
	Plan         *line.Plan    `json:"plan"`
	Holds        []*line.Hold  `json:"holds"`
	Sums         []sum         `json:"arithmetic"`

	hidden   bool // names are to be shown nowhere
	hot      *spotted
	decision policy.Decision
	evidence *history.Evidence
}

// difference is one value that is another one now. An empty text is a value that is not there.
type difference struct {
	At   string `json:"at"` // "verdict.load"
	Then string `json:"then"`
	Now  string `json:"now"`
}

// maxDifferences is how many are listed.
const maxDifferences = 60

// explained judges evidence again and compares the answer with what was told.
func explained(cfg *config.Config, hot *spotted, e *history.Evidence, f *found) (*explanation, error) {
	d, err := history.Replay(e)
	if err != nil && !errors.Is(err, history.ErrDiffers) {
		return nil, err
	}
	x := &explanation{
		Schema: 1, Type: "explain", Fleet: line.Name(hot.fleet), Hotspot: line.Name(hot.id), Time: line.Stamp(moment(e.Now)), Build: e.Build, This: thisBuild(),
		Digest: fmt.Sprintf("%x", e.Digest), Same: err == nil, Verdicts: f.times(), Holds: []*line.Hold{}, Differences: []difference{},
		hidden: cfg.Redact() != nil, hot: hot, decision: d, evidence: e,
	}
	now, err := x.lines(cfg)
	if err != nil {
		return nil, err
	}
	for _, was := range f.at(e.Now) {
		if err := x.compare(was, now); err != nil {
			return nil, err
		}
	}
	if over := len(x.Differences) - maxDifferences; over > 0 {
		x.Differences, x.More = x.Differences[:maxDifferences], over
	}
	if v := x.verdict(); v != nil && v.Phase == policy.PhaseFiring {
		x.Sums = arithmetic(e, v)
	}
	return x, nil
}

// verdict is what is said of the hotspot now; nil = nothing.
func (x *explanation) verdict() *policy.Verdict {
	for i := range x.decision.Verdicts {
		if x.decision.Verdicts[i].Hotspot == x.hot.id {
			return &x.decision.Verdicts[i]
		}
	}
	return nil
}

// lines are what the journal would have of the hotspot now, by kind and, of holds, their reason.
func (x *explanation) lines(cfg *config.Config) (map[string]line.Line, error) {
	e, d := x.evidence, x.decision
	tick := &actuator.Tick{
		Fleet: e.Snapshot.Fleet, Now: e.Now, Pane: e.Snapshot.Panes[len(e.Snapshot.Panes)-1].Start.Add(e.Snapshot.Pane), Table: e.Snapshot.Table, Decision: &d, State: &policy.State{},
	}
	entries, _, err := actuator.Scribe{Redact: cfg.Redact()}.Write(tick, actuator.Told{})
	if err != nil {
		return nil, err
	}
	out := map[string]line.Line{}
	for i := range entries {
		if entries[i].Hotspot != x.hot.id || entries[i].Phase == actuator.PhaseEnded {
			continue
		}
		l, err := line.Decode(entries[i].Line)
		if err != nil {
			return nil, err
		}
		switch v := l.(type) {
		case *line.Verdict:
			x.Verdict = v
		case *line.Plan:
			x.Plan = v
		case *line.Hold:
			x.Holds = append(x.Holds, v)
		}
		out[called(l)] = l
	}
	return out, nil
}

// called names a line beside the others of its hotspot.
func called(l line.Line) string {
	if h, ok := l.(*line.Hold); ok {
		return "hold " + h.Reason
	}
	return l.Top().Type
}

// compare adds the differences of one entry of the journal. What was cut from it is not compared, nor are the words of the store, which are
// no part of a decision.
func (x *explanation) compare(was *actuator.Entry, now map[string]line.Line) error {
	then, err := line.Decode(was.Line)
	if errors.Is(err, line.ErrSchema) || len(was.Cut) > 0 && slices.Contains(was.Cut, "line") {
		return nil
	}
	if err != nil {
		return fmt.Errorf("journal: entry %s: %w", was.ID, err)
	}
	x.Told++
	a, err := flat(then)
	if err != nil {
		return err
	}
	l := now[called(then)]
	if l == nil {
		x.Differences = append(x.Differences, difference{called(then), "was told", ""})
		return nil
	}
	b, err := flat(l)
	if err != nil {
		return err
	}
	for _, path := range paths(a, b) {
		cut := slices.ContainsFunc(was.Cut, func(member string) bool { return strings.Contains(path, member) })
		if a[path] != b[path] && !cut {
			x.Differences = append(x.Differences, difference{called(then) + "." + path, a[path], b[path]})
		}
	}
	return nil
}

// flat is a line as its values by their paths.
func flat(l line.Line) (map[string]string, error) {
	if p, ok := l.(*line.Plan); ok {
		for i := range p.Steps {
			p.Steps[i].InStore = nil
		}
	}
	b, err := line.Encode(l)
	if err != nil {
		return nil, err
	}
	var v any
	if err := json.Unmarshal(b, &v); err != nil {
		return nil, err
	}
	out := map[string]string{}
	var walk func(path string, v any)
	walk = func(path string, v any) {
		switch v := v.(type) {
		case map[string]any:
			for name, inner := range v {
				walk(strings.TrimPrefix(path+"."+name, "."), inner)
			}
		case []any:
			for i, inner := range v {
				walk(path+"["+strconv.Itoa(i)+"]", inner)
			}
		case float64:
			out[path] = strconv.FormatFloat(v, 'g', -1, 64)
		default:
			out[path] = fmt.Sprint(v)
		}
	}
	walk("", v)
	return out, nil
}

// paths are those of either, sorted.
func paths(a, b map[string]string) []string {
	var all []string
	for _, m := range []map[string]string{a, b} {
		for path := range m {
			all = append(all, path)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

package report

import (
	"fmt"
	"strings"

	"firebreak/actuator/operation"
	"firebreak/dashboards/draw"
	"firebreak/internal/line"
	"firebreak/internal/words"
	"firebreak/routing"
)

// remapRow is an operation that was carried out.
type remapRow struct {
	Operation uint64
	When      string
	What      string // its fix
	Shard     string // bytes, cut
	By        phrase // who approved it
	Predicted string
	Measured  string
	Relief    string
	Outcome   []phrase
}

// noRemaps says why there are none.
const noRemaps = "None: firebreak changed nothing in this time. It watches, proves what would help, and leaves the doing to people."

// remaps are the operations of the period.
func (t *teller) remaps() (rows []remapRow, more int) {
	all := t.f.Week.operations()
	shown := min(len(all), t.limits.shards)
	for _, o := range all[:shown] {
		rows = append(rows, t.remap(o))
	}
	return rows, len(all) - shown
}

func (t *teller) remap(o *acted) remapRow {
	row := remapRow{
		Operation: o.number, When: draw.Clock(o.began), What: words.Fix(o.fix), Shard: draw.Name(o.shard, draw.MaxName), By: say("by itself"),
		Predicted: t.predicted(o), Measured: "–", Relief: t.relief(o),
	}
	if o.by != "" {
		row.By = say(nameOf(o.by))
	}
	if o.before > 0 {
		row.Measured = draw.Percent(o.before) + " to " + draw.Percent(o.after) + " of its target"
	}
	outcome := "goes on, in phase " + o.step
	if o.outcome != "" {
		outcome = strings.ReplaceAll(o.outcome, "_", " ")
	}
	if o.judgedAs != "" {
		outcome += " after it was judged " + strings.ReplaceAll(o.judgedAs, "_", " ")
	}
	row.Outcome = append(row.Outcome, say(capital(outcome), ": ", words.Ended(o.text)))
	if o.needs != "" {
		row.Outcome = append(row.Outcome, say("A person is needed: ", words.Ended(o.needs)))
	}
	if o.revocable() {
		row.Outcome = append(row.Outcome, say(fmt.Sprintf("To undo it: firebreak actions rollback %d --reason WHY --config FILE", o.number)))
	}
	return row
}

// predicted is what the plan promised for the shard, all of its operations together.
func (t *teller) predicted(o *acted) string {
	promised, known := t.f.Week.plans[o.plan]
	h := t.f.Week.heard[o.hotspot]
	if !known || h == nil || h.told.Load <= 0 {
		return "–"
	}
	text := t.rate(h.told.Load) + " to " + t.rate(promised)
	if h.told.Target > 0 {
		text = draw.Percent(h.told.Load/h.told.Target) + " to " + draw.Percent(promised/h.told.Target) + " of its target"
	}
	return text
}

// relief is how long after its onset the hotspot was over, against the goal.
func (t *teller) relief(o *acted) string {
	w := t.f.Week
	h := w.heard[o.hotspot]
	if h == nil {
		return "–"
	}
	after, over := w.mitigated(o)
	switch {
	case !over:
		return "not over " + draw.Span(w.to.Sub(h.told.Onset)) + " after onset"
	case after <= mitigateGoal:
		return draw.Span(after) + " after onset, in time"
	}
	return draw.Span(after) + " after onset, late"
}

// remains are what is to be known of all operations: how many were taken back, and what stands that is of no use any more.
func (t *teller) remains() (out []phrase) {
	w := t.f.Week
	all, back := w.operations(), 0
	for _, o := range all {
		if o.undone() {
			back++
		}
	}
	if back > 0 {
		out = append(out, say(fmt.Sprintf("%d of %s taken back.", back, draw.Count(len(all), "operation"))))
	}
	for _, s := range capped(w.useless(routing.EntryTenant), t.limits.notes) {
		out = append(out, say("The tenant ", nameOf(s.entry.Name), " is stranded: it was placed on ", draw.Clock(s.since), ", and its hotspot has been over since ", draw.Clock(w.heard[s.hotspot].resolved), ". Send it home."))
	}
	for _, s := range capped(w.useless(routing.EntrySalt), t.limits.notes) {
		out = append(out, say("The salt of ", nameOf(s.entry.Name), " can be lowered: it was set on ", draw.Clock(s.since), ", and its hotspot has been over since ", draw.Clock(w.heard[s.hotspot].resolved), "."))
	}
	return out
}

func capped[T any](all []T, most int) []T { return all[:min(len(all), most)] }

// ofHotspot are the outcomes of the operations for a hotspot.
func (t *teller) ofHotspot(id string) (out []phrase) {
	if t.f.Week == nil {
		return nil
	}
	for _, o := range t.f.Week.operations() {
		if o.hotspot == id && id != "" {
			what := o.outcome
			if what == "" {
				what = "in phase " + o.step
			}
			out = append(out, say(fmt.Sprintf("Operation %d: %s.", o.number, strings.ReplaceAll(what, "_", " "))))
		}
	}
	return out
}

// remapDocument is an operation as data.
type remapDocument struct {
	Operation uint64       `json:"operation"`
	Plan      string       `json:"plan"`
	Hotspot   line.Name    `json:"hotspot"`
	Fix       string       `json:"fix"`
	Shard     line.Name    `json:"shard"`
	By        line.Name    `json:"by"` // empty = by itself
	Began     line.Stamp   `json:"began"`
	InEffect  line.Stamp   `json:"in_effect"` // all clients went by it; null = they do not
	Phase     string       `json:"phase"`
	Outcome   string       `json:"outcome"` // empty = it goes on
	Undone    bool         `json:"undone"`
	Predicted line.Number  `json:"predicted"` // load of the shard, in shares of its target, that the plan promised; 0 = not known
	Before    line.Number  `json:"before"`    // measured, likewise
	After     line.Number  `json:"after"`
	Mitigated *line.Number `json:"mitigated"` // seconds from onset until the hotspot was over; null = it has none, or lasts
	Needs     line.Prose   `json:"needs"`     // why a person must act; empty = nobody must
	Text      line.Prose   `json:"text"`
}

// uselessDocument is a placement or a salt that nothing needs any more.
type uselessDocument struct {
	Tenant    line.Name  `json:"tenant"`
	Key       line.Name  `json:"key"` // of a salt
	Since     line.Stamp `json:"since"`
	Hotspot   line.Name  `json:"hotspot"`
	OverSince line.Stamp `json:"over_since"`
	Operation uint64     `json:"operation"`
}

func (w *Week) remapDocuments() []remapDocument {
	out := []remapDocument{}
	for _, o := range w.operations() {
		d := remapDocument{
			Operation: o.number, Plan: o.plan, Hotspot: line.Name(o.hotspot), Fix: o.fix, Shard: line.Name(o.shard), By: line.Name(o.by), Began: line.Stamp(o.began),
			InEffect: line.Stamp(o.effective), Phase: o.step, Outcome: o.outcome, Undone: o.undone() && o.step == operation.Undone, Before: line.Number(o.before),
			After: line.Number(o.after), Needs: line.Prose(o.needs), Text: line.Prose(o.text),
		}
		if h := w.heard[o.hotspot]; h != nil && h.told.Target > 0 {
			d.Predicted = line.Number(w.plans[o.plan] / h.told.Target)
		}
		if after, over := w.mitigated(o); over {
			is := seconds(after)
			d.Mitigated = &is
		}
		out = append(out, d)
	}
	return out
}

func (w *Week) uselessDocuments(kind routing.EntryKind) []uselessDocument {
	out := []uselessDocument{}
	for _, s := range w.useless(kind) {
		d := uselessDocument{Tenant: line.Name(s.entry.Name), Since: line.Stamp(s.since), Hotspot: line.Name(s.hotspot), OverSince: line.Stamp(w.heard[s.hotspot].resolved), Operation: s.operation}
		if kind == routing.EntrySalt {
			d.Tenant, d.Key = line.Name(s.entry.Tenant), line.Name(s.entry.Name)
		}
		out = append(out, d)
	}
	return out
}

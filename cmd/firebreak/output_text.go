package main

import (
	"fmt"
	"io"
	"strings"
	"time"

	"firebreak/internal/line"
	wording "firebreak/internal/words"
	"firebreak/policy"
)

// textPrinter writes what a person on call reads. Names come from the log and are escaped.
type textPrinter struct{ w io.Writer }

func newTextPrinter(w io.Writer) *textPrinter { return &textPrinter{w: w} }

// clock writes a time for people, in UTC.
func clock(t time.Time) string {
	if t.IsZero() {
		return "(a log without time)"
	}
	return t.UTC().Format("2006-01-02 15:04:05Z")
}

func (p *textPrinter) write(b *strings.Builder) error {
	_, err := io.WriteString(p.w, b.String())
	return err
}

func (p *textPrinter) verdict(v *policy.Verdict, with telling) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s  %s  %s  fleet %s, shard %s  (hotspot %s)\n", clock(v.Time), strings.ToUpper(v.Phase.String()), v.Severity,
		shownName(v.Fleet), shownName(v.Shard), v.Hotspot)
	if v.Phase == policy.PhaseResolved {
		say(&b, "what", fmt.Sprintf("resolved: %s; now %s, was hot since %s (%s)", v.Reason, perSecond(v.Load), clock(v.Onset), v.Time.Sub(v.Onset).Round(time.Second)))
		return p.write(&b)
	}
	say(&b, "what", whatText(v, with.revised))
	window := "in the whole log, whose requests stand for a rate"
	if !v.Time.IsZero() {
		say(&b, "since", fmt.Sprintf("%s, %s before this line", clock(v.Onset), v.Time.Sub(v.Onset).Round(time.Second)))
		window = fmt.Sprintf("from %s to %s", clock(v.From), v.To.UTC().Format("15:04:05Z"))
	}
	say(&b, "why", fmt.Sprintf("%s. %s", causeText(v), v.Reason))
	for i := range v.Contribute {
		if len(v.Contribute) > 1 {
			say(&b, "", contributorText(&v.Contribute[i]))
		}
	}
	say(&b, "evidence", fmt.Sprintf("%s on the shard %s, logged at the %s, coverage %s, placed by %s",
		wording.Telling(v.Samples), window, logPointText(v.LogPoint), percentShort(v.Coverage), v.Placement))
	if len(v.Missing) > 0 {
		say(&b, "open", strings.Join(v.Missing, "; "))
	}
	fixText(&b, v, with.plan)
	return p.write(&b)
}

func logPointText(l policy.LogPoint) string {
	if l == policy.LogPointUnknown {
		return "client or the shard (not declared)"
	}
	return l.String()
}

// whatText says how hot the shard is, against what. Without a capacity the line of a revised verdict is of another window
// than its mean.
func whatText(v *policy.Verdict, revised bool) string {
	unit := ""
	if v.Dimension != policy.DimensionTotal {
		unit = " of " + v.Dimension.String()
	}
	text := fmt.Sprintf("%s%s, %s the mean of %s; line %s, target %s", perSecond(v.Load), unit, times(v.Imbalance), perSecond(v.Mean),
		perSecond(v.Line), perSecond(v.Target))
	if revised && v.Capacity <= 0 {
		text += ", both of the mean when it fired"
	}
	if v.Capacity > 0 {
		text += fmt.Sprintf("; %s of its capacity of %s", percentShort(v.Load/v.Capacity), perSecond(v.Capacity))
	}
	return text
}

// readsText is the op mix, or that the log does not tell it.
func readsText(reads, unknown float64) string {
	if unknown > 0.5 {
		return "op unknown"
	}
	return percentShort(reads) + " reads"
}

// causeText names the cause and its object, with the share and its bounds.
func causeText(v *policy.Verdict) string {
	bounds := fmt.Sprintf("%s (%s to %s)", percentShort(v.Share.Value), percentShort(v.Share.Low), percentShort(v.Share.High))
	text := v.Cause.String()
	switch v.Cause {
	case policy.CauseHotKey:
		text += " " + shownName(v.Key)
		if v.Tenant != "" {
			text += " of tenant " + shownName(v.Tenant)
		}
		text += ": " + bounds + " of the shard"
	case policy.CauseWhaleTenant:
		text += " " + shownName(v.Tenant) + ": " + bounds + " of the shard"
	case policy.CauseVolume:
		text += ": the shard has " + bounds + " of the fleet, nobody alone is to blame"
	case policy.CauseUnknown:
		text += ": the evidence does not say who"
	}
	if v.Cause != policy.CauseUnknown {
		text += ", " + readsText(v.ReadShare, v.OpUnknown)
	}
	if v.Caller != "" {
		text += ", most of it sent by " + shownName(v.Caller)
	}
	return text
}

func contributorText(c *policy.Contribution) string {
	object := shownName(c.Key)
	if c.Cause == policy.CauseWhaleTenant {
		object = shownName(c.Tenant)
	}
	text := fmt.Sprintf("%s %s: %s, %s of the shard (%s to %s), %s", c.Cause, object, perSecond(c.Load), percentShort(c.Share.Value),
		percentShort(c.Share.Low), percentShort(c.Share.High), readsText(c.ReadShare, c.OpUnknown))
	if c.AboveTarget {
		text += "; too much for one shard by itself"
	}
	return text
}

// fixText says what to do and why the other fixes fail. What a plan of several steps brings, all of them bring.
func fixText(b *strings.Builder, v *policy.Verdict, plan *policy.Plan) {
	together := ""
	if plan != nil && plan.Fix == v.Fix && len(plan.Steps) > 1 {
		together = fmt.Sprintf(", all %d steps of the plan together", len(plan.Steps))
	}
	taken := false
	for i := range v.Projected {
		if q := &v.Projected[i]; q.Fix == v.Fix && v.Fix != policy.FixNone && !taken {
			taken = true
			text := fmt.Sprintf("%s%s: %s%s", v.Fix, together, q.Why, costText(q))
			if v.Fix == policy.FixSalt {
				text += ". " + wording.Merges()
			}
			say(b, "fix", text)
		}
	}
	if !taken {
		say(b, "fix", v.Fix.String())
	}
	for i := range v.Projected {
		if q := &v.Projected[i]; q.Fix != v.Fix {
			say(b, "not "+q.Fix.String(), q.Why)
		}
	}
}

// costText is what a fix leaves as the hottest shard and what it moves; what reads cost stands in its reason.
func costText(q *policy.Projection) string {
	of := "hottest shard"
	if q.Fix == policy.FixIsolate {
		of = "hottest of the shards that serve"
	}
	text := fmt.Sprintf(" (%s then %s, %s the mean", of, perSecond(q.Hottest), times(q.Imbalance))
	if q.Own > 0 {
		text += ", its own shard " + perSecond(q.Own)
	}
	if q.MovedShare > 0 {
		text += ", " + percentShort(q.MovedShare) + " of the load moves"
	}
	return text + ")"
}

func (p *textPrinter) plan(l *line.Plan, plan *policy.Plan, follows bool) error {
	var b strings.Builder
	if !follows {
		fmt.Fprintf(&b, "%s  PLAN  %s, fleet %s%s\n", clock(time.Time(l.Time)), planText(plan), shownName(string(l.Fleet)), ofHotspot(plan.Hotspot))
	}
	for i := range plan.Steps {
		label := "plan"
		if i > 0 {
			label = ""
		}
		say(&b, label, fmt.Sprintf("%d. %s", i+1, plan.Steps[i].Text))
		inStoreText(&b, l.Steps[i].InStore)
	}
	if lift := wording.Lift(l); lift != nil {
		say(&b, "", fmt.Sprintf("%d. %s", len(plan.Steps)+1, lift.Quoted()))
	}
	next := "a person decides: firebreak replay changes nothing"
	if !plan.Expires.IsZero() {
		next += "; plan " + plan.ID + " is good until " + clock(plan.Expires)
	}
	say(&b, "next", next)
	return p.write(&b)
}

// inStoreText says a step in the words of its store, if the fleet names one, with its commands as one copies them: a line each, however long.
func inStoreText(b *strings.Builder, in *line.InStore) {
	if in == nil {
		return
	}
	say(b, "", wording.InStore(in).Quoted())
	for _, command := range wording.Commands(in) {
		fmt.Fprintf(b, "%s%s\n", strings.Repeat(" ", 18), command)
	}
}

// planText names a plan by its fix.
func planText(plan *policy.Plan) string {
	if plan.Undo {
		return "undo " + plan.Fix.String()
	}
	return plan.Fix.String()
}

func ofHotspot(id string) string {
	if id == "" {
		return ""
	}
	return " (hotspot " + id + ")"
}

func (p *textPrinter) hold(fleet string, at line.Stamp, h policy.Hold, follows bool) error {
	var b strings.Builder
	switch {
	case follows:
		say(&b, "hold", fmt.Sprintf("%s: %s", h.Reason, h.Detail))
	case h.Hotspot == "":
		fmt.Fprintf(&b, "%s  HOLD  %s, fleet %s: %s\n", clock(time.Time(at)), h.Reason, shownName(fleet), printable(h.Detail))
	default:
		fmt.Fprintf(&b, "%s  HOLD  %s, fleet %s (hotspot %s)\n", clock(time.Time(at)), h.Reason, shownName(fleet), h.Hotspot)
		say(&b, "", h.Detail)
	}
	return p.write(&b)
}

func (p *textPrinter) advice(fleet string, at line.Stamp, a policy.Advice) error {
	where := "fleet " + shownName(fleet)
	if a.Shard != "" {
		where += ", shard " + shownName(a.Shard)
	}
	_, err := fmt.Fprintf(p.w, "%s  ADVICE  %s  %s\n  %s: %s\n", clock(time.Time(at)), a.Level, where, a.Topic, printable(a.Reason))
	return err
}

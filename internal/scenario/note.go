package scenario

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"firebreak/policy"
)

// notebook writes the on-call note of one run, and remembers what was said before it.
type notebook struct {
	out    strings.Builder
	show   []string
	digits int
	many   bool            // several fleets: lines name theirs
	said   map[string]bool // advice and findings
	held   map[string]string
}

func newNotebook(many bool) notebook {
	return notebook{many: many, said: map[string]bool{}, held: map[string]string{}}
}

func (n *notebook) open(show []string, digits int) {
	n.out.Reset()
	n.show, n.digits = show, max(1, digits)
}

func (n *notebook) close() string { return n.out.String() }

func (n *notebook) line(f *fleet, at time.Duration, format string, args ...any) {
	n.out.WriteString(clock(at))
	if n.many {
		n.out.WriteString(" " + f.setup.name)
	}
	n.out.WriteString(" " + fmt.Sprintf(format, args...) + "\n")
}

// more adds a line below one, for what only some stories show.
func (n *notebook) more(format string, args ...any) {
	n.out.WriteString("      " + nameless(fmt.Sprintf(format, args...)) + "\n")
}

// once says whether something is new, and remembers it.
func (n *notebook) once(f *fleet, what string) bool {
	key := f.setup.name + " " + what
	was := n.said[key]
	n.said[key] = true
	return !was
}

// leaderboards is what a fleet without a placement gets.
func (n *notebook) leaderboards(f *fleet) {
	if n.once(f, "leaderboards") {
		n.line(f, f.since(f.core.Now()), "no shard in the log and no placement: leaderboards only")
	}
}

// tick says what is new of a decision.
func (n *notebook) tick(f *fleet, d *policy.Decision, now time.Time) {
	at := f.since(now)
	n.gate(f, d, at)
	told := map[string]bool{}
	for i := range d.Verdicts {
		v := &d.Verdicts[i]
		told[v.Hotspot] = true
		n.verdict(f, d, v, at)
	}
	for i := range d.Open {
		v := &d.Open[i]
		if held, known := n.holds(f, d, v.Hotspot); known && !told[v.Hotspot] {
			n.line(f, at, "%s %s", v.Shard, held)
			n.details(d, v.Hotspot)
		}
	}
	for i := range d.Plans {
		if p := &d.Plans[i]; p.Undo && n.once(f, p.ID) {
			n.line(f, at, "undo: %s %s", p.Steps[0].Kind, shown(cmp.Or(p.Steps[0].Key, p.Steps[0].Tenant)))
		}
	}
	for _, a := range d.Advice {
		if n.once(f, fmt.Sprint(a.Shard, a.Topic, a.Level)) {
			n.line(f, at, "advice%s %s %s: %s", space(a.Shard), a.Topic, a.Level, a.Reason)
		}
	}
	for _, x := range d.Findings {
		if n.once(f, x.Shard+lettersOf(x.Reason)) {
			n.line(f, at, "finding%s: %s", space(x.Shard), x.Reason)
		}
	}
}

func space(s string) string {
	if s == "" {
		return ""
	}
	return " " + s
}

// gate says when the whole fleet cannot be judged, and when it can again.
func (n *notebook) gate(f *fleet, d *policy.Decision, at time.Duration) {
	var blind []string
	for _, h := range d.Holds {
		if d.Blind && h.Hotspot == "" && !slices.Contains(blind, h.Reason.String()) {
			blind = append(blind, h.Reason.String())
		}
	}
	now := strings.Join(blind, ", ")
	id := "fleet " + f.setup.name
	warm := policy.HoldWarmingUp.String()
	if now == warm && !slices.Contains(n.show, "warmup") {
		return
	}
	if was := n.held[id]; was != now {
		n.held[id] = now
		if now == "" {
			now = "nothing, it sees again"
		}
		n.line(f, at, "held: %s", now)
	}
}

// holds says what keeps the plan of a hotspot. news is false where this tick has neither a plan nor a hold for it, and
// where it says only what was said of the hotspot before.
func (n *notebook) holds(f *fleet, d *policy.Decision, hotspot string) (text string, news bool) {
	var reasons []string
	for _, h := range d.Holds {
		if h.Hotspot == hotspot && !slices.Contains(reasons, h.Reason.String()) {
			reasons = append(reasons, h.Reason.String())
			news = n.once(f, hotspot+" "+h.Reason.String()) || news
		}
	}
	if len(reasons) > 0 {
		n.held[hotspot] = "held"
		return "held: " + strings.Join(reasons, ", "), news
	}
	if !slices.ContainsFunc(d.Plans, func(p policy.Plan) bool { return p.Hotspot == hotspot }) {
		return "", false
	}
	news = n.held[hotspot] != "ready"
	n.held[hotspot] = "ready"
	return "ready", news
}

func (n *notebook) verdict(f *fleet, d *policy.Decision, v *policy.Verdict, at time.Duration) {
	if v.Phase == policy.PhaseResolved {
		delete(n.held, v.Hotspot)
		n.line(f, at, "resolved %s", v.Shard)
		return
	}
	phase := "firing"
	if !n.once(f, "fired "+v.Hotspot) {
		phase = "revised"
	}
	if v.Severity == policy.SeverityCritical {
		phase += " critical"
	}
	text := fmt.Sprintf("%s %s %s%s: %s; %s", phase, v.Shard, v.Cause, objects(f, v), n.numbers(f, v), n.fix(v))
	if held, _ := n.holds(f, d, v.Hotspot); held != "" {
		text += "; " + held
	}
	n.line(f, at, "%s", text)
	if slices.Contains(n.show, "note") {
		n.more("why: %s", v.Reason)
		for i := range v.Projected {
			n.more("%s: %s", v.Projected[i].Fix, v.Projected[i].Why)
		}
	}
	n.details(d, v.Hotspot)
}

// details lists the steps of a plan and what holds it.
func (n *notebook) details(d *policy.Decision, hotspot string) {
	if !slices.Contains(n.show, "note") {
		return
	}
	for i := range d.Plans {
		if d.Plans[i].Hotspot != hotspot {
			continue
		}
		for _, step := range d.Plans[i].Steps {
			n.more("step: %s", step.Text)
		}
	}
	for _, h := range d.Holds {
		if h.Hotspot == hotspot {
			n.more("%s: %s", h.Reason, h.Detail)
		}
	}
}

// objects names what the verdict names: all contributors, the first one first.
func objects(f *fleet, v *policy.Verdict) string {
	var names []string
	for _, c := range v.Contribute {
		name := shown(c.Tenant)
		if c.Cause == policy.CauseHotKey {
			name = shown(c.Key)
			if f.table != nil && f.table.Document().Placement.IdentifiesTenant() {
				name = shown(c.Tenant) + "/" + name
			}
		}
		names = append(names, name)
	}
	if v.Cause == policy.CauseUnknown || v.Cause == policy.CauseVolume || len(names) == 0 {
		return ""
	}
	text := " " + strings.Join(names, ", ")
	if v.Caller != "" {
		text += " by " + shown(v.Caller)
	}
	return text
}

func (n *notebook) numbers(f *fleet, v *policy.Verdict) string {
	text := n.rate(v.Load)
	if v.Cause == policy.CauseHotKey || v.Cause == policy.CauseWhaleTenant {
		text = fmt.Sprintf("%s of %s", n.percent(v.Share.Value), text)
	}
	if v.Dimension != policy.DimensionTotal {
		text += " " + v.Dimension.String()
	}
	text += fmt.Sprintf(", %s x mean %s", n.significant(v.Imbalance), n.rate(v.Mean))
	if v.Capacity > 0 {
		text += fmt.Sprintf(", %s of capacity", n.percent(v.Load/v.Capacity))
	}
	return text + ", since " + clock(f.since(v.Onset))
}

func (n *notebook) fix(v *policy.Verdict) string {
	for i := range v.Projected {
		p := &v.Projected[i]
		if p.Fix != v.Fix {
			continue
		}
		text := v.Fix.String()
		if p.Salt > 0 {
			text += fmt.Sprintf(" %d", p.Salt)
		}
		if p.Shards > 0 && v.Fix == policy.FixScaleOut {
			text += fmt.Sprintf(" by %d", p.Shards)
		}
		return fmt.Sprintf("%s -> %s", text, n.rate(p.Shard))
	}
	if v.Fix == policy.FixNone {
		return "no fix"
	}
	return v.Fix.String()
}

// end lists what is open when a run ends.
func (n *notebook) end(f *fleet, at time.Duration) {
	var open []string
	if f.table != nil {
		for _, s := range f.table.Document().Shards {
			if f.state.Detection.Shards[s.Name].Hotspot != nil {
				open = append(open, s.Name)
			}
		}
	}
	if len(open) == 0 {
		open = append(open, "none")
	}
	n.line(f, at, "open: %s", strings.Join(open, ", "))
}

// since is a moment as a time since the start of the story. A log without times is judged at its start.
func (f *fleet) since(at time.Time) time.Duration {
	if f.core.Timeless() {
		return 0
	}
	return at.Sub(start())
}

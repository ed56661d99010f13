package realogs

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// class is what one placement of a row comes to.
type class int

const (
	right class = iota
	abstained
	wrong
)

// String returns the word for c.
func (c class) String() string { return [...]string{"right", "abstained", "wrong"}[c] }

// finding is the class with its reason.
type finding struct {
	class class
	salt  int
	text  string
}

// boundaryMargin: a cause within this of a boundary between causes is anybody's guess; its fix is judged all the same.
const boundaryMargin = 0.15

// judge decides one placement of a row.
type judge struct {
	r    *row
	p    placement
	e    *exact // the whole slice
	said *said
}

// judged decides one placement of a row: wrong if any line that was printed is, else abstained if the hottest shard is
// certainly hot and has no fix.
func (r *row) judged(t *testing.T, p placement, log []request, s *said) finding {
	t.Helper()
	j := &judge{r: r, p: p, e: count(t, p, log), said: s}
	var wrongs, asides []string
	for i := range s.firing {
		v := &s.firing[i]
		if j.aside(t, v) {
			asides = append(asides, fmt.Sprintf("%s %s %s: right is silence", v.Time.Format("15:04:05"), v.Shard, v.told()))
			continue
		}
		if text := j.mistake(t, v); text != "" {
			wrongs = append(wrongs, fmt.Sprintf("%s %s %s: %s", v.Time.Format("15:04:05"), v.Shard, v.told(), text))
		}
	}
	for i := range s.plans {
		if text := j.badPlan(t, &s.plans[i]); text != "" {
			wrongs = append(wrongs, text)
		}
	}
	if len(wrongs) > 0 {
		return finding{wrong, p.salt, strings.Join(wrongs, "\n    ")}
	}
	if len(asides) > 0 {
		return finding{abstained, p.salt, strings.Join(asides, "\n    ")}
	}
	return j.silence(t)
}

// aside: where silence is right, a mere warning without any fix on a shard that was over its line in that very minute
// abstains. It is true, it asks for nothing, and nobody need have been told.
func (j *judge) aside(t *testing.T, v *verdict) bool {
	t.Helper()
	s := v.shard(t)
	if v.Severity != "warning" || v.Fix != "none" || !j.r.silent && (len(j.r.bursts) == 0 || j.inBurst(v, s)) {
		return false
	}
	own := j.own(t, v, time.Minute)
	return own.loads[s]*shards >= lineMean*own.total
}

// silence says whether the hottest shard lacks a verdict or a fix, or the row's object its best one.
func (j *judge) silence(t *testing.T) finding {
	t.Helper()
	hot := j.e.hottest()
	if j.r.silent || len(j.r.bursts) > 0 || j.r.object == "" && !j.e.certain(hot) {
		return finding{right, j.p.salt, ""}
	}
	if unlisted := j.unlisted(); j.r.lists && len(unlisted) > 0 {
		return finding{abstained, j.p.salt, "not listed: " + strings.Join(unlisted, ", ")}
	}
	last, named := j.said.last(hot), j.named(t)
	switch {
	case named != nil && named.Fix != "none" && named.Fix != j.r.fix:
		return finding{abstained, j.p.salt, "second best: " + named.told() + "; right is " + j.r.fix + "; " + j.e.say(hot)}
	case last == nil:
		return finding{abstained, j.p.salt, "silent; right: " + j.e.say(hot)}
	case last.Fix == "none":
		return finding{abstained, j.p.salt, last.told() + " (" + last.Reason + "); right: " + j.e.say(hot)}
	}
	return finding{right, j.p.salt, ""}
}

// named is the newest firing line about the row's object, where that is a true contributor.
func (j *judge) named(t *testing.T) *verdict {
	t.Helper()
	for i := len(j.said.firing) - 1; i >= 0; i-- {
		v := &j.said.firing[i]
		if !j.r.names(v) {
			continue
		}
		if truth := j.e.judge(v.shard(t)); truth.names(v.Cause, v.Key, v.Tenant) {
			return v
		}
	}
	return nil
}

// unlisted are the tenants over the target by themselves that no verdict lists.
func (j *judge) unlisted() []string {
	listed := map[string]bool{}
	for _, v := range j.said.firing {
		for _, c := range v.Contributors {
			listed[c.Tenant] = true
		}
	}
	loads := map[string]float64{}
	for _, r := range j.e.log {
		loads[r.tenant] += r.count
	}
	var out []string
	for tenant, load := range loads {
		if load > j.e.line() && !listed[tenant] {
			out = append(out, fmt.Sprintf("%s (%.1f x mean)", tenant, load*shards/j.e.total))
		}
	}
	slices.Sort(out)
	return out
}

// last is the newest firing line of a shard.
func (s *said) last(hot int) *verdict {
	for i := len(s.firing) - 1; i >= 0; i-- {
		if s.firing[i].Shard == "shard-"+itoa(hot) {
			return &s.firing[i]
		}
	}
	return nil
}

// told is the verdict in short.
func (v *verdict) told() string {
	return fmt.Sprintf("%.2f x mean, %s %q %q, fix %s", v.Imbalance, v.Cause, v.Key, v.Tenant, v.Fix)
}

// say is the truth of a shard in short.
func (e *exact) say(s int) string {
	truth := e.judge(s)
	text := fmt.Sprintf("shard-%d %.2f x mean, %s", s, e.loads[s]*shards/e.total, truth.cause)
	for _, c := range truth.contributors {
		text += fmt.Sprintf(" %q %q %.0f%%", c.key, c.tenant, 100*c.load/e.loads[s])
	}
	return text + fmt.Sprintf(", margin %.0f%%", min(999, 100*truth.margin))
}

// mistake says what is wrong with a firing line, its plan apart; empty = nothing.
func (j *judge) mistake(t *testing.T, v *verdict) string {
	t.Helper()
	s := v.shard(t)
	bases := j.bases(t, v, s)
	switch {
	case v.Severity != "warning":
		return "severity " + v.Severity + " without a capacity"
	case j.r.silent:
		return "right: silence; " + j.e.say(s)
	case len(j.r.bursts) > 0 && !j.inBurst(v, s):
		return "right: silence, none of the real bursts; in its own minute " + j.own(t, v, time.Minute).say(s)
	case len(bases) == 0:
		return "right: silence; in its own window " + j.own(t, v, j.r.window).say(s)
	case v.Cause != "unknown" && !slices.ContainsFunc(bases, func(e *exact) bool { return e.agrees(v, s) }):
		return "wrong cause; right: " + bases[0].say(s)
	case v.Fix != "none" && j.said.planOf(v) == nil:
		return "a fix without a plan; right: " + bases[0].say(s)
	}
	return ""
}

// agrees says whether a verdict's cause and object are true, or a guess so near a boundary that nobody can tell.
func (e *exact) agrees(v *verdict, s int) bool {
	truth := e.judge(s)
	return truth.names(v.Cause, v.Key, v.Tenant) || truth.margin < boundaryMargin
}

// bases are the exact counts in which the shard is over its line: of the slice and of the verdict's own long window (of
// what came later nobody could know); where it is hot in neither, or the row is about bursts, of its own fast window.
func (j *judge) bases(t *testing.T, v *verdict, s int) []*exact {
	t.Helper()
	over := func(e *exact) bool { return e.loads[s] > e.line() }
	var out []*exact
	for _, e := range []*exact{j.e, j.own(t, v, j.r.window)} {
		if over(e) {
			out = append(out, e)
		}
	}
	if fast := j.own(t, v, j.r.fast()); over(fast) && (len(out) == 0 || len(j.r.bursts) > 0) {
		out = append(out, fast)
	}
	return out
}

// own is a verdict's own window of that length, exactly; the slice where that is judged as a whole.
func (j *judge) own(t *testing.T, v *verdict, window time.Duration) *exact {
	t.Helper()
	to := v.Window.To
	log := between(j.e.log, to.Add(-window).UnixMilli(), to.UnixMilli())
	if window == 0 || len(log) == 0 {
		return j.e
	}
	return count(t, j.p, log)
}

// inBurst says whether the verdict is about the shard of a real burst, at its time.
func (j *judge) inBurst(v *verdict, s int) bool {
	return slices.ContainsFunc(j.r.bursts, func(b burst) bool {
		home := int(j.e.table.Locate([]byte(b.tenant), nil).Shard)
		named := v.Cause == "unknown" || v.Tenant == b.tenant
		return home == s && named && !v.Time.Before(b.from) && !v.Time.After(b.to.Add(burstEcho))
	})
}

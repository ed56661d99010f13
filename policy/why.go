package policy

import (
	"fmt"
	"strings"
)

// whyTaken says in one sentence what the chosen fix makes of the shard.
func whyTaken(e *evidence, f *finding, c *choice, p *Projection) string {
	now, after, target := rate(e.load.load/e.w.seconds), rate(p.Shard), rate(e.target)
	switch c.fix {
	case FixSplit:
		first := f.first()
		if first != nil && first.key == nil && e.exceeds(first) {
			return fmt.Sprintf("its many keys can be parted: moving %s of the fleet's load brings the shard from %s to %s/s, target %s/s",
				percent(p.MovedShare), now, after, target)
		}
		if first != nil {
			return fmt.Sprintf("its own load of %s/s fits a shard: moving its neighbours (%s of the fleet's load) brings the shard from %s to %s/s, target %s/s",
				rate(first.on.load/e.w.seconds), percent(p.MovedShare), now, after, target)
		}
		return fmt.Sprintf("moving %s of the fleet's load to the coldest shards brings it from %s to %s/s, target %s/s", percent(p.MovedShare), now, after, target)
	case FixSalt:
		where := "distinct shards"
		if p.Shards > 0 {
			where += " and " + plural(p.Shards, "added one")
		}
		return fmt.Sprintf("%d pieces on %s bring the shard from %s to %s/s, target %s/s; a read of the key costs %s, reads of the fleet %s",
			p.Salt, where, now, after, target, times(p.KeyReadMultiplier), times(p.ReadMultiplier))
	case FixCache:
		if f.first() == nil {
			return fmt.Sprintf("the heaviest keys fit no other shard and are read: a cache leaves %s of %s/s, target %s/s", after, now, target)
		}
		return fmt.Sprintf("reads are %s of it: a cache takes them off and leaves %s of %s/s, target %s/s", percent(firstReads(f)), after, now, target)
	case FixIsolate:
		text := fmt.Sprintf("on a shard of its own it leaves %s of %s/s, target %s/s", after, now, target)
		if first := f.first(); first != nil && first.key == nil {
			text += "; its quota comes first"
		}
		return text + c.layout.bears(p)
	case FixQuota:
		return fmt.Sprintf("no shard can take it whole: a quota of %s/s leaves %s of %s/s, target %s/s", rate(p.Rate), after, now, target)
	case FixLimitCaller:
		first := f.first()
		return fmt.Sprintf("one caller sends %s of it: limiting that caller to %s/s of it leaves %s of %s/s, target %s/s", percent(first.callers), rate(p.Rate), after, now, target)
	case FixScaleOut:
		if p.Shards == 0 {
			return fmt.Sprintf("no shard has room but a spare: it and a split bring it from %s to %s/s, target %s/s", now, after, target)
		}
		return fmt.Sprintf("no shard has room: %d more and a split bring it from %s to %s/s, target %s/s", p.Shards, now, after, target)
	case FixNone:
	}
	return ""
}

func firstReads(f *finding) float64 {
	if first := f.first(); first != nil {
		return first.readPart()
	}
	return 0
}

const opUnknown = "the log does not say whether it is read or written"

// whyNot says why a fix that is not taken fails, with the number at which it does.
func whyNot(e *evidence, f *finding, c *choice, p *Projection, failed string) string {
	key, tenant := f.heaviest(e)
	left := fmt.Sprintf("the shard keeps %s/s, target %s/s", rate(p.Shard), rate(e.target))
	if p.Feasible && p.Fix == FixScaleOut && c.layout != nil && e.othersHaveRoom() {
		return "it would do as well, but the other shards have room for it"
	}
	if p.Feasible && p.Fix == FixScaleOut && e.othersHaveRoom() {
		return "the other shards have room for it: surer numbers are missing, not shards"
	}
	if p.Feasible && c.layout == nil {
		return "it would do by the numbers, but what is not known comes first: " + left
	}
	if p.Feasible && p.Fix == FixSalt && key != nil && p.KeyReadMultiplier <= 1 {
		return fmt.Sprintf("it would do only together with a cache: by itself every piece carries the key's reads, %s/s", rate(key.readPart()*key.on.load/e.w.seconds))
	}
	if p.Feasible {
		return "it would do as well, but " + dearer(e, f, c.fix, p)
	}
	if p.Shard <= e.target && p.Upper > e.target {
		return fmt.Sprintf("the evidence is too thin: the shard keeps %s/s, but it may be %s/s, target %s/s", rate(p.Shard), rate(p.Upper), rate(e.target))
	}
	switch p.Fix {
	case FixSplit, FixScaleOut:
		if floor := e.floorText(f.first()); floor != "" {
			return floor
		}
	case FixSalt, FixCache:
		if key != nil && f.cause != CauseHotKey {
			return fmt.Sprintf("the heaviest key is %s of the shard: %s", percent(ratio(key.on.load, e.load.load)), left)
		}
		if key != nil && key.unknown > 0.5 {
			return opUnknown
		}
		if p.Fix == FixCache && key != nil && key.readPart() > readHot {
			return fmt.Sprintf("without the reads, %s of the key, %s", percent(key.readPart()), left)
		}
		if p.Fix == FixCache && key != nil {
			return fmt.Sprintf("only %s of the key is read: %s", percent(key.readPart()), left)
		}
		if key != nil && key.readPart() > 0 {
			form := closed(e, key)
			return fmt.Sprintf("every piece carries the key's reads, %s/s: %s", rate(form.Reads*form.Share*form.Rate), left)
		}
	case FixIsolate, FixQuota:
		if first := f.first(); p.Fix == FixQuota && f.cause == CauseHotKey && first.owner() == "" {
			return "it would limit a tenant, and no one tenant sends the key"
		}
		if p.Fix == FixQuota && f.cause == CauseHotKey {
			return "it would refuse requests of the key's tenant, not spread them"
		}
		if failed != "" && p.Shard <= e.target {
			return failed
		}
		if failed != "" {
			return failed + ": " + left
		}
		if tenant != nil && f.cause != CauseWhaleTenant {
			return fmt.Sprintf("the heaviest tenant is %s of the shard: %s", percent(ratio(tenant.on.load, e.load.load)), left)
		}
	case FixNone, FixLimitCaller:
	}
	if failed != "" && p.Shard <= e.target {
		return failed
	}
	if failed != "" {
		return failed + ": " + left
	}
	return left
}

// floorText says what stays together at any shard count: a key that fits no shard, else a tenant where it is placed as one; empty where
// the first contributor may be parted or fits a shard.
func (e *evidence) floorText(first *item) string {
	if first == nil {
		return ""
	}
	floor := first.all.load / e.w.seconds
	text := fmt.Sprintf("the key's own %s/s stay on one shard, however many there are", rate(floor))
	if first.key != nil && floor > e.target && e.exceeds(first) {
		return text
	}
	if !e.separates() {
		if t := e.tenant(first.tenant); t != nil {
			return fmt.Sprintf("the tenant's %s/s stay together at any shard count: it is placed as one", rate(t.all.load/e.w.seconds))
		}
	}
	if first.key == nil || !e.exceeds(first) {
		return ""
	}
	return fmt.Sprintf("%s; they may be %s/s, over the target of %s/s", text, rate(first.all.upper(causeLevel, e.v.scale(e.w))/e.w.seconds), rate(e.target))
}

// dearer says what a feasible fix costs that is not taken.
func dearer(e *evidence, f *finding, taken Fix, p *Projection) string {
	switch p.Fix {
	case FixSalt:
		if key, _ := f.heaviest(e); key != nil && key.reads <= 0 {
			return fmt.Sprintf("all who write or read the key have to learn its %d pieces", p.Salt)
		}
		return fmt.Sprintf("a read of the key would cost %s", times(p.KeyReadMultiplier))
	case FixScaleOut:
		if p.Shards == 0 {
			return "it takes a spare shard"
		}
		return "it takes " + plural(p.Shards, "more shard")
	case FixIsolate:
		return "it takes a shard of its own"
	case FixQuota, FixLimitCaller:
		return "it refuses requests"
	case FixCache:
		return "answers may be stale"
	case FixSplit:
		return fmt.Sprintf("it moves %s of the fleet's load", percent(p.MovedShare))
	case FixNone:
	}
	return taken.String() + " comes first"
}

// reason is the verdict's one sentence: who, how much, how sure, what the log
// cannot tell.
func reason(e *evidence, f *finding, b *branches, severity Severity) string {
	var s strings.Builder
	now := e.load.load / e.w.seconds
	fmt.Fprintf(&s, "%s/s, %s the mean", rate(now), times(ratio(now, e.v.mean(e.w))))
	if capacity := e.v.capacity(e.v.s.Table.Document().Shards[e.id]); capacity > 0 {
		fmt.Fprintf(&s, ", %s of its capacity", percent(now/capacity))
	}
	if !b.agree() {
		fmt.Fprintf(&s, "; the evidence leaves open %s", openText(b.open))
	} else {
		causeText(&s, e, f)
	}
	in := e.v.s.Inputs
	if !in.Tenants && f.cause != CauseHotKey {
		s.WriteString("; the log names no tenant: a whale cannot be ruled out")
	}
	if !in.Keys {
		s.WriteString("; the log names no key: a hot key cannot be ruled out")
	}
	if f.cause == CauseHotKey && unknownOps(f) {
		s.WriteString("; salt or cache: op unknown")
	}
	if severity == SeverityCritical {
		s.WriteString("; over the critical line")
	}
	return s.String()
}

func causeText(s *strings.Builder, e *evidence, f *finding) {
	first := f.first()
	if first == nil {
		s.WriteString("; no one key or tenant makes it hot")
		if len(e.keys) > 0 {
			fmt.Fprintf(s, " (the heaviest key is %s of it)", percent(ratio(e.keys[0].on.load, e.load.load)))
		}
		return
	}
	b := shareBounds(first.on, e.load)
	what := "one tenant"
	if first.key != nil {
		what = "one key"
	}
	fmt.Fprintf(s, "; %s sends %s (%s to %s) of it", what, percent(b.Value), percent(b.Low), percent(b.High))
	if n := len(f.contributors); n > 1 {
		fmt.Fprintf(s, ", %d contributors in all", n)
	}
	if !e.exceeds(first) {
		s.WriteString(", its own load fits a shard")
	}
}

func openText(open []question) string {
	words := make([]string, 0, len(open))
	for _, q := range open {
		words = append(words, q.String())
	}
	return strings.Join(words, " and ")
}

func shareBounds(part, whole amount) Bounds {
	s := share{part, whole.minus(part)}
	low, high := s.bounds(causeLevel)
	return Bounds{s.value(), low, high}
}

func ratio(a, b float64) float64 {
	if b <= 0 {
		return 0
	}
	return a / b
}

package main

import (
	"fmt"
	"time"

	"firebreak/routing"
)

// order says how far the log is in order of time.
func (t *inspectText) order() string {
	in := t.in
	if in.Timed == 0 {
		return "not known: the log has no time"
	}
	text := fmt.Sprintf("%s to %s", in.From.Format(time.RFC3339), in.To.Format(time.RFC3339))
	if in.Untimed > 0 {
		text += fmt.Sprintf("; %s without a time", quantity(in.Untimed, "line", "lines"))
	}
	o := in.Order
	if o.Behind == 0 {
		return text + "; every line is in order"
	}
	text += fmt.Sprintf("; %s are behind one before them: p50 %s, p99 %s, at most %s", percent(part(o.Behind, in.Timed)), seconds(o.Spread.P50), seconds(o.Spread.P99), seconds(o.Spread.Max))
	if o.Late > 0 {
		return text + fmt.Sprintf("; %s by more than the %s that a pane waits: when those come, it may have been judged without them", percent(part(o.Late, in.Timed)), t.disorder)
	}
	return text + fmt.Sprintf("; none by more than the %s that a pane waits", t.disorder)
}

// part is a share of a whole.
func part(n, of int) float64 { return float64(n) / float64(max(1, of)) }

// seconds writes a duration to the millisecond.
func seconds(d time.Duration) string { return d.Round(time.Millisecond).String() }

// delay says how long lines take to the log.
func (t *inspectText) delay() string {
	d := t.in.Delay
	if d == nil || d.Lines == 0 {
		return "not known: the log has one time only; when a line arrived is seen when it is read live"
	}
	text := fmt.Sprintf("%s comes after the time: p50 %s, p99 %s, at most %s", cellName(d.Path), seconds(d.Spread.P50), seconds(d.Spread.P99), seconds(d.Spread.Max))
	if d.Before > 0 {
		text += fmt.Sprintf("; before it on %s: clocks that disagree", quantity(d.Before, "line", "lines"))
	}
	return text
}

// clumps says how many requests of one key come at once.
func (t *inspectText) clumps() string {
	c := t.in.Clump
	if c.Keys == 0 {
		return "not known: too few keys come five times or more, or too few seconds have a line"
	}
	if c.Effect < 1.05 {
		return fmt.Sprintf("none: requests of one key come one by one (%s)", quantity(c.Keys, "key", "keys"))
	}
	return fmt.Sprintf("requests of one key come %s at once (design effect within a second, %s): 1,000 records say as much as %s single ones",
		fixed(c.Effect, 1), quantity(c.Keys, "key", "keys"), grouped(1000/c.Effect))
}

// sampling says what speaks for lines having been left out.
func (t *inspectText) sampling() string {
	in, declared := t.in, "declared "+t.fleet.Sampling.String()
	if in.Read == 0 {
		return declared
	}
	stands := fmt.Sprintf("%s stand for %s requests", quantity(in.Read, "line", "lines"), grouped(in.Rate.Requests))
	switch r := in.Rate; {
	case r.Lines == 0 && t.fleet.Record.Rate < 1:
		return fmt.Sprintf("%s; no line says its rate, all take record.rate %g; %s", declared, t.fleet.Record.Rate, stands)
	case r.Lines == 0:
		return fmt.Sprintf("%s; no line says a rate, so each is taken as all there was; %s", declared, stands)
	case r.Min == r.Max:
		return fmt.Sprintf("%s; %s say the rate %g; %s", declared, percent(part(r.Lines, in.Read)), r.Min, stands)
	default:
		return fmt.Sprintf("%s; %s say a rate, %g to %g; %s", declared, percent(part(r.Lines, in.Read)), r.Min, r.Max, stands)
	}
}

// distinct says how much there is to count.
func (t *inspectText) distinct() string {
	in := t.in
	text := fmt.Sprintf("%s, %s", quantity(in.Keys, "key", "keys"), quantity(in.Tenants, "tenant", "tenants"))
	if in.Shards > 0 {
		text += ", " + shards(in.Shards)
	}
	if in.Callers > 0 {
		text += ", " + quantity(in.Callers, "caller", "callers")
	}
	return text + " in " + quantity(in.Read, "line", "lines")
}

// tells lists what this log can say and what it cannot.
func (t *inspectText) tells() (can, cannot []string) {
	in := t.in
	say := func(is bool, yes, no string) {
		if is {
			can = append(can, yes)
		} else {
			cannot = append(cannot, no)
		}
	}
	placed := t.fleet.Placement.Bytes != "" || t.fleet.Shards.N > 0 || len(t.fleet.Shards.List) > 0 || t.fleet.Document != ""
	explicit := t.fleet.Placement.Map == routing.Explicit
	say(explicit && in.Sharded > 0 || placed && !explicit, t.shardsWhence(explicit), "which shard is hot: no shard in the log and no placement, leaderboards only")
	say(in.Keyed > 0, "a hot key", "a hot key: no key in the log")
	say(in.Tenanted > 0, "a whale tenant", "a whale: no tenant in the log, so one cannot be ruled out")
	say(in.Callers > 0, "whether one caller sends most of it", "whether one caller sends most of it: no caller in the log")
	known := in.Reads + in.Writes
	say(known*2 > in.Read, fmt.Sprintf("cache or salt: %s reads, %s writes", percent(part(in.Reads, in.Read)), percent(part(in.Writes, in.Read))),
		fmt.Sprintf("cache or salt: %s of the lines say whether they read or write", percent(part(known, in.Read))))
	say(in.Timed > 0, "rates, and when it began", "rates, and when it began: no time in the log, loads are shares")
	say(in.Statused > 0, fmt.Sprintf("what was refused because of load: %s", quantity(in.Thrown, "line", "lines")), "what was refused because of load: no status in the log")
	say(in.Sized > 0, "cost by bytes", "cost by bytes: no size in the log")
	say(in.Latent > 0, "cost by latency", "cost by latency: no latency in the log")
	return can, cannot
}

// shardsWhence says how the shards are known.
func (t *inspectText) shardsWhence(explicit bool) string {
	if explicit {
		return fmt.Sprintf("which shard is hot: the log names it (%s of the lines)", percent(part(t.in.Sharded, t.in.Read)))
	}
	by := t.fleet.Placement.Bytes
	if by == "" {
		by = "key"
	}
	if t.fleet.Document != "" {
		return "which shard is hot: the document says where keys live"
	}
	return "which shard is hot, if the store places as the configuration says: by " + printable(by) + " on " + shards(max(t.fleet.Shards.N, len(t.fleet.Shards.List)))
}

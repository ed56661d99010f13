package words

import (
	"fmt"
	"math"
	"strings"
	"time"

	"firebreak/internal/line"
	"firebreak/internal/numerals"
)

// Told is a hotspot as people are told of it. It is read only.
type Told struct {
	*line.Verdict

	Plan     *line.Plan    // what its fix takes; nil = not known
	Held     []line.Hold   // that stand against its fix; none = not known, too
	Owner    string        // the team that answers for it; empty = nobody is named
	Cost     string        // what a request loads a shard with; empty = 1
	Shards   int           // of the fleet that serve, over which a mean is; 0 = not known
	Aside    bool          // its own is none of these: a dedicated one
	OneIn    float64       // one line of the log is so many requests; 0 = not known
	Fast     time.Duration // length of the window that the loads of now are of; 0 = not known
	Calm     time.Duration // how long a shard has to be cool until its hotspot is over; 0 = not known
	Timeless bool          // loads are numbers of requests, because the log has no time
	Methods  bool          // reads and writes are told apart by the method of HTTP alone
}

// Cause is a cause (policy.Cause) for people.
func Cause(c string) string {
	switch c {
	case "volume":
		return "volume"
	case "hot_key":
		return "hot key"
	case "whale_tenant":
		return "whale tenant"
	}
	return "cause unknown"
}

// Unit is what a load is counted in.
func (t *Told) Unit() string {
	unit := "requests"
	switch {
	case t.Dimension != "" && t.Dimension != "total":
		unit = t.Dimension
	case t.Cost != "":
		unit = "units of " + t.Cost
	}
	if t.Timeless {
		return unit
	}
	return unit + "/s"
}

// Rate writes a load; in a log without time it is a number of requests.
func (t *Told) Rate(load line.Number) string {
	if t.Timeless {
		return numerals.Load(float64(load))
	}
	return Rate(float64(load))
}

// Load says how hot the shard is, against what.
func (t *Told) Load() Phrase {
	text := numerals.Load(float64(t.Verdict.Load)) + " " + t.Unit()
	if t.Line > 0 {
		text += fmt.Sprintf(": %s its line of %s", Times(float64(t.Verdict.Load/t.Line)), t.Rate(t.Line))
	}
	text += fmt.Sprintf(", %s the mean shard", Times(float64(t.Imbalance)))
	if t.Capacity > 0 {
		text += fmt.Sprintf(", %s of its capacity of %s", Percent(float64(t.Verdict.Load/t.Capacity)), t.Rate(t.Capacity))
	}
	return Say(text + ".")
}

// Grade says what its severity means.
func (t *Told) Grade() string {
	switch {
	case t.Severity == "critical":
		return "Critical: over the critical line."
	case t.Capacity == 0:
		return "A warning: how serious it is, is not known without a capacity; set one (policy.capacity)."
	}
	return "A warning."
}

// Where names the shard among its like.
func (t *Told) Where() Phrase {
	of := ""
	switch {
	case t.Shards > 0 && t.Aside:
		of = " beside " + Count(t.Shards, "shard") + " that serve"
		if t.Shards == 1 {
			of += "s"
		}
	case t.Shards > 0:
		of = " of " + Count(t.Shards, "shard")
	}
	if how, named := strings.CutPrefix(string(t.Placement), "explicit: "); named {
		return Say("Shard ", t.Shard, of+" in fleet ", t.Fleet, "; ", how, ".")
	}
	return Say("Shard ", t.Shard, of+" in fleet ", t.Fleet, ", placed by ", string(t.Placement), ".")
}

// Since says when it began, and how much later it was found; found is zero where that is not known.
func Since(onset, found time.Time) string {
	if found.IsZero() {
		return "Since " + Clock(onset) + "."
	}
	return fmt.Sprintf("Since %s; found %s later.", Clock(onset), Lasting(found.Sub(onset)))
}

// Bounds writes a share with its bounds.
func Bounds(s line.Share) string {
	return Percent(float64(s.Value)) + " (" + Percent(float64(s.Low)) + " to " + Percent(float64(s.High)) + ")"
}

// Reads is the op mix, or that the log does not tell it.
func Reads(reads, unknown float64) string {
	if unknown > 0.5 {
		return "reads or writes: not logged"
	}
	switch {
	case reads >= 0.9995:
		return "all of it reads"
	case reads <= 0.0005:
		return "all of it writes"
	}
	return Percent(reads) + " of it reads"
}

func (t *Told) reads() string { return Reads(float64(t.ReadShare), float64(t.OpUnknown)) }

// Object names who is to blame; empty for volume and unknown.
func (t *Told) Object() Phrase {
	switch t.Cause {
	case "hot_key":
		if t.Tenant != "" {
			return Say(t.Key, " of tenant ", t.Tenant)
		}
		return Say(t.Key)
	case "whale_tenant":
		return Say(t.Tenant)
	}
	return nil
}

// Because says in a clause who makes a shard hot, or made it so; bounded gives the share its bounds.
func (t *Told) Because(past, bounded bool) Phrase {
	is := " is "
	if past {
		is = " was "
	}
	share := Percent(float64(t.Share.Value))
	if bounded {
		share = Bounds(t.Share)
	}
	switch t.Cause {
	case "hot_key":
		return Say("one key, ", t.Key, ","+is, share, " of its load")
	case "whale_tenant":
		return Say("one tenant, ", t.Tenant, ","+is, share, " of its load")
	case "volume":
		return Say(share, " of the fleet’s load"+is+"on it, and no one key or tenant is to blame")
	}
	out := Say("the log does not prove who makes it so")
	if who := t.Suspects(bounded); who != nil {
		out = append(append(out, Say("; it may be ")...), who...)
	}
	return out
}

// Suspects are the heaviest key and tenant of a shard whose cause is not known, with their shares of its load; nil = nobody stands out.
func (t *Told) Suspects(bounded bool) Phrase {
	if t.Cause != "unknown" {
		return nil
	}
	var out Phrase
	for i := range t.Contributors {
		c := &t.Contributors[i]
		kind, name, share := "the key ", c.Key, Percent(float64(c.Share.Value))
		if name == "" {
			kind, name = "the tenant ", c.Tenant
		}
		if bounded {
			share = Bounds(c.Share)
		}
		if len(out) > 0 {
			out = append(out, Say(" or ")...)
		}
		out = append(out, Say(kind, name, ", "+share)...)
	}
	return out
}

// Why names the cause with its bounds.
func (t *Told) Why() Phrase {
	out := Say(Capital(Cause(t.Cause)), ". ")
	switch t.Cause {
	case "hot_key", "whale_tenant":
		kind := "The key "
		if t.Cause == "whale_tenant" {
			kind = "The tenant "
		}
		out = append(out, Say(kind, t.Object(), " is ", Bounds(t.Share), " of the shard’s load, ", t.reads())...)
		if t.Caller != "" {
			out = append(out, Say("; ", t.Sent())...)
		}
		out = append(out, Say(".")...)
		if n := len(t.Contributors); n > 1 {
			out = append(out, Say(fmt.Sprintf(" It is one of %d that have to be taken away until the shard is cool.", n))...)
		}
	case "volume":
		out = append(out, Say("The shard has ", Bounds(t.Share), " of the fleet’s load, and without its heaviest key or tenant it would still be hot; ",
			t.reads(), ".")...)
	default:
		if len(t.Missing) > 0 {
			out = append(out, Say("The evidence leaves open ", joined(t.Missing, " and "), ".")...)
		} else {
			out = append(out, Say(Capital(string(t.Reason)), ".")...)
		}
		if who := t.Suspects(true); who != nil {
			out = append(append(append(out, Say(" It may be ")...), who...), Say(" of its load.")...)
		}
	}
	return out
}

// Sent says which part of the load its caller sends; empty where there is none.
func (t *Told) Sent() Phrase {
	if t.Caller == "" {
		return nil
	}
	return Say("the caller ", t.Caller, " sends "+t.sent()+" of it")
}

// sent is the part of a contributor's load that its caller sends.
func (t *Told) sent() string {
	for i := range t.Contributors {
		if c := &t.Contributors[i]; c.Caller == t.Caller && c.CallerShare > 0 {
			return Percent(float64(c.CallerShare))
		}
	}
	return "most"
}

// Calling is Sent as a sentence with how much it rests on.
func (t *Told) Calling() Phrase {
	out := t.Sent()
	if out == nil {
		return nil
	}
	if n := float64(t.Samples * t.Share.Value); n >= 1 {
		unit := math.Pow(10, max(0, math.Floor(math.Log10(n))-1)) // of two digits
		out = append(out, Say(": that rests on what about "+strings.TrimPrefix(Telling(math.Round(n/unit)*unit), "what "))...)
	}
	return append(out.Capital(), Say(".")...)
}

// Sure says what the verdict rests on.
func (t *Told) Sure() Phrase {
	text := "Hot beyond chance: the lower bound of its load is over the line"
	if t.Shards > 0 {
		text += fmt.Sprintf(" (an error of less than 1 in %s)", Number(float64(100*t.Shards)))
	}
	text += ". "
	switch {
	case t.Cause == "unknown":
		text += "Who makes it hot is not proven. "
	case len(t.Missing) > 0:
		text += "Open: " + joined(t.Missing, "; ") + ". "
	default:
		text += "The cause is the same at both ends of the bounds. "
	}
	if p := t.Chosen(); p != nil && p.Feasible {
		text += "The fix meets its target on upper bounds, on this shard and on every one that receives. "
	}
	return Say(text + t.rests())
}

// WasSure says what the verdict on a hotspot that is over rested on.
func (t *Told) WasSure() Phrase {
	text := "It was hot beyond chance"
	if t.Cause == "unknown" {
		text += ", and who made it so was not proven"
	}
	return Say(text + ". " + t.rests())
}

// Single says why what was seen counts for fewer requests than there were.
const Single = "Requests that come at once, and lines of the log that stand for others, tell less than as many requests that come one by one."

// Telling says how much evidence there is, by the number of requests that would be as much if each came by itself: the effective samples of
// a verdict.
func Telling(samples float64) string {
	if n := Number(samples); n != "1" {
		return "what " + n + " single requests would tell"
	}
	return "what 1 single request would tell"
}

// rests is how much was seen.
func (t *Told) rests() string {
	text := fmt.Sprintf("It rests on %s, in %s", Telling(float64(t.Samples)), t.Between())
	if t.Coverage < 1 {
		text += fmt.Sprintf(" and on %s of the log", Percent(float64(t.Coverage)))
	}
	return text + "."
}

// Between is the window of the numbers in words.
func (t *Told) Between() string {
	if t.Window.From.IsZero() {
		return "the whole log"
	}
	return Clock(time.Time(t.Window.From)) + " to " + Hour(time.Time(t.Window.To))
}

func joined(list []line.Prose, between string) string {
	var all []string
	for _, p := range list {
		all = append(all, string(p))
	}
	return strings.Join(all, between)
}

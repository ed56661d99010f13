package main

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"firebreak/actuator"
	"firebreak/actuator/operation"
	"firebreak/internal/simulate"
	"firebreak/policy"
	"firebreak/routing"
)

// demoSample is how often, in time of the story, the counters of the shards are noted.
const demoSample = 10 * time.Second

// sample notes what the shards have counted of themselves. It belongs to the goroutine that has the world.
func (d *demo) sample() {
	d.mu.Lock()
	defer d.mu.Unlock()
	now := d.world.Counters()
	if n := len(d.served); n == 0 || now.Until.Sub(d.served[n-1].Until) >= demoSample {
		d.served = append(d.served, now)
	}
}

// askedOf is what a shard was asked for and what it served, by its own counters, between about two moments of the story, requests/s; ok is
// false where less than a sample lies between.
func (d *demo) askedOf(shard string, from, to time.Time) (asked, served float64, ok bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	first, last := -1, -1
	for i := range d.served {
		at := d.served[i].Until
		if first < 0 && !at.Before(from) {
			first = i
		}
		if !at.After(to) {
			last = i
		}
	}
	id := slices.IndexFunc(d.world.Table().Document().Shards, func(s routing.Shard) bool { return s.Name == shard })
	if first < 0 || last <= first || id < 0 {
		return 0, 0, false
	}
	a, s := d.served[last].Since(&d.served[first])
	return a[id], s[id], true
}

// follow keeps what became of the fixes of the acts.
func (d *demo) follow(t *demoTick) {
	if t.Routing == nil {
		return
	}
	for i := range d.acts {
		a := &d.acts[i]
		if a.verdict == nil {
			continue
		}
		switch in := traces(d.home, t.Routing.Document, &a.Scene); {
		case in && a.fixed.IsZero():
			a.fixed = t.Now
		case !in && !a.fixed.IsZero() && a.undone.IsZero():
			a.undone = t.Now
		case in:
			a.undone = time.Time{}
		}
		for j := range t.Routing.Operations {
			if o := &t.Routing.Operations[j]; o.Hotspot == a.verdict.Hotspot && o.Hotspot != "" && a.outcomes[o.Number] == "" && o.Outcome != operation.Reverted {
				if a.outcomes == nil {
					a.outcomes = map[uint64]string{}
				}
				a.outcomes[o.Number] = o.Outcome
			}
		}
	}
}

// traces says whether a document has anything of what cools a scene. home is the one without exceptions.
func traces(home *routing.Table, doc *routing.Document, s *simulate.Scene) bool {
	switch s.Fix {
	case policy.FixSalt:
		salt, ok := doc.SaltOf(routing.SaltEntry(s.Tenant, s.Key))
		return ok && len(salt.Suffixes) > 1
	case policy.FixCache:
		return doc.Value(routing.CacheEntry(s.Tenant, s.Key)) != ""
	case policy.FixIsolate:
		return doc.Value(routing.TenantEntry(s.Tenant)) != "" || doc.Value(routing.QuotaEntry(s.Tenant)) != ""
	case policy.FixScaleOut:
		return slices.ContainsFunc(doc.Shards, func(is routing.Shard) bool {
			was := slices.IndexFunc(home.Document().Shards, func(o routing.Shard) bool { return o.Name == is.Name })
			return was >= 0 && home.Document().Shards[was].Role == routing.Spare && (is.Role == routing.Serving || is.Role == routing.Draining)
		})
	case policy.FixSplit, policy.FixNone, policy.FixQuota, policy.FixLimitCaller:
	}
	return slices.ContainsFunc(doc.Moves, func(m routing.Move) bool {
		from := home.Owner(m.VShard)
		return from != m.To && home.Document().Shards[from].Name == s.Shard
	})
}

// outcome is what the act's operations were judged, in one word: the first that is not effective.
func (a *demoAct) outcome() string {
	if len(a.outcomes) == 0 {
		return "not fixed"
	}
	for _, o := range a.outcomes {
		if o == "" {
			return "not judged yet"
		}
		if o != operation.Effective {
			return strings.ReplaceAll(o, "_", " ")
		}
	}
	return operation.Effective
}

// cool says how much the act's shard was asked for in the last minute of the act, with its fix in force, and whether that is under its line.
func (d *demo) cool(a *demoAct) (asked, served float64, ok bool) {
	if a.verdict == nil {
		return 0, 0, false
	}
	asked, served, known := d.askedOf(a.Shard, a.To.Add(-time.Minute), a.To)
	return asked, served, known && asked <= a.verdict.Line
}

// over says that an act and the time to take its fix back are told.
func (d *demo) over(a *demoAct) bool { return !d.now().Before(a.To.Add(simulate.Undone)) }

// wrong says what is not as it should be of an act that is over; empty = all is.
func (d *demo) wrong(a *demoAct) string {
	_, _, cool := d.cool(a)
	switch {
	case !a.right():
		return "it was not found as what it is"
	case a.outcome() != operation.Effective:
		return "its fix is " + a.outcome()
	case !cool:
		return "its shard did not get cool"
	case a.undone.IsZero():
		return "its fix was not taken back"
	case a.Fix == policy.FixSalt && d.lost(a) != 0:
		return "its fold lost writes"
	}
	return ""
}

// lost is how many acknowledged writes of an act's key a read does not give.
func (d *demo) lost(a *demoAct) int64 {
	sum, acknowledged := d.world.Sum(a.Tenant, a.Key, d.world.Table())
	return int64(acknowledged) - int64(sum)
}

// judgeStory is an error where an act that is over was not found, cooled and taken back.
func (d *demo) judgeStory() error {
	var all []string
	for i := range d.acts {
		if a := &d.acts[i]; d.over(a) {
			if text := d.wrong(a); text != "" {
				all = append(all, fmt.Sprintf("act %d, the %s on %s: %s", i+1, causeWords(a.Cause), a.Shard, text))
			}
		}
	}
	if len(all) == 0 {
		return nil
	}
	return fmt.Errorf("the story did not end well: %s", strings.Join(all, "; "))
}

// sayActed tells what was done since the tick before.
func (d *demo) sayActed(acted []actuator.Acted) error {
	for i := range acted {
		text := actedText(&acted[i])
		if text == "" {
			continue
		}
		d.doing = clockOf(time.Time(acted[i].Time)) + " " + text
		if err := d.plain("%s  ACTED     %s\n", clockOf(time.Time(acted[i].Time)), text); err != nil {
			return err
		}
	}
	return nil
}

// actedText is a step of an operation, or a person's word; empty = nothing that one has to see.
func actedText(a *actuator.Acted) string {
	who := fmt.Sprintf("operation %d", a.Operation)
	switch {
	case a.Refused != "":
		return fmt.Sprintf("%s of %s by %s is refused: %s", a.Do, who, printable(string(a.By)), printable(string(a.Refused)))
	case a.Fix == "":
		return fmt.Sprintf("%s of %s by %s: %s", a.Do, who, printable(string(a.By)), printable(string(a.Reason)))
	case a.Step == operation.Settle:
		return ""
	}
	who += ", " + strings.ReplaceAll(a.Fix, "_", " ")
	if a.Shard != "" {
		who += " for " + shownName(string(a.Shard))
	}
	if a.Outcome != "" {
		who += ", " + strings.ReplaceAll(a.Outcome, "_", " ")
	}
	return who + ": " + printable(string(a.Text))
}

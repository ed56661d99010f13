// Package news makes entries of a journal for tests of receivers, and plays the part of its log: what a queue records reaches
// every queue that follows.
package news

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"firebreak/actuator"
	"firebreak/actuator/notify"
	"firebreak/internal/line"
)

// Start is when the stories begin.
func Start() time.Time { return time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC) }

// Verdict is a hotspot as a fleet with a capacity tells it: a key that is written, with the fixes that were looked at.
func Verdict(fleet, hotspot, shard, tenant, key string) *line.Verdict {
	at := Start()
	return &line.Verdict{
		Head: line.NewHead("verdict", fleet, line.Stamp(at)), Hotspot: line.Name(hotspot), Phase: "firing", Severity: "critical", Onset: line.Stamp(at.Add(-35 * time.Second)),
		Shard: line.Name(shard), Placement: "key via xxh64, mod-n", Cause: "hot_key", Key: line.Name(key), Tenant: line.Name(tenant), Load: 6400, Dimension: "total",
		Mean: 2000, Imbalance: 3.2, Capacity: 8000, Utilization: 0.8, Line: 5600, Target: 5200, Window: line.Window{From: line.Stamp(at.Add(-time.Minute)), To: line.Stamp(at)},
		Coverage: 0.998, LogPoint: "client", Samples: 3840, Share: line.Share{Value: 0.62, Low: 0.6, High: 0.65}, Fix: "salt", Reason: "one key is over the target by itself",
		Projections: []line.Projection{
			{Fix: "split", Shard: 6300, Upper: 6500, Hottest: 6300, Imbalance: 3.1, Why: line.Prose(fmt.Sprintf("the key %q alone is 3,968/s at any shard count", key))},
			{Fix: "salt", Shard: 2928, Upper: 3050, Hottest: 2928, Imbalance: 1.4, Feasible: true, Salt: 8, ReadMultiplier: 1.2, KeyReadMultiplier: 8, Why: "8 pieces of 496/s each"},
			{Fix: "cache", Shard: 6400, Upper: 6500, Hottest: 6400, Imbalance: 3.2, Why: "most of it writes"},
		},
	}
}

// Entry is an entry of the journal.
func Entry(id string, k actuator.Kind, p actuator.Phase, fleet, hotspot string, at time.Time, l any) *actuator.Entry {
	b, err := line.Encode(l)
	if err != nil {
		panic(err) // a line that this package made
	}
	return &actuator.Entry{ID: actuator.NewID(id), Fleet: fleet, At: at, Kind: k, Phase: p, Hotspot: hotspot, Line: json.RawMessage(b)}
}

// Hotspot is an entry of a verdict's life, some time after the start.
func Hotspot(v *line.Verdict, p actuator.Phase, after time.Duration) *actuator.Entry {
	told := *v
	if p == actuator.PhaseResolved {
		told.Phase, told.Load, told.Reason = "resolved", 1800, "under 0.9 x its line for 2 minutes"
	}
	return Entry(fmt.Sprint(v.Fleet, v.Hotspot, p, after), actuator.KindVerdict, p, string(v.Fleet), string(v.Hotspot), Start().Add(after), &told)
}

// Blind says that a fleet cannot be judged, or, sighted, can again.
func Blind(fleet string, sighted bool, after time.Duration) *actuator.Entry {
	k := actuator.KindBlind
	b := actuator.Blind{Head: line.NewHead("blind", fleet, line.Stamp(Start().Add(after))), Reasons: []actuator.Reason{{Reason: "stale", Detail: "the log is 70 s behind"}}}
	if sighted {
		k, b.Reasons = actuator.KindSighted, nil
	}
	return Entry(fmt.Sprint(fleet, k, after), k, actuator.PhaseNone, fleet, "", Start().Add(after), &b)
}

// Log is a journal and the queues that follow it. The first queue is the decider's.
type Log struct {
	Entries []*actuator.Entry
	Queues  []*notify.Queue
}

// Tell appends entries, which reach all queues.
func (l *Log) Tell(entries ...*actuator.Entry) {
	for _, e := range entries {
		l.Entries = append(l.Entries, e)
		for _, q := range l.Queues {
			q.Apply(e, e.At)
		}
	}
}

// Join makes a queue that has read the log from its beginning and decides from now on.
func (l *Log) Join(rule notify.Rule) {
	q := notify.NewQueue([]notify.Rule{rule}, func() float64 { return 0 })
	for _, e := range l.Entries {
		q.Apply(e, e.At)
	}
	l.Queues = append([]*notify.Queue{q}, l.Queues...)
}

// Hostile are n names that would be markup, mentions, links, terminal codes or broken text somewhere.
func Hostile(n int) []string {
	seeds := []string{
		"<!channel>", "<!here|x>", "<!subteam^S1>", "<@U012AB3CD>", "<#C024BE7LR>", "<http://evil.example|click>", "https://evil.example/x", "@channel", "@here",
		"`code`", "```", "*bold*", "_it_", "~no~", "> quote", "&lt;!channel&gt;", "&amp;", "<", ">", "&", "|", "\x00\n\x1b[2J\xff\xfe", "line\nbreak\r\n", "\u202ergnorw\u202c", "\u200b",
		"\ufeff", "</script><script>alert(1)</script>", `"><img src=x onerror=alert(1)>`, "javascript:alert(1)", "{{.}}", "${jndi:ldap://x}", `\u{60}`, `\`, `"`, `\"`, "'", " ", "\u3164",
		"RESOLVED: fine. ", "<!date^1392734382^{date}|x>", ":rotating_light:", "mailto:a@evil.example", "\xf0\x9f\x94\xa5", "\xe9\x95\xb7\xe9\x95\xb7",
	}
	var out []string
	for i := 0; len(out) < n; i++ {
		a, b := seeds[i%len(seeds)], seeds[(i/len(seeds)*7+i)%len(seeds)]
		out = append(out, a+strings.Repeat(b, i/len(seeds)))
	}
	return out
}

package notify

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"firebreak/actuator"
	"firebreak/internal/line"
)

func entryOf(t *testing.T, k actuator.Kind, p actuator.Phase, l any) *Notice {
	t.Helper()
	b, err := line.Encode(l)
	if err != nil {
		t.Fatal(err)
	}
	return &Notice{Key: "k", Entry: &actuator.Entry{ID: "k", Fleet: "orders", At: start(), Kind: k, Phase: p, Line: json.RawMessage(b)}}
}

// TestSentences: what a person reads, of each kind.
func TestSentences(t *testing.T) {
	at := line.Stamp(start())
	v := &line.Verdict{
		Head: line.NewHead("verdict", "orders", at), Hotspot: "h", Severity: "critical", Onset: at, Shard: "shard-7", Cause: "hot_key", Key: "cart:42",
		Load: 6400, Imbalance: 3.24, Capacity: 8000, Utilization: 0.8, Share: line.Share{Value: 0.6234, Low: 0.6, High: 0.65}, Fix: "salt", Reason: "it cooled.",
		Projections: []line.Projection{{Fix: "split", Why: "the floor stays"}, {Fix: "salt", Salt: 8, Shard: 1200, Feasible: true}},
	}
	volume := *v
	volume.Cause, volume.Key, volume.Utilization, volume.Severity, volume.Fix = "volume", "", 0, "warning", "none"
	unknown := volume
	unknown.Cause, unknown.Share, unknown.Fix, unknown.Load = "unknown", line.Share{}, "none", 0.123
	plan := &line.Plan{Head: line.NewHead("plan", "orders", at), ID: "p1", Hotspot: "h", Projection: line.Projection{Fix: "salt"}}
	hold := &line.Hold{Head: line.NewHead("hold", "orders", at), Reason: "stale", Detail: "70s behind"}
	advice := &line.Advice{Head: line.NewHead("advice", "orders", at), Shard: "s", Topic: "storage", Level: "warning", Reason: "86 % full"}
	for _, tt := range []struct {
		n    *Notice
		want string
	}{
		{
			entryOf(t, actuator.KindVerdict, actuator.PhaseFired, v),
			`CRITICAL: fleet "orders" since 2026-03-01 12:00:00Z. Shard "shard-7" bears 6,400 requests/s, 3.2× the mean shard: one key, "cart:42", is 62 % (60 % to 65 %) of its load. ` +
				`Salt the key "cart:42" over 8 pieces on distinct shards. That leaves 1,200/s of it. Relief comes at once when the applications that read the key, and then those that write it, run with it.`,
		},
		{
			entryOf(t, actuator.KindVerdict, actuator.PhaseRevised, &volume),
			`WARNING, revised: fleet "orders" since 2026-03-01 12:00:00Z. Shard "shard-7" bears 6,400 requests/s, 3.2× the mean shard: 62 % (60 % to 65 %) of the fleet’s load is on it, ` +
				`and no one key or tenant is to blame. No fix is proven yet.`,
		},
		{
			entryOf(t, actuator.KindVerdict, actuator.PhaseFired, &unknown),
			`WARNING: fleet "orders" since 2026-03-01 12:00:00Z. Shard "shard-7" bears 0.123 requests/s, 3.2× the mean shard: the log does not prove who makes it so. No fix is proven yet.`,
		},
		{entryOf(t, actuator.KindVerdict, actuator.PhaseResolved, v), `RESOLVED: fleet "orders": shard "shard-7" is no longer hot, 6,400/s: it cooled.`},
		{
			entryOf(t, actuator.KindPlan, actuator.PhaseChanged, plan),
			`Fleet "orders", hotspot "h": plan "p1" (salt the key) takes the place of the one before.`,
		},
		{
			entryOf(t, actuator.KindHold, actuator.PhaseBegun, hold),
			`Fleet "orders": held, stale: 70s behind.`,
		},
		{
			entryOf(t, actuator.KindAdvice, actuator.PhaseBegun, advice),
			`WARNING: fleet "orders", shard "s": storage: 86 % full.`,
		},
		{
			entryOf(t, actuator.KindBlind, actuator.PhaseNone, actuator.Blind{Reasons: []actuator.Reason{{Reason: "stale", Detail: "70s behind"}}}),
			`CRITICAL: fleet "orders" cannot be judged: stale: 70s behind. Nothing fires, resolves or is undone until it can.`,
		},
		{entryOf(t, actuator.KindSighted, actuator.PhaseNone, actuator.Blind{}), `Fleet "orders" can be judged again.`},
		{entryOf(t, actuator.KindPlan, actuator.PhaseEnded, actuator.Ended{ID: "p1"}), `Fleet "orders": plan "p1" is proposed no more.`},
		{entryOf(t, actuator.KindHold, actuator.PhaseEnded, actuator.Ended{Reason: "stale"}), `Fleet "orders": no longer held for stale.`},
		{entryOf(t, actuator.KindAdvice, actuator.PhaseEnded, actuator.Ended{Topic: "storage", Shard: "s\n"}), `Fleet "orders": the advice on storage of shard "s\u{a}" is over.`},
		{
			&Notice{More: &More{N: 12, From: at, To: line.Stamp(start().Add(time.Hour)), Kinds: map[string]int{"verdict": 2, "hold": 10}}},
			`12 more between 2026-03-01 12:00:00Z and 2026-03-01 13:00:00Z that are not told one by one: 10 holds, 2 verdicts. The journal has them all.`,
		},
		{
			&Notice{More: &More{N: 10, Open: 10, From: at, To: at, Kinds: map[string]int{"advice": 1, "blind": 1, "decider": 2, "reopened": 2, "routed": 1, "sighted": 2, "verdict": 1}}},
			`10 more at 2026-03-01 12:00:00Z that are not told one by one: 1 piece of advice, 1 fleet that cannot be judged, 2 changes of the decider, 2 hotspots told again, ` +
				`1 change of the routing, 2 fleets that can be judged again, 1 verdict, 10 open. The journal has them all.`,
		},
		{
			&Notice{More: &More{N: 10, Open: 4, Critical: 2, Accepted: 3, Dismissed: 1, Over: 1, Apart: 1, From: at, To: line.Stamp(start().Add(time.Hour)), Kinds: map[string]int{"verdict": 10}}},
			`10 more between 2026-03-01 12:00:00Z and 2026-03-01 13:00:00Z that are not told one by one: 10 verdicts, 4 open, 2 of these critical, 3 accepted, 1 dismissed, 1 resolved, 1 told by themselves since. The journal has them all.`,
		},
	} {
		if got := (&Guide{}).Sentence(tt.n); got != tt.want {
			t.Errorf("got  %s\nwant %s", got, tt.want)
		}
	}
}

// FuzzSentence: whatever a key holds, the sentence is one printable line and the body is JSON that gives the key back.
func FuzzSentence(f *testing.F) {
	for _, key := range []string{"k", "\x00\n\x1b[2J\xff\xfe", `a"b\`, "</script><!channel>", "\u202e", strings.Repeat("\xe2\x82\xac", 600)} {
		f.Add(key)
	}
	f.Fuzz(func(t *testing.T, key string) {
		v := &line.Verdict{
			Head: line.NewHead("verdict", key, line.Stamp(start())), Shard: line.Name(key), Cause: "hot_key", Key: line.Name(key), Reason: line.Prose(key), Onset: line.Stamp(start()),
		}
		n := entryOf(t, actuator.KindVerdict, actuator.PhaseFired, v)
		n.Entry.Fleet = key
		for _, p := range []actuator.Phase{actuator.PhaseFired, actuator.PhaseResolved} {
			n.Entry.Phase = p
			if s := (&Guide{}).Sentence(n); !utf8.ValidString(s) || strings.ContainsAny(s, "\x00\n\r\x1b\x7f\u0085\u2028\u202e") {
				t.Errorf("%q", s)
			}
		}
		more := &Notice{More: &More{N: 1, Open: 1, Fleets: []MoreOf{{Fleet: line.Name(key), N: 1, Open: 1, Worst: []Worst{{Shard: line.Name(key), Severity: "warning", Team: key}}}}}}
		if s := (&Guide{}).Sentence(more); !utf8.ValidString(s) || strings.ContainsAny(s, "\x00\n\r\x1b\x7f\u0085\u2028\u202e") || len(s) > 4000 {
			t.Errorf("%q", s)
		}
		b, err := line.Encode(NewBody(n, &Guide{External: "https://p.example"}))
		if err != nil {
			t.Fatal(err)
		}
		var back struct{ Line line.Verdict }
		if err := json.Unmarshal(b, &back); err != nil || string(back.Line.Key) != key {
			t.Errorf("%q comes back as %q: %v", key, back.Line.Key, err)
		}
	})
}

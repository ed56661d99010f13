package actuator_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"firebreak/actuator"
	"firebreak/policy"
	"firebreak/routing"
)

// watch feeds a Scribe tick by tick, ten seconds apart.
type watch struct {
	t      rapid.TB
	told   actuator.Told
	now    time.Time
	pane   time.Time
	judge  time.Time // end of the newest pane judged
	open   map[string]*policy.Plan
	all    []actuator.Entry
	redact actuator.Redact
}

func newWatch(t rapid.TB) *watch {
	return &watch{t: t, now: start(), pane: start(), open: map[string]*policy.Plan{}}
}

// tick passes ten seconds and gives what is news, as "kind phase hotspot".
func (w *watch) tick(d policy.Decision) []string {
	w.now, w.pane = w.now.Add(10*time.Second), w.pane.Add(10*time.Second)
	if !d.Blind {
		w.judge = w.pane
	}
	return w.write(d)
}

// stall passes ten seconds in which no pane closes.
func (w *watch) stall(d policy.Decision) []string {
	w.now = w.now.Add(10 * time.Second)
	return w.write(d)
}

func (w *watch) write(d policy.Decision) []string {
	st := policy.State{Detection: policy.Detection{Newest: w.judge, Shards: map[string]policy.Track{}}}
	for id, plan := range w.open {
		st.Detection.Shards["shard of "+id] = policy.Track{Hotspot: &policy.Hotspot{ID: id, Plan: plan}}
	}
	entries, told, err := actuator.Scribe{Redact: w.redact}.Write(&actuator.Tick{Fleet: "f", Now: w.now, Pane: w.pane, Decision: &d, State: &st}, w.told)
	if err != nil {
		w.t.Fatal(err)
	}
	w.told = told
	w.all = append(w.all, entries...)
	var out []string
	for _, e := range entries {
		out = append(out, strings.TrimSpace(fmt.Sprintf("%s %s %s", e.Kind, e.Phase, e.Hotspot)))
	}
	return out
}

func (w *watch) want(got []string, want ...string) {
	w.t.Helper()
	if !slices.Equal(want, got) {
		w.t.Errorf("at %s (-want +got):\n%s", w.now.Format(time.TimeOnly), cmp.Diff(want, got))
	}
}

func firing(id string, cause policy.Cause) policy.Verdict {
	return policy.Verdict{Fleet: "f", Hotspot: id, Phase: policy.PhaseFiring, Cause: cause, Shard: "shard-1", Time: start()}
}

// TestUnreadAdviceStands: what is not read any more is no all-clear; once it is read again and well, it ends.
func TestUnreadAdviceStands(t *testing.T) {
	w := newWatch(t)
	storage := []policy.Advice{{Shard: "shard-2", Topic: policy.TopicStorage}, {Shard: "shard-3", Topic: policy.TopicStorage}}
	w.want(w.tick(policy.Decision{Advice: storage}), "advice begun", "advice begun")
	var ended []string
	for range 30 { // of one shard alone nothing is known
		ended = append(ended, w.tick(policy.Decision{Unread: []policy.Unread{{Shard: "shard-2", Metric: policy.MetricStorage}}})...)
	}
	w.want(ended, "advice ended")
	if len(w.told.Advice) != 1 || w.told.Advice[0].Shard != "shard-2" || !w.told.Advice[0].Absent.IsZero() {
		t.Errorf("told %+v", w.told.Advice)
	}
	w.want(w.tick(policy.Decision{Advice: storage[:1]})) // it stood all the time
	ended = nil
	for range 8 {
		ended = append(ended, w.tick(policy.Decision{})...)
	}
	w.want(ended, "advice ended")
}

// TestStory: a hotspot from its first line to its last, with what belongs to it, each told once.
func TestStory(t *testing.T) {
	w := newWatch(t)
	observe := policy.Hold{Hotspot: "h", Reason: policy.HoldObserve, Detail: "d"}
	thin := policy.Hold{Hotspot: "h", Reason: policy.HoldLittleEvidence}
	capacity := policy.Advice{Shard: "shard-2", Topic: policy.TopicStorage, Level: policy.SeverityWarning}
	a, b := policy.Plan{ID: "a", Hotspot: "h", Fix: policy.FixSplit}, policy.Plan{ID: "b", Hotspot: "h", Fix: policy.FixSalt}
	warming := policy.Decision{Blind: true, Holds: []policy.Hold{{Reason: policy.HoldWarmingUp}}}
	w.want(w.tick(warming), "hold begun")
	w.want(w.tick(warming))
	w.want(w.tick(policy.Decision{Advice: []policy.Advice{capacity}}), "advice begun")
	w.open["h"] = &a
	w.want(w.tick(policy.Decision{
		Verdicts: []policy.Verdict{firing("h", policy.CauseUnknown)}, Plans: []policy.Plan{a}, Holds: []policy.Hold{observe}, Advice: []policy.Advice{capacity},
	}), "verdict fired h", "plan begun h", "hold begun h")
	again := policy.Decision{Plans: []policy.Plan{a}, Holds: []policy.Hold{observe}, Advice: []policy.Advice{capacity}}
	w.want(w.tick(again))
	capacity.Level = policy.SeverityCritical
	w.open["h"] = &b
	w.want(w.tick(policy.Decision{
		Verdicts: []policy.Verdict{firing("h", policy.CauseHotKey)}, Plans: []policy.Plan{b}, Holds: []policy.Hold{observe}, Advice: []policy.Advice{capacity},
	}), "verdict revised h", "plan changed h", "advice changed")
	// The evidence becomes thin: no plan any more, for a minute.
	w.open["h"] = nil
	w.want(w.tick(policy.Decision{Holds: []policy.Hold{thin}, Advice: []policy.Advice{capacity}}), "hold begun h")
	var after []string
	for range 5 {
		after = append(after, w.tick(policy.Decision{Holds: []policy.Hold{thin}, Advice: []policy.Advice{capacity}})...)
	}
	w.want(after, "hold ended") // of warming up, a minute after it was last given
	w.want(w.tick(policy.Decision{Holds: []policy.Hold{thin}}), "plan ended h", "hold ended h")
	var cooling []string // it cools: it is no more judged, and what holds it back is no more said
	for range 9 {
		cooling = append(cooling, w.tick(policy.Decision{})...)
	}
	w.want(cooling, "advice ended", "hold ended h")
	delete(w.open, "h")
	resolved := firing("h", policy.CauseHotKey)
	resolved.Phase = policy.PhaseResolved
	w.want(w.tick(policy.Decision{Verdicts: []policy.Verdict{resolved}}), "verdict resolved h")
	for range 20 {
		w.want(w.tick(policy.Decision{}))
	}
	if len(w.told.Hotspots)+len(w.told.Plans)+len(w.told.Holds)+len(w.told.Advice) > 0 {
		t.Errorf("what is over is remembered: %+v", w.told)
	}
}

// TestCoolingStandsNoMore: a plan that policy shows no more cannot be approved, and ends a minute later with what held it back, though its
// hotspot is open and may yet need it; what comes and goes within a minute is not told; and where nothing is judged nothing ends.
func TestCoolingStandsNoMore(t *testing.T) {
	w := newWatch(t)
	a, waits := policy.Plan{ID: "a", Hotspot: "h", Fix: policy.FixSplit}, policy.Hold{Hotspot: "h", Reason: policy.HoldApprovalMissing}
	shown := policy.Decision{Plans: []policy.Plan{a}, Holds: []policy.Hold{waits}}
	w.open["h"] = &a
	w.want(w.tick(shown), "plan begun h", "hold begun h")
	for range 3 {
		w.want(w.tick(policy.Decision{}))
	}
	w.want(w.tick(shown))
	for range 30 {
		w.want(w.stall(policy.Decision{}))
	}
	var ended []string
	for range 7 {
		ended = append(ended, w.tick(policy.Decision{})...)
	}
	w.want(ended, "plan ended h", "hold ended h")
	w.want(w.tick(shown), "plan begun h", "hold begun h")
}

// TestBlind (S08): an outage is told once within two minutes of it, resolves and ends nothing of a hotspot, and its end is told.
func TestBlind(t *testing.T) {
	w := newWatch(t)
	plan := policy.Plan{ID: "p", Hotspot: "h"}
	w.open["h"] = &plan
	storage := []policy.Advice{{Shard: "shard-2", Topic: policy.TopicStorage}}
	w.tick(policy.Decision{Verdicts: []policy.Verdict{firing("h", policy.CauseVolume)}, Plans: []policy.Plan{plan}, Advice: storage})
	stale := policy.Decision{Blind: true, Holds: []policy.Hold{{Reason: policy.HoldStale, Detail: "1m10s behind"}}}
	w.want(w.stall(stale), "hold begun")
	w.want(w.stall(policy.Decision{}))
	w.want(w.stall(stale))
	w.want(w.stall(stale))
	w.want(w.stall(stale), "blind")
	for range 60 {
		w.want(w.stall(stale))
	}
	w.want(w.tick(policy.Decision{Plans: []policy.Plan{plan}, Advice: storage}))
	w.want(w.tick(policy.Decision{Plans: []policy.Plan{plan}, Advice: storage}), "sighted")
	blind, err := actuator.Read[actuator.Blind](&w.all[len(w.all)-2])
	if err != nil || len(blind.Reasons) != 1 || blind.Reasons[0].Reason != "stale" || time.Time(blind.Since).IsZero() {
		t.Errorf("blind %+v: %v", blind, err)
	}
}

// TestBlindTwiceAtOnePane: the same outage twice while no pane closes is two entries, not one id.
func TestBlindTwiceAtOnePane(t *testing.T) {
	w := newWatch(t)
	partial := policy.Decision{Blind: true, Holds: []policy.Hold{{Reason: policy.HoldPartial}}}
	for range 2 {
		for range 3 {
			w.stall(partial)
		}
		for range 3 {
			w.stall(policy.Decision{})
		}
	}
	seen, kinds := map[string]bool{}, map[actuator.Kind]int{}
	for _, e := range w.all {
		if seen[e.ID] {
			t.Errorf("%s has the id of another entry", e.Kind)
		}
		seen[e.ID] = true
		kinds[e.Kind]++
	}
	if kinds[actuator.KindBlind] != 2 || kinds[actuator.KindSighted] != 2 {
		t.Errorf("told %v", kinds)
	}
}

// TestUndo: each undo is a plan of its own, which ends when it is proposed no more, and so does what holds it. Ticks without a
// new pane say nothing of either.
func TestUndo(t *testing.T) {
	w := newWatch(t)
	undo := func(id string) policy.Plan { return policy.Plan{ID: id, Undo: true, Fix: policy.FixSalt} }
	behind := policy.Hold{Reason: policy.HoldClientBehind}
	w.want(w.tick(policy.Decision{Plans: []policy.Plan{undo("u"), undo("v")}, Holds: []policy.Hold{behind}}), "plan begun", "plan begun", "hold begun")
	for range 20 {
		w.want(w.stall(policy.Decision{}))
	}
	for range 6 {
		w.want(w.tick(policy.Decision{Plans: []policy.Plan{undo("v")}}))
	}
	w.want(w.tick(policy.Decision{Plans: []policy.Plan{undo("v")}}), "plan ended", "hold ended")
}

// decisions draws one tick of two hotspots in any state.
func decisions(t *rapid.T, w *watch, gone map[string]bool) policy.Decision {
	d := policy.Decision{Blind: rapid.IntRange(0, 5).Draw(t, "blind") == 0}
	if d.Blind {
		d.Holds = append(d.Holds, policy.Hold{Reason: rapid.SampledFrom([]policy.HoldReason{policy.HoldStale, policy.HoldPartial, policy.HoldWarmingUp}).Draw(t, "input")})
		return d
	}
	for _, id := range []string{"g", "h"} {
		state, isOpen := w.open[id]
		switch {
		case gone[id]:
			continue
		case !isOpen && rapid.Bool().Draw(t, "fires"):
			d.Verdicts = append(d.Verdicts, firing(id, policy.CauseVolume))
			w.open[id] = nil
		case isOpen && rapid.IntRange(0, 9).Draw(t, "resolves") == 0:
			v := firing(id, policy.CauseVolume)
			v.Phase = policy.PhaseResolved
			d.Verdicts = append(d.Verdicts, v)
			delete(w.open, id)
			gone[id] = true
			continue
		}
		if _, isOpen = w.open[id]; !isOpen {
			continue
		}
		if rapid.Bool().Draw(t, "planned") {
			state = &policy.Plan{ID: rapid.SampledFrom([]string{"a", "b"}).Draw(t, "plan"), Hotspot: id}
			d.Plans = append(d.Plans, *state)
		}
		w.open[id] = state
		if rapid.Bool().Draw(t, "held") {
			d.Holds = append(d.Holds, policy.Hold{Hotspot: id, Reason: policy.HoldObserve})
		}
	}
	if rapid.Bool().Draw(t, "advised") {
		d.Advice = append(d.Advice, policy.Advice{Shard: "s\xff", Topic: policy.TopicStorage, Level: policy.Severity(rapid.IntRange(0, 1).Draw(t, "level"))})
	}
	return d
}

// TestSameFromACheckpoint: an instance that takes what was told through JSON at any tick goes on with the same entries, ids
// are never given twice, and every plan, hold and advice begins before it changes or ends.
func TestSameFromACheckpoint(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := newWatch(t), newWatch(t)
		gone := map[string]bool{}
		for range rapid.IntRange(1, 60).Draw(t, "ticks") {
			d := decisions(t, a, gone)
			b.open = a.open
			step := a.tick
			other := b.tick
			if d.Blind && rapid.Bool().Draw(t, "stalls") {
				step, other = a.stall, b.stall
			}
			text, err := json.Marshal(b.told)
			if err != nil {
				t.Fatal(err)
			}
			b.told = actuator.Told{}
			if err := json.Unmarshal(text, &b.told); err != nil {
				t.Fatal(err)
			}
			a.want(other(d), step(d)...)
		}
		if !slices.EqualFunc(a.all, b.all, func(x, y actuator.Entry) bool { return x.ID == y.ID && bytes.Equal(x.Line, y.Line) }) {
			t.Fatalf("(-continuous +restored):\n%s", cmp.Diff(a.all, b.all))
		}
		checkLives(t, a.all)
	})
}

func checkLives(t *rapid.T, all []actuator.Entry) {
	ids, open := map[string]bool{}, map[string]bool{}
	for i := range all {
		e := &all[i]
		if ids[e.ID] {
			t.Fatalf("%s %s has an id that was given before", e.Kind, e.Phase)
		}
		ids[e.ID] = true
		topic := e.Kind.String() + " " + e.Hotspot
		if e.Kind == actuator.KindHold {
			l, err := actuator.Read[struct{ Reason string }](e)
			if err != nil {
				t.Fatal(err)
			}
			topic += l.Reason
		}
		switch e.Phase {
		case actuator.PhaseFired, actuator.PhaseBegun:
			if open[topic] {
				t.Fatalf("%s begins twice", topic)
			}
			open[topic] = true
		case actuator.PhaseRevised, actuator.PhaseChanged, actuator.PhaseResolved, actuator.PhaseEnded:
			if !open[topic] {
				t.Fatalf("%s is %s and never began", topic, e.Phase)
			}
			open[topic] = e.Phase == actuator.PhaseRevised || e.Phase == actuator.PhaseChanged
			if e.Phase == actuator.PhaseResolved {
				delete(open, "plan "+e.Hotspot)
				delete(open, "hold "+e.Hotspot+"observe_mode")
			}
		case actuator.PhaseNone:
		}
	}
}

// TestRedact: with hashing on, no byte of a key or tenant is anywhere in an entry, and the same name is the same hash.
func TestRedact(t *testing.T) {
	hash, err := actuator.ParseRedact("hash")
	if err != nil {
		t.Fatal(err)
	}
	if off, err := actuator.ParseRedact("off"); off != nil || err != nil {
		t.Errorf("off: %v", err)
	}
	if _, err := actuator.ParseRedact("sha1"); err == nil {
		t.Error("an unknown mode is taken")
	}
	w := newWatch(t)
	w.redact = hash
	const key, tenant = "secret\"key\\\xff", "secret-tenant"
	v := firing("h", policy.CauseHotKey)
	v.Key, v.Tenant, v.Reason, v.Missing = key, tenant, fmt.Sprintf("key %q of tenant %q is heavy", key, tenant), []string{fmt.Sprintf("whether %q is alone", tenant)}
	v.Contribute = []policy.Contribution{{Key: key, Tenant: tenant}}
	v.Projected = []policy.Projection{{Why: fmt.Sprintf("salt %q", key)}}
	plan := policy.Plan{
		ID: "p", Hotspot: "h", Steps: []policy.Step{{Kind: policy.StepSalt, Key: key, Tenant: tenant, Text: fmt.Sprintf("salt key %q", key)}},
		Footprint: []routing.Entry{routing.SaltEntry(tenant, key), routing.TenantEntry(tenant), routing.VShardEntry(7), routing.ShardEntry("shard-1")},
	}
	w.open["h"] = &plan
	w.tick(policy.Decision{
		Verdicts: []policy.Verdict{v}, Plans: []policy.Plan{plan}, Holds: []policy.Hold{{Hotspot: "h", Reason: policy.HoldReadHot, Detail: fmt.Sprintf("key %q", key)}},
		Advice: []policy.Advice{{Topic: policy.TopicErrors, Reason: fmt.Sprintf("tenant %q, and an open quote \"secret", tenant)}},
	})
	if len(w.all) != 4 {
		t.Fatalf("%d entries", len(w.all))
	}
	for _, e := range w.all {
		if strings.Contains(string(e.Line), "secret") {
			t.Errorf("%s holds a name: %s", e.Kind, e.Line)
		}
		if want := hash([]byte(key)); e.Kind != actuator.KindAdvice && !strings.Contains(string(e.Line), want) {
			t.Errorf("%s does not hold the hash %s: %s", e.Kind, want, e.Line)
		}
	}
	if plan := string(w.all[1].Line); !strings.Contains(plan, `"name":"shard-1"`) || !strings.Contains(plan, `"name":"7"`) {
		t.Errorf("shards are no keys: %s", plan)
	}
}

package history

import (
	"bytes"
	"errors"
	"reflect"
	"slices"
	"testing"
	"time"

	"firebreak/policy"
	"firebreak/routing"
)

// TestReplay: what comes out of the log is judged to the same decision, to the last bit, for fleets of every kind.
func TestReplay(t *testing.T) {
	seen := map[policy.Cause]int{}
	for _, seed := range []uint64{22, 31, 37, 108, 39} { // some explicit, some with a capacity
		judged := ticks(t, seed)
		for i := range judged {
			if d := judged[i].Decision; len(d.Verdicts) > 0 {
				size := replayed(t, &judged[i])
				t.Logf("fleet %d, %d shards: %d bytes", seed, judged[i].Snapshot.Table.Shards(), size)
				seen[d.Verdicts[0].Cause]++
			}
		}
	}
	for _, c := range []policy.Cause{policy.CauseHotKey, policy.CauseWhaleTenant, policy.CauseVolume} {
		if seen[c] == 0 {
			t.Errorf("no verdict of %s: the test shows little", c)
		}
	}
}

// replayed writes the evidence of a tick, reads it and judges again. It returns the size in the log.
func replayed(t *testing.T, tick *Tick) (size int) {
	t.Helper()
	e, err := NewEvidence(tick, "v1")
	if err != nil {
		t.Fatal(err)
	}
	values, err := e.encode()
	if err != nil {
		t.Fatal(err)
	}
	entry := whole(t, values)
	if entry.Kind != KindEvidence || entry.Fleet != tick.Snapshot.Fleet || !slices.Equal(entry.Hotspots, e.Hotspots) {
		t.Fatalf("head %+v", entry.Head)
	}
	back, err := entry.Evidence()
	if err != nil {
		t.Fatal(err)
	}
	d, err := Replay(back)
	if err != nil {
		t.Fatalf("pane %s: %v", entry.At, err)
	}
	if !reflect.DeepEqual(d, *tick.Decision) {
		t.Fatalf("pane %s: another decision", entry.At)
	}
	again, err := back.encode()
	if err != nil || !slices.EqualFunc(values, again, bytes.Equal) {
		t.Fatalf("%v: what was read is written otherwise", err)
	}
	for _, v := range values {
		size += len(v)
	}
	return size
}

// TestReplayWithExceptions: salts, placements, operations and what people said are inputs too, and the order of the
// document's lists stays as it is.
func TestReplayWithExceptions(t *testing.T) {
	s := big(t, 16)
	doc := s.Table.Document().Clone()
	a, b := &s.Keys[0], &s.Keys[1]
	doc.Salts = []routing.Salt{
		{Tenant: b.Tenant, Key: b.Key, Suffixes: []uint32{0, 3, 9}, Read: 3, Write: 2},
		{Tenant: a.Tenant, Key: a.Key, Suffixes: []uint32{0, 1}, Read: 2, Write: 2, Tombstones: []uint32{7}},
	}
	doc.Moves = []routing.Move{{VShard: 9, To: 3}, {VShard: 4, To: 2}}
	doc.Tenants = []routing.TenantPlacement{{Tenant: s.Tenants[9].Tenant, Shards: []routing.ShardID{5, 4}}}
	doc.Quotas = []routing.Quota{{Tenant: "\xff\x00", Rate: 0.1}}
	var err error
	if s.Table, err = routing.NewTable(doc); err != nil {
		t.Fatal(err)
	}
	s.World = policy.World{
		Health:     []policy.Reading{{Shard: "shard-1", Metric: policy.MetricPool, Value: 0.95}},
		Unread:     []policy.Unread{{Shard: "shard-\xff", Metric: policy.MetricThrottled}, {Metric: policy.MetricRows}},
		Operations: []policy.Operation{{ID: "o", Hotspot: "h", Fix: policy.FixSplit, Shard: 0, Footprint: []routing.Entry{routing.VShardEntry(4)}, Settled: noon()}},
		Clients:    policy.Clients{Routed: true, Behind: []string{"app-7"}},
		Approvals:  []policy.Approval{{Plan: "p", By: "ann", At: noon().Add(time.Nanosecond)}},
		Demand:     []policy.Demand{{Tenant: "a\xfe", Rate: 1.0 / 3}},
		Budget:     policy.Budget{LastHour: 1},
		Operator:   policy.OperatorHold{Stop: true, Reason: "\x1b"},
	}
	tick := fired(t, s)
	tick.Config.Modes = map[policy.Fix]policy.Mode{policy.FixSalt: policy.ModeAuto, policy.FixSplit: policy.ModeApprove}
	var st policy.State
	tick = tickOf(s, tick.Config, &st, tick.Now)
	replayed(t, &tick)
	tick = tickOf(s, tick.Config, &st, tick.Now.Add(time.Second)) // with a state, whose hotspot has a plan
	tick.Decision.Verdicts = nil
	tick.Before = &policy.State{Detection: st.Detection, Action: policy.Action{CoolDown: map[string]time.Time{"shard-0": noon()}}}
	d, after := policy.Evaluate(s, tick.Config, *tick.Before, tick.Now)
	tick.Decision, tick.After = &d, &after
	replayed(t, &tick)
}

// TestReplayTells: another input or another judge is told, and inputs that break the judge are no panic.
func TestReplayTells(t *testing.T) {
	tick := fired(t, big(t, 16))
	fresh := func() *Evidence {
		e, err := NewEvidence(&tick, "v1")
		if err != nil {
			t.Fatal(err)
		}
		s := *e.Snapshot
		e.Snapshot = &s
		return e
	}
	for name, change := range map[string]func(*Evidence){
		"coverage": func(e *Evidence) { e.Snapshot.Inputs.Coverage = 0.5 },
		"line":     func(e *Evidence) { e.Config.Lines.Relative = 3 },
		"now":      func(e *Evidence) { e.Now = e.Now.Add(time.Millisecond) },
		"digest":   func(e *Evidence) { e.Digest = nil },
	} {
		e := fresh()
		change(e)
		if _, err := Replay(e); !errors.Is(err, ErrDiffers) {
			t.Errorf("%s: %v, want ErrDiffers", name, err)
		}
	}
	for name, change := range map[string]func(*Evidence){
		"panes":  func(e *Evidence) { e.Snapshot.Panes = e.Snapshot.Panes[:7] },
		"none":   func(e *Evidence) { e.Snapshot.Panes = nil },
		"table":  func(e *Evidence) { e.Snapshot.Table = nil },
		"length": func(e *Evidence) { e.Snapshot.Pane = 0 },
		"config": func(e *Evidence) { e.Config.FastPanes = 0 },
	} {
		e := fresh()
		change(e)
		if _, err := Replay(e); err == nil || errors.Is(err, ErrDiffers) {
			t.Errorf("%s: %v, want an error of the input", name, err)
		}
	}
}

// TestSize: the largest fleet fits the log in chunks that a reader puts together, also where every virtual shard is busy in
// every pane.
func TestSize(t *testing.T) {
	for _, tt := range []struct{ shards, most int }{{16, 2 * MaxEntry}, {512, 3 * MaxEntry}, {2000, 7 * MaxEntry}} {
		if tt.shards > 512 && testing.Short() {
			continue
		}
		tick := fired(t, big(t, tt.shards))
		e, err := NewEvidence(&tick, "v1")
		if err != nil {
			t.Fatal(err)
		}
		raw, err := marshal(&evidenceWire{Snapshot: *e.Snapshot})
		if err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		values, err := e.encode()
		if err != nil {
			t.Fatal(err)
		}
		took, size := time.Since(began), 0
		for _, v := range values {
			size += len(v)
			if len(v) > MaxEntry {
				t.Errorf("a value of %d bytes", len(v))
			}
		}
		t.Logf("%d shards, %d virtual shards: %d bytes packed of %d in %d values, %s", tt.shards, tick.Snapshot.Table.VShards(), size, len(raw), len(values), took)
		if size > tt.most {
			t.Errorf("%d bytes, want at most %d", size, tt.most)
		}
		began = time.Now()
		entry := whole(t, values)
		back, err := entry.Evidence()
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("unpacked in %s", time.Since(began))
		if tt.shards > 512 {
			continue // to judge it again takes seconds and shows nothing more
		}
		if _, err := Replay(back); err != nil {
			t.Error(err)
		}
	}
}

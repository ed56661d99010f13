package pipeline

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"firebreak/policy"
)

// closedTo fails the test unless the newest complete pane ends that many seconds after modelEpoch.
func (r *rig) closedTo(seconds float64) {
	r.t.Helper()
	f := r.fleet()
	if got := f.start(f.closed + 1).Sub(modelEpoch()).Seconds(); !f.begun || got != seconds {
		r.t.Fatalf("complete up to second %v (begun %v), want %v", got, f.begun, seconds)
	}
}

// begun is a rig with two partitions that have records up to second 20.
func begun(t testing.TB, partitions int32) (*rig, Topic, []*teller, []*Part) {
	r := newRig(t, shortFleet(t, "main/requests"))
	topic := requestLog(partitions)
	tellers, parts := make([]*teller, partitions), make([]*Part, partitions)
	for n := range tellers {
		tellers[n] = r.teller()
		parts[n] = tellers[n].take(topic, int32(n), 0)
	}
	for s := 0; s <= 20; s += 2 {
		r.to(float64(s))
		for n, c := range tellers {
			c.says(parts[n], "k", float64(s), 1)
			accepted(t, c.send())
		}
	}
	return r, topic, tellers, parts
}

// TestPaneWaitsForAllPartitions: the first pane is the one after that in which the log begins, and a pane is complete when
// every partition has passed its end by the allowed disorder.
func TestPaneWaitsForAllPartitions(t *testing.T) {
	r, _, c, p := begun(t, 2)
	r.closedTo(10) // the pane in which both begin is not judged, whoever knows what came before
	if got := r.fleet().first; got != modelEpoch().Unix()/10+1 {
		t.Errorf("the window begins at pane %d", got)
	}
	r.to(25)
	c[0].says(p[0], "k", 25, 1)
	accepted(t, c[0].send())
	r.closedTo(10)
	c[1].says(p[1], "k", 24.9, 1)
	accepted(t, c[1].send())
	r.closedTo(10)
	c[1].says(p[1], "k", 25, 1)
	accepted(t, c[1].send())
	r.closedTo(20)
}

// TestIdlePartitionStopsNobody: who reports that a partition was read to its end, and nothing was there, says how far it is.
func TestIdlePartitionStopsNobody(t *testing.T) {
	r, _, c, p := begun(t, 2)
	for s := 22; s <= 60; s += 2 {
		r.to(float64(s))
		c[0].says(p[0], "k", float64(s), 1)
		accepted(t, c[0].send())
		accepted(t, c[1].send())
	}
	r.closedTo(50)
	if m := r.live.ledger.missing(r.fleet(), r.now); len(m) > 0 {
		t.Errorf("missing %v, want none", m)
	}
}

// TestSilentPartition stops time for Config.Idle and is missing from then on: the verdict is unknown.
func TestSilentPartition(t *testing.T) {
	r, _, c, p := begun(t, 2)
	for s := 22; s <= 78; s += 2 {
		r.to(float64(s))
		c[0].says(p[0], "k", float64(s), 1)
		accepted(t, c[0].send())
		r.closedTo(10)
	}
	r.to(80)
	c[0].says(p[0], "k", 80, 1)
	accepted(t, c[0].send())
	r.closedTo(70)
	last := len(r.sink.snapshots) - 1
	if diff := cmp.Diff([]string{"main/requests/1"}, r.sink.snapshots[last].Inputs.Missing); diff != "" {
		t.Errorf("missing (-want +got):\n%s", diff)
	}
	if d := &r.sink.decisions[last]; !d.Blind || !holds(d, policy.HoldPartial) {
		t.Errorf("decision %+v, want blind: partial", d)
	}
	accepted(t, c[1].send()) // it is there again
	if m := r.live.ledger.missing(r.fleet(), r.now); len(m) > 0 {
		t.Errorf("missing %v, want none", m)
	}
}

func holds(d *policy.Decision, reason policy.HoldReason) bool {
	for i := range d.Holds {
		if d.Holds[i].Reason == reason {
			return true
		}
	}
	return false
}

// TestLaggingPartitionHoldsTime: a partition with unread records holds the panes, for as long as it takes, and we are blind.
func TestLaggingPartitionHoldsTime(t *testing.T) {
	r, _, c, p := begun(t, 2)
	r.to(26)
	for n := range c {
		c[n].says(p[n], "k", 26, 1)
		accepted(t, c[n].send())
	}
	for s := 28; s <= 200; s += 2 {
		r.to(float64(s))
		if got := c[0].say(p[0], "k", float64(s), 1); got == Full {
			t.Fatal("full")
		}
		accepted(t, c[0].send())
		accepted(t, c[1].behind())
	}
	r.closedTo(20)
	if d := r.sink.decisions[len(r.sink.decisions)-1]; !d.Blind || !holds(&d, policy.HoldStale) {
		t.Errorf("decision %+v, want blind: stale", d)
	}
	if n := len(r.sink.decisions); n > 20 {
		t.Errorf("%d decisions in 200 s: once a pane is enough to say that nothing is seen", n)
	}
}

// TestOldRecordsHoldNobody: a partition that is read to its end holds no time, however old its records are.
func TestOldRecordsHoldNobody(t *testing.T) {
	r, _, c, p := begun(t, 2)
	for s := 22; s <= 200; s += 2 {
		r.to(float64(s))
		c[0].says(p[0], "k", float64(s), 1)
		accepted(t, c[0].send())
		c[1].says(p[1], "old", 21, 1)
		accepted(t, c[1].send())
	}
	r.closedTo(190)
}

// TestTopicGrows: a new partition has Config.Idle to be counted first, and is then missing.
func TestTopicGrows(t *testing.T) {
	r, topic, c, p := begun(t, 1)
	topic.Partitions = 2
	c[0].tick.Grown(topic)
	closed := func(s int) float64 { return float64((s - 5) / 10 * 10) }
	for s := 22; s <= 82; s += 2 {
		r.to(float64(s))
		c[0].says(p[0], "k", float64(s), 1)
		accepted(t, c[0].send())
		if s < 82 {
			r.closedTo(10)
		}
	}
	r.closedTo(closed(82))
	if diff := cmp.Diff([]string{"main/requests/1"}, r.live.ledger.missing(r.fleet(), r.now)); diff != "" {
		t.Errorf("missing (-want +got):\n%s", diff)
	}
	d := r.teller()
	d.take(topic, 1, 0)
	accepted(t, d.send())
	if m := r.live.ledger.missing(r.fleet(), r.now); len(m) > 0 {
		t.Errorf("missing %v, want none", m)
	}
}

// TestTopicNotNamedYet: time waits Config.Idle for a topic that nobody has named, and then it is missing.
func TestTopicNotNamedYet(t *testing.T) {
	r := newRig(t, shortFleet(t, "main/requests", "east/requests"))
	c := r.teller()
	p := c.take(requestLog(1), 0, 0)
	for s := 0; s < 60; s += 2 {
		r.to(float64(s))
		c.says(p, "k", float64(s), 1)
		accepted(t, c.send())
		if r.fleet().begun {
			t.Fatalf("the window began at second %d without a topic", s)
		}
	}
	r.to(60)
	c.says(p, "k", 60, 1)
	accepted(t, c.send())
	r.closedTo(50)
	if diff := cmp.Diff([]string{"east/requests"}, r.live.ledger.missing(r.fleet(), r.now)); diff != "" {
		t.Errorf("missing (-want +got):\n%s", diff)
	}
}

// TestHalfCoveredPaneInventsNoHotspot: two partitions whose reports arrive apart. The key is 5 % of the traffic and lies on
// one partition; judged when only that one was reported, its shard would seem far hotter than it is.
func TestHalfCoveredPaneInventsNoHotspot(t *testing.T) {
	r := newRig(t, shortFleet(t, "main/requests"))
	topic := requestLog(2)
	a, b := r.teller(), r.teller()
	p, q := a.take(topic, 0, 0), b.take(topic, 1, 0)
	for s := 0; s <= 120; s += 2 {
		a.says(p, "popular", float64(s), 10)
		for k := range 50 {
			key := string(rune('A' + k))
			a.says(p, key, float64(s), 1)
			b.says(q, key, float64(s), 3)
		}
		r.to(float64(s))
		accepted(t, a.send())
		if s%6 == 0 { // the other one reports late
			r.to(float64(s) + 1)
			accepted(t, b.send())
		}
	}
	if len(r.sink.snapshots) < 9 {
		t.Fatalf("%d snapshots", len(r.sink.snapshots))
	}
	for _, s := range r.sink.snapshots {
		newest := s.Panes[len(s.Panes)-1]
		all, popular := 0.0, 0.0
		for i := range newest.VShards {
			all += newest.VShards[i].Load
		}
		for i := range s.Keys {
			if n := len(s.Keys[i].Panes); s.Keys[i].Key == "popular" {
				popular = s.Keys[i].Panes[n-1].Load
			}
		}
		if want := 5 * (10 + 50 + 150); all != float64(want) || popular != 50 {
			t.Fatalf("pane of %v: load %v of which %v is the key's, want %d and 50", newest.Start, all, popular, want)
		}
	}
}

// TestCatchUpTriggersNothingOld: after an outage the backlog fills the window, and what was hot in it long ago is not told.
func TestCatchUpTriggersNothingOld(t *testing.T) {
	r, _, c, p := begun(t, 1)
	hot := func(from, to int) {
		for s := from; s <= to; s += 2 {
			for k := range 20 {
				for c[0].say(p[0], string(rune('A'+k)), float64(s), 1) != Taken {
					accepted(t, c[0].behind())
				}
			}
			if s > 60 && s < 360 {
				for c[0].say(p[0], "hot", float64(s), 100) != Taken {
					accepted(t, c[0].behind())
				}
			}
		}
	}
	r.to(600) // nobody counted for long
	c[0].sync()
	hot(22, 600)
	accepted(t, c[0].send())
	r.closedTo(590)
	if n := len(r.sink.decisions); n > 30 {
		t.Errorf("%d decisions: old panes are not judged one by one", n)
	}
	for i := range r.sink.decisions {
		if d := &r.sink.decisions[i]; len(d.Verdicts) > 0 && r.sink.times[i].After(second(500)) {
			t.Errorf("at %v: %+v", r.sink.times[i], d.Verdicts)
		}
	}
	if got := r.fleet().lag(r.now); got > time.Minute {
		t.Errorf("lag %v after the backlog", got)
	}
}

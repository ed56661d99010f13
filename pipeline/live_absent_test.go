package pipeline

import (
	"slices"
	"strings"
	"testing"

	"firebreak/policy"
)

// TestAbsentTopicIsBlind: nobody ever names the topic of a fleet. After a minute it is said once a pane that nothing is seen, and which
// topic is missing; when the topic is there after all, its window begins and is judged.
func TestAbsentTopicIsBlind(t *testing.T) {
	r := newRig(t, modelFleet(t, "main/requests"))
	silent := func(from, to int) {
		for s := from; s < to; s++ {
			if err := r.live.Silent(second(float64(s))); err != nil {
				t.Fatal(err)
			}
		}
	}
	if silent(0, 60); len(r.sink.decisions) > 0 {
		t.Fatalf("judged %d times within a minute", len(r.sink.decisions))
	}
	silent(60, 160)
	for i := range r.sink.decisions {
		d := &r.sink.decisions[i]
		names := slices.ContainsFunc(d.Holds, func(h policy.Hold) bool {
			return h.Reason == policy.HoldPartial && strings.Contains(h.Detail, "main/requests")
		})
		if !d.Blind || !names {
			t.Fatalf("decision %d: %+v, want blind: the topic is missing", i, d)
		}
	}
	if n := len(r.sink.decisions); n < 9 || n > 10 {
		t.Errorf("told %d times in 100 s with panes of 10 s", n)
	}
	c, begins := r.teller(), len(r.sink.decisions)
	r.to(160)
	p := c.take(requestLog(1), 0, 0)
	for s := 160; s <= 260; s += 2 {
		r.to(float64(s))
		c.sync()
		c.says(p, "k", float64(s), 5)
		accepted(t, c.send())
		silent(s, s+1)
	}
	after := r.sink.decisions[begins:]
	if len(after) < 5 || after[len(after)-1].Blind {
		t.Errorf("%d decisions since it is there, the last one blind: %v", len(after), len(after) > 0 && after[len(after)-1].Blind)
	}
}

// TestEmptyTopicIsNotBlind: a topic that is read and has no record is no blindness: there is nothing to see.
func TestEmptyTopicIsNotBlind(t *testing.T) {
	r := newRig(t, modelFleet(t, "main/requests"))
	c := r.teller()
	c.take(requestLog(1), 0, 0)
	for s := 0; s <= 600; s += 2 {
		r.to(float64(s))
		c.sync()
		accepted(t, c.send())
		if err := r.live.Silent(r.now); err != nil {
			t.Fatal(err)
		}
	}
	for i := range r.sink.decisions {
		if d := &r.sink.decisions[i]; holds(d, policy.HoldPartial) || holds(d, policy.HoldStale) {
			t.Fatalf("decision %d: %+v", i, d)
		}
	}
}

package pagerduty

import (
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"firebreak/actuator"
	"firebreak/actuator/notify"
)

// TestAnyNight: whatever happens to some hotspots, in whatever order, whatever people say of them and whoever takes over, having read all of
// the journal or only what is known of old entries: while one is open of which nobody said anything, an incident calls; when all are over,
// none is open.
func TestAnyNight(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n := newNight(t)
		defer n.server.Close()
		hotspots := rapid.IntRange(1, 16).Draw(rt, "hotspots")
		state := map[string]*hotspot{}
		for i := range rapid.SampledFrom([]int{0, 0, 12}).Draw(rt, "at once") {
			n.event("fire", fmt.Sprint("h", i), state)
		}
		for step := range rapid.IntRange(1, 50).Draw(rt, "steps") {
			name := fmt.Sprint("h", rapid.IntRange(0, hotspots-1).Draw(rt, "hotspot"))
			n.event(rapid.SampledFrom([]string{"fire", "fire", "fire", "resolve", "accept", "dismiss", "again", "wait", "wait", "take over", "days later"}).Draw(rt, "event"), name, state)
			n.now = n.now.Add(time.Duration(1+step) * time.Millisecond) // no two events are one
		}
		n.pass(3 * time.Minute)
		calls, loud := 0, 0
		for _, in := range n.server.Incidents() {
			if in.State == "triggered" {
				calls++
			}
		}
		for _, h := range state {
			if h.fired && !h.over && h.said == nil {
				loud++
			}
		}
		if (calls > 0) != (loud > 0) {
			rt.Fatalf("%d incidents call, %d hotspots are open and nobody said anything of them", calls, loud)
		}
		for name, h := range state {
			if h.fired && !h.over {
				n.event("resolve", name, state)
			}
		}
		n.pass(5 * time.Minute)
		for _, in := range n.server.Incidents() {
			if in.State != "resolved" {
				rt.Fatalf("all are over, and %s is %s: %s", in.Dedup, in.State, in.Summary)
			}
		}
	})
}

// hotspot is what became of one.
type hotspot struct {
	fired, over bool
	said        *actuator.Entry // last, and it was not told again
}

// event makes something happen, where it can.
func (n *night) event(what, name string, state map[string]*hotspot) {
	h := state[name]
	if h == nil {
		h = &hotspot{}
		state[name] = h
	}
	open := h.fired && !h.over
	switch {
	case what == "fire" && !h.fired:
		h.fired = true
		n.tell(name, actuator.PhaseFired)
	case what == "resolve" && open:
		h.over = true
		n.tell(name, actuator.PhaseResolved)
	case what == "accept" && open:
		h.said = n.said(name, actuator.KindAccepted)
		n.log.Tell(h.said)
	case what == "dismiss" && open:
		h.said = n.said(name, actuator.KindDismissed)
		n.log.Tell(h.said)
	case what == "again" && open && h.said != nil && h.said.Kind == actuator.KindAccepted:
		n.reopened(name, h.said)
		h.said = nil
	case what == "wait":
		n.pass(30 * time.Second)
	case what == "take over":
		n.log.Join(rule())
	case what == "days later":
		n.pass(3 * time.Minute) // nothing waits
		n.now = n.now.Add(30 * time.Hour)
		q := notify.NewQueue([]notify.Rule{rule()}, func() float64 { return 0 })
		for _, e := range n.log.Entries {
			if e.Kind == actuator.KindDelivered || e.Kind.Spoken() || e.Kind == actuator.KindReopened || notify.Ends(e) {
				q.Recall(e, n.now)
			}
		}
		n.log.Queues = []*notify.Queue{q}
	}
}

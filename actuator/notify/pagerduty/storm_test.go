package pagerduty

import (
	"fmt"
	"testing"
	"time"

	"firebreak/actuator"
	"firebreak/internal/fakes/news"
	fake "firebreak/internal/fakes/pagerduty"
	"firebreak/internal/line"
)

// said is what a person says of a hotspot as of now.
func (n *night) said(hotspot string, k actuator.Kind) *actuator.Entry {
	n.t.Helper()
	var e actuator.Entry
	var err error
	if k == actuator.KindAccepted {
		e, err = actuator.NewAccepted("orders", n.now, actuator.Accepted{Hotspot: line.Name(hotspot), By: "ann", Reason: "known", Until: line.Stamp(n.now.Add(8 * time.Hour)), Load: 6400})
	} else {
		e, err = actuator.NewDismissed("orders", n.now, actuator.Dismissed{Hotspot: line.Name(hotspot), By: "ann", Reason: "a load test"})
	}
	if err != nil {
		n.t.Fatal(err)
	}
	return &e
}

// storm begins hotspots at once, ten of which are told one by one, and gives the others and the incident of their summary.
func (n *night) storm(hotspots int) (folded []string, of func() fake.Incident) {
	n.t.Helper()
	for i := range hotspots {
		n.tell(fmt.Sprint("h", i), actuator.PhaseFired)
	}
	n.pass(2 * time.Minute)
	n.want("in the storm", 11, 11)
	alone := map[string]bool{}
	at := 0
	for i, in := range n.server.Incidents() {
		if alone[in.Dedup] = true; in.Payload.Component == "" {
			at = i
		}
	}
	for i := range hotspots {
		if hotspot := fmt.Sprint("h", i); !alone[hotspot] {
			folded = append(folded, hotspot)
		}
	}
	return folded, func() fake.Incident { return n.server.Incidents()[at] }
}

// TestStormIsAccepted: when a person has accepted all that is open of a storm its incident is acknowledged, and not before; when those are
// over it is resolved; what is called a false alarm is over for those who are called. An instance that takes over does the same.
func TestStormIsAccepted(t *testing.T) {
	for _, takeOver := range []bool{false, true} {
		n := newNight(t)
		folded, of := n.storm(20)
		for i, hotspot := range folded[:8] {
			n.log.Tell(n.said(hotspot, actuator.KindAccepted))
			n.pass(10 * time.Second)
			if takeOver && i == 4 {
				n.log.Join(rule())
			}
		}
		n.log.Tell(n.said(folded[8], actuator.KindDismissed))
		n.pass(2 * time.Minute)
		if is := of(); is.State != "triggered" {
			t.Errorf("one is open: %s", is.State)
		}
		n.tell(folded[9], actuator.PhaseResolved)
		n.pass(10 * time.Second)
		if is := of(); is.State != "acknowledged" {
			t.Errorf("all that lasts is accepted: %s", is.State)
		}
		for _, hotspot := range folded[:8] {
			n.tell(hotspot, actuator.PhaseResolved)
		}
		n.pass(2 * time.Minute)
		if is := of(); is.State != "resolved" || is.Pages != 1 {
			t.Errorf("over: %+v", is)
		}
		calls := len(n.server.Calls())
		n.tell(folded[8], actuator.PhaseResolved)
		n.pass(2 * time.Minute)
		if len(n.server.Calls()) != calls {
			t.Error("the end of a false alarm of which nobody was told is told")
		}
	}
}

// TestStormIsDismissed: when a person has called all of a storm a false alarm its incident is resolved.
func TestStormIsDismissed(t *testing.T) {
	n := newNight(t)
	folded, of := n.storm(14)
	for _, hotspot := range folded {
		n.log.Tell(n.said(hotspot, actuator.KindDismissed))
	}
	n.pass(2 * time.Minute)
	if is := of(); is.State != "resolved" || is.Pages != 1 {
		t.Errorf("%+v", is)
	}
}

// TestStormAfterItWasAccepted: what joins a storm of which all was accepted calls somebody anew, also by an instance that takes over, and
// its end leaves nothing open.
func TestStormAfterItWasAccepted(t *testing.T) {
	for _, takeOver := range []bool{false, true} {
		n := newNight(t)
		folded, of := n.storm(14)
		for _, hotspot := range folded {
			n.log.Tell(n.said(hotspot, actuator.KindAccepted))
		}
		n.pass(time.Minute)
		if is := of(); is.State != "acknowledged" {
			t.Fatalf("%+v", is)
		}
		if takeOver {
			n.log.Join(rule())
		}
		n.tell("late", actuator.PhaseFired)
		n.pass(2 * time.Minute)
		n.want("one more", 12, 11)
		for i := range 14 {
			n.tell(fmt.Sprint("h", i), actuator.PhaseResolved)
		}
		n.tell("late", actuator.PhaseResolved)
		n.pass(2 * time.Minute)
		n.want("over", 12, 0)
	}
}

// TestStormIsAcceptedOnItsWay: who accepts what stands in a summary that is on its way has its incident acknowledged, also by an instance
// that took over and learns of that summary afterwards.
func TestStormIsAcceptedOnItsWay(t *testing.T) {
	for _, takeOver := range []bool{false, true} {
		n := newNight(t)
		for i := range 10 {
			n.tell(fmt.Sprint("h", i), actuator.PhaseFired)
			n.pass(2 * time.Second)
		}
		const last = "h10" // one too many, which an instance finds when it is to tell it
		n.tell(last, actuator.PhaseFired)
		q := n.log.Queues[0]
		notice, ok := q.Due("pager", n.now)
		if !ok || notice.More == nil {
			t.Fatalf("%+v", notice)
		}
		receipt, err := n.sender.Send(t.Context(), &notice)
		if err != nil {
			t.Fatal(err)
		}
		if takeOver {
			n.log.Join(rule())
		}
		n.log.Tell(n.said(last, actuator.KindAccepted))
		entries, err := q.Sent("pager", n.now, receipt)
		if err != nil {
			t.Fatal(err)
		}
		n.log.Tell(&entries[0])
		n.pass(2 * time.Minute)
		if in := n.server.Incidents()[10]; in.State != "acknowledged" {
			t.Errorf("taken over %v: %+v", takeOver, in)
		}
		n.log.Tell(news.Hotspot(news.Verdict("orders", last, "s", "", "k"), actuator.PhaseResolved, time.Hour))
		n.pass(2 * time.Minute)
		n.want("over", 11, 10)
	}
}

package notify

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"firebreak/actuator"
)

// hot is a hotspot that fires on a shard, over its line so many times.
func hot(fleet string, shard int, severity string, times float64) *actuator.Entry {
	e := news(fmt.Sprint(fleet, shard), actuator.KindVerdict, actuator.PhaseFired, fmt.Sprint(fleet, shard), severity)
	e.Fleet = fleet
	e.Line = json.RawMessage(fmt.Sprintf(`{"name":"h","severity":%q,"shard":"s%d","load":%g,"line":100}`, severity, shard, 100*times))
	return e
}

// TestSummaryNames: a summary says of each fleet how many and which three shards are worst, the critical first, of no more fleets than have
// room, and what team answers for them.
func TestSummaryNames(t *testing.T) {
	owner := func(n *Notice) *Owner { return &Owner{Team: "team of " + n.Entry.Fleet, Channel: "c"} }
	q := NewQueue([]Rule{{Name: "hook", Queue: 1, Owner: owner}}, quick)
	for fleet := range maxFleets + 2 {
		for shard := range 2 + fleet {
			severity := "warning"
			if shard == 1 {
				severity = "critical"
			}
			q.Apply(hot(fmt.Sprint("f", fleet), shard, severity, 1+float64(shard)/10), start())
		}
	}
	q.Apply(hot("f0", 99, "critical", 9), start()) // is told by itself
	var more *More
	for now := start(); more == nil; now = now.Add(time.Second) {
		n, ok := q.Due("hook", now)
		if !ok {
			t.Fatal("no summary")
		}
		more = n.More
		if _, err := q.Sent("hook", now, ""); err != nil {
			t.Fatal(err)
		}
	}
	if len(more.Fleets) != maxFleets || more.Others != 2 || more.N != 35 || more.Open != 35 || more.Critical != 7 {
		t.Errorf("%+v", more)
	}
	want := MoreOf{Fleet: "f6", N: 8, Open: 8, Critical: 1, Worst: []Worst{
		{Shard: "s1", Severity: "critical", Times: 1.1, Team: "team of f6"}, {Shard: "s7", Severity: "warning", Times: 1.7, Team: "team of f6"}, {Shard: "s6", Severity: "warning", Times: 1.6, Team: "team of f6"},
	}}
	if diff := cmp.Diff(want, more.Fleets[0]); diff != "" {
		t.Errorf("the first fleet (-want +got):\n%s", diff)
	}
	if more.Owner == nil || more.Owner.Team != "" || more.Owner.Channel != "c" {
		t.Errorf("they have in common %+v", more.Owner)
	}
	m := (&Guide{}).Message(&Notice{More: more})
	const fleet = `Fleet "f6": 8, 8 open, 1 of these critical; worst: "s1" (critical, 1.1× its line, team "team of f6"), "s7" (warning, 1.7× its line, team "team of f6"), "s6" (warning, 1.6× its line, team "team of f6").`
	if len(m.Facts) != maxFleets+2 || m.Facts[1].Text.Quoted() != fleet || m.Facts[maxFleets+1].Text.Quoted() != "Others are of 2 more fleets." {
		t.Errorf("%+v", m.Facts)
	}
}

// TestBurstOfPlaces: how many are told one by one is counted for each place, so that a storm of one team does not take the words from another.
func TestBurstOfPlaces(t *testing.T) {
	q := NewQueue([]Rule{{Name: "hook", Burst: 2, Place: func(n *Notice) string { return n.Entry.Fleet }}}, quick)
	for shard := range 5 {
		q.Apply(hot("loud", shard, "critical", 2), start())
	}
	q.Apply(hot("quiet", 1, "critical", 2), start())
	alone := map[string]int{}
	for now := start(); now.Before(start().Add(time.Minute)); now = now.Add(time.Second) {
		n, ok := q.Due("hook", now)
		if !ok {
			continue
		}
		if n.Entry != nil {
			alone[n.Entry.Fleet]++
		}
		if _, err := q.Sent("hook", now, ""); err != nil {
			t.Fatal(err)
		}
	}
	if alone["loud"] != 2 || alone["quiet"] != 1 {
		t.Errorf("%v are told by themselves", alone)
	}
}

package main

import (
	"context"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"firebreak/actuator/operation"
	"firebreak/policy"
	"firebreak/routing"
)

// TestIntentOutlivesItsDecider is S04: the decider is killed after an operation is recorded and before its first write of the routing, at each
// of its writes between them. Another one decides when the group's session has run out (TestStoryOneDecider), and within an interval the operation goes
// on, or is given up where its hotspot is over; then another shard is hot, and is acted on. Nobody says a word, and nothing is begun twice.
func TestIntentOutlivesItsDecider(t *testing.T) {
	if testing.Short() {
		t.Skip("half an hour of virtual time, seven times")
	}
	writes := tellS04(t, cut{while: operation.Planned}, false)
	if writes < 2 {
		t.Fatalf("%d writes between the intent and the routing: the rig sees too few", writes)
	}
	for name, over := range map[string]bool{"the hotspot stays": false, "the hotspot is over": true} {
		t.Run(name, func(t *testing.T) {
			for at := 1; at <= writes; at++ {
				tellS04(t, cut{at: at, kind: cutBefore, while: operation.Planned}, over)
			}
		})
	}
}

// tellS04 gives how many writes there were while the operation was recorded and not begun.
func tellS04(t *testing.T, c cut, over bool) (writes int) {
	const session, interval = 10 * time.Second, 10 * time.Second
	split := policy.Step{Kind: policy.StepMove, Moves: []routing.Move{{VShard: 0, To: 3}, {VShard: 4, To: 2}}}
	synctest.Test(t, func(t *testing.T) {
		r := newActingRig(t, &faulty{fix: policy.FixSplit, step: split}, c)
		r.leaves = session
		ctx, cancel := context.WithCancel(t.Context())
		var alive sync.WaitGroup
		for _, part := range []func(context.Context){r.decide, r.judgeOn, r.follow} {
			alive.Go(func() { part(ctx) })
		}
		for end := time.Now().Add(time.Minute); c.at > 0 && r.killed().IsZero() && time.Now().Before(end); {
			pause(ctx, 100*time.Millisecond)
		}
		if phase := r.phase(ctx); c.at > 0 && (r.killed().IsZero() || phase != operation.Planned) {
			t.Fatalf("killed at %v, operation 1 is %q", r.killed(), phase)
		}
		if over {
			r.cools()
		}
		pause(ctx, session+interval)
		if phase := r.phase(ctx); c.at > 0 && (phase == operation.Planned || over != (phase == operation.Undone)) {
			t.Errorf("cut at %d: operation 1 is %q %s after the kill", c.at, phase, time.Since(r.killed()))
		}
		r.heats(policy.Plan{
			ID: "second", Hotspot: "hotter", Fix: policy.FixSplit, Expires: time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC),
			Steps: []policy.Step{{Kind: policy.StepMove, Moves: []routing.Move{{VShard: 1, To: 3}, {VShard: 5, To: 2}}}},
		})
		if r.stands(ctx, 2, 40*time.Minute, operation.Grace) == "" {
			t.Errorf("cut at %d: the second hotspot is not acted on: %+v", c.at, r.state(ctx).Operations)
		}
		r.checkS04(t, over)
		cancel()
		alive.Wait()
		writes = r.writes
	})
	return writes
}

// checkS04 is that each of two plans was begun once and ended once, the first one as it should.
func (r *actingRig) checkS04(t *testing.T, over bool) {
	t.Helper()
	want := operation.Effective
	if over {
		want = operation.NotNeeded
	}
	var planned, ended []string
	for _, a := range r.acted() {
		switch {
		case a.Call != "":
		case a.Word():
			t.Errorf("somebody said %s", a.Do)
		case a.Step == operation.Planned:
			planned = append(planned, a.Plan)
		case a.Ends():
			ended = append(ended, a.Plan+" "+a.Outcome)
		}
	}
	if !slices.Equal(planned, []string{"plan", "second"}) || !slices.Equal(ended, []string{"plan " + want, "second " + operation.Effective}) {
		t.Errorf("planned %v, ended %v, want each once, the first one %s", planned, ended, want)
	}
	if n := r.state(t.Context()).Operated; n != 2 {
		t.Errorf("%d operations for two hotspots", n)
	}
}

// killed is when a decider met its fault; zero = none did.
func (r *actingRig) killed() time.Time {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.ended
}

// cools ends what is hot.
func (r *actingRig) cools() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.hots = nil
}

// heats makes shard-1 hot, on the entries as they stand.
func (r *actingRig) heats(p policy.Plan) {
	p.Footprint = []routing.Entry{routing.VShardEntry(1), routing.VShardEntry(5)}
	p.Digest = r.state(r.t.Context()).Document.Digest(p.Footprint)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.hots = append(r.hots, hotspot{1, p})
}

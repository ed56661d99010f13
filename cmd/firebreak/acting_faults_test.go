package main

import (
	"context"
	"flag"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"firebreak/actuator/operation"
	"firebreak/policy"
	"firebreak/routing"
	"firebreak/routing/control"
)

// faulty is an operation that is carried out, and perhaps taken back, while its decider meets a fault.
type faulty struct {
	name string
	fix  policy.Fix
	step policy.Step
	back string // the phase in which it is taken back; empty = it is not
	want map[routing.Entry]string
	// carried says that data is carried. A fence that the fault makes too long is given up: then the operation ends as it would have by the
	// other way, and what it wanted stands, or stands no more, as a whole.
	carried bool
}

func faulties() []faulty {
	split := policy.Step{Kind: policy.StepMove, Moves: []routing.Move{{VShard: 0, To: 1}, {VShard: 4, To: 2}}}
	salt := policy.Step{Kind: policy.StepSalt, Key: "feed", Salt: &routing.Salt{Key: "feed", Suffixes: []uint32{0, 1, 2, 3}, Read: 4, Write: 4}}
	isolate := policy.Step{Kind: policy.StepPlaceTenant, Tenant: "mega", Shards: []string{"spare-0"}}
	cache := policy.Step{Kind: policy.StepCache, Key: "feed"}
	spare := policy.Step{Kind: policy.StepAddShards, Shards: []string{"spare-0"}}
	moved := map[routing.Entry]string{routing.VShardEntry(0): "shard-1", routing.VShardEntry(4): "shard-2"}
	quota := policy.Step{Kind: policy.StepQuota, Tenant: "mega", Rate: 120}
	spread := "write=4,read=4,suffixes=0+1+2+3"
	return []faulty{
		{"split", policy.FixSplit, split, "", moved, false},
		{"split, back", policy.FixSplit, split, operation.Settle, map[routing.Entry]string{routing.VShardEntry(0): "", routing.VShardEntry(4): ""}, false},
		{"salt", policy.FixSalt, salt, "", map[routing.Entry]string{routing.SaltEntry("", "feed"): spread}, false},
		{"salt, back from readers", policy.FixSalt, salt, operation.Readers, map[routing.Entry]string{routing.SaltEntry("", "feed"): ""}, false},
		{"salt, back", policy.FixSalt, salt, operation.Settle, map[routing.Entry]string{routing.SaltEntry("", "feed"): "write=1,read=1,suffixes=0,tombstones=1+2+3"}, false},
		{"isolate, back", policy.FixIsolate, isolate, operation.Settle, map[routing.Entry]string{routing.TenantEntry("mega"): "", routing.ShardEntry("spare-0"): "spare"}, false},
		{"quota", policy.FixQuota, quota, "", map[routing.Entry]string{routing.QuotaEntry("mega"): "120"}, false},
		{"cache, back", policy.FixCache, cache, operation.Settle, map[routing.Entry]string{routing.CacheEntry("", "feed"): ""}, false},
		{"spare", policy.FixScaleOut, spare, "", map[routing.Entry]string{routing.ShardEntry("spare-0"): "serving"}, false},
		{"carry", policy.FixSplit, split, "", moved, true},
		{"carry, back", policy.FixSplit, split, operation.Settle, moved, true},
	}
}

// run carries it out in virtual time and gives how many writes the deciders made.
func (f *faulty) run(t *testing.T, c cut) (writes int) {
	synctest.Test(t, func(t *testing.T) {
		r := newActingRig(t, f, c)
		ctx, cancel := context.WithCancel(t.Context())
		var alive sync.WaitGroup
		for _, part := range []func(context.Context){r.decide, r.judgeOn, r.follow} {
			alive.Go(func() { part(ctx) })
		}
		ends := []string{operation.Grace}
		if f.back != "" {
			if r.stands(ctx, 10*time.Minute, f.back) == "" {
				t.Errorf("it never stood in %s", f.back)
			}
			r.takeBack(ctx)
			ends = []string{operation.Undone}
		}
		if f.carried && c.at > 0 {
			ends = []string{operation.Grace, operation.Undone}
		}
		end := r.stands(ctx, 40*time.Minute, ends...)
		if end == "" {
			t.Errorf("it never stood in %v: %+v", ends, r.state(ctx).Operations)
		}
		pause(ctx, time.Minute)
		f.check(t, r, end)
		cancel()
		alive.Wait()
		writes = r.writes
	})
	return writes
}

// check is what must hold whatever happened.
func (f *faulty) check(t *testing.T, r *actingRig, end string) {
	ctx := t.Context()
	s := r.state(ctx)
	for e, want := range f.want {
		if f.carried && end == operation.Undone {
			want = ""
		}
		if got := s.Document.Value(e); got != want {
			t.Errorf("%s is %q, want %q", e, got, want)
		}
	}
	started, ended := 0, 0
	var last control.At
	for _, a := range r.acted() {
		if a.Call != "" { // for who must act: it stands in the write of a step
			continue
		}
		if a.Step == operation.Planned {
			started++
		}
		if a.Ends() {
			ended++
		}
		if at := (control.At{Epoch: a.Epoch, Version: a.Version}); at.Version <= last.Version || at.Epoch < last.Epoch {
			t.Errorf("the journal has %s after %s", at, last)
		} else {
			last = at
		}
	}
	if started != 1 || ended != 1 {
		var steps []string
		for _, a := range r.acted() {
			steps = append(steps, fmt.Sprint(a.Do, " ", a.Step, " ", a.Outcome))
		}
		t.Errorf("%d entries of its start and %d of its end, want one of each: %s", started, ended, strings.Join(steps, "; "))
	}
	if open, err := r.store(r.server).Requests(ctx); err != nil || len(open) > 0 {
		t.Errorf("%d requests are left, %v", len(open), err)
	}
	if len(s.Document.Fenced) > 0 {
		t.Errorf("nobody serves %v", s.Document.Fenced)
	}
	for i := range s.Operations {
		if o := &s.Operations[i]; operation.Open(o) {
			t.Errorf("operation %d hangs in %s", o.Number, o.Phase)
		}
	}
}

// allFaults is for .ci/long: every kind of fault, where one is enough for each change.
var allFaults = flag.Bool("faults", false, "TestFaults meets every kind of fault")

// TestFaults stops, or cuts off, the deciding instance at each of its writes, in the table and in the journal, and has another go on.
func TestFaults(t *testing.T) {
	if testing.Short() {
		t.Skip("hundreds of operations of twenty virtual minutes each")
	}
	kinds := []cutKind{cutLostStops}
	if *allFaults {
		kinds = append(kinds, cutBefore, cutAfter, cutLost)
	}
	for _, f := range faulties() {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			writes := f.run(t, cut{})
			if writes < 8 {
				t.Fatalf("%d writes were counted: the rig sees too few", writes)
			}
			for _, kind := range kinds {
				for at := 1; at <= writes; at++ {
					t.Run(fmt.Sprintf("%s/%d", kind, at), func(t *testing.T) { f.run(t, cut{at, kind}) })
				}
			}
		})
	}
}

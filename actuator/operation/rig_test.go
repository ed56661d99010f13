package operation_test

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"pgregory.net/rapid"

	"firebreak/actuator/operation"
	"firebreak/policy"
	"firebreak/routing"
	"firebreak/routing/control"
)

// rig is a fleet of four shards and a spare, whose clients confirm what they are told to, in virtual time.
type rig struct {
	t       rapid.TB
	now     time.Time
	state   *control.State
	exec    operation.Executor
	roll    control.Roll
	follow  bool   // the client takes each document within a round
	holds   uint64 // the version that the client holds
	beat    uint64
	numbers operation.Numbers
	old     bool // no new numbers come
	folder  bool
	folded  map[string]bool
	rounds  int
	notes   []control.Note
	guards  []control.Confirmation // what they confirm, as it stands
	mover   *mover                 // nil = there is none
	moving  operation.Moving       // where there is a mover; 0 = data is carried
}

func newRig(t rapid.TB) *rig {
	t.Helper()
	return rigOf(t, 4, 40)
}

// rigOf is a rig of so many serving shards and virtual shards.
func rigOf(t rapid.TB, serving, vshards int) *rig {
	t.Helper()
	shards := []routing.Shard{}
	for i := range serving {
		shards = append(shards, routing.Shard{Name: fmt.Sprintf("shard-%d", i), Role: routing.Serving})
	}
	d, err := routing.Adopt("orders", routing.Placement{Bytes: "key", Function: routing.XXH64, Map: routing.ModN, VShards: vshards}, shards)
	if err != nil {
		t.Fatal(err)
	}
	d.Shards = append(d.Shards, routing.Shard{Name: "spare-0", Role: routing.Spare})
	d.Epoch, d.Tenure = 1, "t1"
	r := &rig{t: t, now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC), state: control.First(d), follow: true, holds: 1, folded: map[string]bool{}}
	r.numbers = r.even()
	r.numbers.Config.Mode = policy.ModeAuto
	r.numbers.Config.Approvers = []string{"ann"}
	r.numbers.Config.KeySpaces = []policy.KeySpace{{Prefix: "feed", Merge: "counter", Staleness: time.Second}}
	return r
}

// even is a fleet whose shards bear the same, seen a moment ago.
func (r *rig) even() operation.Numbers {
	cfg := policy.Default()
	table, err := routing.NewTable(r.state.Document)
	if err != nil {
		r.t.Fatal(err)
	}
	s := &policy.Snapshot{Fleet: "orders", Table: table, LogPoint: policy.LogPointClient, Pane: 10 * time.Second, Inputs: policy.Inputs{Coverage: 1, Shards: true, Keys: true}}
	for i := range 30 {
		p := policy.Pane{Start: r.now.Add(time.Duration(i-30) * s.Pane)}
		for v := range table.VShards() {
			p.VShards = append(p.VShards, policy.VShardSums{VShard: routing.VShard(v), Sums: policy.Sums{Load: 1000, Variance: 1000, Records: 1000}})
		}
		s.Panes = append(s.Panes, p)
	}
	return operation.Numbers{Snapshot: s, Config: &cfg, Decision: &policy.Decision{}}
}

// fresh lets the panes end now.
func (r *rig) fresh() {
	r.numbers.At = r.now
	s := r.numbers.Snapshot
	for i := range s.Panes {
		s.Panes[i].Start = r.now.Add(time.Duration(i-len(s.Panes)) * s.Pane)
	}
}

// load multiplies what virtual shards bear.
func (r *rig) load(factor float64, vshards ...routing.VShard) {
	for i := range r.numbers.Snapshot.Panes {
		for _, v := range vshards {
			s := &r.numbers.Snapshot.Panes[i].VShards[v].Sums
			s.Load, s.Variance = factor*s.Load, factor*s.Variance
		}
	}
}

// plan makes a plan ready, for the hotspot h of shard-0.
func (r *rig) plan(fix policy.Fix, steps ...policy.Step) *policy.Plan {
	p := policy.Plan{ID: "plan-" + fix.String(), Hotspot: "h", Fix: fix, Steps: steps, Ready: true, Expires: r.now.Add(30 * time.Minute)}
	p.Digest = r.state.Document.Digest(nil)
	r.numbers.Decision = &policy.Decision{Plans: []policy.Plan{p}, Open: []policy.Verdict{{Hotspot: "h", Shard: "shard-0"}}}
	return &p
}

// round does one write, if one is due, and lets the clients follow.
func (r *rig) round() operation.Round {
	r.t.Helper()
	r.rounds++
	if !r.old {
		r.fresh()
	}
	r.exec.Observe(r.state, r.now)
	r.beat++
	if r.follow {
		r.holds = r.state.Document.Version
	}
	r.roll.Observe(r.now, append(slices.Clone(r.guards), control.Confirmation{Client: "app-1", Epoch: 1, Version: r.holds, Beat: r.beat}))
	a := &operation.Around{Now: r.now, Moving: operation.MovingRouting, Roll: &r.roll, Numbers: r.numbers}
	if r.folder {
		a.Result = func(number uint64, phase string) operation.Result {
			return operation.Result{Done: r.folded[fmt.Sprint(number, phase)]}
		}
	}
	if r.mover != nil {
		a.Moving = cmp.Or(r.moving, operation.MovingCarried)
		a.Result, a.Can = r.mover.result(r.state), r.mover.can
	}
	out := r.exec.Round(r.state, a)
	if r.mover != nil {
		r.mover.take(r.t, out.Tasks)
	}
	for _, err := range out.Faults {
		r.t.Fatal(err)
	}
	if out.Write != nil {
		r.write(out.Write)
	}
	return out
}

func (r *rig) write(next *control.State) {
	r.t.Helper()
	if err := control.Follows(r.state.At(), next); err != nil {
		r.t.Fatal(err)
	}
	if err := next.Validate(); err != nil {
		r.t.Fatal(err)
	}
	b, err := next.Encode()
	if err != nil {
		r.t.Fatal(err)
	}
	if r.state, err = control.ParseState(b); err != nil { // whoever decides next has no more than this
		r.t.Fatal(err)
	}
	r.notes = append(r.notes, r.state.Outbox...)
	r.state.Outbox = nil
	for i := range r.numbers.Decision.Plans {
		r.numbers.Decision.Plans[i].Ready = false
	}
}

// until goes on until the first operation stands in a phase; it fails after two days.
func (r *rig) until(number uint64, phase string) {
	r.t.Helper()
	for end := r.now.Add(48 * time.Hour); r.now.Before(end); r.pass() {
		if o := r.state.Operation(number); o != nil && o.Phase == phase || o == nil && phase == operation.Over {
			return
		}
		r.round()
	}
	r.t.Fatalf("operation %d never stood in %s: %+v", number, phase, r.state.Operation(number))
}

// pass is time: short steps while something moves, long ones in grace.
func (r *rig) pass() {
	step := 5 * time.Second
	for i := range r.state.Operations {
		if r.state.Operations[i].Phase == operation.Grace {
			step = 10 * time.Minute
		}
	}
	r.now = r.now.Add(step)
}

// ask puts a request about an operation and lets it be answered.
func (r *rig) ask(do control.Do, number uint64) {
	r.t.Helper()
	r.say(&control.Request{By: "ann", Do: do, Operation: number})
}

// say puts a request and lets it be answered.
func (r *rig) say(req *control.Request) {
	r.t.Helper()
	req.ID, req.At, req.Reason = fmt.Sprint(req.Do, r.rounds, r.state.Document.Version), r.now, "because"
	if err := req.Validate(); err != nil {
		r.t.Fatal(err)
	}
	next := r.state.Answer(req, r.now)
	if a, _ := next.Answered(req.ID); a.Refused != "" {
		r.t.Fatal(a.Refused)
	}
	r.write(next)
	r.state.Answers = nil
}

// fold does what tasks ask for.
func (r *rig) fold(tasks []operation.Task) {
	for _, task := range tasks {
		r.folded[fmt.Sprint(task.Operation, task.Phase)] = true
	}
}

// through goes on until no operation is left that does anything more; it fails after four days.
func (r *rig) through() {
	r.t.Helper()
	for end := r.now.Add(96 * time.Hour); r.now.Before(end); r.pass() {
		r.fold(r.round().Tasks)
		if over := !slices.ContainsFunc(r.state.Operations, func(o control.Operation) bool { return o.Phase != operation.Undone }); over && r.state.Operated > 0 {
			return
		}
	}
	r.t.Fatalf("operations that do not end: %+v", r.state.Operations)
}

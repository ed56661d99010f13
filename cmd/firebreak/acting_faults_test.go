package main

import (
	"context"
	"flag"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"firebreak/actuator"
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
	// operations are how many the plan is made into, 0 = one. All of them are taken back, the last one first, once it stands in back.
	operations uint64
	want       map[routing.Entry]string
	// carried says that data is carried. A fence that the fault makes too long is given up: then the operation ends as it would have by the
	// other way, and what it wanted stands, or stands no more, as a whole.
	carried bool
	// stands is what stood before; nil = nothing. It is taken away.
	stands func(d *routing.Document)
	// versioned says that clients write twice while data is carried; added are shards that are provisioned.
	versioned bool
	added     []string
	// lifted says that no shard is hot: the plan takes back what is not needed any more.
	lifted bool
	kafka  bool // its state lies in Kafka, not in DynamoDB
}

func faulties() []faulty {
	split := policy.Step{Kind: policy.StepMove, Moves: []routing.Move{{VShard: 0, To: 1}, {VShard: 4, To: 2}}}
	salt := policy.Step{Kind: policy.StepSalt, Key: "feed", Salt: &routing.Salt{Key: "feed", Suffixes: []uint32{0, 1, 2, 3}, Read: 4, Write: 4}}
	isolate := policy.Step{Kind: policy.StepPlaceTenant, Tenant: "mega", Shards: []string{"spare-0"}}
	cache := policy.Step{Kind: policy.StepCache, Key: "feed"}
	spare := policy.Step{Kind: policy.StepAddShards, Shards: []string{"spare-0"}}
	moved := map[routing.Entry]string{routing.VShardEntry(0): "shard-1", routing.VShardEntry(4): "shard-2"}
	filled := func(d *routing.Document) { // eight virtual shards lie on it, more than one operation may move
		d.Shards[4].Role = routing.Serving
		for v := range routing.VShard(8) {
			d.Moves = append(d.Moves, routing.Move{VShard: v, To: 4})
		}
	}
	drain := policy.Step{Kind: policy.StepDrain, Shards: []string{"spare-0"}}
	emptied, full := map[routing.Entry]string{routing.ShardEntry("spare-0"): "spare"}, map[routing.Entry]string{routing.ShardEntry("spare-0"): "serving"}
	for v := range routing.VShard(8) {
		drain.Moves = append(drain.Moves, routing.Move{VShard: v, To: routing.ShardID(v % 4)})
		emptied[routing.VShardEntry(v)], full[routing.VShardEntry(v)] = "", "spare-0"
	}
	quota := policy.Step{Kind: policy.StepQuota, Tenant: "mega", Rate: 120}
	spread, folded := "write=4,read=4,suffixes=0+1+2+3", "write=1,read=1,suffixes=0,tombstones=1+2+3"
	return []faulty{
		{name: "split", fix: policy.FixSplit, step: split, want: moved},
		{name: "split, back", fix: policy.FixSplit, step: split, back: operation.Settle, want: map[routing.Entry]string{routing.VShardEntry(0): "", routing.VShardEntry(4): ""}},
		{name: "salt", fix: policy.FixSalt, step: salt, want: map[routing.Entry]string{routing.SaltEntry("", "feed"): spread}},
		{name: "salt, back from readers", fix: policy.FixSalt, step: salt, back: operation.Readers, want: map[routing.Entry]string{routing.SaltEntry("", "feed"): ""}},
		{name: "salt, back", fix: policy.FixSalt, step: salt, back: operation.Settle, want: map[routing.Entry]string{routing.SaltEntry("", "feed"): folded}},
		{name: "isolate, back", fix: policy.FixIsolate, step: isolate, back: operation.Settle, want: map[routing.Entry]string{routing.TenantEntry("mega"): "", routing.ShardEntry("spare-0"): "spare"}},
		{name: "quota", fix: policy.FixQuota, step: quota, want: map[routing.Entry]string{routing.QuotaEntry("mega"): "120"}},
		{name: "cache, back", fix: policy.FixCache, step: cache, back: operation.Settle, want: map[routing.Entry]string{routing.CacheEntry("", "feed"): ""}},
		{name: "spare", fix: policy.FixScaleOut, step: spare, want: map[routing.Entry]string{routing.ShardEntry("spare-0"): "serving"}},
		{name: "carry", fix: policy.FixSplit, step: split, want: moved, carried: true},
		{name: "carry, back", fix: policy.FixSplit, step: split, back: operation.Settle, want: moved, carried: true},
		{name: "double", fix: policy.FixSplit, step: split, want: moved, carried: true, versioned: true},
		{name: "double, back", fix: policy.FixSplit, step: split, back: operation.Settle, want: moved, carried: true, versioned: true},
		{
			name: "unsalt", fix: policy.FixSalt, step: policy.Step{Kind: policy.StepUnsalt, Key: "feed"}, want: map[routing.Entry]string{routing.SaltEntry("", "feed"): folded},
			stands: func(d *routing.Document) { d.Salts = []routing.Salt{*salt.Salt} },
		},
		{
			name: "return", fix: policy.FixIsolate, step: policy.Step{Kind: policy.StepReturnTenant, Tenant: "mega", Shards: []string{"spare-0"}},
			want: map[routing.Entry]string{routing.TenantEntry("mega"): "", routing.ShardEntry("spare-0"): "spare"},
			stands: func(d *routing.Document) {
				d.Shards[4].Role, d.Tenants = routing.Dedicated, []routing.TenantPlacement{{Tenant: "mega", Shards: []routing.ShardID{4}}}
			},
		},
		{
			name: "uncache", fix: policy.FixCache, step: policy.Step{Kind: policy.StepUncache, Key: "feed"}, want: map[routing.Entry]string{routing.CacheEntry("", "feed"): ""},
			stands: func(d *routing.Document) {
				if err := d.Set(routing.CacheEntry("", "feed"), "1s"); err != nil {
					panic(err)
				}
			},
		},
		{
			name: "provision", fix: policy.FixScaleOut, step: policy.Step{Kind: policy.StepAddShards, Shards: []string{"new-0"}}, added: []string{"new-0"},
			want: map[routing.Entry]string{routing.ShardEntry("new-0"): "serving"},
		},
		{name: "drain", fix: policy.FixScaleOut, step: drain, operations: 4, lifted: true, stands: filled, want: emptied},
		{name: "drain, back, in Kafka", kafka: true, fix: policy.FixScaleOut, step: drain, operations: 4, lifted: true, stands: filled, back: operation.Settle, want: full},
	}
}

// alsoInKafka adds some operations with their state in Kafka.
func alsoInKafka(all []faulty) []faulty {
	out := slices.Clone(all)
	for _, f := range all {
		if slices.Contains([]string{"split, back", "salt, back"}, f.name) {
			f.name, f.kafka = f.name+", in Kafka", true
			out = append(out, f)
		}
	}
	return out
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
		last := max(1, f.operations)
		if f.back != "" {
			if r.stands(ctx, last, 40*time.Minute, f.back) == "" {
				t.Errorf("operation %d never stood in %s", last, f.back)
			}
			ends = []string{operation.Undone}
			for number := last; number > 1; number-- {
				r.takeBack(ctx, number)
				r.stands(ctx, number, 10*time.Minute, ends...)
			}
			r.takeBack(ctx, 1)
			last = 1
		}
		if f.carried && c.at > 0 {
			ends = []string{operation.Grace, operation.Undone}
		}
		end := r.stands(ctx, last, 40*time.Minute, ends...)
		if end == "" {
			t.Errorf("operation %d never stood in %v: %+v", last, ends, r.state(ctx).Operations)
		}
		pause(ctx, time.Minute)
		f.check(t, r, end)
		cancel()
		alive.Wait()
		r.place.close()
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
	f.checkJournal(t, r.acted())
	table, err := routing.NewTable(s.Document)
	if err != nil {
		t.Fatal(err)
	}
	for v := range routing.VShard(table.VShards()) {
		owner := table.Owner(v)
		if owner < 0 || !slices.Contains([]routing.Role{routing.Serving, routing.Draining}, s.Document.Shards[owner].Role) {
			t.Errorf("vshard %d lies on shard %d, which does not serve", v, owner)
		}
	}
	if open, err := r.people().Requests(ctx); err != nil || len(open) > 0 {
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

// checkJournal holds the journal to one start and one end of each operation, in documents of rising versions.
func (f *faulty) checkJournal(t *testing.T, acted []*actuator.Acted) {
	steps := map[uint64][]string{}
	ended := map[uint64]int{}
	var last control.At
	for _, a := range acted {
		if a.Call != "" { // for who must act: it stands in the write of a step
			continue
		}
		if a.Ends() {
			ended[a.Operation]++
		}
		if a.Do == control.DoAct.String() {
			checkTurn(t, a, steps)
			steps[a.Operation] = append(steps[a.Operation], a.Step+" "+a.Outcome)
		}
		if at := (control.At{Epoch: a.Epoch, Version: a.Version}); at.Version <= last.Version || at.Epoch < last.Epoch {
			t.Errorf("the journal has %s after %s", at, last)
		} else {
			last = at
		}
	}
	if got, want := len(steps), int(max(1, f.operations)); got != want {
		t.Errorf("the journal has %d operations, want %d", got, want)
	}
	for number, did := range steps {
		started := 0
		for _, step := range did {
			if step == did[0] {
				started++
			}
		}
		if started != 1 || ended[number] != 1 {
			t.Errorf("operation %d has %d entries of its start and %d of its end, want one of each: %q", number, started, ended[number], did)
		}
	}
}

// checkTurn holds the first step of an operation to come after those of before it in its plan have had what they are for take effect.
func checkTurn(t *testing.T, a *actuator.Acted, before map[uint64][]string) {
	if before[a.Operation] != nil || a.Ends() {
		return
	}
	for number := uint64(1); number < a.Operation; number++ {
		if !slices.Contains(before[number], operation.Settle+" ") {
			t.Errorf("operation %d begins after %q of operation %d", a.Operation, before[number], number)
		}
	}
}

// faults says how much TestFaults does: each kind of fault at each write (.ci/long), one kind at each write (.ci/run), or, without it, one
// kind at some writes.
var faults = flag.String("faults", "some", "TestFaults meets some, one or all")

// TestFaults stops, or cuts off, the deciding instance at each of its writes, in the table and in the journal, and has another go on.
func TestFaults(t *testing.T) {
	if testing.Short() {
		t.Skip("hundreds of operations of twenty virtual minutes each")
	}
	kinds, every := []cutKind{cutLostStops}, 1
	switch *faults {
	case "all":
		kinds = append(kinds, cutBefore, cutAfter, cutLost)
	case "one":
	case "some":
		every = 5
	default:
		t.Fatalf("-faults %s: want some, one or all", *faults)
	}
	for i, f := range alsoInKafka(faulties()) {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			writes := f.run(t, cut{})
			if writes < 8 {
				t.Fatalf("%d writes were counted: the rig sees too few", writes)
			}
			for _, kind := range kinds {
				for at := 1 + i%every; at <= writes; at += every {
					t.Run(fmt.Sprintf("%s/%d", kind, at), func(t *testing.T) { f.run(t, cut{at: at, kind: kind}) })
				}
			}
		})
	}
}

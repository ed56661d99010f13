package operation_test

import (
	"cmp"
	"flag"
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"firebreak/actuator/operation"
	"firebreak/policy"
	"firebreak/routing"
	"firebreak/routing/control"
)

var faults = flag.String("faults", "some", "TestRemapFaults meets at 400 virtual shards some, or all")

// TestRemapFaults is S05: 400 virtual shards of 10,240 move, and come back, in the two ways in which data does. At each write outside, of
// the state or to who carries the data, the process that decides ends before it, or after it, or lives on without the reply, and
// another one goes on. What holds at each instant, and in the end, is in [remap.serves] and [remap.ended]. A fleet of 80 meets every fault,
// that of 10,240 another one at each third write, or all (.ci/long).
func TestRemapFaults(t *testing.T) {
	if testing.Short() {
		t.Skip("hundreds of operations of a virtual day")
	}
	for name, how := range map[string]operation.Moving{"carried": operation.MovingCarried, "written twice": operation.MovingDoubled} {
		for way, back := range map[string]bool{"forward": false, "back": true} {
			for size, c := range map[string]struct{ shards, vshards, moved, every int }{"3 of 80": {4, 80, 3, 1}, "400 of 10,240": {16, 10_240, 400, 10}} {
				t.Run(fmt.Sprintf("%s, %s, %s", name, way, size), func(t *testing.T) {
					t.Parallel()
					run := func(t *testing.T, at int, kind fault) int {
						m := newRemap(t, c.shards, c.vshards, c.moved)
						m.moving, m.back, m.at, m.kind = how, back, at, kind
						m.run()
						m.ended()
						return m.writes
					}
					writes, kinds := run(t, 0, endsBefore), []fault{endsBefore, endsAfter, losesReply}
					if writes < 11 {
						t.Fatalf("%d writes were counted: the rig sees too few", writes)
					}
					for i := range writes * len(kinds) {
						if at, kind := 1+i/len(kinds), kinds[i%len(kinds)]; *faults == "all" || i%c.every == 0 {
							t.Run(fmt.Sprintf("%d %s", at, kind), func(t *testing.T) { run(t, at, kind) })
						}
					}
				})
			}
		}
	}
}

// fault is what becomes of a process at a write.
type fault string

const (
	endsBefore fault = "ends before it"
	endsAfter  fault = "ends after it"
	losesReply fault = "loses the reply"
)

// remap is a fleet of sixteen shards whose data lies where it was copied to.
type remap struct {
	*rig

	back    bool // it is taken back once the new shards serve
	at      int  // the write that meets the fault; 0 = none does
	kind    fault
	writes  int
	tenure  int
	before  *routing.Document
	moves   map[routing.Entry]*moving
	knows   map[string]bool // what this process has heard is done
	flipped time.Time       // when the new shards began to serve; zero = they do not
	fenced  time.Time       // since when nobody serves; zero = somebody does
}

// moving is a virtual shard that moves.
type moving struct {
	vshard routing.VShard
	shards [2]routing.ShardID       // the old one, and the new one
	has    map[routing.ShardID]bool // the shards that have its data, all of it
}

// newRemap plans to move what makes shard-0 hot to the others, up to five.
func newRemap(t rapid.TB, shards, vshards, moved int) *remap {
	t.Helper()
	r := carriedOf(rigOf(t, shards, vshards))
	r.mover.unserved = nil
	r.numbers.Snapshot.Panes = r.numbers.Snapshot.Panes[:3]
	m := &remap{rig: r, before: r.state.Document.Clone(), knows: map[string]bool{}, moves: map[routing.Entry]*moving{}}
	var moves []routing.Move
	for i := range moved {
		v, to := routing.VShard(shards*i), routing.ShardID(1+i%min(5, shards-1))
		moves = append(moves, routing.Move{VShard: v, To: to})
		m.moves[routing.VShardEntry(v)] = &moving{v, [2]routing.ShardID{0, to}, map[routing.ShardID]bool{0: true}}
		r.load(2, v)
	}
	r.plan(policy.FixSplit, policy.Step{Kind: policy.StepMove, Moves: moves})
	return m
}

// run goes on until the operation is over, or taken back.
func (m *remap) run() {
	m.t.Helper()
	for end := m.now.Add(48 * time.Hour); m.now.Before(end); m.pass() {
		o := m.state.Operation(1)
		if o != nil && o.Phase == operation.Settle {
			m.now = m.now.Add(time.Minute)
		}
		switch {
		case m.state.Operated > 0 && (o == nil || o.Phase == operation.Undone):
			return
		case o != nil && o.Phase == operation.Settle && m.back && !o.Back:
			m.ask(control.DoRollback, 1)
		}
		m.decides()
	}
	m.t.Fatalf("it never ended: %+v", m.state.Operation(1))
}

// decides is a round of the process that decides.
func (m *remap) decides() {
	m.rounds++
	m.fresh()
	m.numbers.Decision.Plans[0].Ready = m.state.Operated == 0
	m.exec.Observe(m.state, m.now)
	m.confirm()
	m.beat++
	m.holds = m.state.Document.Version
	m.roll.Observe(m.now, append(m.guards, control.Confirmation{Client: "app-1", Epoch: m.state.Document.Epoch, Version: m.holds, Beat: m.beat}))
	out := m.exec.Round(m.state, &operation.Around{
		Now: m.now, Moving: m.moving, Roll: &m.roll, Numbers: m.numbers, Can: func(operation.Ask) bool { return true },
		Result: func(number uint64, phase string) operation.Result {
			return operation.Result{Done: m.knows[m.mover.key(number, phase, m.state.Operation(number).Version)]}
		},
	})
	for _, err := range out.Faults {
		m.t.Fatal(err)
	}
	for i := range out.Tasks {
		task := &out.Tasks[i]
		m.outside(func() { m.carries(task) }, func() { m.knows[m.mover.key(task.Operation, task.Phase, task.Version)] = true })
	}
	if out.Write != nil {
		m.outside(func() { m.write(out.Write); m.serves() }, func() {})
	}
	m.serves()
}

// outside is a write outside, and what the process does with its reply.
func (m *remap) outside(do, reply func()) {
	m.writes++
	hit := m.writes == m.at
	if !hit || m.kind != endsBefore {
		do()
	}
	switch {
	case !hit:
		reply()
	case m.kind != losesReply: // who lives on reads what stands
		m.restarts()
	}
}

// restarts is that another process decides, which knows what stands in the store and nothing else.
func (m *remap) restarts() {
	m.tenure++
	next, err := m.state.Claim(0, fmt.Sprint("tenure ", m.tenure))
	if err != nil {
		m.t.Fatal(err)
	}
	m.write(next)
	m.exec, m.roll, m.knows = operation.Executor{}, control.Roll{}, map[string]bool{}
}

// carries is who carries the data: what is asked for again is done again.
func (m *remap) carries(task *operation.Task) {
	for _, c := range task.Carries {
		place := m.moves[c.Entry]
		switch task.Ask {
		case operation.AskCopy:
			place.has[place.shards[1]] = true
		case operation.AskDrop:
			delete(place.has, place.shards[1])
		case operation.AskClean:
			if kept := m.now.Sub(m.flipped); m.flipped.IsZero() || kept < 24*time.Hour {
				m.t.Fatalf("the old copy is deleted %s after the flip", kept)
			}
			delete(place.has, place.shards[0])
		case operation.AskNothing, operation.AskFold, operation.AskVerify, operation.AskDrain, operation.AskReturn, operation.AskProvision:
		}
	}
}

// serves holds what is true at each instant: what moves is at the old shards or at the new ones, all of it; that shard has the data and
// lets it in, and the other one answers that it moved, as Guards do by the document that stands. Only behind a fence, which is short,
// does nobody serve.
func (m *remap) serves() {
	m.t.Helper()
	table, err := routing.NewTable(m.state.Document)
	if err != nil {
		m.t.Fatal(err)
	}
	side := -1
	for e, p := range m.moves {
		owner := table.Owner(p.vshard)
		if side < 0 {
			side = cmp.Compare(owner, p.shards[0])
		}
		if owner != p.shards[side] || !p.has[owner] {
			m.t.Fatalf("%s is at shard-%d, its data at %v, others on side %d", e, owner, p.has, side)
		}
		if side == 1 && m.now.Sub(m.flipped) < 24*time.Hour && !p.has[p.shards[0]] {
			m.t.Fatalf("the old copy of %s is gone", e)
		}
	}
	switch {
	case side == 0:
		m.flipped = time.Time{}
	case m.flipped.IsZero():
		m.flipped = m.now
	}
	switch fenced := len(m.state.Document.Fenced); {
	case fenced == 0:
		m.fenced = time.Time{}
	case fenced != len(m.moves) || m.moving != operation.MovingCarried:
		m.t.Fatalf("%d places are fenced", fenced)
	case m.fenced.IsZero():
		m.fenced = m.now
	case m.now.Sub(m.fenced) > 15*time.Second: // ten, and a round
		m.t.Fatalf("nobody serves for %s", m.now.Sub(m.fenced))
	}
}

// ended holds what is true in the end: the map is wholly the new one, or the old one where it was taken back or its fence was too long for
// a fault; data lies where the map says and nowhere else; the operation started and ended once.
func (m *remap) ended() {
	m.t.Helper()
	changed := len(routing.Diff(m.before, m.state.Document))
	moved := changed == len(m.moves)
	if !moved && changed > 0 || moved == m.back && (m.moving != operation.MovingCarried || m.at == 0) {
		m.t.Errorf("%d entries are other than before", changed)
	}
	for e, p := range m.moves {
		at := p.shards[0]
		if moved {
			at = p.shards[1]
		}
		if len(p.has) != 1 || !p.has[at] {
			m.t.Fatalf("%s is at shard-%d, its data at %v", e, at, p.has)
		}
	}
	started, over := 0, 0
	for i := range m.notes {
		switch a := &m.notes[i].Act; {
		case a.Call != "":
		case a.Phase == operation.Planned:
			started++
		case a.Phase == operation.Over, a.Phase == operation.Undone:
			over++
		}
	}
	if started != 1 || over != 1 {
		m.t.Errorf("%d starts and %d ends are told", started, over)
	}
	if left := len(m.state.Document.Doubled) + len(m.state.Document.Fenced); left > 0 {
		m.t.Errorf("%d places are fenced or written twice in the end", left)
	}
}

// BenchmarkAsk is a look at an operation of 400 virtual shards that asks for something: one each half second while a fence stands.
func BenchmarkAsk(b *testing.B) {
	m := newRemap(b, 16, 10_240, 400)
	m.moving = operation.MovingCarried
	for o := m.state.Operation(1); o == nil || o.Phase != operation.Copy; o = m.state.Operation(1) {
		m.decides()
		m.pass()
	}
	v := operation.View{Now: m.now, Known: m.now, Routed: true, Result: func(uint64, string) operation.Result { return operation.Result{} }}
	for b.Loop() {
		if step, err := operation.Next(m.state, 1, &v); err != nil || step.Ask == nil || len(step.Ask.Carries) != 400 {
			b.Fatal(step, err)
		}
	}
}

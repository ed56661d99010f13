package operation_test

import (
	"fmt"
	"slices"
	"time"

	"firebreak/actuator/operation"
	"firebreak/policy"
	"firebreak/routing"
	"firebreak/routing/control"
)

// walk is a fleet to which anything happens in any order: clients lag and die, deciders come and go, replies are lost, people say this and
// that, numbers go away and loads change. pick chooses; oracle judges every write.
type walk struct {
	*rig
	oracle
	lacks

	pick    func(n int) int
	tables  []operation.Machine
	clients []*app
	tenures int
	began   time.Time // when this decider took over
	plans   int
	hot     []string // hotspots that are open
	full    bool     // nobody drains the outbox
	loads   map[string]bool
	asked   int
	feed    int // the virtual shard of the key feed
}

// lacks is what a decider does wrong beside its tables; the zero value is one that does all right.
type lacks struct {
	usedWord  bool // it does not use up the words by which it begins a plan
	lostReply bool // it takes a write whose reply is lost for one that failed, and does all again, on what it knew, at the version that it finds
}

// feedLoad is the load of the key feed, all of it writes.
const feedLoad = 6000

// app is a client: deaf polls in vain, mute confirms in vain, and slow goes on by what it holds although it has polled.
type app struct {
	name       string
	holds      uint64
	confirmed  uint64    // what its item in the store says
	seen       time.Time // when that changed last
	beat       uint64
	polled     time.Time
	deaf, mute bool
	slow       bool
}

func newWalk(r *rig, pick func(n int) int, tables []operation.Machine) *walk {
	w := &walk{rig: r, pick: pick, tables: tables, loads: map[string]bool{}, began: r.now, oracle: newOracle()}
	w.exec, w.folder = operation.With(tables), true
	w.history[r.state.Document.Version] = r.state.Document
	for i := range 3 {
		w.clients = append(w.clients, &app{name: fmt.Sprintf("app-%d", i), holds: 1, polled: r.now})
	}
	w.clients[2].mute = pick(2) == 0
	w.bear()
	w.numbers.Config.Mode = []policy.Mode{policy.ModeAuto, policy.ModeApprove, policy.ModeObserve}[min(2, pick(9)/4)]
	if pick(5) == 0 {
		w.numbers.Config.Windows = []policy.Window{{From: "22:00", To: "14:00"}}
	}
	w.numbers.Decision = &policy.Decision{}
	return w
}

// bear gives the fleet its loads, and in one walk of three a key that is salted already.
func (w *walk) bear() {
	s := w.numbers.Snapshot
	w.feed = int(s.Table.Locate(nil, []byte("feed")).VShard)
	c := policy.Contributor{Key: "feed", VShard: routing.VShard(w.feed)}
	for range s.Panes {
		c.Panes = append(c.Panes, policy.Sums{Load: feedLoad, Writes: feedLoad, Variance: feedLoad, Records: feedLoad})
	}
	s.Keys = []policy.Contributor{c}
	w.lay()
	if w.pick(3) == 0 {
		w.state.Document.PutSalt(*raised("feed", &routing.Salt{}))
	}
}

// run lets n things happen, and then lets all be well until nothing is left to do. It ends where a property is broken.
func (w *walk) run(n int) {
	for range n {
		w.happens()
		for range 1 + w.pick(3) {
			if w.tick(); w.broken != "" {
				return
			}
		}
	}
	w.heal()
	for end := w.now.Add(operationEnds); w.now.Before(end); {
		if !slices.ContainsFunc(w.state.Operations, func(o control.Operation) bool { return o.Phase != operation.Undone }) {
			w.ended()
			return
		}
		w.pass()
		if w.tick(); w.broken != "" {
			return
		}
	}
	w.fail("nothing is stuck", "%+v waits for %v, %v", w.state.Operations, w.last.Waits, w.last.Faults)
}

// operationEnds is settle and grace, twice where a worse one is taken back, and the hourly budget between.
const operationEnds = 2 * (25*time.Hour + 15*time.Minute)

// heal is the healthy end.
func (w *walk) heal() {
	for _, c := range w.clients {
		c.deaf, c.mute, c.slow = false, false, false
	}
	w.full, w.folder, w.old, w.hot, w.numbers.Config.Windows = false, true, false, nil, nil
	clear(w.loads)
	w.numbers.Decision = &policy.Decision{}
	w.lay()
	w.drain()
	if w.state.Document.Stop {
		w.speak(&control.Request{Do: control.DoResume})
	}
	for _, o := range w.state.Operations {
		if o.Held != "" {
			w.speak(&control.Request{Do: control.DoApprove, Operation: o.Number})
		}
	}
}

// tick is one round of the decider, and what clients do meanwhile.
func (w *walk) tick() {
	w.poll()
	w.numbers.Decision.Open = nil
	for _, h := range w.hot {
		w.numbers.Decision.Open = append(w.numbers.Decision.Open, policy.Verdict{Hotspot: h, Shard: "shard-0"})
	}
	if !w.old {
		w.fresh()
	}
	if !w.full {
		w.drain()
	}
	w.exec.Observe(w.state, w.now)
	a := &operation.Around{Now: w.now, Moving: operation.MovingRouting, Roll: &w.roll, Numbers: w.numbers}
	if w.folder {
		a.Result = func(number uint64, phase string) operation.Result {
			return operation.Result{Done: w.folded[fmt.Sprint(number, phase)]}
		}
	}
	w.last = w.exec.Round(w.state, a)
	for _, task := range w.last.Tasks {
		if w.pick(3) == 0 {
			w.folds(task)
		}
	}
	if next := w.last.Write; next != nil {
		w.send(next)
	}
	w.values()
}

// send is a write of the decider, on its way.
func (w *walk) send(next *control.State) {
	knew := w.state.Copy()
	if w.usedWord {
		next.Approvals = slices.Clone(knew.Approvals)
	}
	switch w.pick(12) {
	case 0: // it does not get there
	case 1: // it does, and its sender dies before it learns that
		w.lands(next)
		if !w.lostReply {
			w.takeover()
			return
		}
		knew.Document.Version = w.state.Document.Version
		w.state = knew
	default:
		w.lands(next)
	}
}

// lands lets a write of the executor take effect.
func (w *walk) lands(next *control.State) {
	w.judge(next)
	w.put(next)
}

func (w *walk) put(next *control.State) {
	b, err := next.Encode()
	if err != nil {
		w.fail("states can be written", "%v", err)
		return
	}
	if w.state, err = control.ParseState(b); err != nil {
		w.t.Fatal(err)
	}
	w.history[w.state.Document.Version] = w.state.Document
}

func (w *walk) drain() {
	w.notes = append(w.notes, w.state.Outbox...)
	w.state.Outbox, w.state.Answers = nil, nil
}

// takeover is another process that decides from here on.
func (w *walk) takeover() {
	w.tenures++
	next, err := w.state.Claim(0, fmt.Sprintf("tenure-%d", w.tenures))
	if err != nil {
		w.t.Fatal(err)
	}
	w.put(next)
	w.exec, w.roll, w.began = operation.With(w.tables), control.Roll{}, w.now
}

// poll lets clients look for a newer document, and confirm what they hold.
func (w *walk) poll() {
	var listed []control.Confirmation
	for _, c := range w.clients {
		if c.slow {
			c.polled = w.now
		} else if !c.deaf && (w.now.Sub(c.polled) >= 5*time.Second || w.pick(2) == 0) {
			c.holds, c.polled = w.state.Document.Version, w.now
		}
		if !c.mute {
			c.beat++
			c.seen = w.now
			c.confirmed = c.holds
		}
		if c.beat == 0 {
			continue // nobody knows of it
		}
		listed = append(listed, control.Confirmation{Client: c.name, Epoch: 1, Version: c.confirmed, Beat: c.beat})
	}
	w.roll.Observe(w.now, listed)
	w.values()
}

// speak is a person's word, that may be refused.
func (w *walk) speak(r *control.Request) {
	w.asked++
	r.ID, r.By, r.At, r.Reason = fmt.Sprint("r", w.asked), "ann", w.now, fmt.Sprint("because ", w.asked)
	if r.Do == control.DoApprove && w.pick(8) == 0 {
		r.By = "eve" // is none of the approvers
	}
	if next := w.state.Answer(r, w.now); next != nil {
		w.put(next)
	}
}

// lay gives the virtual shards their loads: even, but for those whose names are set.
func (w *walk) lay() {
	for i := range w.numbers.Snapshot.Panes {
		for v := range w.numbers.Snapshot.Panes[i].VShards {
			load := 1000.0
			if w.loads[fmt.Sprint("tight ", v%4)] { // a shard that may receive is over its target
				load = 4000
			}
			if w.loads["heavy"] && v%4 == 0 { // what moves is more than it may be
				load = 3000
			}
			if v == w.feed {
				load += feedLoad
			}
			w.numbers.Snapshot.Panes[i].VShards[v].Sums = policy.Sums{Load: load, Variance: load, Records: load}
		}
	}
}

package operation_test

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"firebreak/actuator/operation"
	"firebreak/policy"
	"firebreak/routing"
	"firebreak/routing/control"
)

// The properties, as the mutants name them.
const (
	versions    = "versions rise by one"
	footprints  = "an operation changes its entries only"
	inTurn      = "what a plan does first is done first"
	budgets     = "budgets and windows are kept"
	fresh       = "nothing is done on stale numbers"
	caps        = "no receiver is over its target, and no more moves than may"
	confirmed   = "a phase is left when all who live have confirmed"
	minute      = "a minute passes from when the phase is known"
	missed      = "no reader misses a piece that was written"
	foldedFirst = "readers leave pieces that are folded"
	foldable    = "no piece goes where nobody folds"
	watched     = "the effect is watched for 15 minutes"
	graced      = "the way back is kept for a day"
	stopped     = "nothing goes forward while it is stopped or held"
	approved    = "a plan is carried out once, on a word that counts"
	declared    = "only declared keys are salted or cached"
	buried      = "a tombstone is for ever"
	notes       = "one start, one end"
	restored    = "what is taken back is as it was"
)

// oracle judges what an executor does, by means of its own.
type oracle struct {
	broken, why string
	last        operation.Round
	history     map[uint64]*routing.Document
	written     map[string]bool // pieces that somebody may have written to, by key and suffix
	away        map[string]bool // and those that are folded
	entered     map[uint64]time.Time
	begins      []time.Time
	starts      map[uint64]int
	ends        map[uint64]int
	used        map[string]bool // words that are used up, by their reason
}

func newOracle() oracle {
	return oracle{
		history: map[uint64]*routing.Document{}, written: map[string]bool{}, away: map[string]bool{}, entered: map[uint64]time.Time{},
		starts: map[uint64]int{}, ends: map[uint64]int{}, used: map[string]bool{},
	}
}

func (o *oracle) fail(property, format string, args ...any) {
	if o.broken == "" {
		o.broken, o.why = property, fmt.Sprintf(format, args...)
	}
}

// parted are the notes of steps, and those that call a person or say that nobody is needed any more.
func parted(notes []control.Note) (steps, calls []control.Note) {
	for _, n := range notes {
		if n.Act.Call == "" {
			steps = append(steps, n)
		} else {
			calls = append(calls, n)
		}
	}
	return steps, calls
}

// judge looks at a write of the executor before it takes effect.
func (w *walk) judge(n *control.State) {
	was := w.state
	steps, calls := parted(n.Outbox[len(was.Outbox):])
	if control.Follows(was.At(), n) != nil || n.Document.Version != was.Document.Version+1 || len(steps) > 1 || len(calls) > 1 || len(steps)+len(calls) == 0 {
		w.fail(versions, "%s after %s, notes of %d steps and %d calls", n.At(), was.At(), len(steps), len(calls))
	}
	if len(steps) == 0 { // a person is called, and nothing is done
		if changes := routing.Diff(was.Document, n.Document); len(changes) > 0 {
			w.fail(footprints, "a call changes %v", changes)
		}
		return
	}
	note := steps[0]
	if n.Operated > was.Operated {
		w.begun(n)
		return
	}
	before, after := was.Operation(note.Operation), n.Operation(note.Operation)
	for _, c := range routing.Diff(was.Document, n.Document) {
		if !slices.Contains(before.Entries(), c.Entry) {
			w.fail(footprints, "operation %d changed %s", before.Number, c.Entry)
		}
	}
	if after == nil {
		after = &control.Operation{Phase: operation.Over, Number: before.Number}
	}
	if before.Phase != after.Phase {
		w.left(before, after, n)
		w.noted(before, after)
		w.entered[before.Number] = w.now
	}
	w.buriedFor(was, n)
}

// begun judges that a plan was taken.
func (w *walk) begun(n *control.State) {
	o := &n.Operations[len(n.Operations)-1]
	p := w.numbers.Decision.Plans[0]
	var word *control.Approval
	for _, a := range w.state.Approvals {
		if a.Plan == p.ID && a.By == "ann" && !a.No && w.now.Sub(a.At) <= 30*time.Minute {
			word = &a
		}
	}
	mode := w.numbers.Config.Mode
	held := slices.ContainsFunc(w.state.Holds, func(h control.Held) bool { return h.Hotspot == p.Hotspot })
	no := slices.ContainsFunc(w.state.Approvals, func(a control.Approval) bool { return a.Plan == p.ID && a.No })
	if o.Plan != p.ID || mode == policy.ModeObserve || mode == policy.ModeApprove && word == nil || held || no || w.state.Document.Stop || w.now.After(p.Expires) {
		w.fail(approved, "plan %s in mode %s: word %v, held %v, rejected %v", p.ID, mode, word, held, no)
	}
	if word == nil {
		return
	}
	if used := word.Reason; w.used[used] {
		w.fail(approved, "the word on %s of %s is used again: %s", p.ID, word.At, word.Reason)
	} else {
		w.used[used] = true
	}
}

// noted counts starts and ends.
func (w *walk) noted(before, after *control.Operation) {
	if before.Phase == operation.Planned && after.Phase != operation.Undone {
		w.starts[before.Number]++
	}
	if after.Phase == operation.Undone || after.Phase == operation.Over {
		w.ends[before.Number]++
	}
}

// ended looks at the end of everything.
func (w *walk) ended() {
	for number := uint64(1); number <= w.state.Operated; number++ {
		if w.ends[number] != 1 || w.starts[number] > 1 {
			w.fail(notes, "operation %d started %d times and ended %d times", number, w.starts[number], w.ends[number])
		}
	}
}

// left judges that an operation goes from one phase to another.
func (w *walk) left(before, after *control.Operation, n *control.State) {
	if before.Phase == operation.Planned && after.Phase != operation.Undone {
		w.first(before)
	}
	forward := !before.Back && after.Phase != operation.Undone && after.Phase != operation.Settle && after.Phase != operation.Grace
	if forward && (w.state.Document.Stop || before.Held != "") {
		w.fail(stopped, "%s -> %s", before.Phase, after.Phase)
	}
	if rests := before.Phase != operation.Planned && before.Phase != operation.Readers && before.Phase != operation.Settle && before.Phase != operation.Grace && before.Phase != operation.Fold; rests && (!before.Back || after.Back && w.returns(before)) {
		w.allHold(before)
	}
	if before.Phase == operation.Lower && after.Phase != operation.Raise {
		if since := w.now.Sub(later(w.entered[before.Number], w.began)); since < time.Minute {
			w.fail(minute, "%s was left after %s", before.Phase, since)
		}
	}
	if loads := before.Phase == operation.Planned || before.Phase == operation.Readers; loads && !before.Back && after.Phase != operation.Undone {
		w.loadsOf(before, n)
	}
	if after.Phase == operation.Fold && !w.folder || before.Machine == operation.MachineUnsalt && before.Phase == operation.Planned && after.Phase != operation.Undone && !w.folder {
		w.fail(foldable, "%s -> %s", before.Phase, after.Phase)
	}
	if after.Phase == operation.Grace && w.now.Sub(w.entered[before.Number]) < 15*time.Minute {
		w.fail(watched, "%s", w.now.Sub(w.entered[before.Number]))
	}
	if after.Phase == operation.Over && w.now.Sub(w.entered[before.Number]) < 24*time.Hour {
		w.fail(graced, "%s", w.now.Sub(w.entered[before.Number]))
	}
	if after.Outcome == operation.Reverted {
		w.asItWas(before, n)
	}
}

// returns says whether a phase is part of a way back.
func (w *walk) returns(o *control.Operation) bool {
	forward := []string{operation.Flip, operation.Apply, operation.Writers}
	if o.Machine == operation.MachineUnsalt {
		forward = append(forward, operation.Lower)
	}
	return !slices.Contains(forward, o.Phase)
}

// first judges that an operation begins.
func (w *walk) first(op *control.Operation) {
	open, hour := 0, 0
	for i := range w.state.Operations {
		o := &w.state.Operations[i]
		settles := slices.Contains([]string{operation.Planned, operation.Settle, operation.Grace, operation.Undone}, o.Phase)
		if !settles && (!o.Back || w.now.Sub(w.entered[o.Number]) < 15*time.Minute) {
			open++
		}
		if done := o.Phase == operation.Settle || o.Phase == operation.Grace && (o.Outcome == operation.Effective || o.Outcome == operation.Unverified); o.Plan == op.Plan && o.Number < op.Number && (!done || o.Back) {
			w.fail(inTurn, "operation %d goes before %d, which is %s %s", op.Number, o.Number, o.Phase, o.Outcome)
		}
	}
	for _, at := range w.begins {
		if w.now.Sub(at) < time.Hour {
			hour++
		}
	}
	h := w.now.UTC().Hour()
	if open >= 2 || hour >= 4 || len(w.numbers.Config.Windows) > 0 && h >= 14 && h < 22 {
		w.fail(budgets, "%d open, %d in the hour, at %d h", open, hour, h)
	}
	w.begins = append(w.begins, w.now)
}

// allHold judges that all clients who have confirmed something in the last minute have confirmed what entered a phase.
func (w *walk) allHold(o *control.Operation) {
	live := 0
	for _, c := range w.clients {
		if c.beat == 0 || w.now.Sub(later(c.seen, w.began)) >= time.Minute { // who takes over takes all for alive
			continue
		}
		if live++; c.confirmed < o.Version {
			w.fail(confirmed, "%s left %s, and holds %d < %d", c.name, o.Phase, c.confirmed, o.Version)
		}
	}
	if live == 0 {
		w.fail(confirmed, "nobody lives")
	}
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// asItWas judges the end of a way back: its entries are as they were, but for the tombstones of what was written.
func (w *walk) asItWas(o *control.Operation, n *control.State) {
	if o.Began.IsZero() {
		return
	}
	for _, e := range o.Was {
		now, _, _ := strings.Cut(n.Document.Value(e.Entry), ",tombstones=")
		was, _, _ := strings.Cut(e.Value, ",tombstones=")
		if bare := e.Entry.Kind == routing.EntrySalt && was == "" && now == "write=1,read=1,suffixes=0"; now != was && !bare {
			w.fail(restored, "%s was %q and is %q", e.Entry, was, now)
		}
	}
}

package pipeline

import (
	"time"

	"firebreak/policy"
)

// Judgement is one evaluation of one fleet. All of it may be kept: nothing of it changes any more.
type Judgement struct {
	Snapshot *policy.Snapshot
	Config   *policy.Config   // of the fleet
	Before   *policy.State    // as given to policy.Evaluate
	Now      time.Time        // the same
	Decision *policy.Decision // what it returned ...
	After    *policy.State    // ... both of it
	Distinct Distinct         // of the snapshot's window
}

// Sink takes what was judged. Its methods, and those of a Historian and of an Outsider, are called by the goroutines that call Live, one at a time
// and under their lock: of a kafka.Member by the one that follows and the one that keeps house, under the member's.
type Sink interface {
	// Judged is called for every evaluation, in the order of the log. It is only to be read.
	Judged(j *Judgement)
	// Save and Load are the sink's own memory, which travels in checkpoints beside that of policy. It is to be a function of
	// what was judged, as decisions are.
	Save() ([]byte, error)
	Load(memory []byte) error
}

// Historian is a Sink that knows how high tenants were in days that no window holds. What it says is an input of the
// evaluation, so it is to be a function of its memory.
type Historian interface {
	// Histories is asked before every evaluation, with the state before it; both are only to be read.
	Histories(s *policy.Snapshot, before *policy.State) []policy.TenantHistory
}

// Outsider is a Sink that knows what stands beside the log: readings of the shards, operations, clients, what people said. What it
// says is an input of the evaluation, and kept with it. It need not be the same on all instances: the word of the one that
// decides counts.
type Outsider interface {
	// World is asked before every evaluation of a fleet, with its time. It answers at once, of what it holds: it is called under
	// the lock that all of the log waits for. What it gives is not changed afterwards.
	World(fleet string, now time.Time) policy.World
}

// Package contract holds every store of control states to the same contract, by tests that a store's own tests call.
//
// What a store promises, and each case shows a part of:
//
//  1. A write takes effect once or not at all, and only while the state stands where the writer believes it does.
//  2. A writer learns which of the two it was, also where the reply is lost; what he cannot know is control.ErrUnknown.
//  3. Who lost the fleet to another decider writes no more, however late his write arrives.
//  4. Everything comes back as it was written, whatever bytes it is made of, through a new process too.
//  5. The head may lag behind the document and never leads it.
//  6. Fleets do not see each other, whatever they are called.
package contract

import (
	"context"
	"testing"
	"time"

	"firebreak/routing"
	"firebreak/routing/control"
	"firebreak/routing/store"
)

// Store is what is held to the contract.
type Store = store.Store

// Source is what clients of one fleet read.
type Source interface {
	Head(ctx context.Context) (control.Head, error)
	Document(ctx context.Context, atLeast control.Head) (*routing.Document, error)
	Confirm(ctx context.Context, c control.Confirmation) error
}

// Rig is what a case runs on: a place that holds nothing yet. Store and Source open what one process holds, a new one at every call;
// those of a fleet share what is kept. The other functions make faults; where one is nil, its cases are skipped.
type Rig struct {
	Store  func(t *testing.T, fleet string) Store
	Source func(t *testing.T, fleet string) Source

	// StoreIn opens a store in a region, for places that have several.
	StoreIn func(t *testing.T, fleet, region string) Store
	// LoseReply lets the next write of a state take effect and its reply be lost.
	LoseReply func(t *testing.T)
	// LoseWrite lets the next write of a state get lost: it never takes effect, and no reply comes. instead runs in its place, unless
	// it is nil; it may write through another store.
	LoseWrite func(t *testing.T, instead func())
	// Resends says that what lies below the store sends again what was lost or refused, under a number by which it is taken once: then
	// the store need not read back what became of a write, and cannot know it when its time ends before an answer came.
	Resends bool
	// Throttle refuses the next calls by saying that there are too many: of any kind, or writes, where the place refuses no others.
	Throttle func(t *testing.T, calls int)
	// Slow has every call take so long from now on.
	Slow func(t *testing.T, each time.Duration)
	// Away lets no call be answered, nor take effect, until back is called.
	Away func(t *testing.T) (back func())
}

// Case is one part of the contract. It needs a rig of its own, and starts no subtest, so that it may run in a testing/synctest bubble.
type Case struct {
	Name string
	Run  func(t *testing.T, r Rig)
}

// patience bounds a case: a store that waits for ever fails.
const patience = time.Minute

// Run runs all cases, each as a subtest on a rig of its own.
func Run(t *testing.T, open func(t *testing.T) Rig) {
	t.Helper()
	for _, c := range Cases() {
		t.Run(c.Name, func(t *testing.T) { c.Run(t, open(t)) })
	}
}

// Cases lists the contract.
func Cases() []Case {
	return []Case{
		{"nothing stands yet", nothing},
		{"the first state", first},
		{"what was written comes back", comesBack},
		{"a write that follows nothing", followsNothing},
		{"a conflict says where the state stands", conflict},
		{"every part of the condition counts", everyPart},
		{"a claim ends the tenure before it", claim},
		{"ten writers, one wins each version", tenWriters},
		{"a process ends and another goes on", restart},
		{"the head never leads", headNeverLeads},
		{"a document at least as new as the head", atLeast},
		{"requests come and go", requests},
		{"a request is answered once", answeredOnce},
		{"clients confirm and are forgotten", confirmations},
		{"clients are counted", counted},
		{"fleets do not see each other", fleets},
		{"nothing is sent after the end", ended},
		{"only the home region writes", home},
		{"a lost reply is read back", lostReply},
		{"a lost reply of the first write is read back", lostFirst},
		{"a lost write is sent again", lostWrite},
		{"a lost write, and somebody else's in its place", lostToOther},
		{"a claim lost to another claim", lostClaim},
		{"what cannot be known is said to be unknown", unknown},
		{"throttled calls come through", throttled},
		{"throttled until the end is not written", throttledToTheEnd},
		{"slow calls come through", slow},
	}
}

// within bounds ctx of a case.
func within(t *testing.T) context.Context {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), patience)
	t.Cleanup(stop)
	return ctx
}

package operation

import (
	"slices"
	"time"

	"firebreak/routing"
	"firebreak/routing/control"
)

// The machines, as Operation.Machine names them.
const (
	MachineSet    = "set"    // quotas, cached keys, roles of shards: each entry takes effect by itself
	MachineMove   = "move"   // virtual shards and tenants of a store that needs no copy: clients follow the document
	MachineCarry  = "carry"  // the same, of a store whose data has to be carried
	MachineDouble = "double" // the same, of a store that clients write twice to meanwhile
	MachineAdd    = "add"    // shards that are made first
	MachineSalt   = "salt"   // a key is spread over more pieces
	MachineUnsalt = "unsalt" // and over fewer
)

// The phases. An operation begins planned; over and undone end it.
const (
	Planned = "planned"
	Apply   = "apply"
	Flip    = "flip"
	Readers = "readers"
	Writers = "writers"
	Lower   = "lower"
	Fold    = "fold"
	Leave   = "leave"
	Settle  = "settle"
	Grace   = "grace"
	Over    = "over"
	Restore = "restore"
	Copy    = "copy"
	Verify  = "verify"
	Fence   = "fence"
	Clean   = "clean"
	Return  = "return"
	Drop    = "drop"
	Stay    = "stay"
	Both    = "both"
	Rejoin  = "rejoin"
	Unflip  = "unflip"
	Make    = "make"
	Unread  = "unread"
	Raise   = "raise"
	Undone  = "undone"
)

// Phase is a row of a machine's table.
type Phase struct {
	Name string
	// Does is what the write that enters it does, for people.
	Does string
	// Until is what must hold before the next phase is entered, which is the row below unless Next says another.
	Until []Condition
	Next  string
	// Back is where a roll-back goes from here; empty = there is none, and NoBack is why.
	Back, NoBack string
	// Asks is what it wants done outside the document.
	Asks Ask
	// Returns says that it is part of the way back.
	Returns bool
	// Within is how long it may stand at most, for nobody serves meanwhile, and Late where it goes then; 0 = it may rest. Neither stop nor
	// a hold keeps an operation in it.
	Within time.Duration
	Late   string
	// Alone says that the operation is over here where somebody else has what it moved.
	Alone bool
	edit  func(d *routing.Document, op *control.Operation) error
}

// Machine is a table of phases.
type Machine struct {
	Name   string
	Phases []Phase
}

// Machines lists every machine.
func Machines() []Machine {
	return []Machine{setMachine(), moveMachine(), carryMachine(), doubleMachine(), addMachine(), saltMachine(), unsaltMachine()}
}

// machineOf finds a machine by name.
func machineOf(all []Machine, name string) (Machine, bool) {
	i := slices.IndexFunc(all, func(m Machine) bool { return m.Name == name })
	if i < 0 {
		return Machine{}, false
	}
	return all[i], true
}

func (m *Machine) at(name string) int {
	return slices.IndexFunc(m.Phases, func(p Phase) bool { return p.Name == name })
}

// Begins says whether a phase of a machine is the first that is written.
func Begins(machine, phase string) bool {
	m, ok := machineOf(Machines(), machine)
	return ok && m.Phases[1].Name == phase && !m.Phases[1].Returns
}

// after names the phase that follows the one at a place.
func (m *Machine) after(at int) string {
	if next := m.Phases[at].Next; next != "" {
		return next
	}
	return m.Phases[at+1].Name
}

// begin are the conditions of every first write that moves load.
func begin() []Condition { return []Condition{InTurn, Free, Fresh, Fits} }

// ending is the tail that every machine has.
func ending(back string) []Phase {
	return []Phase{
		{Name: Settle, Does: "nothing: the effect is watched", Until: []Condition{Settled}, Back: back},
		{Name: Grace, Does: "its effect is judged, the way back is kept", Until: []Condition{Graced}, Back: back},
		{Name: Over, Does: "the way back is given up", NoBack: "it is over"},
	}
}

// restoring is the way back by one write.
func restoring() []Phase {
	return []Phase{
		{Name: Restore, Does: "its entries are as they were", Until: []Condition{Confirmed}, NoBack: "it is on its way back", Returns: true, edit: layWas},
		undone(),
	}
}

func undone() Phase {
	return Phase{Name: Undone, Does: "all clients are back", NoBack: "it is undone", Returns: true}
}

func setMachine() Machine {
	phases := []Phase{
		{Name: Planned, Does: "nothing yet", Until: []Condition{InTurn, Free, Fresh}, Back: Undone},
		{Name: Apply, Does: "its entries take effect", Until: []Condition{Confirmed}, Back: Restore, edit: layDo},
	}
	return Machine{MachineSet, slices.Concat(phases, ending(Restore), restoring())}
}

func moveMachine() Machine {
	phases := []Phase{
		{Name: Planned, Does: "nothing yet", Until: begin(), Back: Undone},
		{Name: Flip, Does: "clients are sent to the new shards", Until: []Condition{Confirmed}, Back: Restore, edit: layDo},
	}
	return Machine{MachineMove, slices.Concat(phases, ending(Restore), restoring())}
}

// addMachine makes shards, and then adds them to the document, which never loses one again.
func addMachine() Machine {
	phases := []Phase{
		{Name: Planned, Does: "nothing yet", Until: append(begin(), Able), Back: Undone},
		{Name: Make, Does: "the shards are made", Until: []Condition{Asked}, Back: Undone, Asks: AskProvision},
		{Name: Apply, Does: "its entries take effect", Until: []Condition{Confirmed}, edit: layDo},
	}
	phases = append(phases, ending("")...)
	for i := range phases {
		if phases[i].Back == "" {
			phases[i].NoBack = "a shard that was added is not taken away: drain it"
		}
	}
	return Machine{MachineAdd, append(phases, undone())}
}

func saltMachine() Machine {
	phases := []Phase{
		{Name: Planned, Does: "nothing yet", Until: begin(), Back: Undone},
		{Name: Readers, Does: "readers read all pieces, writers write as before", Until: []Condition{Confirmed, Minute, Fresh, Fits}, Back: Unread, edit: widen},
		{Name: Writers, Does: "writers write to all pieces", Until: []Condition{Confirmed}, Back: Lower, edit: layDo},
	}
	back := []Phase{
		{Name: Unread, Does: "readers read the pieces of before: no other was written", Until: []Condition{Confirmed}, Next: Undone, NoBack: "it is on its way back", Returns: true, edit: layWas},
	}
	return Machine{MachineSalt, slices.Concat(phases, ending(Lower), back, lowering(true), []Phase{undone()})}
}

func unsaltMachine() Machine {
	phases := []Phase{{Name: Planned, Does: "nothing yet", Until: append(begin(), Able), Back: Undone}}
	tail := ending("")
	for i := range tail {
		tail[i].NoBack = "the pieces are folded: salt the key anew"
	}
	back := []Phase{{Name: Raise, Does: "writers write to all pieces again", Until: []Condition{Confirmed}, NoBack: "it is on its way back", Returns: true, edit: layWas}, undone()}
	return Machine{MachineUnsalt, slices.Concat(phases, lowering(false), tail, back)}
}

// lowering takes writers, then the values, then readers off the pieces that go: of a salt that is undone, or of an unsalt.
func lowering(returns bool) []Phase {
	folded := "pieces have tombstones: it can only be finished"
	p := []Phase{
		{Name: Lower, Does: "writers leave the pieces that go, readers read them still", Until: []Condition{Confirmed, Minute, Able}, Back: Raise, edit: lower},
		{Name: Fold, Does: "the pieces that go have tombstones, and are folded", Until: []Condition{Asked}, NoBack: folded, Asks: AskFold, edit: tombstone},
		{Name: Leave, Does: "readers leave them", Until: []Condition{Confirmed}, NoBack: folded, edit: leave},
	}
	for i := range p {
		p[i].Returns = returns
	}
	if returns {
		p[0].Back, p[0].NoBack = "", "it is on its way back"
	}
	return p
}

package operation

import (
	"slices"
	"time"

	"firebreak/routing"
	"firebreak/routing/control"
)

// fenceLasts is how long nobody may serve what is about to change hands. Clients wait for 2 s by themselves; what takes longer than this
// would be an outage, and goes back.
const fenceLasts = 10 * time.Second

// carryMachine moves virtual shards and tenants whose data lies on their shards.
//
//	planned -> copy -> verify -> fence -> flip -> settle -> grace -> clean -> over
//	             |        |        |        |       |  ^
//	             v        v        v        v       v  '-- stay
//	           drop <-----+--------'      return <--'      ^
//	             ^                           |  late       |
//	             '---------------------------+-------------'
//
// One side serves at any moment: the old shards up to the write that enters flip, the new ones from then on. The way back is one flip too,
// the write from return to drop. docs/protocols.md has the conditions, and what breaks without each.
func carryMachine() Machine {
	const returning = "it is on its way back"
	return Machine{MachineCarry, []Phase{
		{Name: Planned, Does: "nothing yet", Until: append(begin(), Able, Guarded), Back: Undone},
		{Name: Copy, Does: "the data is copied, and changes follow", Until: []Condition{Asked}, Back: Drop, Asks: AskCopy},
		{Name: Verify, Does: "the copy is compared", Until: []Condition{Asked, Fresh, Fits, Guarded}, Back: Drop, Asks: AskVerify},
		{
			Name: Fence, Does: "nobody serves what moves", Until: []Condition{Acknowledged, Asked}, Back: Drop, Asks: AskDrain,
			Within: fenceLasts, Late: Drop, edit: fence,
		},
		{Name: Flip, Does: "the new shards serve, and clients are sent there", Until: []Condition{Confirmed}, Back: Return, edit: cross},
		{Name: Settle, Does: "nothing: the effect is watched, and changes follow back", Until: []Condition{Settled}, Back: Return},
		{
			Name: Grace, Does: "its effect is judged, the old data stays as it is", Until: []Condition{Graced, Able}, Alone: true,
			NoBack: "the old data does not follow any more: move it back by a plan of its own",
		},
		{Name: Clean, Does: "the old data is deleted", Until: []Condition{Asked}, NoBack: "the old data is being deleted", Asks: AskClean},
		{Name: Over, Does: "the way back is given up", NoBack: "it is over"},
		{
			Name: Return, Does: "nobody serves what moves back", Until: []Condition{Acknowledged, Asked}, NoBack: returning, Asks: AskReturn,
			Returns: true, Within: fenceLasts, Late: Stay, edit: fence,
		},
		{Name: Drop, Does: "the old shards serve, and the copy is deleted", Until: []Condition{Asked, Confirmed}, NoBack: returning, Asks: AskDrop, Returns: true, edit: recross},
		undone(),
		{Name: Stay, Does: "the new shards serve on", Next: Settle, Back: Return, edit: lift},
	}}
}

// fence keeps everybody from serving what an operation moves.
func fence(d *routing.Document, op *control.Operation) error {
	d.Fence(places(op)...)
	return nil
}

func lift(d *routing.Document, op *control.Operation) error {
	d.Unfence(op.Entries()...)
	return nil
}

// cross is the flip: what moves is the new shards', and is served.
func cross(d *routing.Document, op *control.Operation) error {
	d.Unfence(op.Entries()...)
	return layDo(d, op)
}

func recross(d *routing.Document, op *control.Operation) error {
	d.Unfence(op.Entries()...)
	return layWas(d, op)
}

// places are the entries of an operation by which data lies somewhere.
func places(op *control.Operation) []routing.Entry {
	return slices.DeleteFunc(op.Entries(), func(e routing.Entry) bool { return e.Kind != routing.EntryVShard && e.Kind != routing.EntryTenant })
}

// holders are the shards that have what an operation moves by a document, by name: of a tenant that is not placed, all that any key may
// lie on.
func holders(d *routing.Document, op *control.Operation) ([]string, error) {
	table, err := routing.NewTable(d)
	if err != nil {
		return nil, err
	}
	return holding(table, op.Entries()...), nil
}

// holding is holders of entries, by the document of a table.
func holding(table *routing.Table, entries ...routing.Entry) []string {
	shards := table.Document().Shards
	has := make([]bool, len(shards))
	mark := func(v routing.VShard) {
		if owner := table.Owner(v); owner != routing.NoShard {
			has[owner] = true
		}
	}
	for _, e := range entries {
		if v, ok := e.VShard(); ok && v >= 0 && int(v) < table.VShards() {
			mark(v)
		}
		if e.Kind != routing.EntryTenant {
			continue
		}
		on, placed := table.PlacedTenant([]byte(e.Name))
		for _, id := range on {
			has[id] = true
		}
		for v := range routing.VShard(table.VShards()) {
			if placed {
				break
			}
			mark(v)
		}
	}
	var out []string
	for id, yes := range has {
		if yes {
			out = append(out, shards[id].Name)
		}
	}
	return out
}

// abandoned says that an operation has nothing more to do: somebody else has what it moved.
func abandoned(s *control.State, op *control.Operation) bool {
	if stands(s.Document, op.Do) != nil {
		return true
	}
	return slices.ContainsFunc(s.Operations, func(o control.Operation) bool {
		return o.Number > op.Number && !o.Began.IsZero() && o.Phase != Undone && shares(&o, op)
	})
}

// overlaps says whether two operations are about the same entries, or carry some of the same data: a tenant's lies on virtual shards.
func overlaps(a, b *control.Operation) bool {
	if shares(a, b) || !carried(a) || !carried(b) {
		return shares(a, b)
	}
	return about(a, routing.EntryTenant) && about(b, routing.EntryVShard) || about(a, routing.EntryVShard) && about(b, routing.EntryTenant)
}

// carried says that data lies on shards.
func carried(o *control.Operation) bool {
	return o.Machine == MachineCarry || o.Machine == MachineDouble
}

func about(o *control.Operation, k routing.EntryKind) bool {
	return slices.ContainsFunc(o.Do, func(e control.Edit) bool { return e.Entry.Kind == k })
}

// shares says whether two operations are about the same entry.
func shares(a, b *control.Operation) bool {
	return slices.ContainsFunc(a.Do, func(e control.Edit) bool { return slices.Contains(b.Entries(), e.Entry) })
}

package operation

import (
	"slices"

	"firebreak/routing"
	"firebreak/routing/control"
)

// doubleMachine moves virtual shards and tenants whose data lies on their shards, in stores whose rows have versions: clients write to both
// sides while it moves, so that somebody serves all the time.
//
//	planned -> copy -> both -> verify -> flip -> settle -> grace -> clean -> over
//	             |       |       |        |        |
//	             v       v       v        v        v
//	           drop <----+-------'       rejoin <--'
//	             ^                         v
//	             '---- unflip <-------- return
//
// Reads have one side at any moment. What is written before both may be a gap at the new shards, and from settle on at the old ones; in
// between a write is done when both have it, and what is compared then, by who nobody writes behind, has none left. Writes by an older
// document are refused a phase after all live clients have confirmed the newer one, so that nobody waits but who was cut off.
// docs/protocols.md has the conditions, and what breaks without each.
func doubleMachine() Machine {
	const returning = "it is on its way back"
	return Machine{MachineDouble, []Phase{
		{Name: Planned, Does: "nothing yet", Until: append(begin(), Able, Guarded), Back: Undone},
		{
			Name: Copy, Does: "clients write to the new shards too, as far as those take it, and the data is copied",
			Until: []Condition{Asked, Confirmed}, Back: Drop, Asks: AskCopy, edit: twice,
		},
		{Name: Both, Does: "a write is done when both sides have it", Until: []Condition{Confirmed}, Back: Drop, edit: atBoth},
		{
			Name: Verify, Does: "who may not know that is refused, and the copy is compared: what differs is copied",
			Until: []Condition{Acknowledged, Asked, Fresh, Fits, Guarded}, Back: Drop, Asks: AskVerify, edit: strict,
		},
		{Name: Flip, Does: "the new shards serve, and clients are sent there", Until: []Condition{Acknowledged, Confirmed}, Back: Rejoin, edit: turn},
		{Name: Settle, Does: "the effect is watched, and the old shards are written to as far as they take it", Until: []Condition{Settled}, Back: Rejoin, edit: loose},
		{
			Name: Grace, Does: "its effect is judged, the old data stays as it is", Until: []Condition{Graced, Able}, Alone: true, edit: once,
			NoBack: "the old data is not written to any more: move it back by a plan of its own",
		},
		{Name: Clean, Does: "the old data is deleted", Until: []Condition{Asked}, NoBack: "the old data is being deleted", Asks: AskClean},
		{Name: Over, Does: "the way back is given up", NoBack: "it is over"},
		{Name: Rejoin, Does: "a write is done when both sides have it, again", Until: []Condition{Confirmed}, NoBack: returning, Returns: true, edit: tight},
		{
			Name: Return, Does: "who may not know that is refused, and the old data is compared: what differs is brought back",
			Until: []Condition{Acknowledged, Asked}, NoBack: returning, Asks: AskReturn, Returns: true, edit: strict,
		},
		{Name: Unflip, Does: "the old shards serve, and clients are sent there", Until: []Condition{Acknowledged, Confirmed}, NoBack: returning, Returns: true, edit: unturn},
		{Name: Drop, Does: "the old shards serve alone, and the copy is deleted", Until: []Condition{Asked, Confirmed}, NoBack: returning, Asks: AskDrop, Returns: true, edit: alone},
		undone(),
	}}
}

// twice has clients write to the places of an operation where it puts them too.
func twice(d *routing.Document, op *control.Operation) error {
	for _, e := range op.Do {
		if slices.Contains(places(op), e.Entry) {
			d.Double(routing.Double{Entry: e.Entry, Value: e.Value})
		}
	}
	return nil
}

// atBoth has a write done when both sides have it. Who writes knows by now that it is written twice: all that live have confirmed it.
func atBoth(d *routing.Document, op *control.Operation) error {
	rewrite(d, op, func(is *routing.Double) { is.Both, is.Since = true, op.Version })
	return nil
}

// strict refuses who may not know that.
func strict(d *routing.Document, op *control.Operation) error {
	rewrite(d, op, func(is *routing.Double) { is.Since = op.Version })
	return nil
}

// turn is the flip: what moves is the new shards', and is written to the old ones too.
func turn(d *routing.Document, op *control.Operation) error {
	if err := layDo(d, op); err != nil {
		return err
	}
	rewrite(d, op, func(is *routing.Double) { is.Value = valueIn(op.Was, is.Entry) })
	return nil
}

// unturn is the flip of the way back.
func unturn(d *routing.Document, op *control.Operation) error {
	if err := layWas(d, op); err != nil {
		return err
	}
	rewrite(d, op, func(is *routing.Double) { is.Value = valueIn(op.Do, is.Entry) })
	return nil
}

// tight has a write done when both sides have it, on the way back: who may write once is refused already.
func tight(d *routing.Document, op *control.Operation) error {
	rewrite(d, op, func(is *routing.Double) { is.Both = true })
	return nil
}

// loose has the word of those who serve count again.
func loose(d *routing.Document, op *control.Operation) error {
	rewrite(d, op, func(is *routing.Double) { is.Both = false })
	return nil
}

// once has clients write once again.
func once(d *routing.Document, op *control.Operation) error {
	d.Undouble(op.Entries()...)
	return nil
}

// alone gives what moved back to the old shards, and to them only.
func alone(d *routing.Document, op *control.Operation) error {
	d.Undouble(op.Entries()...)
	return layWas(d, op)
}

// rewrite changes how the places of an operation are written twice.
func rewrite(d *routing.Document, op *control.Operation, change func(is *routing.Double)) {
	for i := range d.Doubled {
		if is := &d.Doubled[i]; slices.Contains(op.Entries(), is.Entry) {
			change(is)
		}
	}
}

func valueIn(edits []control.Edit, e routing.Entry) string {
	return edits[slices.IndexFunc(edits, func(o control.Edit) bool { return o.Entry == e })].Value
}

// sides are the shards that have what an operation moves by a document, and where clients write twice those of the other side, by name.
func sides(d *routing.Document, op *control.Operation) ([]string, error) {
	has, err := holders(d, op)
	if err != nil || op.Machine != MachineDouble {
		return has, err
	}
	for _, edits := range [...][]control.Edit{op.Was, op.Do} {
		other := d.Clone()
		if err := lay(other, edits); err != nil {
			return nil, err
		}
		also, err := holders(other, op)
		if err != nil {
			return nil, err
		}
		has = append(has, also...)
	}
	return has, nil
}

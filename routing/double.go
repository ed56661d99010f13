package routing

import (
	"fmt"
	"slices"
)

// Double is a place that is written twice while its data moves: where the document puts it, and where it would lie by another value of its
// entry. Its store keeps of two writes the one with the higher version of the row, in whatever order they come. Reads go where the document
// says, and nowhere else. It is no entry: it comes and goes with the operation that moves the data.
type Double struct {
	// Entry is of a virtual shard or a tenant, as of a Fence.
	Entry Entry
	// Value is the entry's other value, as Set takes it: empty = by the map. Where it is the same one, as in a candidate of what is to come,
	// nothing is written twice.
	Value string
	// Since is the version of the document from which on writers must know of it: a shard refuses writes by an older one. 0 = it refuses
	// none yet.
	Since uint64
	// Both says that a write is done when both shards have taken it. Without it the first one's word counts, and one that the second did
	// not take is a gap, for a comparison to close.
	Both bool
}

// Double makes a place one that is written twice, or changes how.
func (d *Document) Double(is Double) {
	d.Undouble(is.Entry)
	d.Doubled = append(d.Doubled, is)
}

// Undouble ends what Double began.
func (d *Document) Undouble(entries ...Entry) {
	d.Doubled = slices.DeleteFunc(d.Doubled, func(is Double) bool { return slices.Contains(entries, is.Entry) })
}

// other is the document by which second writes go: d, with the other values of what is written twice.
func (d *Document) other() (*Document, error) {
	o := d.Clone()
	o.Doubled, o.Fenced = nil, nil
	for i := range d.Doubled {
		if err := o.Set(d.Doubled[i].Entry, d.Doubled[i].Value); err != nil {
			return nil, fmt.Errorf("doubled[%d]: %w", i, err)
		}
	}
	return o, nil
}

func (d *Document) checkDoubled(b *base) error {
	if len(d.Doubled) == 0 {
		return nil
	}
	if b.placement.Map == Explicit {
		return fmt.Errorf("doubled: the log names the shards of this fleet: nobody who writes asks the document")
	}
	entries := make([]Entry, 0, len(d.Doubled))
	for i := range d.Doubled {
		is := &d.Doubled[i]
		entries = append(entries, is.Entry)
		if is.Since > d.Version {
			return fmt.Errorf("doubled[%d].since: %d, of a document of version %d", i, is.Since, d.Version)
		}
		if slices.Contains(d.Fenced, is.Entry) {
			return fmt.Errorf("doubled[%d]: %s is fenced: nobody writes there", i, is.Entry)
		}
	}
	if err := d.checkPlaces("doubled", b, entries); err != nil {
		return err
	}
	o, err := d.other()
	if err != nil {
		return err
	}
	for _, check := range []func(*base) error{o.checkMoves, o.checkTenants} {
		if err := check(b); err != nil {
			return fmt.Errorf("doubled: with the other values: %w", err)
		}
	}
	return nil
}

// doubling is what is written twice, for look-up.
type doubling struct {
	other   *Table
	vshards map[VShard]*Double
	tenants map[string]*Double
}

// compileDoubled gives nil where nothing is written twice.
func (t *Table) compileDoubled() (*doubling, error) {
	d := t.doc
	if len(d.Doubled) == 0 {
		return nil, nil
	}
	o, err := d.other()
	if err != nil {
		return nil, err
	}
	out := &doubling{vshards: map[VShard]*Double{}, tenants: map[string]*Double{}}
	if out.other, err = compile(o, t); err != nil {
		return nil, fmt.Errorf("doubled: %w", err)
	}
	for i := range d.Doubled {
		is := &d.Doubled[i]
		if v, ok := is.Entry.VShard(); ok && is.Entry.Kind == EntryVShard {
			out.vshards[v] = is
		} else {
			out.tenants[is.Entry.Name] = is
		}
	}
	return out, nil
}

// Doubled says whether a place is written twice now, that of a key of the tenant whose bytes lie on virtual shard v, and how; nil = it is
// not. It costs a comparison while nothing is. The other place is where Other has the key, which is the same one where a tenant's key
// does not move.
func (t *Table) Doubled(tenant []byte, v VShard) *Double {
	if t.double == nil {
		return nil
	}
	if is := t.double.tenants[string(tenant)]; is != nil {
		return is
	}
	is := t.double.vshards[v]
	if is == nil {
		return nil
	}
	if _, placed := t.PlacedTenant(tenant); placed {
		return nil
	}
	return is
}

// Other is the table by which second writes go; nil = nothing is written twice.
func (t *Table) Other() *Table {
	if t.double == nil {
		return nil
	}
	return t.double.other
}

package operation

import (
	"errors"
	"fmt"
	"slices"

	"firebreak/routing"
	"firebreak/routing/control"
)

// lay gives entries their values; salts too. A shard that was not there stays when it is there.
func lay(d *routing.Document, edits []control.Edit) error {
	for _, e := range edits {
		if e.Entry.Kind == routing.EntryShard && e.Value == "" {
			continue
		}
		if e.Entry.Kind != routing.EntrySalt {
			if err := d.Set(e.Entry, e.Value); err != nil {
				return err
			}
			continue
		}
		if e.Value == "" {
			d.DropSalt(e.Entry)
			continue
		}
		salt, err := routing.ParseSalt(e.Entry, e.Value)
		if err != nil {
			return err
		}
		d.PutSalt(salt)
	}
	return nil
}

func layDo(d *routing.Document, op *control.Operation) error  { return lay(d, op.Do) }
func layWas(d *routing.Document, op *control.Operation) error { return lay(d, op.Was) }

// stands says whether entries have values in a document.
func stands(d *routing.Document, edits []control.Edit) error {
	values := d.Values()
	for _, e := range edits {
		if now := values[e.Entry]; now != e.Value {
			return fmt.Errorf("%s was %s and is %s now", e.Entry, orNone(e.Value), orNone(now))
		}
	}
	return nil
}

func orNone(value string) string {
	if value == "" {
		return "not there"
	}
	return fmt.Sprintf("%q", value)
}

// salts of an operation: the one it is about, as it was, is to be, and stands; one that is not there is the bare key.
func salts(d *routing.Document, op *control.Operation) (was, do, now routing.Salt, err error) {
	i := slices.IndexFunc(op.Do, func(e control.Edit) bool { return e.Entry.Kind == routing.EntrySalt })
	if i < 0 {
		return was, do, now, errors.New("the operation is about no salt")
	}
	entry := op.Do[i].Entry
	if do, err = parsed(entry, op.Do[i].Value); err != nil {
		return was, do, now, err
	}
	if was, err = parsed(entry, op.Was[i].Value); err != nil {
		return was, do, now, err
	}
	now, ok := d.SaltOf(entry)
	if !ok {
		now = bare(entry)
	}
	return was, do, now, nil
}

func parsed(e routing.Entry, value string) (routing.Salt, error) {
	if value == "" {
		return bare(e), nil
	}
	return routing.ParseSalt(e, value)
}

func bare(e routing.Entry) routing.Salt {
	return routing.Salt{Tenant: e.Tenant, Key: e.Name, Suffixes: []uint32{0}, Read: 1, Write: 1}
}

// widen lets readers read all pieces, while writers write to those of before.
func widen(d *routing.Document, op *control.Operation) error {
	was, do, _, err := salts(d, op)
	if err != nil {
		return err
	}
	do.Write = was.Write
	d.PutSalt(do)
	return nil
}

// kept is the salt that an operation ends at when it lowers: of an unsalt what it wants, of a salt that is undone what was.
func kept(op *control.Operation, was, do routing.Salt) routing.Salt {
	if op.Machine == MachineSalt {
		return was
	}
	return do
}

// lower takes writers off the pieces that go.
func lower(d *routing.Document, op *control.Operation) error {
	was, do, now, err := salts(d, op)
	if err != nil {
		return err
	}
	now.Write = min(now.Write, kept(op, was, do).Write)
	d.PutSalt(now)
	return nil
}

// tombstone names the pieces that go: from here on nobody writes to them again, ever.
func tombstone(d *routing.Document, op *control.Operation) error {
	was, do, now, err := salts(d, op)
	if err != nil {
		return err
	}
	for _, suffix := range now.Suffixes[len(kept(op, was, do).Suffixes):] {
		if !slices.Contains(now.Tombstones, suffix) {
			now.Tombstones = append(now.Tombstones, suffix)
		}
	}
	d.PutSalt(now)
	return nil
}

// leave takes readers off the pieces that are folded.
func leave(d *routing.Document, op *control.Operation) error {
	was, do, now, err := salts(d, op)
	if err != nil {
		return err
	}
	stay := kept(op, was, do)
	now.Suffixes, now.Read, now.Write = slices.Clone(stay.Suffixes), stay.Read, stay.Write
	d.PutSalt(now)
	return nil
}

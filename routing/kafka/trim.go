package kafka

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/twmb/franz-go/pkg/kadm"

	"firebreak/routing"
)

// Trim cuts the log behind new snapshots of every fleet, if it has at least so many entries, and says whether it did. The decider calls
// it now and then. What changes meanwhile makes it give up, and nothing is lost: its snapshots are then entries that say nothing.
func (l *Log) Trim(ctx context.Context, entries int64) (bool, error) {
	if err := l.lock(ctx); err != nil {
		return false, err
	}
	defer l.unlock()
	if err := l.read(ctx); err != nil {
		return false, err
	}
	start, _, err := l.bounds(ctx, l.state)
	if err != nil || l.next-start < entries {
		return false, err
	}
	at, err := l.snap(ctx)
	if err != nil || len(at) == 0 {
		return false, err
	}
	right, err := l.readBack(ctx, at)
	if err != nil || !right {
		return false, err
	}
	if err := l.cut(ctx, at); err != nil {
		return false, err
	}
	return true, nil
}

// snap appends a snapshot of every fleet that has a state, and gives their offsets. Requests of a fleet without a state are not kept:
// nobody answers them.
func (l *Log) snap(ctx context.Context) (map[string]int64, error) {
	at := map[string]int64{}
	for _, fleet := range slices.Sorted(maps.Keys(l.book.fleets)) {
		f := l.book.of(fleet)
		if f.state == nil {
			continue
		}
		value, err := f.snap()
		if err != nil {
			return nil, err
		}
		if at[fleet], err = l.append(ctx, l.state, fleet, value); err != nil {
			return nil, err
		}
	}
	return at, nil
}

// readBack reads to the end and says whether every snapshot says just what stood where it was appended, and whether all fleets have one.
func (l *Log) readBack(ctx context.Context, at map[string]int64) (bool, error) {
	v := verify{book: l.book, at: at, want: len(at)}
	l.watch = v.see
	defer func() { l.watch = nil }()
	err := l.read(ctx)
	return v.ok(), err
}

// verify looks at the entries of the log, each before it is applied to book.
type verify struct {
	book  *book
	at    map[string]int64 // where the snapshots stand, by fleet
	want  int
	right int
	other bool // a fleet without a snapshot had a state at the first of them
}

func (v *verify) ok() bool { return v.right == v.want && !v.other }

func (v *verify) see(offset int64, fleet string, e *entry) {
	if offset == earliest(v.at) {
		for name, f := range v.book.fleets {
			if _, has := v.at[name]; f.state != nil && !has {
				v.other = true
			}
		}
	}
	if at, has := v.at[fleet]; has && at == offset && e != nil && e.Snapshot != nil && v.book.of(fleet).repeats(e.Snapshot) {
		v.right++
	}
}

// earliest is the first of the offsets.
func earliest(at map[string]int64) int64 { return slices.Min(slices.Collect(maps.Values(at))) }

// cut says which snapshots count, and deletes what is before the first of them.
func (l *Log) cut(ctx context.Context, at map[string]int64) error {
	e := &entry{Cut: map[string]int64{}}
	for fleet, offset := range at {
		e.Cut[routing.Escape(fleet)] = offset
	}
	value, err := e.encode()
	if err != nil {
		return err
	}
	if _, err := l.append(ctx, l.state, "", value); err != nil {
		return err
	}
	behind := kadm.Offsets{}
	behind.AddOffset(l.state, 0, earliest(at), -1)
	deleted, err := l.adm.DeleteRecords(ctx, behind)
	if err == nil {
		err = deleted.Error()
	}
	if err != nil {
		return fmt.Errorf("cut %s: %w", l.state, err)
	}
	return nil
}

// snap encodes a snapshot.
func (f *fold) snap() ([]byte, error) {
	state, err := f.state.Encode()
	if err != nil {
		return nil, err
	}
	s := &snapshot{State: state, Clients: f.clients}
	for _, r := range f.requests {
		b, err := r.Encode()
		if err != nil {
			return nil, err
		}
		s.Requests = append(s.Requests, json.RawMessage(b))
	}
	return (&entry{Snapshot: s}).encode()
}

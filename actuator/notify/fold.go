package notify

import (
	"maps"
	"slices"
	"time"

	"firebreak/actuator"
	"firebreak/internal/line"
)

const (
	// stale is the age from which news that is over is not told one by one any more.
	stale = 15 * time.Minute
	// maxFolded is how many ids a summary remembers. Beyond, entries are counted only, and may be told again after a failover.
	maxFolded = 10_000
	// maxNamed is how many ids one delivered entry names.
	maxNamed = 500
)

// folded is a summary in the making.
type folded struct {
	n        int
	ids      []string
	from, to time.Time
	kinds    map[string]int
}

func (f *folded) key() string { return actuator.NewID(append([]string{"more"}, f.ids...)...) }

func (f *folded) summary() *More {
	return &More{N: f.n, From: line.Stamp(f.from), To: line.Stamp(f.to), Kinds: maps.Clone(f.kinds)}
}

// remove takes out ids that were recorded elsewhere, and reports whether nothing is left.
func (f *folded) remove(ids []string) bool {
	before := len(f.ids)
	f.ids = slices.DeleteFunc(f.ids, func(id string) bool { return slices.Contains(ids, id) })
	f.n -= before - len(f.ids)
	return f.n <= 0
}

// foldInto adds one entry to the summary in the making.
func (r *receiver) foldInto(i *item) {
	if r.fold == nil {
		r.fold = &item{more: &folded{from: i.entry.At, to: i.entry.At, kinds: map[string]int{}}, at: i.at}
	}
	f := r.fold.more
	f.n++
	f.kinds[i.entry.Kind.String()]++
	if len(f.ids) < maxFolded {
		f.ids = append(f.ids, i.entry.ID)
	}
	if i.entry.At.Before(f.from) {
		f.from = i.entry.At
	}
	if i.entry.At.After(f.to) {
		f.to = i.entry.At
	}
	r.stats.Folded++
}

// shrink folds what matters least, oldest first, until the queue is within its bound. What is in flight stays.
func (r *receiver) shrink() {
	for len(r.items) > r.rule.Queue {
		least := -1
		for at, i := range r.items {
			if i != r.flight && (least < 0 || worth(i.entry) < worth(r.items[least].entry)) {
				least = at
			}
		}
		if least < 0 {
			return
		}
		r.foldInto(r.items[least])
		r.items = slices.Delete(r.items, least, least+1)
	}
}

// settle folds news that is stale and over: what matters little, and all of a hotspot that fired and resolved in the meantime,
// so that a receiver that was away is told what is still true.
func (r *receiver) settle(now time.Time) {
	if len(r.items) == 0 || now.Sub(r.items[0].at) < stale {
		return
	}
	over := map[string]bool{} // lanes whose first and last word both wait here, and are stale
	began := map[string]bool{}
	for _, i := range r.items {
		if i.attempts > 0 || now.Sub(i.at) < stale {
			continue
		}
		l := lane(i.entry)
		switch {
		case i.entry.Phase == actuator.PhaseFired || i.entry.Kind == actuator.KindBlind:
			began[l], over[l] = true, false
		case i.entry.Phase == actuator.PhaseResolved || i.entry.Kind == actuator.KindSighted:
			over[l] = began[l]
		}
	}
	r.items = slices.DeleteFunc(r.items, func(i *item) bool {
		if i.attempts > 0 || now.Sub(i.at) < stale || worth(i.entry) > 1 && !over[lane(i.entry)] {
			return false
		}
		r.foldInto(i)
		return true
	})
}

// Expire gives up what could not be delivered for longer than its receiver's rule allows, and gives the entries that record it.
func (q *Queue) Expire(name string, now time.Time) ([]actuator.Entry, error) {
	r := q.receivers[name]
	var dead []*item
	old := func(i *item) bool { return i != nil && i != r.flight && now.Sub(i.at) > r.rule.GiveUp }
	r.items = slices.DeleteFunc(r.items, func(i *item) bool {
		if old(i) {
			dead = append(dead, i)
		}
		return old(i)
	})
	for _, f := range []**item{&r.frozen, &r.fold} {
		if old(*f) {
			dead = append(dead, *f)
			*f = nil
		}
	}
	var out []actuator.Entry
	for _, i := range dead {
		if i.why == "" {
			i.why = "never tried: nobody could send in time"
		}
		r.stats.GaveUp++
		entries, err := r.record(i, actuator.OutcomeDead, now)
		if err != nil {
			return nil, err
		}
		out = append(out, entries...)
	}
	return out, nil
}

// record makes the journal's entries of what became of a notice.
func (r *receiver) record(i *item, outcome actuator.Outcome, now time.Time) ([]actuator.Entry, error) {
	d := actuator.Delivered{Receiver: line.Name(r.rule.Name), Outcome: outcome, Attempts: i.attempts}
	if outcome == actuator.OutcomeDead {
		d.Why = line.Prose(i.why)
	}
	fleet, ids := i.about()
	var out []actuator.Entry
	for part := range slices.Chunk(ids, maxNamed) {
		d.Entries = part
		e, err := actuator.NewDelivered(fleet, now, d)
		if err != nil {
			return nil, err
		}
		out = append(out, e)
	}
	return out, nil
}

// deferred makes the entry of a pause that the receiver asked for.
func (r *receiver) deferred(i *item, now time.Time) ([]actuator.Entry, error) {
	fleet, ids := i.about()
	e, err := actuator.NewDelivered(fleet, now, actuator.Delivered{
		Receiver: line.Name(r.rule.Name), Entries: ids[:min(len(ids), 1)], Outcome: actuator.OutcomeDeferred, Attempts: i.attempts,
		Until: line.Stamp(r.free), Why: line.Prose(i.why),
	})
	return []actuator.Entry{e}, err
}

// about is whose news an item is: fleet and ids; the fleet is empty of a summary.
func (i *item) about() (fleet string, ids []string) {
	if i.more != nil {
		return "", i.more.ids
	}
	return i.entry.Fleet, []string{i.entry.ID}
}

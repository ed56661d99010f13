package notify

import (
	"slices"
	"time"

	"firebreak/actuator"
)

const (
	// stale is the age from which news that is over is not told one by one any more.
	stale = 15 * time.Minute
	// maxFolded is how many ids a summary remembers. Beyond, entries are counted only, and may be told again after a failover.
	maxFolded = 10_000
)

// folded is a summary in the making: the entries that are recorded with it.
type folded struct {
	of    *storm
	parts []part
	said  *More // as it was first sent; nil = it was not
}

// part is one entry of a summary.
type part struct {
	id, subject string
	seq         uint64
	ends        bool
}

func (f *folded) ids() (ids []string) {
	for _, p := range f.parts {
		ids = append(ids, p.id)
	}
	return ids
}

func (f *folded) key() string { return actuator.NewID(append([]string{"more"}, f.ids()...)...) }

// unfold takes out of the summaries what was recorded elsewhere, and gives the storm of that; nil = nothing was.
func (r *receiver) unfold(ids []string) (out []part, of *storm) {
	for _, f := range r.folds() {
		parts := &f.more.parts
		*parts = slices.DeleteFunc(*parts, func(p part) bool {
			known := slices.Contains(ids, p.id)
			if known {
				out, of = append(out, p), f.more.of
			}
			return known
		})
		if len(*parts) == 0 {
			f.drop()
		}
	}
	return out, of
}

// toldAlone learns that another instance told by itself what this one would have told in a summary.
func (r *receiver) toldAlone(p part, receipt string, at time.Time) {
	r.leave(p, at)
	if p.ends {
		r.told.drop(p.subject)
		return
	}
	r.told.set(p.subject, receipt)
}

// foldInto adds one entry to the summary in the making.
func (r *receiver) foldInto(i *item) {
	r.join(i).note(i.part(), i.at)
	r.stats.Folded++
}

func (i *item) part() part { return part{i.entry.ID, i.subject, i.seq, Ends(i.entry)} }

// sift folds what waits of subjects that are told of in summaries.
func (r *receiver) sift() {
	var kept []*item
	for _, i := range r.items {
		if i != r.flight && i.attempts == 0 && r.pointless(i, kept) {
			r.foldInto(i)
			continue
		}
		kept = append(kept, i)
	}
	r.items = kept
}

// shrink folds what matters least, oldest first, until the queue is within its bound. What is in flight stays, and what is said of what
// the receiver was told of: of that there is no more than it was told; and that a fleet cannot be judged, until it can: of that there is no
// more than there are fleets.
func (r *receiver) shrink() {
	for len(r.items) > r.rule.Queue {
		least := -1
		for at, i := range r.items {
			if i != r.flight && r.worth(i) < most && !r.blind(at) && (least < 0 || r.worth(i) < r.worth(r.items[least])) {
				least = at
			}
		}
		if least < 0 {
			return
		}
		if !r.unasked(r.items[least]) {
			r.foldInto(r.items[least])
		}
		r.items = slices.Delete(r.items, least, least+1)
		r.sift()
	}
}

// blind says whether what waits at an index says that a fleet cannot be judged, and nothing behind it that it can.
func (r *receiver) blind(at int) bool {
	is := r.items[at].entry
	return is.Kind == actuator.KindBlind && !slices.ContainsFunc(r.items[at+1:], func(o *item) bool { return lane(o.entry) == lane(is) })
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
		if i.attempts > 0 || now.Sub(i.at) < stale || r.worth(i) > 1 && !over[lane(i.entry)] {
			return false
		}
		r.foldInto(i)
		return true
	})
	r.sift()
}

// Expire gives up what could not be delivered for longer than its receiver's rule allows, and gives the entries that record it.
func (q *Queue) Expire(name string, now time.Time) ([]actuator.Entry, error) {
	r := q.receivers[name]
	r.greet(now)
	var dead []*item
	old := func(i *item) bool { return i != r.flight && now.Sub(i.at) > r.rule.GiveUp }
	r.items = slices.DeleteFunc(r.items, func(i *item) bool {
		if old(i) {
			dead = append(dead, i)
		}
		return old(i)
	})
	for _, f := range r.folds() {
		if old(f) {
			dead = append(dead, f)
			f.drop()
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
	r.clear()
	return out, nil
}

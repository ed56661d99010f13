package pipeline

import (
	"fmt"
	"time"

	"firebreak/pipeline/record"
)

// mark is up to when nothing more is expected of a fleet's partitions, ns. It is false as long as some partition says
// nothing and may yet do so.
func (l *Ledger) mark(f *sharedFleet, now time.Time) (mark int64, ok bool) {
	front := record.NoTime
	l.partitions(f, func(_ *life, _ int32, p *Progress) {
		if p != nil {
			front = max(front, p.Clock)
		}
	})
	if front == record.NoTime {
		return 0, false
	}
	mark, ok = front, l.named(f, now)
	idle := int64(f.live.Idle)
	l.partitions(f, func(t *life, _ int32, p *Progress) {
		switch {
		case p == nil:
			ok = ok && now.Sub(t.since) >= f.live.Idle
		case now.Sub(p.At) >= f.live.Idle: // silent: it stops nobody, and the verdict is unknown
		case p.Clock == record.NoTime:
			ok = ok && now.Sub(t.since) >= f.live.Idle
		case p.End >= 0 && p.To >= p.End && p.Clock < front-idle: // all of it was read, it is old
		default:
			mark = min(mark, p.Clock)
		}
	})
	return mark - int64(f.live.Disorder), ok
}

// named tells whether all topics of a fleet have been named, or had the time to be.
func (l *Ledger) named(f *sharedFleet, now time.Time) bool {
	all, since := true, now
	for _, name := range f.live.Topics {
		if t := l.topics[name]; t == nil {
			all = false
		} else if t.since.Before(since) {
			since = t.since
		}
	}
	return all || now.Sub(since) >= f.live.Idle
}

// missing lists the partitions that nobody has reported for too long, and the topics that nobody has named.
func (l *Ledger) missing(f *sharedFleet, now time.Time) (names []string) {
	for _, name := range f.live.Topics {
		if l.topics[name] == nil {
			names = append(names, name)
		}
	}
	l.partitions(f, func(t *life, number int32, p *Progress) {
		since := t.since
		if p != nil {
			since = p.At
		}
		if now.Sub(since) >= f.live.Idle {
			names = append(names, fmt.Sprintf("%s/%d", t.Name, number))
		}
	})
	return names
}

// advance closes the next pane of a fleet if it is complete. It returns false if none is.
func (l *Ledger) advance(f *sharedFleet, now time.Time) bool {
	mark, ok := l.mark(f, now)
	if !ok || !f.opened {
		return false
	}
	if !f.begun {
		l.begin(f, mark)
	}
	next := f.closed + 1
	if (next+1)*f.paneLen > mark {
		return false
	}
	if len(f.panes) == 0 {
		next = max(next, floorDiv(mark, f.paneLen)-1) // an empty window says the same at each of them
	}
	f.slide(next)
	return true
}

// begin settles which pane is the first that was counted whole: the one after that in which the last partition begins, with
// the disorder that what was not read of it may have.
func (l *Ledger) begin(f *sharedFleet, mark int64) {
	start := record.NoTime
	l.partitions(f, func(_ *life, _ int32, p *Progress) {
		if p != nil {
			start = max(start, p.First)
		}
	})
	if start == record.NoTime {
		start = mark
	}
	f.begun, f.first = true, floorDiv(start+int64(f.live.Disorder), f.paneLen)+1
	f.closed = f.first - 1
	f.count.Forget(f.first)
	if f.salted != nil {
		f.salted.Forget(f.first)
	}
	for n := range f.panes {
		if n < f.first {
			delete(f.panes, n)
		}
	}
}

// lag is how far behind the newest complete pane is, beyond the allowed disorder.
func (f *sharedFleet) lag(now time.Time) time.Duration {
	if !f.begun {
		return 0
	}
	return max(0, now.Sub(f.start(f.closed+1))-f.live.Disorder)
}

package pipeline

import (
	"fmt"
	"time"

	"firebreak/policy"
	"firebreak/routing"
)

// Live follows the log of deltas and judges every fleet whenever a pane of it closes. Its time is the log's: the moments at
// which the broker appended. So every instance that follows comes to the same decisions, and who is to act on them needs
// nothing from the one before.
//
// NewLive makes it. Several goroutines may call it, one at a time: their lock is the caller's, and its Sink is called under it.
type Live struct {
	ledger *Ledger
	sink   Sink
	states []policy.State
	silent []time.Time // by fleet: when it was last judged because the log says nothing
	asked  time.Time   // when Silent was called first
	sure   bool        // the states are those of the group: a joiner's are once it has taken over the group's memory
	since  time.Time   // where it was restored; zero = it has seen the whole log
	memory *Checkpoint // the newest with a memory, as long as it is not sure
	latest []moment    // by fleet: what would have been judged last, as long as it is not sure
	news   bool        // a hotspot fired, changed or resolved since News was asked
}

// moment is what is to be judged, and when.
type moment struct {
	snapshot *policy.Snapshot
	distinct Distinct
	now      time.Time
	closed   int64
}

// NewLive makes the follower of a group whose log has not begun. See Restore.
func NewLive(fleets []LiveFleet, sink Sink) (*Live, error) {
	ledger, err := NewLedger(fleets)
	if err != nil {
		return nil, err
	}
	return &Live{ledger: ledger, sink: sink, states: make([]policy.State, len(fleets)), silent: make([]time.Time, len(fleets)), latest: make([]moment, len(fleets)), sure: true}, nil
}

// Restore starts at a checkpoint; the entries from its Offset on are to be applied next. What the group remembers of its
// watching is taken from a later one, when the window is as far as that was.
func (l *Live) Restore(c *Checkpoint) error {
	l.sure, l.memory, l.since = false, c, c.At
	return l.ledger.Restore(c)
}

// Apply takes the next entry of the log, see [Ledger.Apply], and judges what it made complete.
func (l *Live) Apply(offset int64, at time.Time, entry []byte) (Outcome, error) {
	before := l.ledger.at
	out, err := l.ledger.Apply(offset, at, entry)
	if err != nil {
		return out, err
	}
	if !l.ledger.seeded {
		return out, nil
	}
	if out.Checkpoint != nil && !l.sure {
		out.Forgotten = l.remember(out.Checkpoint)
	}
	for i := range l.ledger.fleets {
		if err := l.advance(i, before, l.ledger.at); err != nil {
			return out, err
		}
	}
	return out, nil
}

// advance closes the panes of a fleet that are complete and judges it. before is the log's time one entry ago: a fleet that
// lags is judged once in each pane of the log's time, so that everybody does so at the same entries.
func (l *Live) advance(i int, before, now time.Time) error {
	f := l.ledger.fleets[i]
	closed := false
	for l.ledger.advance(f, now) {
		closed = true
		if f.lag(now) <= f.live.Judge.MaxLag {
			if err := l.judge(i, now); err != nil {
				return err
			}
			closed = false
		}
	}
	turned := floorDiv(before.UnixNano(), f.paneLen) != floorDiv(now.UnixNano(), f.paneLen)
	if closed || f.begun && turned && f.lag(now) > f.live.Judge.MaxLag {
		// Too late to be judged: the latest will do, to say that nothing is seen.
		return l.judge(i, now)
	}
	return nil
}

// Silent judges fleets that the log says nothing about any more, at a moment of the broker's clock: they are blind. What is
// decided then changes no state, and so it need not be the same on all instances.
func (l *Live) Silent(now time.Time) error {
	if !l.sure {
		return nil
	}
	now = now.Round(0).UTC()
	if l.asked.IsZero() {
		l.asked = now
	}
	for i, f := range l.ledger.fleets {
		if now.Sub(l.silent[i]) >= f.live.Pane && l.unseen(f, now) {
			l.silent[i] = now
			if err := l.judge(i, now); err != nil {
				return err
			}
		}
	}
	return nil
}

// unseen tells whether nothing is known of a fleet, and has not been for too long: the log says nothing any more, or the window
// never began and there is a topic or a partition of which nobody has said anything. A log that is read and empty is none of both.
func (l *Live) unseen(f *sharedFleet, now time.Time) bool {
	most := f.live.Judge.MaxLag
	if f.begun {
		return now.Sub(l.ledger.at) >= f.live.Pane && f.lag(now) > most
	}
	return f.opened && now.Sub(l.asked) > most && len(l.ledger.missing(f, now)) > 0
}

// judge evaluates a fleet's window, or keeps what is to be evaluated once the group's memory is known.
func (l *Live) judge(i int, now time.Time) error {
	f := l.ledger.fleets[i]
	if f.begun && !f.closing {
		return nil
	}
	s, err := l.ledger.snapshot(f, now)
	if err != nil {
		return err
	}
	m := &moment{s, f.Distinct(), now, f.closed}
	if !l.sure {
		if of := &l.latest[i]; of.snapshot == nil || of.closed != f.closed {
			*of = *m
		}
		return nil
	}
	l.evaluate(i, m)
	return nil
}

func (l *Live) evaluate(i int, m *moment) {
	s := m.snapshot
	if s.Table == nil {
		return // nothing names a shard yet
	}
	cfg, before := &l.ledger.fleets[i].live.Judge, l.states[i]
	if h, ok := l.sink.(Historian); ok {
		s.Inputs.Histories = h.Histories(s, &before)
	}
	if o, ok := l.sink.(Outsider); ok {
		s.World = o.World(s.Fleet, m.now)
	}
	d, after := policy.Evaluate(s, cfg, before, m.now)
	l.states[i] = after
	l.news = l.news || len(d.Verdicts) > 0
	l.sink.Judged(&Judgement{s, cfg, &before, m.now, &d, &after, m.distinct})
}

// News tells whether a hotspot fired, changed or resolved since it was asked last.
func (l *Live) News() bool {
	news := l.news
	l.news = false
	return news
}

// View is the ledger as it stands.
func (l *Live) View() *View { return l.ledger.View() }

// Sketched gives the most memory that the window of a fleet takes, in bytes, and the most that a key may have of its load which
// no pane lists. It is false before there is a window.
func (l *Live) Sketched(fleet string) (bytes int, unlisted float64, ok bool) {
	f := l.ledger.fleet(fleet)
	if f == nil || !f.opened {
		return 0, 0, false
	}
	if load := f.windowLoad(); load > 0 {
		// What may hide behind a name is about the same for every name that no pane lists. The one asked for may be a key of
		// the log, as any bytes may: then, and only then, the answer is that key's upper bound.
		_, _, high := f.count.Ask([]byte("\x00 a key that nobody has"))
		unlisted = f.cost(high) / load
	}
	return f.size, unlisted, true
}

// Ask answers for any name of a fleet, see [Fleet.Ask].
func (l *Live) Ask(fleet string, tenant, key []byte) (Answer, error) {
	f := l.ledger.fleet(fleet)
	if f == nil || !f.opened {
		return Answer{}, fmt.Errorf("fleet %s: not known", routing.Escape(fleet))
	}
	return f.Ask(tenant, key)
}

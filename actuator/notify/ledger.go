package notify

import (
	"context"
	"errors"
	"time"

	"go.uber.org/zap"

	"firebreak/actuator"
)

const (
	// appendWait is how long a receiver waits for the journal to take a record before it is told the next thing.
	appendWait = 5 * time.Second
	// appendRetry is the wait after a journal that took no record.
	appendRetry = time.Second
	// maxOwed is how many records may be missing in the journal before nothing more is sent: what a crash may repeat at most.
	maxOwed = 100
	// owedEvery is the shortest time between two warnings that the journal takes nothing.
	owedEvery = time.Minute
)

// ledger is what the journal is owed of one receiver's deliveries: while the journal takes nothing, people are told all the same.
//
//	record --> owed --append--> taken
//	            ^         |
//	            '-refused-'     again after appendRetry; what is left when the tenure ends is sent again by the next
//
// It belongs to the receiver's goroutine; at most one append is under way in another.
type ledger struct {
	journal actuator.Journal
	leaving <-chan struct{}
	log     *zap.Logger
	owed    []actuator.Entry
	result  chan error // of the append that is under way; nil = none is
	under   int        // how many of owed it is of
	again   time.Time  // not to be tried before
	behind  time.Time  // since when the journal takes nothing; zero = it does
	warned  time.Time  // when that was logged last
}

func newLedger(journal actuator.Journal, leaving <-chan struct{}, log *zap.Logger) *ledger {
	return &ledger{journal: journal, leaving: leaving, log: log}
}

// record owes entries to the journal, and tries what is owed. It waits for the journal for a moment; where that takes nothing already
// it does not, unless too many are owed.
func (l *ledger) record(ctx context.Context, entries []actuator.Entry) {
	l.look()
	behind := l.owes()
	l.owed = append(l.owed, entries...)
	switch {
	case !l.owes():
	case !behind:
		l.await(ctx, appendWait)
	default:
		l.begin(ctx)
		for len(l.owed) >= maxOwed && !ended(ctx, l.leaving) {
			l.await(ctx, appendRetry)
		}
	}
}

// owes says whether the journal lacks anything.
func (l *ledger) owes() bool { return len(l.owed) > 0 }

// await tries what is owed and waits for what becomes of it, or until the tenure ends.
func (l *ledger) await(ctx context.Context, most time.Duration) {
	l.begin(ctx)
	timer := time.NewTimer(most)
	defer timer.Stop()
	select {
	case err := <-l.result:
		l.done(err)
	case <-timer.C:
		l.warn(errNoAnswer)
	case <-l.leaving:
	case <-ctx.Done():
	}
}

// look takes in what became of an append, if that is known.
func (l *ledger) look() {
	select {
	case err := <-l.result:
		l.done(err)
	default:
	}
}

// begin appends what is owed, unless that is under way or was refused a moment ago.
func (l *ledger) begin(ctx context.Context) {
	if l.result != nil || time.Now().Before(l.again) {
		return
	}
	result := make(chan error, 1)
	batch := append([]actuator.Entry(nil), l.owed...) // the journal stamps them
	l.result, l.under = result, len(batch)
	go func() { result <- l.journal.Append(ctx, batch) }()
}

func (l *ledger) done(err error) {
	l.result = nil
	if err != nil {
		l.again = time.Now().Add(appendRetry)
		l.warn(err)
		return
	}
	if l.owed = l.owed[l.under:]; !l.warned.IsZero() {
		l.log.Info("the journal takes records of deliveries again", zap.Int("taken", l.under), zap.Int("owed", len(l.owed)), zap.Duration("after", time.Since(l.behind)))
	}
	l.behind, l.warned = time.Time{}, time.Time{}
}

// errNoAnswer is why a journal takes nothing that has not said so.
var errNoAnswer = errors.New("no answer yet")

// warn logs from time to time that the journal takes nothing, how much it is owed and for how long.
func (l *ledger) warn(err error) {
	now := time.Now()
	if l.behind.IsZero() {
		l.behind = now
	}
	if !l.warned.IsZero() && now.Sub(l.warned) < owedEvery {
		return
	}
	l.warned = now
	l.log.Warn("the journal takes no record of deliveries", zap.Int("owed", len(l.owed)), zap.Int("most", maxOwed), zap.Duration("for", now.Sub(l.behind)), zap.Error(err))
}

// close waits for what is under way, and tries once what is owed then. What the journal has not taken is forgotten.
func (l *ledger) close(ctx context.Context) {
	if l.result != nil {
		l.done(<-l.result)
	}
	if len(l.owed) > 0 && ctx.Err() == nil {
		l.again = time.Time{}
		l.begin(ctx)
		l.done(<-l.result)
	}
}

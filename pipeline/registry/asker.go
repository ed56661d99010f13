package registry

import (
	"context"
	"sync"
	"time"

	"go.uber.org/zap"

	"firebreak/pipeline/record"
)

// Source is asked for schemas, one at a time. A Client is one.
type Source interface {
	Schema(ctx context.Context, id uint32) (Schema, error)
	Close()
}

// Times of an Asker.
const (
	// DefaultWait is how long a record waits for a registry, where nothing else is said: less than the lag at which a fleet is
	// blind, so that the others that read its partition see on.
	DefaultWait = 30 * time.Second

	leastBackoff = 500 * time.Millisecond // before an id is asked for again after a failure; doubled each time
	mostBackoff  = 30 * time.Second
	noneTwice    = time.Second     // before an id that is not there is asked for again: the registry may be a follower that is behind
	noneKept     = time.Minute     // before one that was not there twice is
	slowly       = time.Second     // between two requests where they fail, or are in vain
	forgotten    = 2 * time.Minute // after which what nobody has asked for again is not wanted any more
	tellEvery    = 30 * time.Second
)

// Asker answers who counts with the schemas of one registry, and asks for those that it does not have. NewAsker makes it, Run
// asks until it ends.
//
//	unknown -> wanted -> known (a schema; or, for a while, that there is none or that it cannot be used)
//
// A record waits for an id that is wanted, but never for longer than Wait, and not at all while
//   - the registry has not answered anybody for longer than that: one outage holds a partition up once;
//   - many ids were asked for in vain (see inVain): bytes that are no ids hold nobody up, and are asked for slowly, those first
//     that come most often.
type Asker struct {
	from Source
	wait time.Duration
	log  *zap.Logger
	wake chan struct{} // an id is wanted

	mu      sync.Mutex // what follows: who counts, and Run
	known   shelf
	wanted  map[uint32]*wanted
	failing time.Time // since when no request was answered; zero = the last one was
	early   time.Time // no request before
	vain    inVain
	told    time.Time // when a failure was logged
	toldNo  time.Time // when an id was that is not there
}

// wanted is an id that is being asked for.
type wanted struct {
	since time.Time
	last  time.Time // when somebody wanted it
	next  time.Time // when it may be asked for
	times int       // that it was wanted
	fails int
	none  bool // it was not there, once
}

// maxWanted bounds the ids that are asked for. Beyond it one that was wanted once gives way.
const maxWanted = 64

// mostID is the highest id that a registry gives: its ids are of 32 bits with a sign. It would not understand a higher one.
const mostID = 1<<31 - 1

// NewAsker makes an Asker; no time to wait is DefaultWait.
func NewAsker(from Source, wait time.Duration, log *zap.Logger) *Asker {
	if wait <= 0 {
		wait = DefaultWait
	}
	return &Asker{from: from, wait: wait, log: log, wake: make(chan struct{}, 1), wanted: map[uint32]*wanted{}}
}

// Schema implements record.Schemas, at once. Its errors are record.ErrPending, for which a record waits, record.ErrUnasked, for
// which it does not, and the registry's word, see Answers.
func (a *Asker) Schema(_ context.Context, id uint32) (kind, text string, err error) {
	if id > mostID {
		return "", "", ErrNone
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	now := time.Now()
	if k := a.known.find(id, now); k != nil {
		if !k.until.IsZero() && !now.Before(k.until) {
			a.want(id, now) // what it is now is asked behind the back of who counts
		}
		return k.Kind, k.Text, k.err
	}
	w := a.want(id, now)
	if w == nil || now.Sub(w.since) >= a.wait || a.vain.often(now) || !a.failing.IsZero() && now.Sub(a.failing) >= a.wait {
		return "", "", record.ErrUnasked
	}
	return "", "", record.ErrPending
}

// Useless is told that a schema that was given cannot be used.
func (a *Asker) Useless(err error) {
	a.log.Warn("a schema cannot be used; its records are refused", zap.Error(err))
}

// want notes that an id is wanted; nil if there is no room for it.
func (a *Asker) want(id uint32, now time.Time) *wanted {
	w := a.wanted[id]
	if w == nil {
		if len(a.wanted) >= maxWanted && !a.giveWay() {
			return nil
		}
		w = &wanted{since: now, next: now}
		a.wanted[id] = w
		select {
		case a.wake <- struct{}{}:
		default:
		}
	}
	w.times++
	w.last = now
	return w
}

// giveWay drops any id that was wanted once.
func (a *Asker) giveWay() bool {
	for id, w := range a.wanted {
		if w.times == 1 {
			delete(a.wanted, id)
			return true
		}
	}
	return false
}

package registry

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"go.uber.org/zap"
)

// Run asks for what is wanted, until ctx ends.
func (a *Asker) Run(ctx context.Context) error {
	defer a.from.Close()
	for ctx.Err() == nil {
		id, pause := a.next(time.Now())
		if pause > 0 {
			timer := time.NewTimer(pause)
			select {
			case <-ctx.Done():
			case <-a.wake:
			case <-timer.C:
			}
			timer.Stop()
			continue
		}
		s, err := a.from.Schema(ctx, id)
		if ctx.Err() == nil {
			a.answered(id, s, err, time.Now())
		}
	}
	return nil
}

// next gives the id to ask for now, or how long to wait: of those that may be asked for one that failed least, and of these the
// one that was wanted most.
func (a *Asker) next(now time.Time) (id uint32, pause time.Duration) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if wait := a.early.Sub(now); wait > 0 {
		return 0, wait
	}
	var best *wanted
	pause = forgotten
	for of, w := range a.wanted {
		switch {
		case now.Sub(w.last) >= forgotten:
			delete(a.wanted, of)
		case w.next.After(now):
			pause = min(pause, w.next.Sub(now))
		case best == nil || w.fails < best.fails || w.fails == best.fails && w.times > best.times:
			id, best = of, w
		}
	}
	if len(a.wanted) == 0 {
		a.failing = time.Time{} // nothing is known of it any more
	}
	if best != nil {
		return id, 0
	}
	return 0, pause
}

// answered takes what became of a request.
func (a *Asker) answered(id uint32, s Schema, err error, now time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	w := a.wanted[id]
	if w == nil {
		w = &wanted{} // it gave way meanwhile
	}
	if err != nil && !Answers(err) {
		a.failed(id, w, err, now)
		return
	}
	if !a.failing.IsZero() {
		a.log.Info("the registry answers again", zap.Duration("after", now.Sub(a.failing)))
	}
	a.failing = time.Time{}
	if err == nil {
		a.known.put(id, known{Schema: s, used: now})
		delete(a.wanted, id)
		return
	}
	a.early = now.Add(slowly)
	again := a.known.find(id, now) != nil
	if errors.Is(err, ErrNone) && !again {
		if !w.none {
			w.none, w.next = true, now.Add(noneTwice)
			return
		}
		a.vain.add(now)
	}
	a.known.put(id, known{err: err, until: now.Add(noneKept), used: now})
	delete(a.wanted, id)
	if now.Sub(a.toldNo) >= tellEvery {
		a.toldNo = now
		a.log.Warn("records of a schema are refused; others like it are not logged", zap.Uint32("schema", id), zap.Error(err))
	}
}

// failed puts a request off that was not answered.
func (a *Asker) failed(id uint32, w *wanted, err error, now time.Time) {
	w.fails++
	backoff := min(mostBackoff, leastBackoff<<min(w.fails-1, 10))
	w.next = now.Add(backoff/2 + rand.N(backoff/2))
	a.early = now.Add(slowly)
	if a.failing.IsZero() {
		a.failing = now
	}
	if now.Sub(a.told) >= tellEvery {
		a.told = now
		a.log.Warn("the registry cannot be asked", zap.Uint32("schema", id), zap.Int("times", w.fails), zap.Error(err))
	}
}

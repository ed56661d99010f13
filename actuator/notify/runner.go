package notify

import (
	"context"
	"errors"
	"sync"
	"time"

	"go.uber.org/zap"

	"firebreak/actuator"
)

const (
	// gather is the wait after news, so that the plan and the holds of a verdict, which follow it, are known when it is told.
	gather = 250 * time.Millisecond
	// logEvery is the shortest time between two warnings about one receiver.
	logEvery = 30 * time.Second
)

// Runner sends what a queue holds, one goroutine a receiver, while its instance is the decider.
//
//	stopped --Start--> running --Stop--> stopped
//
// Apply and Stats may be called in both states, from any goroutine; Start and Stop by one.
type Runner struct {
	senders map[string]Sender
	journal actuator.Journal
	log     *zap.Logger

	// mu guards queue and wake: the follower of the journal and the receivers' goroutines share them for moments.
	mu    sync.Mutex
	queue *Queue
	wake  map[string]chan struct{}

	tenure *tenure // nil while stopped
}

// tenure is the time between a Start and a Stop.
type tenure struct {
	leaving chan struct{} // closed: begin nothing new
	cut     context.CancelFunc
	done    sync.WaitGroup
}

// NewRunner makes a stopped one. senders has one for each receiver of the queue. journal stamps what it appends with epoch and
// instance.
func NewRunner(queue *Queue, senders map[string]Sender, journal actuator.Journal, log *zap.Logger) *Runner {
	r := &Runner{queue: queue, senders: senders, journal: journal, log: log, wake: map[string]chan struct{}{}}
	for name := range senders {
		r.wake[name] = make(chan struct{}, 1)
	}
	return r
}

// Apply takes an entry that a Reader yielded, and when the log took it.
func (r *Runner) Apply(e *actuator.Entry, at time.Time) {
	r.mu.Lock()
	r.queue.Apply(e, at)
	r.mu.Unlock()
	for _, wake := range r.wake {
		select {
		case wake <- struct{}{}:
		default:
		}
	}
}

// Recall takes an entry of the past: see Queue.Recall.
func (r *Runner) Recall(e *actuator.Entry) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.queue.Recall(e, time.Now())
}

// Stats returns the counts of a receiver.
func (r *Runner) Stats(name string) Stats {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.queue.Stats(name, time.Now())
}

// Start begins to send: this instance is the decider and has read the journal to its end. ctx ends everything at once; Stop
// ends it in order.
func (r *Runner) Start(ctx context.Context) error {
	if r.tenure != nil {
		return errors.New("notify: started already")
	}
	ctx, cut := context.WithCancel(ctx)
	t := &tenure{leaving: make(chan struct{}), cut: cut}
	for name, sender := range r.senders {
		t.done.Go(func() {
			log := r.log.With(zap.String("receiver", name))
			l := &loop{Runner: r, name: name, sender: sender, leaving: t.leaving, log: log, ledger: newLedger(r.journal, t.leaving, log)}
			l.run(ctx)
			l.ledger.close(ctx)
		})
	}
	r.tenure = t
	return nil
}

// Stop begins nothing new, waits until what is under way is sent and recorded, and cuts it off when ctx is done: the error is
// ctx's then. Nothing of the runner runs when it returns.
func (r *Runner) Stop(ctx context.Context) error {
	t := r.tenure
	if t == nil {
		return nil
	}
	r.tenure = nil
	close(t.leaving)
	finished := make(chan struct{})
	go func() {
		t.done.Wait()
		close(finished)
	}()
	defer t.cut()
	select {
	case <-finished:
		return nil
	case <-ctx.Done():
		t.cut()
		<-finished
		return ctx.Err()
	}
}

// loop is one receiver of one tenure.
type loop struct {
	*Runner

	name    string
	sender  Sender
	leaving <-chan struct{}
	log     *zap.Logger
	ledger  *ledger
	warned  time.Time
}

func (l *loop) run(ctx context.Context) {
	for !ended(ctx, l.leaving) {
		l.mu.Lock()
		dead, err := l.queue.Expire(l.name, time.Now())
		l.mu.Unlock()
		l.record(ctx, dead, err)
		l.mu.Lock()
		n, ok := l.queue.Due(l.name, time.Now())
		wait := l.queue.Wait(l.name, time.Now())
		l.mu.Unlock()
		if !ok {
			if l.ledger.owes() {
				wait = min(wait, appendRetry)
			}
			if l.pause(ctx, wait) {
				l.pauseAfter(ctx, gather)
			}
			continue
		}
		l.send(ctx, &n)
	}
}

// ended says whether nothing new is to begin.
func ended(ctx context.Context, leaving <-chan struct{}) bool {
	select {
	case <-leaving:
		return true
	default:
		return ctx.Err() != nil
	}
}

// pause waits, or until something was applied, which it reports, or the tenure ends.
func (l *loop) pause(ctx context.Context, wait time.Duration) (applied bool) {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-l.wake[l.name]:
		return true
	case <-l.leaving:
	case <-ctx.Done():
	}
	return false
}

// send sends one notice and records what became of it.
func (l *loop) send(ctx context.Context, n *Notice) {
	receipt, err := l.sender.Send(ctx, n)
	l.mu.Lock()
	var entries []actuator.Entry
	var bad error
	switch {
	case err == nil:
		entries, bad = l.queue.Sent(l.name, time.Now(), receipt)
	case ctx.Err() != nil:
		l.queue.Abandon(l.name)
	default:
		entries, bad = l.queue.Failed(l.name, time.Now(), err)
	}
	l.mu.Unlock()
	if err != nil && ctx.Err() == nil {
		l.warn(err, n.Attempt)
	}
	l.record(ctx, entries, bad)
}

// warn logs a failure: each dead letter, and others from time to time.
func (l *loop) warn(err error, attempt int) {
	f, now := failure(err), time.Now()
	if !f.Final && now.Sub(l.warned) < logEvery {
		return
	}
	l.warned = now
	l.log.Warn("notice was not taken", zap.String("cause", f.Why), zap.Int("attempt", attempt), zap.Bool("final", f.Final))
}

// record notes what became of notices.
func (l *loop) record(ctx context.Context, entries []actuator.Entry, bad error) {
	if bad != nil {
		l.log.Error("delivery cannot be recorded", zap.Error(bad))
	}
	l.ledger.record(ctx, entries)
}

// pauseAfter waits, or until the tenure ends.
func (l *loop) pauseAfter(ctx context.Context, wait time.Duration) {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-l.leaving:
	case <-ctx.Done():
	}
}

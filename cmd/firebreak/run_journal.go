package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"sync"
	"sync/atomic"
	"time"

	"go.uber.org/zap"

	"firebreak/actuator"
	"firebreak/actuator/notify"
	"firebreak/dashboards/console"
	"firebreak/pipeline/kafka"
)

// journal follows the journal of the group, and writes what this process owes it while this process decides.
//
// Its runner appends to it what became of notices, and it hands the runner what is to be told: each is made before the other is
// known to it, and none runs before both are.
type journal struct {
	followed

	owes     *owing
	runner   *notify.Runner // set before read or decide is called
	repeats  *repeats       // say again what stands; the same
	guide    *notify.Guide  // words the news; the same
	page     *console.Model // is shown every entry; the same; nil = nobody looks
	instance string
	reports  *reports     // which of them were written
	changes  *changes     // of routing that the journal knows
	epoch    atomic.Int64 // under which this process writes; 0 = it does not decide

	mu      sync.Mutex // what follows: the follower reads, the decider claims an epoch and tells without the journal
	entries *actuator.Reader
	direct  map[string]time.Time // by id: when receivers were told of what the journal does not have; forgotten when it has it, or after journalBack
}

func newJournal(log ownLog, owes *owing, instance string, zap *zap.Logger) *journal {
	return &journal{
		followed: followed{ownLog: log, name: "journal", zap: zap}, owes: owes, instance: instance,
		entries: actuator.NewReader(), reports: &reports{}, changes: &changes{}, direct: map[string]time.Time{}, guide: &notify.Guide{}, repeats: &repeats{},
	}
}

// decides says whether this process writes the journal now.
func (j *journal) decides() bool { return j.epoch.Load() != 0 }

// latest is the epoch of the newest decider that stands in the part of the journal that was read; 0 = none does.
func (j *journal) latest() int64 {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.entries.Highest()
}

const (
	// journalBack is how far back the journal is read at the start: longer than any receiver is tried for.
	journalBack = 24 * time.Hour
	// spokenBack is how far back it is read for what people said, what receivers were told of, and reports: nothing of it matters for longer.
	spokenBack = actuator.MaxAccept + journalBack
)

// read follows the journal until the context ends. A journal that cannot be read is tried again, so its end is no error.
func (j *journal) read(ctx context.Context) error {
	recent := time.Now().Add(-journalBack)
	return j.follow(ctx, spokenBack, func(e *kafka.Entry) {
		if e.Time.Before(recent) {
			j.recall(e)
			return
		}
		j.take(e)
	})
}

// take learns from one value of the log: what stands in the journal is owed no more, and receivers are told of it, unless
// tellBlind has done so; what this process wrote it logs too. What is no entry, or of a deposed decider, the reader counts and drops.
func (j *journal) take(e *kafka.Entry) {
	j.mu.Lock()
	entry, ok := j.entries.Read(e.Value)
	_, told := j.direct[entry.ID]
	delete(j.direct, entry.ID) // a second one of this id the reader drops
	j.mu.Unlock()
	if !ok {
		return
	}
	j.owes.saw(&entry)
	j.reports.saw(&entry)
	j.changes.saw(&entry)
	if j.page != nil {
		j.page.Entry(&entry)
	}
	if told {
		return
	}
	j.repeats.apply(&entry)
	j.runner.Apply(&entry, e.Time)
	if entry.Instance == j.instance {
		j.say(&entry)
	}
}

// Append implements actuator.Journal: it stamps the entries.
func (j *journal) Append(ctx context.Context, entries []actuator.Entry) error {
	epoch := j.epoch.Load()
	if epoch == 0 {
		return errNotDeciding
	}
	values := make([][]byte, len(entries))
	for i := range entries {
		entries[i].Epoch, entries[i].Instance = epoch, j.instance
		b, err := actuator.Encode(&entries[i])
		if err != nil {
			return fmt.Errorf("journal: %w", err)
		}
		values[i] = b
	}
	_, err := j.ownLog.Append(ctx, values...)
	return err
}

// errNotDeciding says that another writes the journal now.
var errNotDeciding = errors.New("this process does not decide")

// election is the member as the journal sees it.
type election interface {
	Decider() (generation int32, ok bool)
	Owner() bool
}

const (
	// decideEvery is how often the decider writes.
	decideEvery = 250 * time.Millisecond
	// unheardAfter is how long an entry that says that nothing is seen may wait for the journal before receivers are told
	// without it.
	unheardAfter = 20 * time.Second
	// handOver bounds what is under way when another takes over.
	handOver = 8 * time.Second
)

// decide writes the journal and lets the receivers be told, as long as this process decides.
func (j *journal) decide(ctx context.Context, member election) error {
	var generation int32
	telling := false
	defer func() {
		if telling {
			j.stop(ctx)
		}
	}()
	for ctx.Err() == nil {
		pause(ctx, decideEvery)
		now, ok := member.Decider()
		switch {
		case ok && (j.epoch.Load() == 0 || now != generation):
			if !j.atEnd(ctx) || !j.claim(ctx, now) {
				continue
			}
			generation = now
			if !telling {
				telling = j.start(ctx)
			}
		case !ok && member.Owner():
			// It may not see, or not reach anybody; it may say so.
			telling = j.tellBlind(ctx, telling)
			continue
		case !ok && (telling || j.epoch.Load() != 0):
			j.epoch.Store(0)
			j.stop(ctx)
			telling = false
		}
		if j.epoch.Load() != 0 {
			j.write(ctx)
		}
	}
	return nil
}

// claim begins a tenure.
func (j *journal) claim(ctx context.Context, generation int32) bool {
	j.mu.Lock()
	epoch := j.entries.Claim(int64(max(generation, 1)))
	j.mu.Unlock()
	j.epoch.Store(epoch)
	e, err := actuator.NewDecider(time.Now(), j.instance, epoch)
	if err == nil {
		err = j.Append(ctx, []actuator.Entry{e})
	}
	if err != nil {
		j.zap.Warn("cannot begin to decide", zap.Error(err))
		j.epoch.Store(0)
		return false
	}
	j.zap.Info("this process decides now", zap.Int64("epoch", epoch))
	return true
}

// write appends what is pending.
func (j *journal) write(ctx context.Context) {
	batch := j.owes.begin(time.Now(), j.epoch.Load(), j.instance)
	if len(batch) == 0 {
		return
	}
	err := j.Append(ctx, batch)
	if err != nil {
		j.zap.Warn("the journal takes nothing", zap.Int("entries", len(batch)), zap.Error(err))
	}
	j.owes.done(err)
}

// tellBlind hands receivers what the journal could not take.
func (j *journal) tellBlind(ctx context.Context, telling bool) bool {
	now := time.Now()
	entries := j.owes.unheard(now, unheardAfter)
	for i := range entries {
		j.mu.Lock()
		maps.DeleteFunc(j.direct, func(_ string, at time.Time) bool { return now.Sub(at) > journalBack })
		j.direct[entries[i].ID] = now
		j.mu.Unlock()
		j.repeats.apply(&entries[i])
		j.runner.Apply(&entries[i], now)
		j.say(&entries[i])
	}
	if len(entries) > 0 && !telling {
		return j.start(ctx)
	}
	return telling
}

func (j *journal) start(ctx context.Context) bool {
	err := j.runner.Start(context.WithoutCancel(ctx))
	if err != nil {
		j.zap.Error("receivers cannot be told", zap.Error(err))
		return false
	}
	j.repeats.start(ctx)
	return true
}

func (j *journal) stop(ctx context.Context) {
	j.repeats.stop()
	wait, cancel := context.WithTimeout(context.WithoutCancel(ctx), handOver)
	defer cancel()
	if err := j.runner.Stop(wait); err != nil {
		j.zap.Warn("a notice was cut off; the next decider repeats it", zap.Error(err))
	}
}

// pause waits, or until the context ends.
func pause(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}

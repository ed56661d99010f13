package main

import (
	"sync"
	"time"

	"go.uber.org/zap"

	"firebreak/actuator"
	"firebreak/dashboards/console"
	"firebreak/internal/history"
	"firebreak/internal/telemetry"
	"firebreak/pipeline"
	"firebreak/policy"
)

// watcher is told every decision: it writes what is news of it for the journal, and the history, whoever decides, and measures
// it. It implements pipeline.Sink and pipeline.Historian.
type watcher struct {
	scribe  actuator.Scribe
	metrics *telemetry.Metrics
	log     *zap.Logger
	told    map[string]actuator.Told // by fleet; belongs to the follower, as Histories, Judged, Save and Load do
	keeper  *history.Keeper
	saying  rarely         // of the keeper's errors; the follower's too
	page    *console.Model // nil = nobody looks

	mu      sync.Mutex // what follows: the follower adds, the journal's goroutines take
	pending *actuator.Pending
	blind   map[string]blindEntry // entries that say that nothing is seen, and that the journal does not have
}

// blindEntry waits for the journal.
type blindEntry struct {
	entry actuator.Entry
	since time.Time // of this process's clock
}

func newWatcher(scribe actuator.Scribe, keeper *history.Keeper, metrics *telemetry.Metrics, age time.Duration, log *zap.Logger) *watcher {
	return &watcher{
		scribe: scribe, metrics: metrics, log: log, told: map[string]actuator.Told{}, keeper: keeper,
		pending: actuator.NewPending(age), blind: map[string]blindEntry{},
	}
}

// Judged implements pipeline.Sink.
func (w *watcher) Judged(j *pipeline.Judgement) {
	s := j.Snapshot
	w.metrics.Fleet(s.Fleet).Judged(s, j.Decision, j.After)
	w.keep(j)
	if w.page != nil {
		w.page.Judged(judgedTick(j))
	}
	tick := &actuator.Tick{Fleet: s.Fleet, Now: j.Now, Table: s.Table, Decision: j.Decision, State: j.After}
	if n := len(s.Panes); n > 0 {
		tick.Pane = s.Panes[n-1].Start.Add(s.Pane)
	}
	entries, told, err := w.scribe.Write(tick, w.told[s.Fleet])
	if err != nil {
		w.log.Error("the journal's entries are not whole", zap.String("fleet", printable(s.Fleet)), zap.Error(err))
	}
	w.told[s.Fleet] = told
	w.mu.Lock()
	defer w.mu.Unlock()
	w.pending.Add(entries...)
	for i := range entries {
		switch entries[i].Kind {
		case actuator.KindBlind:
			w.blind[entries[i].ID] = blindEntry{entries[i], time.Now()}
		case actuator.KindSighted:
			clear(w.blind)
		case actuator.KindUnknown, actuator.KindVerdict, actuator.KindPlan, actuator.KindHold, actuator.KindAdvice, actuator.KindDelivered, actuator.KindDecider:
		}
	}
}

// keep hands a decision to the history.
func (w *watcher) keep(j *pipeline.Judgement) {
	err := w.keeper.Judged(&history.Tick{
		Snapshot: j.Snapshot, Config: j.Config, Before: j.Before, Now: j.Now, Decision: j.Decision, After: j.After,
		Keys: j.Distinct.Keys, Tenants: j.Distinct.Tenants,
	})
	if err != nil && w.saying.now() {
		w.log.Error("the history is not whole", zap.String("fleet", printable(j.Snapshot.Fleet)), zap.Error(err))
	}
}

// Histories implements pipeline.Historian.
func (w *watcher) Histories(s *policy.Snapshot, before *policy.State) []policy.TenantHistory {
	return w.keeper.Histories(s, before)
}

// saw takes an entry that stands in the journal.
func (w *watcher) saw(e *actuator.Entry) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.pending.Saw(e.ID)
	delete(w.blind, e.ID)
	if w.page != nil {
		w.page.Entry(e)
	}
}

// unheard gives what says that nothing is seen and did not get into the journal for a while, each once.
func (w *watcher) unheard(than time.Duration) (entries []actuator.Entry) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for id, b := range w.blind {
		if time.Since(b.since) >= than {
			entries = append(entries, b.entry)
			delete(w.blind, id)
		}
	}
	return entries
}

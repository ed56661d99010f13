package main

import (
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"go.uber.org/zap"

	"firebreak/actuator"
	"firebreak/internal/line"
	"firebreak/internal/telemetry"
	"firebreak/policy"
)

// watcher is told every decision: it writes what is news of it for the journal, whoever decides, and measures it. It
// implements pipeline.Sink.
type watcher struct {
	scribe  actuator.Scribe
	metrics *telemetry.Metrics
	log     *zap.Logger
	told    map[string]actuator.Told // by fleet; belongs to the follower, as Judged, Save and Load do

	mu      sync.Mutex // what follows: the follower adds, the journal's goroutines take
	pending *actuator.Pending
	blind   map[string]blindEntry // entries that say that nothing is seen, and that the journal does not have
}

// blindEntry waits for the journal.
type blindEntry struct {
	entry actuator.Entry
	since time.Time // of this process's clock
}

func newWatcher(scribe actuator.Scribe, metrics *telemetry.Metrics, age time.Duration, log *zap.Logger) *watcher {
	return &watcher{
		scribe: scribe, metrics: metrics, log: log, told: map[string]actuator.Told{},
		pending: actuator.NewPending(age), blind: map[string]blindEntry{},
	}
}

// Judged implements pipeline.Sink.
func (w *watcher) Judged(s *policy.Snapshot, d *policy.Decision, st *policy.State, now time.Time) {
	w.metrics.Fleet(s.Fleet).Judged(s, d, st)
	tick := &actuator.Tick{Fleet: s.Fleet, Now: now, Table: s.Table, Decision: d, State: st}
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

// saw takes an entry that stands in the journal.
func (w *watcher) saw(e *actuator.Entry) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.pending.Saw(e.ID)
	delete(w.blind, e.ID)
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

// toldOf is what was told of a fleet, as it travels in checkpoints.
type toldOf struct {
	Fleet line.Name
	Told  actuator.Told
}

// Save implements pipeline.Sink.
func (w *watcher) Save() ([]byte, error) {
	var all []toldOf
	for fleet, told := range w.told {
		all = append(all, toldOf{line.Name(fleet), told})
	}
	return json.Marshal(all)
}

// Load implements pipeline.Sink.
func (w *watcher) Load(memory []byte) error {
	if len(memory) == 0 {
		return nil
	}
	var all []toldOf
	if err := json.Unmarshal(memory, &all); err != nil {
		return fmt.Errorf("what was told: %w", err)
	}
	for _, t := range all {
		w.told[string(t.Fleet)] = t.Told
	}
	return nil
}

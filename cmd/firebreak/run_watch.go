package main

import (
	"time"

	"go.uber.org/zap"

	"firebreak/actuator"
	"firebreak/dashboards/console"
	"firebreak/internal/history"
	"firebreak/internal/rarely"
	"firebreak/internal/telemetry"
	"firebreak/pipeline"
	"firebreak/policy"
	"firebreak/profiles"
)

// watcher is told every decision: it writes what is news of it for the journal, and the history, whoever decides, and measures
// it. It implements pipeline.Sink, pipeline.Historian and pipeline.Outsider, whose methods its member calls under its lock: its
// follower for what the log says, its housekeeper for silence and checkpoints. newWatcher makes it.
type watcher struct {
	scribe  actuator.Scribe
	metrics *telemetry.Metrics
	log     *zap.Logger
	owes    *owing
	keeper  *history.Keeper
	told    map[string]actuator.Told   // by fleet; under the member's lock
	saying  rarely.Trouble             // of the keeper's errors; likewise
	page    *console.Model             // is shown every decision; nil = nobody looks
	beside  []besideLog                // set before the member runs
	acts    *stewardship               // is handed every decision; nil = nobody acts
	stores  map[string]*profiles.Store // by fleet: of those that name a profile
}

// besideLog fills its own part of what stands beside the log of a fleet at a moment; it does so at once, of what it holds. Readings
// of shards are one, what firebreak itself does is another; no two fill the same field.
type besideLog func(fleet string, now time.Time, w *policy.World)

func newWatcher(scribe actuator.Scribe, keeper *history.Keeper, metrics *telemetry.Metrics, owes *owing, log *zap.Logger) *watcher {
	return &watcher{scribe: scribe, metrics: metrics, log: log, owes: owes, keeper: keeper, told: map[string]actuator.Told{}}
}

// Judged implements pipeline.Sink.
func (w *watcher) Judged(j *pipeline.Judgement) {
	s := j.Snapshot
	w.metrics.Fleet(s.Fleet).Judged(s, j.Decision, j.After)
	w.keep(j)
	if w.acts != nil {
		w.acts.judged(j)
	}
	if w.page != nil {
		w.page.Judged(judgedTick(j))
	}
	tick := &actuator.Tick{Fleet: s.Fleet, Now: j.Now, Table: s.Table, Decision: j.Decision, State: j.After, Store: w.stores[s.Fleet]}
	if n := len(s.Panes); n > 0 {
		tick.Pane = s.Panes[n-1].Start.Add(s.Pane)
	}
	entries, told, err := w.scribe.Write(tick, w.owes.follow(s.Fleet, j.Now, w.told[s.Fleet]))
	if err != nil {
		w.log.Error("the journal's entries are not whole", zap.String("fleet", printable(s.Fleet)), zap.Error(err))
	}
	w.told[s.Fleet] = told
	if err := w.owes.reopen(tick); err != nil { // before what is then no longer silent
		w.log.Error("the journal's entries are not whole", zap.String("fleet", printable(s.Fleet)), zap.Error(err))
	}
	w.owes.add(entries, time.Now())
}

// keep hands a decision to the history.
func (w *watcher) keep(j *pipeline.Judgement) {
	err := w.keeper.Judged(&history.Tick{
		Snapshot: j.Snapshot, Config: j.Config, Before: j.Before, Now: j.Now, Decision: j.Decision, After: j.After,
		Keys: j.Distinct.Keys, Tenants: j.Distinct.Tenants,
	})
	if err != nil && w.saying.Say() {
		w.log.Error("the history is not whole", zap.String("fleet", printable(j.Snapshot.Fleet)), zap.Error(err))
	}
}

// Histories implements pipeline.Historian.
func (w *watcher) Histories(s *policy.Snapshot, before *policy.State) []policy.TenantHistory {
	return w.keeper.Histories(s, before)
}

// World implements pipeline.Outsider.
func (w *watcher) World(fleet string, now time.Time) policy.World {
	var world policy.World
	for _, fill := range w.beside {
		fill(fleet, now, &world)
	}
	return world
}

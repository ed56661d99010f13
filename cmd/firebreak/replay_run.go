package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"firebreak/dashboards/report"
	"firebreak/internal/config"
	"firebreak/internal/line"
	"firebreak/pipeline"
	"firebreak/pipeline/record"
	"firebreak/policy"
	"firebreak/profiles"
	"firebreak/routing"
)

// replayedFleet is one fleet of a replay with its judge and what was said about it.
type replayedFleet struct {
	cfg      config.Fleet
	pipeline pipeline.Config
	fleet    *pipeline.Fleet
	judge    policy.Config
	counting counting
	state    policy.State
	window   *policy.Snapshot // the last one
	distinct pipeline.Distinct
	said     said
	recorder *report.Recorder // of --report; nil without
	store    *profiles.Store  // its profile; nil = it names none
}

// replay is one run of the command.
type replay struct {
	flags  *replayFlags
	report *reporting // of --report; nil without
	inputs []*input
	fleets []*replayedFleet
	out    printer
	lines  uint64
	err    error // the first that printing or judging gave
}

// run feeds the files through the fleets, then says what was found. What could be read is judged even if a file breaks
// off; the error comes last.
func (r *replay) run(cancelled func() error) error {
	streams := make([]pipeline.Stream, len(r.inputs))
	for i, in := range r.inputs {
		streams[i] = &stoppable{input: in, stop: func() error { return errors.Join(r.err, cancelled()) }}
	}
	broken := pipeline.Merge(streams, func(partition, fleet int, rec *record.Record) {
		f := r.fleets[fleet]
		f.fleet.Observe(partition, rec)
		for r.err == nil && f.fleet.Advance() {
			r.err = r.tick(f)
		}
	}, func(partition int) {
		for _, f := range r.fleets {
			f.fleet.End(partition)
		}
	})
	if err := errors.Join(r.err, cancelled()); err != nil {
		return oneLine(err)
	}
	fired := false
	for _, f := range r.fleets {
		if err := r.finish(f); err != nil {
			return err
		}
		fired = fired || len(f.said.fired) > 0
	}
	if err := r.report.write(r.inputs, broken); err != nil {
		return err
	}
	switch {
	case broken != nil:
		return oneLine(broken)
	case fired && r.flags.failOn == "hotspot":
		return errFailOn
	}
	return nil
}

// stoppable ends a stream when the run has failed or was interrupted.
type stoppable struct {
	*input

	stop func() error
	n    int
}

// Next gives the next record.
func (s *stoppable) Next() (int, *record.Record, error) {
	if s.n++; s.n%stopEvery == 0 && s.stop() != nil {
		return 0, nil, io.EOF
	}
	return s.input.Next()
}

// stopEvery is how many records pass between two looks at whether to go on.
const stopEvery = 4096

// finish closes the last panes of a fleet and prints its summary.
func (r *replay) finish(f *replayedFleet) error {
	f.fleet.Close()
	for f.fleet.Advance() {
		if err := r.tick(f); err != nil {
			return err
		}
	}
	if err := f.placeable(); err != nil {
		return err
	}
	s := r.summary(f)
	questions, err := r.flags.questions()
	if err == nil {
		s.Asked, err = f.answers(questions)
	}
	if err != nil {
		return err
	}
	r.report.add(f, s, r.httpOps(slices.Index(r.fleets, f)))
	return r.out.summary(s)
}

// placeable finds the fleet whose log never names what its placement hashes.
func (f *replayedFleet) placeable() error {
	stats := f.fleet.Stats()
	table := f.fleet.Table()
	if stats.Counted == 0 || stats.Unplaced < stats.Counted {
		return nil
	}
	if f.pipeline.Discover || table.Document().Placement.Map == routing.Explicit {
		return fmt.Errorf("fleet %s: the log is to name the shards, but no record names a shard", f.cfg.Name)
	}
	p := table.Document().Placement
	var lacks []string
	if p.HasTenant() && !stats.Tenants {
		lacks = append(lacks, "tenant")
	}
	if p.HasKey() && !stats.Keys {
		lacks = append(lacks, "key")
	}
	if len(lacks) == 0 {
		lacks = []string{"tenant and a key at once"}
	}
	return fmt.Errorf("fleet %s: placement is by %s, but no record of the log names a %s", f.cfg.Name, p.Bytes, strings.Join(lacks, " or a "))
}

// tick judges the newest pane.
func (r *replay) tick(f *replayedFleet) error {
	snapshot, err := f.fleet.Snapshot()
	if err != nil {
		return err
	}
	f.window, f.distinct = snapshot, f.fleet.Distinct()
	f.said.ticks++
	if f.said.ticks == 1 {
		if err := f.placeable(); err != nil {
			return err
		}
	}
	cfg := f.judge
	if snapshot.Table == nil {
		f.record(&cfg, &policy.Decision{})
		return nil
	}
	if snapshot.Whole {
		cfg.FastPanes, cfg.LongPanes, cfg.WarmPanes, cfg.For = len(snapshot.Panes), len(snapshot.Panes), 1, 0
	}
	now := f.fleet.Now()
	decision, state := policy.Evaluate(snapshot, &cfg, f.state, now)
	f.state = state
	f.said.shared(snapshot, decision.Verdicts)
	if f.fleet.Timeless() {
		now = time.Time{}
		withoutTime(&decision)
	}
	f.record(&cfg, &decision)
	return r.say(f, &decision, line.Stamp(now))
}

// withoutTime takes the times off what is said of a log that has none.
func withoutTime(d *policy.Decision) {
	for i := range d.Verdicts {
		v := &d.Verdicts[i]
		v.Time, v.Onset, v.From, v.To = time.Time{}, time.Time{}, time.Time{}, time.Time{}
	}
	for i := range d.Plans {
		d.Plans[i].Expires = time.Time{}
	}
}

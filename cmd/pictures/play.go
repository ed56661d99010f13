package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"firebreak/actuator"
	"firebreak/actuator/notify"
	"firebreak/dashboards/console"
	"firebreak/dashboards/report"
	"firebreak/internal/line"
	"firebreak/internal/scenario"
	"firebreak/policy"
)

// group is how the journal calls who decides.
const group = "firebreak-0"

// played is a story of one fleet after its end. One goroutine owns it.
type played struct {
	file     string
	tick     scenario.Tick // the newest
	verdict  *line.Verdict // as told last while it fired
	quota    float64       // that its plan begins with, load/s; 0 = none
	refused  float64       // by the first limit of its plan, load/s; 0 = none
	resolved time.Time     // zero = it is open
	scribe   actuator.Scribe
	told     actuator.Told
	model    *console.Model
	recorder report.Recorder
	seen     seen
	post     *post
}

// seen is what the log had, by the complete panes.
type seen struct {
	from, to          time.Time
	records, requests float64
	keys, tenants     int     // in the newest window
	window            float64 // load of it
}

// play plays the story of a file, which must go as the file says.
func play(ctx context.Context, file string) (*played, error) {
	text, err := os.ReadFile(file) //nolint:gosec // G304: a story of the folder that was named
	if err != nil {
		return nil, err
	}
	p := &played{file: filepath.Base(file)}
	p.post = newPost(func() time.Time { return p.tick.Now })
	defer p.post.close()
	if err := scenario.PlayTo(io.Discard, file, string(text), func(t *scenario.Tick) error { return p.watch(ctx, t) }); err != nil {
		return nil, err
	}
	if p.verdict == nil {
		return nil, fmt.Errorf("%s: nothing fired", file)
	}
	return p, nil
}

// watch does with an evaluation what the daemon does.
func (p *played) watch(ctx context.Context, t *scenario.Tick) error {
	s := t.Snapshot
	p.tick = *t
	if p.model == nil {
		p.model = console.New([]console.Fleet{{Name: s.Fleet, Judge: *t.Config, Owner: ownerIn(s.Fleet)}}, nil)
		p.post.guide.Times[s.Fleet] = notify.Times{Window: time.Duration(t.Config.FastPanes) * s.Pane, Calm: t.Config.Resolve}
		e, err := actuator.NewDecider(t.Now, group, 1)
		if err != nil {
			return err
		}
		p.model.Entry(&e)
	}
	p.seen.add(s)
	p.recorder.Tick(s, t.Config, t.Decision)
	p.model.Judged(&console.Tick{Snapshot: s, Config: t.Config, Now: t.Now, Decision: t.Decision, State: t.State, Keys: len(s.Keys), Tenants: len(s.Tenants)})
	entries, told, err := p.scribe.Write(&actuator.Tick{
		Fleet: s.Fleet, Now: t.Now, Pane: s.Panes[len(s.Panes)-1].Start.Add(s.Pane), Table: s.Table, Decision: t.Decision, State: t.State,
	}, p.told)
	if err != nil {
		return err
	}
	p.told = told
	for i := range entries {
		p.model.Entry(&entries[i])
		if err := p.read(&entries[i]); err != nil {
			return err
		}
	}
	return p.post.send(ctx, entries)
}

// read keeps what the questions are about.
func (p *played) read(e *actuator.Entry) error {
	if e.Hotspot == "" || e.Phase == actuator.PhaseEnded {
		return nil
	}
	l, err := line.Decode(e.Line)
	if err != nil {
		return err
	}
	switch v := l.(type) {
	case *line.Verdict:
		if e.Phase == actuator.PhaseResolved {
			p.resolved = e.At
			return nil
		}
		if p.verdict != nil && p.verdict.Hotspot != v.Hotspot {
			return errors.New("a second hotspot")
		}
		p.verdict = v
	case *line.Plan:
		for i := range v.Steps {
			if p.refused == 0 {
				p.refused = float64(v.Steps[i].Refused)
			}
			if v.Steps[i].Kind == "quota" {
				p.quota = float64(v.Steps[i].Rate)
			}
		}
	}
	return nil
}

// add takes in the panes that are new.
func (s *seen) add(snap *policy.Snapshot) {
	s.keys, s.tenants, s.window = len(snap.Keys), len(snap.Tenants), 0
	for i := range snap.Panes {
		pane := &snap.Panes[i]
		for j := range pane.VShards {
			s.window += pane.VShards[j].Load
		}
		if !s.to.IsZero() && pane.Start.Before(s.to) {
			continue
		}
		if s.from.IsZero() {
			s.from = pane.Start
		}
		s.to = pane.Start.Add(snap.Pane)
		for j := range pane.VShards {
			s.records += pane.VShards[j].Records
			s.requests += pane.VShards[j].Load
		}
	}
}

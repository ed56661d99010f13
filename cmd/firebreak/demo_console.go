package main

import (
	"context"
	"errors"
	"syscall"
	"time"

	"go.uber.org/zap"

	"firebreak/actuator"
	"firebreak/actuator/steward"
	"firebreak/dashboards/console"
	"firebreak/internal/access"
	"firebreak/pipeline"
	"firebreak/pipeline/kafka"
)

// demoPage is the console of the demonstration: it is fed as that of run is, but for the journal, which nobody keeps.
type demoPage struct {
	model  *console.Model
	scribe actuator.Scribe
	told   actuator.Told // belongs to who judges
	begun  bool          // the journal names who decides
	server *console.Server
}

// judged takes a decision, in the order of the log.
func (p *demoPage) judged(j *pipeline.Judgement) error {
	p.model.Judged(judgedTick(j))
	s := j.Snapshot
	if !p.begun {
		p.begun = true
		e, err := actuator.NewDecider(j.Now, demoGroup, 1)
		if err != nil {
			return err
		}
		p.model.Entry(&e)
	}
	tick := &actuator.Tick{Fleet: s.Fleet, Now: j.Now, Pane: s.Panes[len(s.Panes)-1].Start.Add(s.Pane), Table: s.Table, Decision: j.Decision, State: j.After}
	entries, told, err := p.scribe.Write(tick, p.told)
	p.told = told
	for i := range entries {
		p.model.Entry(&entries[i])
	}
	return err
}

// serve opens the console of an engine. Where the port of the default is taken another one is.
func (e *liveEngine) serve(ctx context.Context, listen string) error {
	source := &page{member: func() *kafka.Member { return e.members[0] }, status: e.status}
	open := func(listen string) (err error) {
		e.page.server, err = console.Open(ctx, access.Config{Listen: listen}, e.page.model, source, nil, e.actor(), zap.NewNop())
		return err
	}
	err := open(listen)
	if errors.Is(err, syscall.EADDRINUSE) && listen == access.Default().Listen {
		err = open("127.0.0.1:0")
	}
	return err
}

// actor is what the page knows of how the fleet is acted on, by the steward of the demonstration.
func (e *liveEngine) actor() console.Actor {
	return &actor{stewards: []*steward.Steward{e.acting.steward}}
}

// address is where the console is; empty = nowhere.
func (e *liveEngine) address() string {
	if e.page.server == nil {
		return ""
	}
	return "http://" + e.page.server.Addr().String() + "/"
}

// status says how the demonstration is.
func (e *liveEngine) status(ctx context.Context) console.Status {
	standing := e.acting.steward.Standing()
	s := console.Status{
		Instance: demoGroup, Decides: true, Epoch: 1, Behind: e.members[0].State(ctx).Unapplied, Routing: []console.Routing{shownRouting(&standing)},
	}
	for _, m := range e.members {
		for _, n := range m.State(ctx).Owned {
			s.Partitions += n
		}
	}
	return s
}

// closePage ends the console.
func (e *liveEngine) closePage(ctx context.Context) {
	if e.page.server == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
	defer cancel()
	_ = e.page.server.Close(ctx)
	e.page.server = nil
}

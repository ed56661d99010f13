package main

import (
	"context"
	"errors"
	"strings"
	"syscall"
	"time"

	"go.uber.org/zap"

	"firebreak/dashboards/console"
	"firebreak/internal/admin"
	"firebreak/internal/config"
	"firebreak/pipeline"
	"firebreak/pipeline/kafka"
)

// page is what the console asks of a process, beside what it is fed.
type page struct {
	member func() *kafka.Member // nil = there is none yet
	status func(context.Context) console.Status
}

// Ask implements console.Source.
func (p *page) Ask(fleet string, tenant, key []byte) (console.Answer, error) {
	m := p.member()
	if m == nil {
		return console.Answer{}, console.ErrNotNow
	}
	a, ok, err := m.Ask(fleet, tenant, key)
	switch {
	case err != nil:
		return console.Answer{}, err
	case !ok:
		return console.Answer{}, console.ErrNotNow
	}
	return console.Answer(a), nil
}

// Whatif implements console.Source with the arithmetic of the command of that name.
func (p *page) Whatif(q *console.Question) (*console.Whatif, error) {
	flags := whatifFlags{
		share: q.Share, rate: q.Rate, shards: q.Shards, target: q.Target, capacity: q.Capacity, reads: q.Reads, sample: q.Sample, output: "json",
	}
	if flags.reads == "" {
		flags.reads = "0%"
	}
	if flags.sample == "" {
		flags.sample = "1:1"
	}
	asked, err := flags.question()
	if err != nil {
		return nil, errors.New(strings.ReplaceAll(err.Error(), "--", "")) // no flags here
	}
	r := newWhatifReport(asked)
	out := &console.Whatif{Form: asked.form, Mean: r.Answer.Mean, Target: r.Answer.Target, After: r.Answer.After, Fix: r.Answer.Fix.String(), Why: r.Answer.Why, Report: r}
	if r.Answer.Salt != nil {
		out.Salt = *r.Answer.Salt
	}
	return out, nil
}

// Status implements console.Source.
func (p *page) Status(ctx context.Context) console.Status { return p.status(ctx) }

// consoleFleets are the fleets as the console knows them from the start.
func consoleFleets(cfg *config.Config, fleets []pipeline.LiveFleet) []console.Fleet {
	var out []console.Fleet
	for i := range fleets {
		f := console.Fleet{Name: fleets[i].Fleet, Judge: fleets[i].Judge, Owner: ownerOf(cfg.Owners, fleets[i].Fleet, cfg.Redact())}
		if cost := cfg.Fleets[i].Cost; cost != pipeline.CostRequests {
			f.Cost = cost.String()
		}
		out = append(out, f)
	}
	return out
}

// judgedTick is a judgement as the console takes it.
func judgedTick(j *pipeline.Judgement) *console.Tick {
	return &console.Tick{Snapshot: j.Snapshot, Config: j.Config, Now: j.Now, Decision: j.Decision, State: j.After, Keys: j.Distinct.Keys, Tenants: j.Distinct.Tenants}
}

// openConsole serves the page. A port that is taken is logged and no more: the page never stops the watch.
func (d *daemon) openConsole(ctx context.Context) (*console.Server, error) {
	cfg := d.cfg.Console.Config
	if cfg.Listen == "" {
		return nil, nil
	}
	s, err := console.Open(ctx, cfg, d.model, &page{member: func() *kafka.Member { return d.member }, status: d.status}, d.reporter(), d.actor(), d.log)
	if errors.Is(err, syscall.EADDRINUSE) {
		d.log.Error("no console: its port is taken; console.listen names another", zap.String("listen", cfg.Listen))
		return nil, nil
	}
	if err != nil {
		return nil, usageError{oneLine(err)}
	}
	d.log.Info("console listener", zap.Stringer("address", s.Addr()))
	return s, nil
}

// listeners are what a process serves; each may be nil.
type listeners struct {
	admin   *admin.Server
	page    *console.Server
	routing *routingServer
}

// listen opens the listeners that are configured.
func (d *daemon) listen(ctx context.Context) (l listeners, err error) {
	if listen := d.cfg.Admin.Listen; listen != "" {
		if l.admin, err = admin.Open(ctx, admin.Config{Listen: listen}, d.gather, d.log, d.conditions()...); err != nil {
			return listeners{}, err
		}
		d.log.Info("admin listener", zap.Stringer("address", l.admin.Addr()))
	}
	if l.page, err = d.openConsole(ctx); err != nil {
		l.close(ctx)
		return listeners{}, err
	}
	if l.routing, err = d.openRouting(ctx); err != nil {
		l.close(ctx)
		return listeners{}, err
	}
	return l, nil
}

// close ends what is served, soon, even where ctx has ended.
func (l *listeners) close(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
	defer cancel()
	if l.page != nil {
		_ = l.page.Close(ctx)
	}
	if l.routing != nil {
		_ = l.routing.close(ctx)
	}
	if l.admin != nil {
		_ = l.admin.Close(ctx)
	}
}

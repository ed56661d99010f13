package main

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	mrand "math/rand/v2"
	"os"
	"runtime/debug"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/zap"

	"firebreak/actuator"
	"firebreak/actuator/notify"
	"firebreak/dashboards/console"
	"firebreak/internal/admin"
	"firebreak/internal/config"
	"firebreak/internal/history"
	"firebreak/internal/telemetry"
	"firebreak/pipeline"
	"firebreak/pipeline/kafka"
)

// daemon is one running instance:
//
//	request log -> member -> watcher -> journal -> receivers
//	                 |          '-----> history
//	                 '----- telemetry, admin, console ---'
type daemon struct {
	cfg     *config.Config
	log     *zap.Logger
	fleets  []pipeline.LiveFleet
	member  *kafka.Member
	journal *journal
	history *historian    // nil = there is no log of it
	topics  []kafka.Topic // ours, made and verified at the start; nil = none
	first   kafka.MemberConfig
	owned   []interface{ Close() }
	metrics *telemetry.Metrics
	gather  *prometheus.Registry
	listen  string
	version string         // of this firebreak
	model   *console.Model // what the console shows; nil = it is not served
	leaving chan struct{}  // closed: not ready any more
}

// newDaemon puts an instance together. Nothing is reached yet.
func newDaemon(cfg *config.Config, dir string, standalone bool, log *zap.Logger) (*daemon, error) {
	fleets, err := liveFleets(cfg, dir)
	if err != nil {
		return nil, err
	}
	mc, err := memberConfig(cfg, fleets, standalone, log)
	if err != nil {
		return nil, err
	}
	d := &daemon{cfg: cfg, fleets: fleets, log: log, first: mc, gather: prometheus.NewRegistry(), listen: cfg.Admin.Listen, leaving: make(chan struct{})}
	var jlog journalLog = newMemoryJournal()
	if !standalone {
		d.topics = kafka.Topics(cfg.Group, cfg.LongestWindow())
		topic, err := kafka.OpenLog(mc.Clusters[0].Opts, kafka.JournalTopic(cfg.Group), 0)
		if err != nil {
			return nil, err
		}
		jlog = topicLog{topic}
		d.owned = append(d.owned, topic)
	}
	receivers, senders := receiversOf(cfg)
	var runner *notify.Runner
	tc := telemetryConfig(cfg, fleets)
	for _, r := range receivers {
		tc.Receivers = append(tc.Receivers, telemetry.Receiver{Name: r.Name, Stats: func() telemetry.Deliveries {
			s := runner.Stats(r.Name)
			return telemetry.Deliveries{Delivered: s.Delivered, Retried: s.Retried, GaveUp: s.GaveUp, Folded: s.Folded, Queued: s.Queued}
		}})
	}
	keeper := history.NewKeeper(history.Options{
		Redact: cfg.Redact(), KeepEvidence: cfg.History.KeepEvidence, Unwritten: standalone, Fleets: len(fleets), Build: tc.Build.Version,
	})
	if !standalone {
		topic, err := kafka.OpenLog(mc.Clusters[0].Opts, kafka.HistoryTopic(cfg.Group), 0)
		if err != nil {
			return nil, err
		}
		d.owned = append(d.owned, topic)
		d.history = newHistorian(topicLog{topic}, keeper, func() bool { return d.journal.epoch.Load() != 0 }, log)
		tc.History = d.history.measured
	}
	if d.metrics, err = telemetry.New(d.gather, tc); err != nil {
		return nil, fmt.Errorf("metrics: %w", err)
	}
	d.version = tc.Build.Version
	w := newWatcher(actuator.Scribe{Redact: cfg.Redact()}, keeper, d.metrics, cfg.LongestWindow(), log)
	d.journal = newJournal(jlog, w, instanceName(), log)
	if cfg.Console.Listen != "" {
		d.model = console.New(consoleFleets(cfg, fleets), cfg.Redact())
		w.page = d.model
		if d.history != nil {
			d.history.page = d.model
		}
	}
	runner = notify.NewRunner(notify.NewQueue(receivers, mrand.Float64), senders, d.journal, log)
	d.journal.runner = runner
	mc.Sink, mc.Observe = w, newObserver(d.metrics, fleets, log)
	if d.member, err = kafka.NewMember(mc); err != nil {
		return nil, err
	}
	return d, nil
}

// telemetryConfig names the labels.
func telemetryConfig(cfg *config.Config, fleets []pipeline.LiveFleet) telemetry.Config {
	tc := telemetry.Config{}
	if info, ok := debug.ReadBuildInfo(); ok {
		tc.Build.Version = info.Main.Version
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				tc.Build.Revision = s.Value
			}
		}
	}
	for i := range fleets {
		f := telemetry.FleetConfig{Name: fleets[i].Fleet}
		for _, t := range cfg.Fleets[i].Topics {
			f.Topics = append(f.Topics, telemetry.TopicName{Cluster: t.Cluster, Topic: t.Name})
		}
		tc.Fleets = append(tc.Fleets, f)
	}
	return tc
}

// instanceName tells this process from others, in the journal.
func instanceName() string {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	var b [4]byte
	_, _ = rand.Read(b[:]) // never fails
	return host + "-" + hex.EncodeToString(b[:])
}

// run makes sure of our topics, then does everything until the context ends or something fails for good.
func (d *daemon) run(ctx context.Context) error {
	defer func() {
		for _, c := range d.owned {
			c.Close()
		}
	}()
	d.log.Info("begins", zap.String("group", d.cfg.Group), zap.String("instance", d.journal.instance)) // by which the journal calls us
	if d.topics != nil {
		if err := d.ensure(ctx); ctx.Err() != nil {
			return nil // told to end before it began
		} else if err != nil {
			return err
		}
	}
	rest, stop := context.WithCancelCause(context.WithoutCancel(ctx))
	defer stop(nil)
	server, page, err := d.serve(ctx)
	if err != nil {
		return err
	}
	var all sync.WaitGroup
	background := func(what func(context.Context) error) {
		all.Go(func() {
			if err := what(rest); err != nil && rest.Err() == nil {
				stop(err)
			}
		})
	}
	background(d.journal.read)
	if d.history != nil {
		background(d.history.read)
	}
	deciding, endDeciding := context.WithCancel(rest)
	var decided sync.WaitGroup
	decided.Go(func() { _ = d.journal.decide(deciding, d.member) })
	if d.history != nil {
		decided.Go(func() { d.history.write(deciding) })
	}
	background(d.measure)
	counting, endCounting := context.WithCancel(ctx)
	context.AfterFunc(rest, endCounting)
	context.AfterFunc(ctx, func() { close(d.leaving) })
	err = d.member.Run(counting)
	endCounting()
	endDeciding()
	decided.Wait()
	if cause := context.Cause(rest); err == nil {
		err = cause
	}
	stop(nil)
	all.Wait()
	d.closeListeners(context.WithoutCancel(ctx), server, page)
	return err
}

// serve opens the listeners; what is not configured is nil.
func (d *daemon) serve(ctx context.Context) (server *admin.Server, page *console.Server, err error) {
	if d.listen != "" {
		if server, err = admin.Open(ctx, admin.Config{Listen: d.listen}, d.gather, d.log, d.conditions()...); err != nil {
			return nil, nil, err
		}
		d.log.Info("admin listener", zap.Stringer("address", server.Addr()))
	}
	if page, err = d.openConsole(ctx); err != nil {
		d.closeListeners(ctx, server, nil)
		return nil, nil, err
	}
	return server, page, nil
}

// closeListeners ends what is served; each may be nil.
func (d *daemon) closeListeners(ctx context.Context, server *admin.Server, page *console.Server) {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	if page != nil {
		_ = page.Close(ctx)
	}
	if server != nil {
		_ = server.Close(ctx)
	}
}

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
	"github.com/twmb/franz-go/pkg/kgo"
	"go.uber.org/zap"

	"firebreak/actuator"
	"firebreak/actuator/notify"
	"firebreak/dashboards/console"
	"firebreak/internal/config"
	"firebreak/internal/history"
	"firebreak/internal/telemetry"
	"firebreak/pipeline"
	"firebreak/pipeline/kafka"
)

// daemon is one running instance:
//
//	request log -> member -> watcher -> journal -> receivers
//	      outlook ---'          '-----> history
//	                 '----- telemetry, admin, console ---'
type daemon struct {
	cfg     *config.Config
	dir     string // where it stands
	log     *zap.Logger
	fleets  []pipeline.LiveFleet
	opts    []kgo.Opt     // of the cluster that has our topics
	topics  []kafka.Topic // ours, made and verified at the start; nil = none
	logs    []*kafka.Log  // ours, closed at the end
	journal *journal
	history *historian   // nil = there is no log of it
	weekly  *weekly      // nil = no reports are written
	outlook *outlook     // what is read of the shards from outside
	routing *stewardship // nil = nobody looks after the routing: a process that stands alone writes nothing
	metrics *telemetry.Metrics
	gather  *prometheus.Registry
	member  *kafka.Member
	version string         // of this firebreak
	asking  asking         // of the brokers, for the page
	model   *console.Model // what the console shows; nil = it is not served
	leaving chan struct{}  // closed: not ready any more
}

// newDaemon puts an instance together; run runs it. Nothing is waited for yet. After an error nothing is left open.
func newDaemon(cfg *config.Config, dir string, standalone bool, log *zap.Logger) (*daemon, error) {
	fleets, err := liveFleets(cfg, dir)
	if err != nil {
		return nil, err
	}
	mc, err := memberConfig(cfg, fleets, standalone, log)
	if err != nil {
		return nil, err
	}
	d := &daemon{cfg: cfg, dir: dir, log: log, fleets: fleets, opts: mc.Clusters[0].Opts, gather: prometheus.NewRegistry(), leaving: make(chan struct{})}
	if err := d.assemble(mc); err != nil {
		d.close()
		return nil, err
	}
	return d, nil
}

// assemble makes the parts, each after those that it needs.
func (d *daemon) assemble(mc kafka.MemberConfig) error {
	tc := telemetryConfig(d.cfg, d.fleets)
	owes := newOwing(d.cfg.LongestWindow())
	keeper := history.NewKeeper(history.Options{
		Redact: d.cfg.Redact(), KeepEvidence: d.cfg.History.KeepEvidence, Unwritten: mc.Alone, Fleets: len(d.fleets), Build: tc.Build.Version,
	})
	if mc.Alone {
		d.journal = newJournal(newMemoryJournal(), owes, instanceName(), d.log)
	} else {
		d.topics = kafka.Topics(d.cfg.Group, d.cfg.LongestWindow())
		entries, err := d.openLog(kafka.JournalTopic(d.cfg.Group))
		if err != nil {
			return err
		}
		d.journal = newJournal(entries, owes, instanceName(), d.log)
		minutes, err := d.openLog(kafka.HistoryTopic(d.cfg.Group))
		if err != nil {
			return err
		}
		d.history = newHistorian(minutes, keeper, d.journal.decides, d.log)
		tc.History = d.history.measured
	}
	if d.topics != nil {
		if err := d.looksAfter(); err != nil {
			return err
		}
	}
	d.journal.guide = guideOf(d.cfg)
	receivers, senders := receiversOf(d.cfg, d.journal.guide)
	d.journal.runner = notify.NewRunner(notify.NewQueue(receivers, mrand.Float64), senders, d.journal, d.log)
	d.journal.repeats = repeatsOf(senders, d.log)
	if d.cfg.Report.On() && d.history != nil {
		tc.Reports = d.journal.reports.measured
	}
	tc.Receivers = deliveriesOf(receivers, d.journal.runner)
	var err error
	if d.outlook, err = openOutlook(d.cfg, d.fleets, d.log); err != nil {
		return err
	}
	tc.Health = d.outlook.measured(d.cfg)
	if d.metrics, err = telemetry.New(d.gather, tc); err != nil {
		return fmt.Errorf("metrics: %w", err)
	}
	d.reportWeekly()
	stores, err := storesOf(d.cfg, d.dir)
	if err != nil {
		return err
	}
	w := newWatcher(actuator.Scribe{Redact: d.cfg.Redact()}, keeper, d.metrics, owes, d.log)
	if d.routing != nil {
		w.acts, w.beside = d.routing, append(w.beside, d.routing.outside)
	}
	w.beside = append(w.beside, d.outlook.fill)
	w.stores = stores
	d.version = tc.Build.Version
	if d.cfg.Console.Listen != "" {
		d.model = console.New(consoleFleets(d.cfg, d.fleets), d.cfg.Redact())
		w.page, d.journal.page = d.model, d.model
		if d.history != nil {
			d.history.page = d.model
		}
	}
	mc.Sink = w
	mc.Observe = newObserver(d.metrics, d.fleets, d.cfg.Redact() != nil, d.log)
	d.asking.ask = d.askBrokers
	d.member, err = kafka.NewMember(mc)
	return err
}

// reportWeekly writes reports where the configuration wants them, and there is a history to make them of. What would fail at the end of the
// week is said now, as doctor says it; it ends no run, which is there to watch.
func (d *daemon) reportWeekly() {
	switch {
	case !d.cfg.Report.On():
	case d.history == nil:
		d.log.Warn("no report is written: a process that stands alone has no history")
	default:
		for _, t := range tryReport(&d.cfg.Report) {
			if t.err != nil {
				d.log.Warn("the report of a week will fail", zap.String("what", printable(t.name)), zap.String("mend", t.mend), zap.Error(t.err))
			}
		}
		d.weekly = &weekly{cfg: d.cfg, journal: d.journal, history: d.history.ownLog, now: time.Now, log: d.log}
	}
}

// openLog opens a log of ours, to be closed at the end.
func (d *daemon) openLog(topic string) (ownLog, error) {
	log, err := kafka.OpenLog(d.opts, topic, 0)
	if err != nil {
		return nil, err
	}
	d.logs = append(d.logs, log)
	return topicLog{log}, nil
}

// close closes what newDaemon opened, but for the member: that closes itself when it ran.
func (d *daemon) close() {
	for _, log := range d.logs {
		log.Close()
	}
	if d.routing != nil {
		d.routing.states.Close()
	}
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
	defer d.close()
	d.log.Info("begins", zap.String("group", d.cfg.Group), zap.String("instance", d.journal.instance)) // by which the journal calls us
	open, err := d.begin(ctx)
	if err != nil {
		d.member.Close() // which never ran
		if ctx.Err() != nil {
			err = nil // told to end before it began
		}
		return err
	}
	err = d.watch(ctx)
	open.close(ctx)
	return err
}

// begin makes sure of our topics and opens the listeners.
func (d *daemon) begin(ctx context.Context) (listeners, error) {
	if d.topics != nil {
		if err := d.ensure(ctx); err != nil {
			return listeners{}, err
		}
	}
	return d.listen(ctx)
}

// watch runs the parts. When the context ends, or one fails for good, they end one after the other: the member publishes what
// it counted and leaves; then what it still judged is written, told and kept; then who reads our logs may go.
func (d *daemon) watch(ctx context.Context) error {
	rest, stop := context.WithCancelCause(context.WithoutCancel(ctx))
	defer stop(nil)
	var readers, writers sync.WaitGroup
	background := func(what func(context.Context) error) {
		readers.Go(func() {
			if err := what(rest); err != nil && rest.Err() == nil {
				stop(err)
			}
		})
	}
	writing, endWriting := context.WithCancel(rest)
	defer endWriting()
	background(d.journal.read)
	writers.Go(func() { _ = d.journal.decide(writing, d.member) })
	if d.history != nil {
		background(d.history.read)
		writers.Go(func() { d.history.write(writing) })
	}
	if d.weekly != nil {
		writers.Go(func() { d.weekly.run(writing) })
	}
	if d.routing != nil {
		for _, s := range d.routing.of {
			writers.Go(func() { s.Run(writing) })
		}
		writers.Go(func() { d.tidy(writing) })
	}
	for _, l := range pressedOf(d.cfg, d.routing, d.log) {
		readers.Go(func() { l.Run(rest) })
	}
	for name := range d.outlook.of {
		readers.Go(func() { d.outlook.run(rest, name) })
	}
	background(d.measure)
	counting, endCounting := context.WithCancel(ctx)
	defer endCounting()
	context.AfterFunc(rest, endCounting)
	context.AfterFunc(ctx, func() { close(d.leaving) })
	err := d.member.Run(counting)
	endWriting()
	writers.Wait()
	if cause := context.Cause(rest); err == nil {
		err = cause
	}
	stop(nil)
	readers.Wait()
	return err
}

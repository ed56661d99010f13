package scenario

import (
	"cmp"
	"context"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	diff "github.com/google/go-cmp/cmp"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"go.uber.org/zap"

	"firebreak/pipeline"
	"firebreak/pipeline/kafka"
	"firebreak/pipeline/record"
)

// livePartitions is how many partitions the request log of each fleet has.
const livePartitions = 3

// liveStory plays a story through Kafka, in virtual time that is the story's: its records are produced when they come, members
// count them, and what Live makes of the log of deltas is judged. It takes the place of Player.run; all other directives are
// the player's.
type liveStory struct {
	t       *testing.T
	cluster *kfake.Cluster
	net     *kfake.VirtualNetwork
	client  *kgo.Client
	plain   bool // nothing but the log decides
	first   *liveMember
	second  *liveMember
	next    int32 // partition

	mu     sync.Mutex // the player: both members follow the log and tell, the story goes on
	player Player
	judged map[string]time.Time // by fleet: the latest that was told, whoever told it
}

// liveMember is a running member.
type liveMember struct {
	stop context.CancelFunc
	done chan error
}

// begin starts the brokers and the first member a moment before the story does: no pane without traffic comes before it.
func (s *liveStory) begin() {
	s.t.Helper()
	time.Sleep(time.Until(start().Add(-15 * time.Second)))
	s.net, s.judged = &kfake.VirtualNetwork{}, map[string]time.Time{}
	seeds := []kfake.Opt{kfake.NumBrokers(1), kfake.Ports(9092), kfake.ListenFn(s.net.Listen)}
	for _, f := range s.player.fleets {
		seeds = append(seeds, kfake.SeedTopics(livePartitions, f.setup.name))
	}
	var err error
	if s.cluster, err = kfake.NewCluster(seeds...); err != nil {
		s.t.Fatal(err)
	}
	if s.client, err = kgo.NewClient(append(s.options(), kgo.RecordPartitioner(kgo.ManualPartitioner()), kgo.ProducerLinger(0))...); err != nil {
		s.t.Fatal(err)
	}
	e := &kafka.Ensure{Client: s.client, Brokers: s.cluster.ListenAddrs()}
	if err := e.EnsureTopics(s.t.Context(), kafka.Topics("stories", time.Hour)[:1]); err != nil {
		s.t.Fatal(err)
	}
	s.first = s.join()
	time.Sleep(time.Until(start()))
}

func (s *liveStory) options() []kgo.Opt {
	opts, err := kafka.Options(kafka.Cluster{Brokers: s.cluster.ListenAddrs()})
	if err != nil {
		s.t.Fatal(err)
	}
	return append(opts, kgo.Dialer(s.net.DialContext))
}

// join starts a member.
func (s *liveStory) join() *liveMember {
	s.t.Helper()
	cfg := kafka.MemberConfig{
		Group: "stories", Clusters: []kafka.Connection{{Name: "main", Opts: s.options()}}, Tick: 2 * time.Second, Session: 10 * time.Second,
		Sink: (*liveSink)(s), Observe: unseen{}, Log: zap.NewNop(),
	}
	for _, f := range s.player.fleets {
		cfg.Clusters[0].Topics = append(cfg.Clusters[0].Topics, f.setup.name)
		cfg.Fleets = append(cfg.Fleets, pipeline.LiveFleet{
			Config: f.setup.pipeline, Record: canonical(nil), Judge: f.judge, Topics: []string{"main/" + f.setup.name},
		})
	}
	m, err := kafka.NewMember(cfg)
	if err != nil {
		s.t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.WithoutCancel(s.t.Context()))
	r := &liveMember{stop: stop, done: make(chan error, 1)}
	go func() { r.done <- m.Run(ctx) }()
	return r
}

func (s *liveStory) leave(m *liveMember) {
	s.t.Helper()
	if m == nil {
		return
	}
	m.stop()
	if err := <-m.done; err != nil {
		s.t.Error(err)
	}
}

func (s *liveStory) end() {
	s.leave(s.first)
	s.leave(s.second)
	s.client.Close()
	s.cluster.Close()
	time.Sleep(time.Minute) // what is left after it is a leak
}

// run goes on for the time of a run directive. A second member joins after the first minute, and the first one leaves after the
// second: whatever is judged later, it has from a checkpoint.
func (s *liveStory) run(d *Directive) {
	s.t.Helper()
	length, err := time.ParseDuration(d.Args[0].Key)
	if err != nil {
		s.t.Fatal(err)
	}
	apply := slices.ContainsFunc(d.Args, func(a Arg) bool { return a.Key == "apply" })
	s.mu.Lock()
	p := &s.player
	p.notes.open(nil, 2)
	for _, f := range p.fleets {
		f.actor.on = apply
	}
	step, end := p.fleets[0].setup.pipeline.Pane, p.clock+length
	s.mu.Unlock()
	for ; p.clock < end; p.clock += step {
		switch {
		case s.second == nil && p.clock >= time.Minute:
			s.second = s.join()
		case s.first != nil && p.clock >= 2*time.Minute:
			s.leave(s.first)
			s.first = nil
		}
		s.pane(p.clock, step)
	}
	time.Sleep(8 * time.Second) // for what is complete by now
}

// pane produces what comes within a pane, each second that of the second before.
func (s *liveStory) pane(from, length time.Duration) {
	p := &s.player
	var came []arrival
	s.mu.Lock()
	for _, f := range p.fleets {
		for _, t := range f.traffic {
			came = t.pane(came, from, length)
		}
	}
	s.mu.Unlock()
	slices.SortStableFunc(came, func(a, b arrival) int { return cmp.Compare(a.at, b.at) })
	for at := from + time.Second; at <= from+length; at += time.Second {
		time.Sleep(time.Until(start().Add(at)))
		var batch []*kgo.Record
		for len(came) > 0 && (came[0].at < at || at == from+length) {
			a := &came[0]
			s.next = (s.next + 1) % livePartitions
			batch = append(batch, &kgo.Record{Topic: a.from.owner.setup.name, Partition: s.next, Value: a.line(s.t)})
			came = came[1:]
		}
		batch = append(batch, s.lines(at)...)
		if err := s.client.ProduceSync(context.WithoutCancel(s.t.Context()), batch...).FirstErr(); err != nil {
			s.t.Fatal(err)
		}
	}
}

// lines are the log lines that came before a moment. One that says which fleet it is of goes to that one's topic.
func (s *liveStory) lines(before time.Duration) (batch []*kgo.Record) {
	p := &s.player
	for len(p.queue) > 0 && p.queue[0].at < before {
		l := p.queue[0]
		p.queue = p.queue[1:]
		for _, f := range p.fleets {
			if l.match != nil {
				d, err := f.decode(l.match)
				var rec record.Record
				if err != nil || d.Decode(l.text, &rec) == record.ReasonNotMatched {
					continue
				}
			}
			batch = append(batch, &kgo.Record{Topic: f.setup.name, Partition: int32(l.partition) % livePartitions, Value: l.text})
		}
	}
	return batch
}

// line is the line of an arrival in the canonical JSON form.
func (a *arrival) line(t *testing.T) []byte {
	var rec record.Record
	a.record(&rec)
	line := map[string]any{"weight": rec.Count}
	for name, text := range map[string][]byte{"tenant": rec.Tenant, "key": rec.Key, "shard": rec.Shard, "caller": rec.Caller} {
		if len(text) > 0 {
			line[name] = string(text)
		}
	}
	if rec.Op != record.OpUnknown {
		line["op"] = rec.Op.String()
	}
	if rec.Time != record.NoTime {
		line["ts_ms"] = rec.Time / int64(time.Millisecond)
	}
	if rec.Rate > 0 {
		line["rate"] = rec.Rate
	}
	b, err := json.Marshal(line)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// liveSink takes what members decide. Both follow the same log and come to the same decisions; the first to tell is heard.
type liveSink liveStory

// Judged implements pipeline.Sink.
func (s *liveSink) Judged(j *pipeline.Judgement) {
	s.mu.Lock()
	defer s.mu.Unlock()
	counted, now := j.Snapshot, j.Now
	at := slices.IndexFunc(s.player.fleets, func(f *fleet) bool { return f.setup.name == counted.Fleet })
	if !now.After(s.judged[counted.Fleet]) {
		return
	}
	s.judged[counted.Fleet] = now
	mine, err := s.player.judge(s.player.fleets[at], counted, now)
	if err != nil {
		s.t.Error(err)
	}
	if s.plain && !diff.Equal(mine, j.Decision) {
		s.t.Errorf("at %v: decided live (-) and from the same snapshots in a row (+):\n%s", now.Sub(start()), diff.Diff(j.Decision, mine))
	}
}

// Save implements pipeline.Sink.
func (s *liveSink) Save() ([]byte, error) { return nil, nil }

// Load implements pipeline.Sink.
func (s *liveSink) Load([]byte) error { return nil }

type unseen struct{}

func (unseen) Refused(string, record.Reason, *record.Message)    {}
func (unseen) Counted(string, string, *pipeline.Stats, []uint64) {}
func (unseen) Published(string, int, time.Duration)              {}
func (unseen) Skipped(string, pipeline.Skip, int64)              {}
func (unseen) Entry(*pipeline.Outcome, int)                      {}

// said is what a firing line says of its hotspot, whenever that began.
type said struct{ Shard, Cause, Fix, Key, Tenant, Caller, Severity string }

// saidOf lists what the fleets of a story said, each once.
func saidOf(p *Player) map[said]bool {
	all := map[said]bool{}
	for _, f := range p.fleets {
		for i := range f.tally.firing {
			v := &f.tally.firing[i]
			all[said{v.Shard, v.Cause.String(), v.Fix.String(), v.Key, v.Tenant, v.Caller, v.Severity.String()}] = true
		}
	}
	return all
}

// every asks for all stories: they take minutes.
var every = flag.Bool("live", false, "play every golden story through Kafka, not only some")

// throughKafka are the stories that are always played: the three causes, evenly hot, read-hot, unknown, held, carried out (S01),
// resolved, with stray records (S09), of two fleets, and placed by the log.
func throughKafka() []string {
	return []string{
		"hot-key", "volume", "whale", "evenly-hot", "hold-read-hot", "missing-op", "partial", "s01-in-short", "resolved", "s09-one-record-from-the-future",
		"two-fleets", "explicit-placement",
	}
}

// byAHair are stories that turn on less than Kafka changes: one draws its lines so that some five hundred leave the cause open, and
// live its windows lie elsewhere; one expects a caller's share to a tenth of a percent, which a sketch has not.
func byAHair() []string { return []string{"hold-little-evidence", "one-caller"} }

// TestStoriesLive: the golden stories through Kafka. What they expect comes true, and what is said is what they say when their
// records go straight into the core.
func TestStoriesLive(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(stories, "*.txt"))
	if err != nil || len(files) == 0 {
		t.Fatalf("stories: %v, %v", files, err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".txt")
		switch chosen := throughKafka(); {
		case *every && !isLong(t, file) && !slices.Contains(byAHair(), name), testing.Short() && name == chosen[0], !testing.Short() && slices.Contains(chosen, name):
		default:
			continue
		}
		t.Run(name, func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			directives, err := Read(string(text))
			if err != nil {
				t.Fatal(err)
			}
			for len(directives) > 0 {
				n := 1 + slices.IndexFunc(directives[1:], func(d Directive) bool { return d.Name == "story" })
				if n == 0 {
					n = len(directives)
				}
				playLive(t, directives[:n])
				directives = directives[n:]
			}
		})
	}
}

// playLive plays one story both ways.
func playLive(t *testing.T, directives []Directive) {
	t.Helper()
	var straight Player
	for i := range directives {
		if _, err := straight.Do(&directives[i]); err != nil {
			t.Fatal(err)
		}
	}
	if len(straight.fleets) == 0 || slices.ContainsFunc(straight.fleets, func(f *fleet) bool { return f.setup.pipeline.Whole }) {
		t.Log("the fleet is refused, or the log is one window: nothing is counted live")
		return
	}
	synctest.Test(t, func(t *testing.T) {
		s := &liveStory{t: t, plain: !slices.ContainsFunc(directives, func(d Directive) bool {
			return d.Name == "world" || slices.ContainsFunc(d.Args, func(a Arg) bool { return a.Key == "apply" })
		})}
		for i := range directives {
			d := &directives[i]
			if d.Name == "run" {
				s.run(d)
				continue
			}
			s.mu.Lock()
			_, err := s.player.Do(d)
			s.mu.Unlock()
			if err != nil {
				t.Errorf("line %d: %v", d.Line, err)
			}
			if d.Name == "story" {
				s.begin()
			}
		}
		s.end()
		if d := diff.Diff(saidOf(&straight), saidOf(&s.player)); d != "" {
			t.Errorf("said straight (-) and live (+):\n%s", d)
		}
	})
}

package main

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"go.uber.org/zap/zaptest"

	"firebreak/actuator"
	"firebreak/internal/history"
	"firebreak/pipeline"
	"firebreak/pipeline/kafka"
	"firebreak/pipeline/record"
	"firebreak/policy"
	"firebreak/routing"
)

// historyRig is a group that follows one log of deltas and writes one history, on a broker. The log's time is virtual.
type historyRig struct {
	t      *testing.T
	opts   []kgo.Opt
	group  string
	redact actuator.Redact
	log    []deltaEntry
	at     time.Time
	tick   *pipeline.Tick
	part   *pipeline.Part
	all    []*instance
}

type deltaEntry struct {
	at    time.Time
	bytes []byte
}

// instance is what a daemon has of judging and of the history. It keeps what it judged.
type instance struct {
	*watcher

	live     *pipeline.Live
	next     int // entry of the log
	judged   []*pipeline.Judgement
	history  *historian
	deciding atomic.Bool
	stop     context.CancelFunc
	running  sync.WaitGroup
}

func (i *instance) Judged(j *pipeline.Judgement) {
	i.judged = append(i.judged, j)
	i.watcher.Judged(j)
}

func newHistoryRig(t *testing.T, redact string) *historyRig {
	t.Helper()
	c, err := kfake.NewCluster(kfake.NumBrokers(1))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	r := &historyRig{t: t, group: "fb", at: time.Date(2026, 3, 2, 9, 30, 0, 0, time.UTC)}
	r.opts = []kgo.Opt{kgo.SeedBrokers(c.ListenAddrs()...), kgo.MetadataMinAge(100 * time.Millisecond)}
	if r.redact, err = actuator.ParseRedact(redact); err != nil {
		t.Fatal(err)
	}
	client, err := kgo.NewClient(r.opts...)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	if err := (&kafka.Ensure{Client: client, Replicas: 1}).EnsureTopics(t.Context(), kafka.Topics(r.group, time.Hour)); err != nil {
		t.Fatal(err)
	}
	r.log = append(r.log, deltaEntry{r.at, pipeline.Genesis(7)})
	first := r.join(nil)
	if r.tick, err = pipeline.NewTick(pipeline.Instance{1}, []pipeline.LiveFleet{r.fleet()}, 7, nil); err != nil {
		t.Fatal(err)
	}
	r.tick.Sync(first.live.View(), r.at.UnixNano())
	r.part = r.tick.Assign(pipeline.Topic{ID: pipeline.TopicID{1}, Name: "main/requests", Partitions: 1}, 0, 0, nil)
	return r
}

func (r *historyRig) fleet() pipeline.LiveFleet {
	doc, err := routing.Adopt("orders", routing.Placement{Bytes: "tenant", Function: routing.XXH64, Map: routing.ModN}, routing.NumberedShards(8))
	if err != nil {
		r.t.Fatal(err)
	}
	f := pipeline.LiveFleet{
		Config: pipeline.DefaultConfig("orders"), Record: record.Config{Preset: "canonical", Format: "json"}, Judge: policy.Default(),
		Topics: []string{"main/requests"},
	}
	doc.Shards = append(doc.Shards, routing.Shard{Name: "spare", Role: routing.Spare, Capacity: 1000}) // which takes the whale
	f.Document, f.Sampling = doc, policy.SamplingNone
	f.Judge.Capacity.Total = 400
	return f
}

// rigTenants is how many tenants there are, and rigWhale the one that is more than the others.
const (
	rigTenants = 20
	rigWhale   = "tenant-7"
)

// topic opens a topic of the group.
func (r *historyRig) topic() topicLog {
	r.t.Helper()
	log, err := kafka.OpenLog(r.opts, kafka.HistoryTopic(r.group), 0)
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(log.Close)
	return topicLog{log}
}

// join starts an instance, at a checkpoint or at the log's beginning.
func (r *historyRig) join(from *pipeline.Checkpoint) *instance {
	r.t.Helper()
	log := zaptest.NewLogger(r.t)
	keeper := history.NewKeeper(history.Options{Redact: r.redact, Build: "v1"})
	i := &instance{watcher: newWatcher(actuator.Scribe{Redact: r.redact}, keeper, nil, newOwing(time.Hour), log)}
	var err error
	if i.live, err = pipeline.NewLive([]pipeline.LiveFleet{r.fleet()}, i); err != nil {
		r.t.Fatal(err)
	}
	if from != nil {
		if err := i.live.Restore(from); err != nil {
			r.t.Fatal(err)
		}
		i.next = int(from.Offset)
	}
	i.history = newHistorian(r.topic(), keeper, i.deciding.Load, log)
	ctx, stop := context.WithCancel(r.t.Context())
	i.stop = stop
	i.running.Go(func() { _ = i.history.read(ctx) })
	i.running.Go(func() { i.history.write(ctx) })
	r.all = append(r.all, i)
	i.follow(r)
	r.t.Cleanup(func() { i.kill(r) })
	return i
}

// follow applies what is new in the log.
func (i *instance) follow(r *historyRig) {
	for ; i.next < len(r.log); i.next++ {
		if _, err := i.live.Apply(int64(i.next), r.log[i.next].at, r.log[i.next].bytes); err != nil {
			r.t.Fatal(err)
		}
	}
}

// kill ends an instance that writes nothing any more.
func (i *instance) kill(r *historyRig) {
	i.deciding.Store(false)
	i.stop()
	i.running.Wait()
	r.all = slices.DeleteFunc(r.all, func(o *instance) bool { return o == i })
}

// goOn is so many panes in which tenants send 12 requests a second each, and one of them so many.
func (r *historyRig) goOn(panes, whale int) {
	r.t.Helper()
	for range panes {
		for n := range 10 * rigTenants {
			name, requests := fmt.Sprint("tenant-", n%rigTenants), 12
			if name == rigWhale {
				requests = whale
			}
			text := fmt.Appendf(nil, `{"ts_ms":%d,"tenant":%q,"key":"key-%d","op":"PUT","weight":%d}`, r.at.UnixMilli(), name, n, requests)
			if got := r.tick.Offer(r.part, r.part.To(), &record.Message{Value: text, Time: r.at.UnixNano()}); got != pipeline.Taken {
				r.t.Fatalf("a record was %v", got)
			}
		}
		r.at = r.at.Add(10 * time.Second)
		sealed, err := r.tick.Seal(func(pipeline.Partition) int64 { return r.part.To() })
		if err != nil {
			r.t.Fatal(err)
		}
		r.put(sealed.Entry)
		r.tick.Sync(r.all[0].live.View(), r.at.UnixNano())
	}
}

// put appends to the log of deltas, and all follow.
func (r *historyRig) put(entry []byte) {
	r.log = append(r.log, deltaEntry{r.at, entry})
	for _, i := range r.all {
		i.follow(r)
	}
}

// checkpoint is what an instance writes of itself.
func (r *historyRig) checkpoint(i *instance) *pipeline.Checkpoint {
	r.t.Helper()
	b, err := i.live.Checkpoint()
	if err != nil {
		r.t.Fatal(err)
	}
	r.put(b)
	c, err := pipeline.DecodeCheckpoint(b)
	if err != nil {
		r.t.Fatal(err)
	}
	return c
}

// written waits until nothing waits on any instance.
func (r *historyRig) written() {
	r.t.Helper()
	eventually(r.t, 20*time.Second, "everything is seen in the history", func() bool {
		return !slices.ContainsFunc(r.all, func(i *instance) bool { return i.keeper.Stats().Waiting > 0 })
	})
}

// entries reads the history. It fails the test on a value that cannot be read.
func (r *historyRig) entries() (minutes []*history.Minute, evidence []*history.Evidence, values [][]byte) {
	r.t.Helper()
	log := r.topic()
	end, err := log.End(r.t.Context())
	if err != nil {
		r.t.Fatal(err)
	}
	reader, err := history.NewReader()
	if err != nil {
		r.t.Fatal(err)
	}
	defer reader.Close()
	ctx, stop := context.WithCancel(r.t.Context())
	defer stop()
	_ = log.Follow(ctx, kafka.Oldest(), func(e kafka.Entry) error {
		values = append(values, e.Value)
		if entry, ok := reader.Read(e.Value); ok {
			m, err := entry.Minute()
			if entry.Kind == history.KindEvidence {
				var ev *history.Evidence
				ev, err = entry.Evidence()
				evidence = append(evidence, ev)
			} else {
				minutes = append(minutes, m)
			}
			if err != nil {
				r.t.Error(err)
			}
		}
		if e.Offset+1 >= end {
			stop()
		}
		return nil
	})
	if s := reader.Stats(); s.Malformed+s.Newer+s.Torn > 0 || len(reader.Missing()) > 0 {
		r.t.Errorf("the history: %+v, missing %v", s, reader.Missing())
	}
	return minutes, evidence, values
}

package kafka

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"go.uber.org/zap/zaptest"

	"firebreak/pipeline"
	"firebreak/pipeline/record"
	"firebreak/policy"
	"firebreak/routing"
)

type noSink struct{}

func (noSink) Judged(*pipeline.Judgement) {}
func (noSink) Save() ([]byte, error)      { return nil, nil }
func (noSink) Load([]byte) error          { return nil }

type noObserver struct{}

func (noObserver) Refused(string, record.Reason, *record.Message)    {}
func (noObserver) Counted(string, string, *pipeline.Stats, []uint64) {}
func (noObserver) Published(string, int, time.Duration)              {}
func (noObserver) Entry(*pipeline.Outcome, int)                      {}
func (noObserver) Skipped(string, pipeline.Skip, int64)              {}

// requests is the topic of the tests' request log.
const requests = "requests"

func testFleet(t testing.TB) pipeline.LiveFleet {
	t.Helper()
	doc, err := routing.Adopt("orders", routing.Placement{Bytes: "key", Function: routing.XXH64, Map: routing.ModN}, routing.NumberedShards(4))
	if err != nil {
		t.Fatal(err)
	}
	cfg := pipeline.DefaultConfig("orders")
	cfg.Document, cfg.Pane, cfg.Window, cfg.Disorder = doc, time.Second, 4*time.Minute, time.Second
	return pipeline.LiveFleet{Config: cfg, Record: record.Config{Preset: "canonical", Format: "json"}, Judge: policy.Default(), Topics: []string{"main/" + requests}}
}

// instance is a running member.
type instance struct {
	*Member

	stop context.CancelFunc
	done chan error
}

func testConfig(t testing.TB, opts []kgo.Opt) MemberConfig {
	return MemberConfig{
		Group: "firebreak", Clusters: []Connection{{Name: "main", Opts: opts, Topics: []string{requests}}}, Fleets: []pipeline.LiveFleet{testFleet(t)},
		Tick: 100 * time.Millisecond, Session: 3 * time.Second, Sink: noSink{}, Observe: noObserver{}, Log: zaptest.NewLogger(t),
		Start: map[string]time.Duration{"main/" + requests: time.Hour},
	}
}

func join(t *testing.T, cfg MemberConfig) *instance {
	t.Helper()
	m, err := NewMember(cfg)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	i := &instance{Member: m, stop: stop, done: make(chan error, 1)}
	go func() { i.done <- m.Run(ctx) }()
	return i
}

func (i *instance) end(t *testing.T) {
	t.Helper()
	i.stop()
	select {
	case err := <-i.done:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(25 * time.Second):
		t.Error("did not end within 25 s")
	}
}

// cluster is a kfake cluster with our topics and a request log.
func cluster(t *testing.T, partitions int32) []kgo.Opt {
	t.Helper()
	c, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.BrokerConfigs(map[string]string{"group.min.session.timeout.ms": "1000", "group.initial.rebalance.delay.ms": "0"}), kfake.SeedTopics(partitions, requests))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	opts := []kgo.Opt{kgo.SeedBrokers(c.ListenAddrs()...), kgo.MetadataMinAge(50 * time.Millisecond), kgo.MetadataMaxAge(time.Second)}
	client, err := kgo.NewClient(opts...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	lat := "LogAppendTime"
	if _, err := kadm.NewClient(client).CreateTopics(t.Context(), 1, 1, map[string]*string{"message.timestamp.type": &lat}, PanesTopic("firebreak")); err != nil {
		t.Fatal(err)
	}
	return opts
}

// producer writes numbered records at random partitions until it is stopped, and knows their sums.
type producer struct {
	mu    sync.Mutex
	n     int
	sums  map[int64]int // by pane
	parts int32
}

func produce(t *testing.T, ctx context.Context, opts []kgo.Opt, p *producer, every time.Duration) {
	client, err := kgo.NewClient(append([]kgo.Opt{kgo.RecordPartitioner(kgo.ManualPartitioner())}, opts...)...)
	if err != nil {
		t.Error(err)
		return
	}
	defer client.Close()
	rng := rand.New(rand.NewPCG(1, 2))
	for ctx.Err() == nil {
		var batch []*kgo.Record
		p.mu.Lock()
		parts := p.parts
		p.mu.Unlock()
		sums := map[int64]int{}
		for range 50 {
			n := 1 + rng.IntN(9)
			now := time.Now()
			sums[now.UnixMilli()/1000] += n
			value := fmt.Appendf(nil, `{"ts_ms":%d,"key":"key-%d","op":"GET","weight":%d}`, now.UnixMilli(), rng.IntN(5), n)
			batch = append(batch, &kgo.Record{Topic: requests, Partition: rng.Int32N(parts), Value: value})
		}
		if err := client.ProduceSync(context.WithoutCancel(ctx), batch...).FirstErr(); err != nil {
			t.Error(err)
			return
		}
		p.mu.Lock()
		p.n += len(batch)
		for pane, sum := range sums {
			p.sums[pane] += sum
		}
		p.mu.Unlock()
		time.Sleep(every)
	}
}

// counted is up to where the log of deltas says that all partitions are counted.
func (i *instance) counted() (offsets int64) {
	if v := i.View(); v != nil {
		for _, p := range v.Counted {
			offsets += p.To
		}
	}
	return offsets
}

// window is the sum of all keys in the complete panes, and the panes.
func (i *instance) window() (sum float64, first, closed int64) {
	i.mu.Lock()
	defer i.mu.Unlock()
	for _, key := range []string{"key-0", "key-1", "key-2", "key-3", "key-4"} {
		a, err := i.live.Ask("orders", nil, []byte(key))
		if err != nil {
			return -1, 0, 0
		}
		sum += a.Estimate
	}
	v := i.live.View()
	return sum, v.Fleets[0].First, v.Fleets[0].Closed
}

// exact waits until a member has counted all that was produced and its panes are complete, and compares the sums.
func (p *producer) exact(t *testing.T, i *instance) {
	t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	last := int64(0)
	for pane := range p.sums {
		last = max(last, pane)
	}
	deadline := time.Now().Add(30 * time.Second)
	for {
		sum, first, closed := i.window()
		if i.counted() == int64(p.n) && closed >= last || time.Now().After(deadline) {
			want := 0
			for pane, s := range p.sums {
				if pane >= first {
					want += s
				}
			}
			if i.counted() != int64(p.n) || sum != float64(want) || want == 0 {
				t.Errorf("counted %d of %d records, sum %v of %d, complete to %d of %d", i.counted(), p.n, sum, want, closed, last)
			}
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// TestMembersCountTogether: members come, die and go while records keep coming; all that is counted is right.
func TestMembersCountTogether(t *testing.T) {
	opts := cluster(t, 6)
	ctx, stop := context.WithCancel(t.Context())
	p := &producer{parts: 6, sums: map[int64]int{}}
	var wg sync.WaitGroup
	wg.Go(func() { produce(t, ctx, opts, p, 10*time.Millisecond) })
	a := join(t, testConfig(t, opts))
	time.Sleep(2 * time.Second)
	b := join(t, testConfig(t, opts))
	time.Sleep(4 * time.Second)
	a.end(t)
	time.Sleep(2 * time.Second)
	c := join(t, testConfig(t, opts))
	time.Sleep(4 * time.Second)
	stop()
	wg.Wait()
	p.exact(t, b)
	p.exact(t, c)
	b.end(t)
	c.end(t)
}

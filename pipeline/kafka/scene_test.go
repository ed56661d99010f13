package kafka

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"go.uber.org/zap/zaptest"

	"firebreak/pipeline"
	"firebreak/policy"
)

// scene is a cluster in virtual time with a request log, of which everything that was written is known. It ends with no
// goroutine left, or the bubble says so.
type scene struct {
	t       *testing.T
	cluster *kfake.Cluster
	net     *kfake.VirtualNetwork
	opts    []kgo.Opt // of a client of the test
	client  *kgo.Client
	adm     *kadm.Client

	mu    sync.Mutex
	parts int32
	ends  map[int32]int64   // of each partition, markers included
	sums  map[int64]float64 // by pane
	n     int
	heat  int // requests of one key, besides, with each write
	rng   *rand.Rand
}

const (
	sceneTick = 2 * time.Second
	scenePane = 10 * time.Second
)

// story runs in a bubble of virtual time, where hours take seconds. With -short it is the one of many members only, so that
// the race detector sees one.
func story(t *testing.T, partitions int32, run func(t *testing.T, s *scene), opts ...kfake.Opt) {
	t.Helper()
	if testing.Short() && t.Name() != "TestStoryOfManyMembers" {
		t.Skip("a story")
	}
	synctest.Test(t, func(t *testing.T) {
		s := &scene{t: t, parts: partitions, ends: map[int32]int64{}, sums: map[int64]float64{}, rng: rand.New(rand.NewPCG(3, 4))}
		s.begin(append([]kfake.Opt{kfake.SeedTopics(partitions, requests)}, opts...))
		run(t, s)
		s.client.Close()
		s.cluster.Close()
		time.Sleep(time.Minute) // for writes to nobody on slow wires; what is left after it is a leak
	})
}

// begin starts the brokers; the log of deltas is made, if it is not there.
func (s *scene) begin(opts []kfake.Opt) {
	s.t.Helper()
	s.net = &kfake.VirtualNetwork{}
	var err error
	s.cluster, err = kfake.NewCluster(append([]kfake.Opt{kfake.NumBrokers(1), kfake.Ports(9092), kfake.ListenFn(s.net.Listen)}, opts...)...)
	if err != nil {
		s.t.Fatal(err)
	}
	if s.opts, err = Options(Cluster{Brokers: s.cluster.ListenAddrs()}); err != nil {
		s.t.Fatal(err)
	}
	s.opts = append(s.opts, kgo.Dialer(s.net.DialContext), kgo.RecordPartitioner(kgo.ManualPartitioner()), kgo.ProducerLinger(0))
	if s.client, err = kgo.NewClient(s.opts...); err != nil {
		s.t.Fatal(err)
	}
	s.adm = kadm.NewClient(s.client)
	e := &Ensure{Client: s.client, Brokers: s.cluster.ListenAddrs()}
	if err := e.EnsureTopics(s.t.Context(), Topics("firebreak", time.Hour)[:1]); err != nil {
		s.t.Fatal(err)
	}
}

// value is a numbered record, and how many requests it stands for.
func (s *scene) value(at time.Time) ([]byte, int) {
	n := 1 + s.rng.IntN(9)
	return fmt.Appendf(nil, `{"ts_ms":%d,"key":"key-%d","op":"GET","weight":%d}`, at.UnixMilli(), s.rng.IntN(5), n), n
}

// write appends records to random partitions.
func (s *scene) write(records int) {
	s.t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	var batch []*kgo.Record
	now := time.Now()
	for range records {
		value, n := s.value(now)
		batch = append(batch, &kgo.Record{Topic: requests, Partition: s.rng.Int32N(s.parts), Value: value})
		s.sums[now.UnixNano()/int64(scenePane)] += float64(n)
	}
	if s.heat > 0 {
		value := fmt.Appendf(nil, `{"ts_ms":%d,"key":"key-0","op":"GET","weight":%d}`, now.UnixMilli(), s.heat)
		batch = append(batch, &kgo.Record{Topic: requests, Partition: s.rng.Int32N(s.parts), Value: value})
		s.sums[now.UnixNano()/int64(scenePane)] += float64(s.heat)
	}
	for _, r := range s.client.ProduceSync(context.WithoutCancel(s.t.Context()), batch...) {
		if r.Err != nil {
			s.t.Fatal(r.Err)
		}
		s.ends[r.Record.Partition] = max(s.ends[r.Record.Partition], r.Record.Offset+1)
		s.n++
	}
}

// put appends a value as it is to a partition.
func (s *scene) put(partition int32, value []byte) {
	s.t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	r := &kgo.Record{Topic: requests, Partition: partition, Value: value}
	if err := s.client.ProduceSync(context.WithoutCancel(s.t.Context()), r).FirstErr(); err != nil {
		s.t.Fatal(err)
	}
	s.ends[partition] = max(s.ends[partition], r.Offset+1)
}

// run writes for a while.
func (s *scene) run(d time.Duration) {
	s.t.Helper()
	for end := time.Now().Add(d); time.Now().Before(end); time.Sleep(500 * time.Millisecond) {
		s.write(20)
	}
}

// wire is the network of one member. While it is cut nothing goes through and nothing can be dialled; while it is frozen
// all of that waits.
type wire struct {
	net *kfake.VirtualNetwork

	mu     sync.Mutex
	thawed chan struct{} // closed = it flows
	cut    bool
	delay  time.Duration // of everything that is sent
	conns  []net.Conn
}

func newWire(n *kfake.VirtualNetwork) *wire {
	w := &wire{net: n, thawed: make(chan struct{})}
	close(w.thawed)
	return w
}

var errCut = errors.New("the network is cut")

// flows waits until the wire is not frozen. It is false if it is cut.
func (w *wire) flows() bool {
	w.mu.Lock()
	thawed := w.thawed
	w.mu.Unlock()
	<-thawed
	w.mu.Lock()
	defer w.mu.Unlock()
	return !w.cut
}

// whole tells whether the wire is not cut.
func (w *wire) whole() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return !w.cut
}

func (w *wire) freeze() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.thawed = make(chan struct{})
}

func (w *wire) thaw() {
	w.mu.Lock()
	defer w.mu.Unlock()
	close(w.thawed)
}

// sever cuts all connections for good, as a lost machine does: the member has errors, and the brokers hear nothing, not even
// that a connection ended. (Where one ends while its member waits to join, kfake forgets that member's session, and keeps the
// member for ever. How a killed process is missed, .ci/kafka tries on Apache Kafka.)
func (w *wire) sever() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.cut = true
	for _, c := range w.conns {
		_ = c.SetDeadline(time.Unix(1, 0))
	}
}

func (w *wire) dial(ctx context.Context, network, address string) (net.Conn, error) {
	if !w.flows() {
		return nil, errCut
	}
	c, err := w.net.DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.conns = append(w.conns, c)
	return &wired{Conn: c, wire: w}, nil
}

// wired is a connection through a wire.
type wired struct {
	net.Conn

	wire    *wire
	abandon sync.Once
}

func (c *wired) Read(b []byte) (int, error) {
	if !c.wire.whole() {
		return 0, errCut
	}
	n, err := c.Conn.Read(b)
	if !c.wire.flows() {
		return 0, errCut
	}
	return n, err
}

// Close leaves the other end with somebody who listens, if the wire is cut.
func (c *wired) Close() error {
	c.wire.mu.Lock()
	defer c.wire.mu.Unlock()
	if !c.wire.cut {
		return c.Conn.Close()
	}
	c.abandon.Do(func() {
		_ = c.SetDeadline(time.Time{})
		go func() { _, _ = io.Copy(io.Discard, c.Conn) }()
	})
	return nil
}

func (c *wired) Write(b []byte) (int, error) {
	c.wire.mu.Lock()
	delay := c.wire.delay
	c.wire.mu.Unlock()
	time.Sleep(delay)
	if !c.wire.flows() {
		return 0, errCut
	}
	return c.Conn.Write(b)
}

// actor is a running member with what it has decided.
type actor struct {
	*Member

	wire *wire
	sink *tape
	stop context.CancelFunc
	done chan error
}

// tape keeps what was decided. Its methods are called under the member's lock, as are those of the test that read it.
type tape struct {
	decisions []policy.Decision
	times     []time.Time
	coverage  []float64
	versions  []uint64 // of the documents that were judged by
}

func (s *tape) Judged(j *pipeline.Judgement) {
	s.decisions, s.times = append(s.decisions, *j.Decision), append(s.times, j.Now)
	s.coverage = append(s.coverage, j.Snapshot.Inputs.Coverage)
	s.versions = append(s.versions, j.Snapshot.Table.Document().Version)
}
func (s *tape) Save() ([]byte, error) { return nil, nil }
func (s *tape) Load([]byte) error     { return nil }

func (s *scene) fleet() pipeline.LiveFleet {
	f := testFleet(s.t)
	f.Pane, f.Window, f.Disorder = scenePane, time.Hour, 5*time.Second
	return f
}

// config is that of a member with a wire of its own.
func (s *scene) config(w *wire) MemberConfig {
	opts, err := Options(Cluster{Brokers: s.cluster.ListenAddrs()})
	if err != nil {
		s.t.Fatal(err)
	}
	return MemberConfig{
		Group: "firebreak", Clusters: []Connection{{Name: "main", Opts: append(opts, kgo.Dialer(w.dial)), Topics: []string{requests}}},
		Fleets: []pipeline.LiveFleet{s.fleet()}, Tick: sceneTick, Session: 10 * time.Second, Sink: noSink{}, Observe: noObserver{},
		Log: zaptest.NewLogger(s.t), Start: map[string]time.Duration{"main/" + requests: time.Hour},
	}
}

// join starts a member.
func (s *scene) join(change ...func(*MemberConfig)) *actor {
	s.t.Helper()
	a := s.prepare(change...)
	a.start(s.t)
	return a
}

// prepare makes a member that is yet to start.
func (s *scene) prepare(change ...func(*MemberConfig)) *actor {
	s.t.Helper()
	a := &actor{wire: newWire(s.net), sink: &tape{}, done: make(chan error, 1)}
	cfg := s.config(a.wire)
	cfg.Sink = a.sink
	for _, f := range change {
		f(&cfg)
	}
	var err error
	if a.Member, err = NewMember(cfg); err != nil {
		s.t.Fatal(err)
	}
	return a
}

func (a *actor) start(t *testing.T) {
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	a.stop = stop
	go func() { a.done <- a.Run(ctx) }()
}

// leave ends a member, and gives how long it took.
func (a *actor) leave(t *testing.T) time.Duration {
	t.Helper()
	from := time.Now()
	a.stop()
	select {
	case err := <-a.done:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(time.Hour):
		t.Fatal("it never ends")
	}
	return time.Since(from)
}

// crash ends a member without a word: from now on nobody hears of it.
func (a *actor) crash(t *testing.T) {
	t.Helper()
	a.wire.sever()
	a.leave(t)
}

// decided is what was decided so far.
func (a *actor) decided() ([]policy.Decision, []time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.sink.decisions, a.sink.times
}

// blindFor tells, of the decisions between two moments, how many there are and how many are blind.
func (a *actor) blindFor(from, to time.Time) (blind, all int) {
	decisions, times := a.decided()
	for i := range decisions {
		if times[i].Before(from) || times[i].After(to) {
			continue
		}
		if all++; decisions[i].Blind {
			blind++
		}
	}
	return blind, all
}

// counted gives up to where each partition of the request log is counted.
func (a *actor) counted() map[int32]int64 {
	at := map[int32]int64{}
	if v := a.View(); v != nil {
		for p, progress := range v.Counted {
			at[p.Number] = progress.To
		}
	}
	return at
}

// total is the sum of all keys in the complete panes from the window's first on.
func (a *actor) total(t *testing.T) (sum float64, first, closed int64) {
	t.Helper()
	a.mu.Lock()
	defer a.mu.Unlock()
	for n := range 5 {
		answer, err := a.live.Ask("orders", nil, fmt.Appendf(nil, "key-%d", n))
		if err != nil {
			t.Fatal(err)
		}
		sum += answer.Estimate
	}
	v := a.live.View()
	return sum, v.Fleets[0].First, v.Fleets[0].Closed
}

// exact fails the test unless a member has counted every record once, to the last: of each partition up to its end, and the
// requests of each pane that its window has whole.
func (s *scene) exact(actors ...*actor) {
	s.t.Helper()
	time.Sleep(time.Minute) // for the last panes, and for who was late
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, a := range actors {
		counted := a.counted()
		for p, end := range s.ends {
			if counted[p] != end {
				s.t.Errorf("member %d: partition %d is counted to %d of %d", i, p, counted[p], end)
			}
		}
		sum, first, closed := a.total(s.t)
		want, last := 0.0, int64(0)
		for pane, n := range s.sums {
			last = max(last, pane)
			if pane >= first {
				want += n
			}
		}
		if sum != want || want == 0 || closed < last {
			s.t.Errorf("member %d: %v requests of %v, from pane %d to %d of %d", i, sum, want, first, closed, last)
		}
	}
}

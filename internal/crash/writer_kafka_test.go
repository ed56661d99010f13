//go:build kafka && linux

package crash

import (
	"compress/gzip"
	"context"
	"encoding/csv"
	"fmt"
	"math/rand/v2"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
)

// requestTopic is the request log.
const requestTopic = "requests"

// firstNumber is that of the first record. Numbers are weights too: with a large first one they stay alike, so that the load
// of a shard does not depend on when its records came.
const firstNumber = 1_000_000

// caller is who asks for what, as in a real log.
type caller struct{ tenant, key string }

// callers reads a synthetic twin of a real log in which no shard is hot by chance.
func callers(t *testing.T) []caller {
	t.Helper()
	f, err := os.Open("../../testdata/twins/github-events.csv.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(z).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var all []caller
	for _, r := range rows[1:] { // ts_ms,tenant,key,op,weight
		all = append(all, caller{r[1], r[2]})
	}
	return all
}

// writer writes the same numbered records to every broker, at the time that they carry.
type writer struct {
	t       *testing.T
	rate    int
	rows    []caller
	rng     *rand.Rand
	clients []*kgo.Client
	parts   atomic.Int32
	hot     atomic.Value // func() string: the key that is hot now; empty = none
	failed  atomic.Int64
	tally   *Tally // belongs to run until it ends
	number  uint64
}

func newWriter(t *testing.T, seed uint64, rate, parts int, pane time.Duration, brokers ...string) *writer {
	t.Helper()
	w := &writer{t: t, rate: rate, rows: callers(t), rng: rand.New(rand.NewPCG(seed, 2)), tally: NewTally(pane), number: firstNumber}
	w.parts.Store(int32(parts))
	w.hot.Store(func() string { return "" })
	for _, b := range brokers {
		c, err := kgo.NewClient(kgo.SeedBrokers(b), kgo.RecordPartitioner(kgo.ManualPartitioner()), kgo.MaxBufferedRecords(1<<20),
			kgo.ProducerLinger(10*time.Millisecond), kgo.MetadataMinAge(100*time.Millisecond))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(c.Close)
		w.clients = append(w.clients, c)
	}
	return w
}

// run writes until ctx ends, and then waits until every broker has everything.
func (w *writer) run(ctx context.Context) {
	begun, done := time.Now(), 0
	ticker := time.NewTicker(50 * time.Millisecond)
	defer ticker.Stop()
	for ctx.Err() == nil {
		for due := int(time.Since(begun).Seconds() * float64(w.rate)); done < due; done++ {
			w.write(ctx, time.UnixMilli(time.Now().UnixMilli()))
		}
		select {
		case <-ctx.Done():
		case <-ticker.C:
		}
	}
	for _, c := range w.clients {
		wait, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
		if err := c.Flush(wait); err != nil {
			w.t.Errorf("not all records were written: %v", err)
		}
		cancel()
	}
	if n := w.failed.Load(); n > 0 {
		w.t.Errorf("%d records were not written", n)
	}
}

// write writes the next record.
func (w *writer) write(ctx context.Context, at time.Time) {
	const hotShare = 0.5
	row := w.rows[w.rng.IntN(len(w.rows))]
	if hot := w.hot.Load().(func() string)(); hot != "" && w.rng.Float64() < hotShare {
		row.key = hot
	}
	value := message(at, w.number, row)
	partition := w.rng.Int32N(w.parts.Load())
	w.tally.Add(at, w.number)
	w.number++
	for _, c := range w.clients {
		c.Produce(context.WithoutCancel(ctx), &kgo.Record{Topic: requestTopic, Partition: partition, Value: value}, func(_ *kgo.Record, err error) {
			if err != nil {
				w.failed.Add(1)
			}
		})
	}
}

// message is a numbered record.
func message(at time.Time, number uint64, row caller) []byte {
	return fmt.Appendf(nil, `{"ts_ms":%d,"key":%q,"tenant":%q,"op":"PUT","weight":%d}`, at.UnixMilli(), row.key, row.tenant, number)
}

// grow adds partitions on every broker, and writes to them once every client knows them.
func (w *writer) grow(ctx context.Context, to int) error {
	from := int(w.parts.Load())
	for _, c := range w.clients {
		resp, err := kadm.NewClient(c).CreatePartitions(ctx, to-from, requestTopic)
		if err == nil {
			err = resp.Error()
		}
		if err != nil {
			return fmt.Errorf("grow: %w", err)
		}
		for {
			if leader, _, err := c.PartitionLeader(requestTopic, int32(to-1)); err == nil && leader >= 0 {
				break
			}
			c.ForceMetadataRefresh()
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-time.After(100 * time.Millisecond):
			}
		}
	}
	w.parts.Store(int32(to))
	return nil
}

// background runs until the returned function is called, which waits for its end.
func (w *writer) background(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	running.Go(func() { w.run(ctx) })
	return func() { cancel(); running.Wait() }
}

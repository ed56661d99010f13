package ingest

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"time"

	"firebreak/bench/decode"
	"firebreak/pipeline"
	"firebreak/pipeline/record"
	"firebreak/policy"
	"firebreak/routing"
)

// Load says what the log is. DefaultLoad is what is measured unless something else is asked for.
type Load struct {
	Records    int    // that the topic holds
	Partitions int    // of the topic
	Batch      int    // records of one batch, as a producer writes them
	Rate       int    // records in a second of event time
	Keys       int    // drawn by Zipf 1.1
	Tenants    int    // a key belongs to one
	Shards     int    // a key lies on one, by xxh64 mod N; the log names it
	Seed       uint64 // of the draw
}

// DefaultLoad is two million records of 20,000 a second: ten panes.
func DefaultLoad() Load {
	return Load{Records: 2_000_000, Partitions: 12, Batch: 250, Rate: 20_000, Keys: 1_000_000, Tenants: 1_000, Shards: 64, Seed: 1}
}

// Names in the broker.
const (
	topicName   = "requests"
	clusterName = "main"
	fleetName   = "bench"
)

// zipf is the exponent of the law by which keys are drawn.
const zipf = 1.1

// MaxBatch is the most records that a batch may have: a producer's batch is no larger than 1 MB.
const MaxBatch = 3000

// MaxPartitions is the most partitions that the topic may have.
const MaxPartitions = 4096

// start is the event time of the first record of a log that is not written as it is read.
func start() time.Time { return time.Date(2026, time.March, 2, 9, 30, 0, 0, time.UTC) }

// end is the event time after the last one.
func (l *Load) end() time.Time {
	return start().Add(time.Duration(float64(l.Records) / float64(l.Rate) * float64(time.Second)))
}

// Fleet is how the log is counted: placed by its keys, the shard it names is checked, panes of 10 s.
func (l *Load) Fleet() (pipeline.LiveFleet, error) {
	placement := routing.Placement{Bytes: "key", Function: routing.XXH64, Map: routing.ModN}
	doc, err := routing.Adopt(fleetName, placement, routing.NumberedShards(l.Shards))
	if err != nil {
		return pipeline.LiveFleet{}, fmt.Errorf("bench ingest: %w", err)
	}
	cfg := pipeline.DefaultConfig(fleetName)
	cfg.Document, cfg.LogPoint, cfg.Sampling = doc, policy.LogPointShard, policy.SamplingNone
	judge := policy.Default()
	judge.MaxLag = time.Hour // a log that is being caught up with is judged pane by pane
	return pipeline.LiveFleet{
		Config: cfg, Record: record.Config{Preset: "canonical", Format: "json"}, Judge: judge, Topics: []string{clusterName + "/" + topicName},
	}, nil
}

// lines draws the records of a log one by one. It belongs to one goroutine.
type lines struct {
	load  *Load
	rng   *rand.Rand
	keys  *rand.Zipf
	table *routing.Table
	key   []byte
}

func newLines(l *Load) (*lines, error) {
	f, err := l.Fleet()
	if err != nil {
		return nil, err
	}
	table, err := routing.NewTable(f.Document)
	if err != nil {
		return nil, fmt.Errorf("bench ingest: %w", err)
	}
	rng := rand.New(rand.NewPCG(l.Seed, 0))
	return &lines{load: l, rng: rng, keys: rand.NewZipf(rng, zipf, 1, uint64(l.Keys-1)), table: table}, nil
}

// next appends the next record: the 14 members that bench/decode writes, with values of the same shapes.
func (d *lines) next(b []byte, at int64) ([]byte, decode.Row) {
	pick := func(from ...string) string { return from[d.rng.IntN(len(from))] }
	rank := d.keys.Uint64()
	const scatter = 0x9e3779b97f4a7c15 // odd: distinct ranks stay distinct in the digits that matter
	d.key = fmt.Appendf(d.key[:0], "%s/%d", [...]string{"cart", "session", "inventory/item", "profile"}[rank%4], rank*7919%10_000_019)
	row := decode.Row{
		TS: at, Key: string(d.key), Tenant: fmt.Sprintf("tenant-%04d", rank*scatter>>32%uint64(d.load.Tenants)),
		Op: pick("GET", "GET", "GET", "PUT", "DELETE"), Weight: 1, Shard: d.table.Document().Shards[d.table.Locate(nil, d.key).Shard].Name,
		Bytes: float64(d.rng.IntN(1 << d.rng.IntN(17))), Latency: float64(100 + d.rng.IntN(1<<(4+d.rng.IntN(12)))),
		Status: [...]int{200, 200, 200, 204, 404, 429, 503}[d.rng.IntN(7)],
	}
	if d.rng.IntN(10) == 0 {
		row.Weight = float64(2 + d.rng.IntN(50))
	}
	b = fmt.Appendf(b, `{"ts_ms":%d,"level":"%s","tenant":"%s","key":"%s","op":"%s","weight":%s,"shard":"%s","trace_id":"%016x",`,
		row.TS, pick("info", "info", "warn"), row.Tenant, row.Key, row.Op, number(row.Weight), row.Shard, d.rng.Uint64())
	b = fmt.Appendf(b, `"client_ip":"10.%d.%d.%d","host":"edge-%d","bytes":%s,"latency_us":%s,"status":%d,"msg":"%s"}`,
		d.rng.IntN(256), d.rng.IntN(256), d.rng.IntN(256), d.rng.IntN(200), number(row.Bytes), number(row.Latency), row.Status,
		pick("request served", "served from replica", "upstream answered late"))
	return b, row
}

func number(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

package ingest

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/twmb/franz-go/pkg/kgo" //nolint:depguard // the stages read the topic as the product and as a plain consumer do

	"firebreak/pipeline"
	"firebreak/pipeline/kafka"
	"firebreak/pipeline/record"
)

// Stage is a way to read the log.
type Stage string

// The stages; each of the first four does what the one before does.
const (
	Fetch  Stage = "fetch"  // poll, as a member's client does
	Decode Stage = "decode" // and read nine fields
	Count  Stage = "count"  // and count them in a pipeline.Tick, which is sealed where it is full
	All    Stage = "all"    // a member of a group: deltas are published, followed, panes judged
	Plain  Stage = "plain"  // a plain consumer: encoding/json, an exact map per 10 s and key
)

// Stages lists them in the order of the table.
func Stages() []Stage { return []Stage{Fetch, Decode, Count, All, Plain} }

// Reading is what a stage did and took.
type Reading struct {
	Stage    Stage
	Records  int64         // read
	Weight   float64       // sum of what the records stand for; 0 of Fetch, which does not look
	CPU      time.Duration // of the process while it read
	Wall     time.Duration
	Resident int64 // bytes of the process at most
	Distinct int   // of Plain: keys by window
	Deltas   int   // of All: published
	Bytes    int64 // of All: of these deltas
	Judged   int   // of All: decisions
}

// Read reads the log of a load from a broker once. The log must hold all of it.
func Read(ctx context.Context, s Stage, addr string, load Load) (Reading, error) {
	read := map[Stage]func(context.Context, string, *Load, *Reading) error{Fetch: fetch, Decode: decodeAll, Count: count, All: everything, Plain: plain}[s]
	if read == nil {
		return Reading{}, fmt.Errorf("bench ingest: no stage %q", s)
	}
	r := Reading{Stage: s}
	before, err := cpuTime()
	if err != nil {
		return r, err
	}
	began := time.Now()
	if err := read(ctx, addr, &load, &r); err != nil {
		return r, fmt.Errorf("bench ingest: %s: %w", s, err)
	}
	after, err := cpuTime()
	if err != nil {
		return r, err
	}
	r.CPU, r.Wall, r.Resident = after-before, time.Since(began), resident()
	return r, nil
}

// poll hands all records of the log to each, which may keep none of them.
func poll(ctx context.Context, addr string, load *Load, r *Reading, each func(*kgo.Record) error) error {
	at := map[int32]kgo.Offset{}
	for n := range load.Partitions {
		at[int32(n)] = kgo.NewOffset().AtStart()
	}
	client, err := kgo.NewClient(append(kafka.FetchOptions(), kgo.SeedBrokers(addr), kgo.ConsumePartitions(map[string]map[int32]kgo.Offset{topicName: at}))...)
	if err != nil {
		return err
	}
	defer client.Close()
	for r.Records < int64(load.Records) {
		fetches := client.PollRecords(ctx, kafka.MaxPolled)
		if err := fetches.Err0(); err != nil {
			return err
		}
		for it := fetches.RecordIter(); !it.Done(); {
			rec := it.Next()
			r.Records++
			if err := each(rec); err != nil {
				return err
			}
			rec.Recycle()
		}
	}
	return nil
}

func fetch(ctx context.Context, addr string, load *Load, r *Reading) error {
	return poll(ctx, addr, load, r, func(*kgo.Record) error { return nil })
}

// decodeAll reads the fields as well.
func decodeAll(ctx context.Context, addr string, load *Load, r *Reading) error {
	f, err := load.Fleet()
	if err != nil {
		return err
	}
	d, err := record.NewDecoder(f.Record)
	if err != nil {
		return err
	}
	var m record.Message
	var rec record.Record
	return poll(ctx, addr, load, r, func(k *kgo.Record) error {
		m.Key, m.Value, m.Time = k.Key, k.Value, k.Timestamp.UnixNano()
		if reason := d.DecodeMessage(&m, &rec); reason != record.ReasonNone {
			return fmt.Errorf("refused as %s: %.80q", reason, k.Value)
		}
		r.Weight += rec.Count
		return nil
	})
}

// count counts the records as well, and seals the tick where it has no room for more.
func count(ctx context.Context, addr string, load *Load, r *Reading) error {
	f, err := load.Fleet()
	if err != nil {
		return err
	}
	fleets := []pipeline.LiveFleet{f}
	ledger, err := pipeline.NewLedger(fleets)
	if err != nil {
		return err
	}
	if _, err := ledger.Apply(0, start(), pipeline.Genesis(load.Seed)); err != nil {
		return err
	}
	view := ledger.View()
	tick, err := pipeline.NewTick(pipeline.Instance{1}, fleets, view.Seed, nil)
	if err != nil {
		return err
	}
	tick.Sync(view, load.end().UnixNano())
	parts := make([]*pipeline.Part, load.Partitions)
	for n := range parts {
		parts[n] = tick.Assign(pipeline.Topic{ID: pipeline.TopicID{1}, Name: clusterName + "/" + topicName, Partitions: int32(load.Partitions)}, int32(n), 0, nil)
	}
	seal := func() error {
		_, err := tick.Seal(func(pipeline.Partition) int64 { return -1 })
		return err
	}
	var m record.Message
	err = poll(ctx, addr, load, r, func(k *kgo.Record) error { //nolint:contextcheck // nothing waits in Offer
		m.Key, m.Value, m.Time = k.Key, k.Value, k.Timestamp.UnixNano()
		for tick.Offer(parts[k.Partition], k.Offset, &m) != pipeline.Taken {
			if err := seal(); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil {
		err = seal()
	}
	tick.Stats(func(_ string, s *pipeline.Stats, _ []uint64) {
		r.Records, r.Weight = int64(s.Counted), math.Round(s.Requests)
	})
	return err
}

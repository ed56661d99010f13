package ingest

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/twmb/franz-go/pkg/kgo" //nolint:depguard // a plain consumer is what is measured

	"firebreak/bench/decode"
)

// plain is what a user would write: a consumer of a group, a struct for the fields, a map for the counts.
func plain(ctx context.Context, addr string, load *Load, r *Reading) error {
	client, err := kgo.NewClient(kgo.SeedBrokers(addr), kgo.ConsumerGroup(group("plain")), kgo.ConsumeTopics(topicName), kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()))
	if err != nil {
		return err
	}
	defer client.Close()
	type windowed struct {
		window int64
		key    string
	}
	counts := map[windowed]float64{}
	for r.Records < int64(load.Records) {
		fetches := client.PollFetches(ctx)
		if err := fetches.Err0(); err != nil {
			return err
		}
		for it := fetches.RecordIter(); !it.Done(); {
			k := it.Next()
			var row decode.Row
			if err := json.Unmarshal(k.Value, &row); err != nil {
				return fmt.Errorf("%w: %.80q", err, k.Value)
			}
			const pane = 10_000 // ms
			counts[windowed{row.TS / pane, row.Key}] += row.Weight
			r.Records++
		}
	}
	for _, n := range counts {
		r.Weight += n
	}
	r.Distinct = len(counts)
	return nil
}

package main

import (
	"context"
	"time"

	"go.uber.org/zap"

	"firebreak/pipeline"
	"firebreak/pipeline/kafka"
	"firebreak/routing"
)

// judgeEvery is how often it is made sure that a fleet is judged by the document that is stored: the log that says so may be made anew.
const judgeEvery = 10 * time.Second

// judgeBy makes the document that clients route by the one that every instance judges by. Where that fails, it is tried again in the next
// round: no change waits for it, and until then the disagreement with the log shows.
func (s *steward) judgeBy(ctx context.Context) {
	if s.foreign || s.judged == s.state.At() && s.now().Sub(s.saidAt) < judgeEvery {
		return
	}
	if err := s.judge(ctx, s.state.Document); err != nil {
		if ctx.Err() == nil && s.unjudged.now() {
			s.log.Warn("the routing of a fleet is not yet what verdicts go by", zap.String("fleet", printable(s.fleet)), zap.Error(oneLine(err)))
		}
		return
	}
	s.judged, s.saidAt = s.state.At(), s.now()
}

// judgesBy is how an instance makes everybody judge by a document: its place in the log of deltas is the same for all.
func judgesBy(member func() *kafka.Member) func(ctx context.Context, doc *routing.Document) error {
	return func(ctx context.Context, doc *routing.Document) error {
		_, err := member().Tell(ctx, func(live *pipeline.Live, now time.Time) ([]byte, error) { return live.Route(doc, now) })
		return err
	}
}

// shardsApart are the shards of a configuration, as entries, that a stored document lacks or of which it says something else.
func shardsApart(configured, stored *routing.Document) []string {
	var apart []string
	for i, s := range configured.Shards {
		if i >= len(stored.Shards) || stored.Shards[i] != s {
			apart = append(apart, routing.ShardEntry(s.Name).String())
		}
	}
	return apart
}

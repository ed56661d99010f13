package main

import (
	"context"
	"time"

	"firebreak/pipeline"
	"firebreak/pipeline/kafka"
	"firebreak/routing"
)

// judgesBy is how an instance makes everybody judge by a document: its place in the log of deltas is the same for all.
func judgesBy(member func() *kafka.Member) func(ctx context.Context, doc *routing.Document) error {
	return func(ctx context.Context, doc *routing.Document) error {
		_, err := member().Tell(ctx, func(live *pipeline.Live, now time.Time) ([]byte, error) { return live.Route(doc, now) })
		return err
	}
}

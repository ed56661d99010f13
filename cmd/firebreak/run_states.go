package main

import (
	"context"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"go.uber.org/zap"

	"firebreak/internal/config"
	"firebreak/routing/httpsource"
	"firebreak/routing/store"
)

// stateStore is where the control state of one fleet is kept.
type stateStore = store.Store

// stateKeeper is a place that keeps the routing of fleets. Another one is a file beside run_states_kafka.go, and a line of openStates.
type stateKeeper interface {
	store(fleet string) (stateStore, error)
	source(fleet string) (httpsource.Origin, error) // what clients of the fleet read
	tidy(ctx context.Context)                       // now and then, by who decides: keeps what it takes small
	Close()
}

// tidyEvery is how often a place is tidied.
const tidyEvery = time.Hour

// openStates reaches the routing of a configuration; opts are those of the cluster that has our topics. Nothing is connected before it
// is used.
func openStates(ctx context.Context, cfg *config.Config, opts []kgo.Opt, log *zap.Logger) (stateKeeper, error) {
	if cfg.State.DynamoDB.Table != "" {
		return openTableStates(ctx, &cfg.State.DynamoDB, log)
	}
	return openLogStates(opts, cfg.Group, log)
}

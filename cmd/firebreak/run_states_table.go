package main

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"go.uber.org/zap"

	"firebreak/internal/config"
	"firebreak/routing/dynamo"
	"firebreak/routing/httpsource"
)

// tableStates are states in a table of DynamoDB.
type tableStates struct {
	api    *dynamodb.Client
	table  string
	region string
	say    *zap.Logger
}

func openTableStates(ctx context.Context, t *config.DynamoDB, log *zap.Logger) (stateKeeper, error) {
	cfg, err := awsConfig(ctx, t.Region)
	if err != nil {
		return nil, err
	}
	return &tableStates{dynamo.Client(cfg, t.Endpoint), t.Table, cfg.Region, log}, nil
}

// of is the table as it is opened for a fleet.
func (s *tableStates) of(fleet string) dynamo.Config {
	return dynamo.Config{Table: s.table, Fleet: fleet, Region: s.region, Observe: func(e dynamo.Event) {
		s.say.Warn("the table of routing", zap.String("table", printable(s.table)), zap.String("fleet", printable(fleet)), zap.Stringer("event", e.Kind), zap.Error(e.Err))
	}}
}

func (s *tableStates) store(fleet string) (stateStore, error) { return dynamo.Open(s.api, s.of(fleet)) }

func (s *tableStates) source(fleet string) (httpsource.Origin, error) {
	return dynamo.OpenSource(s.api, s.of(fleet))
}

// tidy has nothing to do: a table keeps the newest of each item.
func (*tableStates) tidy(context.Context) {}

// Close has nothing to close: the SDK's connections are its own.
func (*tableStates) Close() {}

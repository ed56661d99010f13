package main

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/aws"
	awsconfig "github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/twmb/franz-go/pkg/kgo"
	"go.uber.org/zap"

	"firebreak/internal/config"
	"firebreak/routing/dynamo"
	routingkafka "firebreak/routing/kafka"
)

// states is where the routing of all fleets is kept: on Kafka, or in a table of DynamoDB.
type states struct {
	log    *routingkafka.Log // nil = in the table
	api    *dynamodb.Client
	table  string
	region string
	say    *zap.Logger
}

// openStates reaches the routing of a configuration; opts are those of the cluster that has our topics. Nothing is connected before it
// is used.
func openStates(ctx context.Context, cfg *config.Config, opts []kgo.Opt, log *zap.Logger) (*states, error) {
	s := &states{say: log}
	if t := &cfg.State.DynamoDB; t.Table != "" {
		loaded, err := awsConfig(ctx, t.Region)
		if err != nil {
			return nil, err
		}
		s.api, s.table, s.region = dynamo.Client(loaded, t.Endpoint), t.Table, loaded.Region
		return s, nil
	}
	var err error
	s.log, err = routingkafka.Open(opts, cfg.Group)
	return s, err
}

// awsConfig is the configuration of AWS from its usual places, in a region; empty = as it is configured.
func awsConfig(ctx context.Context, region string) (aws.Config, error) {
	var options []func(*awsconfig.LoadOptions) error
	if region != "" {
		options = append(options, awsconfig.WithRegion(region))
	}
	cfg, err := awsconfig.LoadDefaultConfig(ctx, options...)
	if err != nil {
		return cfg, oneLine(err)
	}
	return cfg, nil
}

// of gives the store of a fleet.
func (s *states) of(fleet string) (stateStore, error) {
	if s.log != nil {
		return s.log.Store(fleet), nil
	}
	return dynamo.Open(s.api, dynamo.Config{Table: s.table, Fleet: fleet, Region: s.region, Observe: func(e dynamo.Event) {
		s.say.Warn("the table of routing", zap.String("table", printable(s.table)), zap.String("fleet", printable(fleet)), zap.Stringer("event", e.Kind), zap.Error(e.Err))
	}})
}

// Close ends the connections.
func (s *states) Close() {
	if s.log != nil {
		s.log.Close()
	}
}

package main

import (
	"context"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"firebreak/routing/client"
	"firebreak/routing/httpsource"
	"firebreak/routing/kafka"
)

// options are the flags of all parts.
type options struct {
	listen, control, name string
	brokers, group        string            // of the Kafka that has the routing; no brokers = control has it in memory
	shards                map[string]string // address by name
	order                 []string          // names, as given
	poll                  time.Duration     // how often the document is looked at; 0 = as often as clients do by default
	versioned             bool              // clients write twice while data moves
	args                  []string
}

// cluster is how the Kafka is reached.
func (o *options) cluster() []kgo.Opt {
	return []kgo.Opt{kgo.SeedBrokers(strings.Split(o.brokers, ",")...)}
}

// source is where shards and clients read the routing: Kafka itself, or control over HTTP. close ends its connections.
func (o *options) source() (src client.Source, closeAll func(), err error) {
	if o.brokers == "" {
		src, err = httpsource.New(o.control+"/routing", "", nil)
		return src, func() {}, err
	}
	l, err := kafka.Open(o.cluster(), o.group)
	if err != nil {
		return nil, nil, err
	}
	return l.Source(fleetName), l.Close, nil
}

// openBoard makes control over the state that is where the options say, and keeps it going until ctx ends; run is to be waited for.
func (o *options) openBoard(ctx context.Context) (b *board, run func(), err error) {
	first, err := firstState(o.order)
	if err != nil {
		return nil, nil, err
	}
	if o.brokers == "" {
		return &board{o.shards, newMemory(first)}, func() {}, nil
	}
	k, err := openKafka(ctx, o, first)
	if err != nil {
		return nil, nil, err
	}
	return &board{o.shards, k}, func() { k.run(ctx) }, nil
}

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
)

const (
	demoKey     = "likes"
	demoClients = 3
	demoWriters = 4 // of each client
	demoFor     = 10 * time.Second
)

// tally is what the writers of the demo saw.
type tally struct{ acknowledged, unknown, refused atomic.Int64 }

// demo counts one key up by several clients while it is salted up and down, and compares the sum with what was acknowledged.
func demo(ctx context.Context, api *dynamodb.Client, o *options, out io.Writer) error {
	say := func(format string, args ...any) { _, _ = fmt.Fprintf(out, format+"\n", args...) }
	if err := adopt(ctx, api, o.table); err != nil {
		return err
	}
	var clients []*counters
	for range demoClients {
		c, err := open(ctx, api, o.table)
		if err != nil {
			return err
		}
		defer c.router.Close()
		clients = append(clients, c)
	}
	before, err := clients[0].read(ctx, demoKey)
	if err != nil {
		return err
	}
	d, err := claim(ctx, api, o.table, o.readersFor)
	if err != nil {
		return err
	}
	var t tally
	traffic, stop := context.WithCancel(ctx)
	defer stop()
	var writers sync.WaitGroup
	for _, c := range clients {
		for range demoWriters {
			writers.Go(func() { t.write(ctx, traffic, c) })
		}
	}
	say("%d clients count %q up; it stands at %d", demoClients, demoKey, before)
	steps := []struct {
		name string
		do   func() error
	}{
		{"one piece", func() error { return nil }},
		{fmt.Sprintf("salted over %d pieces", o.pieces), func() error { return d.up(ctx, demoKey, o.pieces) }},
		{"folded into one", func() error { return d.down(ctx, demoKey, clients[0]) }},
	}
	for _, step := range steps {
		if err := step.do(); err != nil {
			return err
		}
		if err := t.show(ctx, say, step.name, clients[1]); err != nil {
			return err
		}
	}
	stop()
	writers.Wait()
	after, err := clients[2].read(ctx, demoKey)
	if err != nil {
		return err
	}
	acknowledged, unknown := t.acknowledged.Load(), t.unknown.Load()
	say("counted %d; acknowledged %d, lost replies %d, refused %d", after-before, acknowledged, unknown, t.refused.Load())
	if counted := after - before; counted < acknowledged || counted > acknowledged+unknown {
		return errors.New("the sum is wrong")
	}
	return nil
}

// write counts until traffic ends. An increment that was begun is not broken off.
func (t *tally) write(ctx, traffic context.Context, c *counters) {
	for traffic.Err() == nil {
		switch err := c.increment(ctx, demoKey, 1); {
		case err == nil:
			t.acknowledged.Add(1)
		case errors.Is(err, ErrUnknown):
			t.unknown.Add(1)
		default:
			t.refused.Add(1)
			_ = wait(traffic, 3)
		}
		_ = wait(traffic, 0)
	}
}

// show counts for a while, and says how fast it went and what is read.
func (t *tally) show(ctx context.Context, say func(string, ...any), name string, c *counters) error {
	from, began := t.acknowledged.Load(), time.Now()
	for time.Since(began) < demoFor {
		if err := pause(ctx); err != nil {
			return err
		}
	}
	rate := float64(t.acknowledged.Load()-from) / time.Since(began).Seconds()
	sum, err := c.read(ctx, demoKey)
	if err != nil {
		return err
	}
	say("%-24s %6.0f increments/s, %q is %d", name+":", rate, demoKey, sum)
	return nil
}

package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"firebreak/internal/simulate"
	"firebreak/routing"
	"firebreak/routing/client"
	"firebreak/routing/control"
)

// demoPoll is how often a client looks at the head, on average, as routing/client does.
const demoPoll = 5 * time.Second

// demoClients are the clients of the generated fleet: each reads the source in its own rhythm, routes by what it read, and says so. They
// belong to the goroutine that writes the log.
type demoClients struct {
	source client.Source
	world  *simulate.World
	obey   func(client int, table *routing.Table) // gives a client a table
	jitter *rand.Rand
	newest *routing.Table
	all    []demoClient
}

// demoClient is one of them.
type demoClient struct {
	held control.Head // of the document that it routes by
	look time.Time    // when it looks next
	said time.Time    // when it confirmed last
	beat uint64
}

func newDemoClients(source client.Source, world *simulate.World) *demoClients {
	return &demoClients{
		source: source, world: world, obey: world.RouteClient, newest: world.Table(), all: make([]demoClient, world.Clients()), jitter: rand.New(rand.NewPCG(1, 1)),
	}
}

// follow lets every client whose time has come look.
func (c *demoClients) follow(ctx context.Context, now time.Time) error {
	for i := range c.all {
		if now.Before(c.all[i].look) {
			continue
		}
		c.all[i].look = now.Add(time.Duration(float64(demoPoll) * (0.75 + c.jitter.Float64()/2)))
		if err := c.look(ctx, i, now); err != nil {
			return err
		}
	}
	return nil
}

// look reads what is newer, and confirms it at once; else as often as a client has to.
func (c *demoClients) look(ctx context.Context, i int, now time.Time) error {
	of := &c.all[i]
	head, err := c.source.Head(ctx)
	if errors.Is(err, control.ErrNone) {
		return nil
	} else if err != nil {
		return err
	}
	if head.Newer(of.held) {
		doc, err := c.source.Document(ctx, head)
		if err != nil {
			return err
		}
		table, err := c.table(doc)
		if err != nil {
			return err
		}
		c.obey(i, table)
		of.held, of.said = control.Head{Epoch: doc.Epoch, Version: doc.Version}, time.Time{}
	}
	if now.Sub(of.said) < control.ConfirmEvery {
		return nil
	}
	of.beat++
	of.said = now
	return c.source.Confirm(ctx, control.Confirmation{Client: fmt.Sprintf("app-%d", i+1), Epoch: of.held.Epoch, Version: of.held.Version, Beat: of.beat})
}

// table compiles a document, once for all clients.
func (c *demoClients) table(doc *routing.Document) (*routing.Table, error) {
	if is := c.newest.Document(); is.Epoch == doc.Epoch && is.Version == doc.Version {
		return c.newest, nil
	}
	table, err := c.newest.With(doc)
	if err == nil {
		c.newest = table
	}
	return table, err
}

// Command counter is a sharded counter on DynamoDB whose hot key is salted: an example of routing/client and routing/dynamo.
//
//	counter demo             counts a key up by three clients, salts it under them, folds it again, and says whether the sum is exact
//	counter add KEY [N]      adds N, or 1
//	counter read KEY         sums the pieces up
//	counter up KEY           spreads the key over --pieces, as firebreak would
//	counter down KEY         takes it back to one
//	counter fold < TASK      folds what firebreak names: its mover.folds.command
//
// Flags stand before the command. The table is made if it is missing, and holds the routing document too. Credentials come from the usual
// places of AWS.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"firebreak/routing/client"
	"firebreak/routing/control"
	"firebreak/routing/dynamo"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:], os.Stdout)
	stop()
	if err != nil {
		_, _ = fmt.Fprintln(os.Stderr, "counter:", err)
		os.Exit(1)
	}
}

// options are the flags.
type options struct {
	endpoint, region, table string
	pieces                  int
	readersFor              time.Duration
	args                    []string
}

func parse(args []string) (*options, error) {
	o := &options{}
	flags := flag.NewFlagSet("counter", flag.ContinueOnError)
	flags.StringVar(&o.endpoint, "endpoint", "", "URL of DynamoDB; empty = that of the region")
	flags.StringVar(&o.region, "region", "", "region; empty = from the environment")
	flags.StringVar(&o.table, "table", "counters", "name of the table")
	flags.IntVar(&o.pieces, "pieces", 4, "pieces of a salted key")
	flags.DurationVar(&o.readersFor, "readers-for", control.NoLongerLive,
		"how long readers read all pieces, at least, before writers write them; less is safe only where no other process counts")
	if err := flags.Parse(args); err != nil {
		return nil, err
	}
	if o.pieces < 2 {
		return nil, fmt.Errorf("pieces: %d, want 2 or more", o.pieces)
	}
	if o.args = flags.Args(); len(o.args) == 0 {
		o.args = []string{"demo"}
	}
	return o, nil
}

func run(ctx context.Context, args []string, out io.Writer) error {
	o, err := parse(args)
	if err != nil {
		return err
	}
	cfg, err := config.LoadDefaultConfig(ctx, func(l *config.LoadOptions) error {
		if o.region != "" {
			l.Region = o.region
		}
		return nil
	})
	if err != nil {
		return err
	}
	api := dynamo.Client(cfg, o.endpoint)
	n := int64(1)
	if o.args[0] == "add" && len(o.args) == 3 {
		if n, err = strconv.ParseInt(o.args[2], 10, 64); err != nil {
			return fmt.Errorf("n: %w", err)
		}
		o.args = o.args[:2]
	}
	switch command := o.args[0]; {
	case command == "demo" && len(o.args) == 1:
		return demo(ctx, api, o, out)
	case command == "fold" && len(o.args) == 1:
		return foldTask(ctx, api, o.table, os.Stdin)
	case len(o.args) != 2 || command != "add" && command != "read" && command != "up" && command != "down":
		return errors.New("want demo, add KEY [N], read KEY, up KEY, down KEY or fold, and flags before it")
	}
	return one(ctx, api, o, n, out)
}

// one carries one command out on one key.
func one(ctx context.Context, api *dynamodb.Client, o *options, n int64, out io.Writer) error {
	ctx, stop := context.WithTimeout(ctx, 5*time.Minute)
	defer stop()
	if err := adopt(ctx, api, o.table); err != nil {
		return err
	}
	c, err := open(ctx, api, o.table)
	if err != nil {
		return err
	}
	defer c.router.Close()
	key := o.args[1]
	switch o.args[0] {
	case "add":
		return c.increment(ctx, key, n)
	case "read":
		sum, err := c.read(ctx, key)
		if client.Usable(err) {
			_, _ = fmt.Fprintln(out, sum)
		}
		return err
	}
	d, err := claim(ctx, api, o.table, o.readersFor)
	if err != nil {
		return err
	}
	if err := c.check(key); err != nil {
		return err
	}
	if o.args[0] == "up" {
		return d.up(ctx, key, o.pieces)
	}
	return d.down(ctx, key, c)
}

// open starts a client, and waits until it knows that its document is the latest.
func open(ctx context.Context, api *dynamodb.Client, table string) (*counters, error) {
	source, err := dynamo.OpenSource(api, dynamo.Config{Table: table, Fleet: fleetName})
	if err != nil {
		return nil, err
	}
	cfg := client.Default()
	cfg.Fleet, cfg.Spaces = fleetName, space()
	router, err := client.Open(ctx, source, cfg)
	if err != nil {
		return nil, err
	}
	for router.Stale() {
		if err := wait(ctx, 2); err != nil {
			router.Close()
			return nil, errors.Join(err, router.Status().Err)
		}
	}
	return &counters{api: api, table: table, router: router}, nil
}

// Command kv is a key-value store over shards that obey a routing document: an example of routing/client. Without arguments, or as kv demo,
// it runs all of it in one process and moves virtual shards under traffic. The parts run as processes of their own too:
//
//	kv control --listen 127.0.0.1:7000 --shards shard-0=http://127.0.0.1:7001,shard-1=http://127.0.0.1:7002
//	kv shard   --listen 127.0.0.1:7001 --control http://127.0.0.1:7000 --name shard-0
//	kv shard   --listen 127.0.0.1:7002 --control http://127.0.0.1:7000 --name shard-1
//	kv put     --control http://127.0.0.1:7000 KEY VALUE
//	kv get     --control http://127.0.0.1:7000 KEY
//	kv move    --control http://127.0.0.1:7000 KEY SHARD    # the virtual shard of the key, at once
//	kv carry   --shards shard-0=http://127.0.0.1:7001,shard-1=http://127.0.0.1:7002 < task.json
//
// carry is what firebreak asks, as its mover.moves.command, to carry data between shards while both go on; with --versioned where
// mover.moves says writes: versioned.
//
// The routing is in control's memory, which serves it over HTTP. With --brokers and --group, of every part alike, it is where firebreak
// keeps it by default, on Kafka: shards and clients read it there, and confirm there what they hold; control only
// writes there.
//
//	kv demo --brokers 127.0.0.1:9092 --group kv
//
// The shards keep their data in memory, and nobody asks who calls: it is an example. Where an address is given with port 0, the one that
// was taken is printed.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"sync"
	"time"

	"firebreak/routing/client"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:], os.Stdout)
	stop()
	if err != nil {
		_, _ = fmt.Fprintln(os.Stderr, "kv:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out io.Writer) error {
	if len(args) == 0 {
		args = []string{"demo"}
	}
	o, err := parse(args[0], args[1:])
	if err != nil {
		return err
	}
	switch {
	case args[0] == "demo":
		return demo(ctx, out, o, 3*time.Second)
	case args[0] == "control" && len(o.shards) > 0:
		return runControl(ctx, out, o)
	case args[0] == "shard" && o.name != "":
		s, err := openShard(ctx, o, o.name)
		if err != nil {
			return err
		}
		defer s.close()
		return listen(ctx, out, o.name, o.listen, s.handler())
	case args[0] == "put" && len(o.args) == 2, args[0] == "get" && len(o.args) == 1:
		return once(ctx, out, o)
	case args[0] == "move" && len(o.args) == 2:
		return moveKey(ctx, out, o, o.args[0], o.args[1])
	case args[0] == "carry" && len(o.shards) > 0:
		return carry(ctx, os.Stdin, o.shards, o.versioned)
	}
	return errors.New("want demo, control --shards, shard --name, put KEY VALUE, get KEY, move KEY SHARD, carry --shards, or nothing")
}

// runControl serves until ctx ends.
func runControl(ctx context.Context, out io.Writer, o *options) error {
	b, run, err := o.openBoard(ctx)
	if err != nil {
		return err
	}
	var running sync.WaitGroup
	running.Go(run)
	defer running.Wait()
	return listen(ctx, out, "control", o.listen, b.handler())
}

func parse(name string, args []string) (*options, error) {
	o := &options{shards: map[string]string{}}
	flags := flag.NewFlagSet("kv "+name, flag.ContinueOnError)
	flags.StringVar(&o.listen, "listen", "127.0.0.1:0", "address to listen on")
	flags.StringVar(&o.control, "control", "http://127.0.0.1:7000", "address of control")
	flags.DurationVar(&o.poll, "poll", client.Default().Poll, "how often the routing document is looked at")
	flags.StringVar(&o.name, "name", "", "name of the shard")
	flags.StringVar(&o.brokers, "brokers", "", "brokers of a Kafka that has the routing, with commas between; empty = control has it in memory")
	flags.StringVar(&o.group, "group", "kv", "what the names of its topics begin with")
	flags.BoolVar(&o.versioned, "versioned", false, "carry for mover.moves with writes: versioned")
	shards := flags.String("shards", "", "NAME=ADDRESS of all shards, with commas between")
	if err := flags.Parse(args); err != nil {
		return nil, err
	}
	o.args = flags.Args()
	for part := range strings.SplitSeq(*shards, ",") {
		name, address, ok := strings.Cut(part, "=")
		if !ok {
			continue
		}
		o.shards[name] = address
		o.order = append(o.order, name)
	}
	return o, nil
}

// listen serves until ctx ends.
func listen(ctx context.Context, out io.Writer, name, address string, h http.Handler) error {
	var config net.ListenConfig
	l, err := config.Listen(ctx, "tcp", address)
	if err != nil {
		return err
	}
	_, _ = fmt.Fprintf(out, "%s listens on http://%s\n", name, l.Addr())
	return serve(ctx, l, h)
}

// serve answers on a listener until ctx ends, and then what was asked before.
func serve(ctx context.Context, l net.Listener, h http.Handler) error {
	server := &http.Server{Handler: h, ReadHeaderTimeout: 5 * time.Second}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(l) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	end, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	return server.Shutdown(end)
}

// Command kv is a key-value store over shards that obey a routing document: an example of routing/client. Without arguments it runs all of
// it in one process and moves a virtual shard under traffic. The parts run as processes of their own too:
//
//	kv control --listen 127.0.0.1:7000 --shards shard-0=http://127.0.0.1:7001,shard-1=http://127.0.0.1:7002
//	kv shard   --listen 127.0.0.1:7001 --control http://127.0.0.1:7000 --name shard-0
//	kv shard   --listen 127.0.0.1:7002 --control http://127.0.0.1:7000 --name shard-1
//	kv put     --control http://127.0.0.1:7000 KEY VALUE
//	kv get     --control http://127.0.0.1:7000 KEY
//	kv move    --control http://127.0.0.1:7000 KEY SHARD    # the virtual shard of the key, at once
//	kv carry   --shards shard-0=http://127.0.0.1:7001,shard-1=http://127.0.0.1:7002 < task.json
//
// carry is what firebreak asks, as its mover.moves.command, to carry data between shards while both go on.
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

// options are the flags of all parts.
type options struct {
	listen, control, name string
	poll                  time.Duration
	shards                map[string]string // address by name
	order                 []string          // names, as given
	args                  []string
}

func run(ctx context.Context, args []string, out io.Writer) error {
	if len(args) == 0 {
		return demo(ctx, out, 3*time.Second)
	}
	o, err := parse(args[0], args[1:])
	if err != nil {
		return err
	}
	switch {
	case args[0] == "control" && len(o.shards) > 0:
		b, err := newBoard(o.order, o.shards)
		if err != nil {
			return err
		}
		return listen(ctx, out, "control", o.listen, b.handler())
	case args[0] == "shard" && o.name != "":
		s, err := openShard(ctx, o.control, o.name, o.poll)
		if err != nil {
			return err
		}
		defer s.close()
		return listen(ctx, out, o.name, o.listen, s.handler())
	case args[0] == "put" && len(o.args) == 2, args[0] == "get" && len(o.args) == 1:
		return once(ctx, out, o)
	case args[0] == "move" && len(o.args) == 2:
		return moveKey(ctx, out, o.control, o.args[0], o.args[1])
	case args[0] == "carry" && len(o.shards) > 0:
		return carry(ctx, os.Stdin, o.shards)
	}
	return errors.New("want control --shards, shard --name, put KEY VALUE, get KEY, move KEY SHARD, carry --shards, or nothing")
}

func parse(name string, args []string) (*options, error) {
	o := &options{shards: map[string]string{}}
	flags := flag.NewFlagSet("kv "+name, flag.ContinueOnError)
	flags.StringVar(&o.listen, "listen", "127.0.0.1:0", "address to listen on")
	flags.StringVar(&o.control, "control", "http://127.0.0.1:7000", "address of control")
	flags.DurationVar(&o.poll, "poll", client.Default().Poll, "how often the routing document is looked at")
	flags.StringVar(&o.name, "name", "", "name of the shard")
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

package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"

	"firebreak/routing"
	"firebreak/routing/client"
)

const (
	demoShards  = 4
	demoClients = 3
	demoKeys    = 24 // each has a writer of its own
)

// tally is what the writers of the demo saw.
type tally struct {
	mu      sync.Mutex
	written map[string]int // the last value that was acknowledged, by key
	count   int
	slowest time.Duration
	wrong   []string // reads that gave less than was acknowledged
}

// demo runs control, shards and clients, moves virtual shards under traffic for so long, and says what became of the writes.
func demo(ctx context.Context, out io.Writer, d time.Duration) error {
	ctx, cancel := context.WithCancel(ctx)
	var parts sync.WaitGroup
	defer parts.Wait()
	defer cancel()
	controlAddress, err := startFleet(ctx, &parts)
	if err != nil {
		return err
	}
	var stores []*store
	for range demoClients {
		s, err := openStore(ctx, controlAddress, client.Default().Poll)
		if err != nil {
			return err
		}
		defer s.close()
		stores = append(stores, s)
	}
	_, _ = fmt.Fprintf(out, "%d shards, %d clients, a writer for each of %d keys\n", demoShards, demoClients, demoKeys)
	t := &tally{written: map[string]int{}}
	traffic, stop := context.WithCancel(ctx)
	var writers sync.WaitGroup
	for i := range demoKeys {
		writers.Go(func() { t.write(ctx, traffic, stores[i%demoClients], fmt.Sprint("key-", i)) })
	}
	err = moves(ctx, out, controlAddress, stores[0].router.Table(), time.Now().Add(d))
	stop()
	writers.Wait()
	if err != nil {
		return err
	}
	return t.settle(ctx, out, stores)
}

// moves takes one key's virtual shard after the other to the next shard, and back.
func moves(ctx context.Context, out io.Writer, controlAddress string, base *routing.Table, until time.Time) error {
	for i := 0; time.Now().Before(until); i++ {
		key := fmt.Sprint("key-", i/2%demoKeys)
		to := int(base.Locate(nil, []byte(key)).Shard)
		if i%2 == 0 {
			to = (to + 1) % demoShards
		}
		if err := moveKey(ctx, out, controlAddress, key, fmt.Sprint("shard-", to)); err != nil {
			return err
		}
	}
	return nil
}

// startFleet starts control and shards on addresses of their own, and gives control's.
func startFleet(ctx context.Context, parts *sync.WaitGroup) (string, error) {
	var config net.ListenConfig
	addresses := map[string]string{}
	var names []string
	var listeners []net.Listener
	for i := range demoShards + 1 {
		l, err := config.Listen(ctx, "tcp", "127.0.0.1:0")
		if err != nil {
			return "", err
		}
		listeners = append(listeners, l)
		if i < demoShards {
			names = append(names, "shard-"+strconv.Itoa(i))
			addresses[names[i]] = "http://" + l.Addr().String()
		}
	}
	b, err := newBoard(names, addresses)
	if err != nil {
		return "", err
	}
	start := func(l net.Listener, h http.Handler) {
		parts.Go(func() { _ = serve(ctx, l, h) }) // ends with ctx
	}
	start(listeners[demoShards], b.handler())
	controlAddress := "http://" + listeners[demoShards].Addr().String()
	for i, name := range names {
		s, err := openShard(ctx, controlAddress, name, client.Default().Poll)
		if err != nil {
			return "", err
		}
		parts.Go(func() { <-ctx.Done(); s.close() })
		start(listeners[i], s.handler())
	}
	return controlAddress, nil
}

// write counts a key up until traffic ends, and reads after each write what it wrote.
func (t *tally) write(ctx, traffic context.Context, s *store, key string) {
	for n := 1; traffic.Err() == nil; n++ {
		began := time.Now()
		if err := s.put(ctx, key, strconv.Itoa(n)); err != nil {
			continue // not acknowledged: it may be there or not
		}
		took := time.Since(began)
		t.mu.Lock()
		t.written[key] = n
		t.count++
		t.slowest = max(t.slowest, took)
		t.mu.Unlock()
		if value, found, err := s.get(ctx, key); err == nil && (!found || value != strconv.Itoa(n)) {
			t.mu.Lock()
			t.wrong = append(t.wrong, fmt.Sprintf("%s: %q after %d was written", key, value, n))
			t.mu.Unlock()
		}
		time.Sleep(time.Millisecond)
	}
}

// settle reads every key once more, by every client, and says whether an acknowledged write is lost.
func (t *tally) settle(ctx context.Context, out io.Writer, stores []*store) error {
	lost := len(t.wrong)
	for key, want := range t.written {
		for _, s := range stores {
			value, _, err := s.get(ctx, key)
			if err != nil {
				return err
			}
			if n, err := strconv.Atoi(value); err != nil || n < want {
				t.wrong = append(t.wrong, fmt.Sprintf("%s: %q at the end, %d was written", key, value, want))
				lost++
			}
		}
	}
	_, _ = fmt.Fprintf(out, "%d writes acknowledged, the slowest after %v; lost: %d\n", t.count, t.slowest.Round(time.Millisecond), lost)
	if lost > 0 {
		return fmt.Errorf("lost: %v", t.wrong)
	}
	return nil
}

package client_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/twmb/franz-go/pkg/kgo"

	"firebreak/routing/client"
	"firebreak/routing/httpsource"
	"firebreak/routing/kafka"
)

// The functions of this file are shown in docs/client.md, and a test compares the two. They run against real shards in examples/kv.

func openRouter(ctx context.Context, token string) (*client.Router, error) {
	source, err := httpsource.New("https://firebreak.example.com/routing/fleets/orders", token, nil)
	if err != nil {
		return nil, err
	}
	cfg := client.Default()
	cfg.Fleet = "orders"
	cfg.File = "/var/lib/orders/routing.json"
	cfg.Registerer = prometheus.DefaultRegisterer
	cfg.Spaces = []client.Space{{Prefix: "likes:", Kind: client.KindCounter}}
	return client.Open(ctx, source, cfg)
}

func put(ctx context.Context, r *client.Router, addresses map[string]string, tenant, key, value string) error {
	_, err := r.Do(ctx, client.Write, []byte(tenant), []byte(key), func(ctx context.Context, t client.Target) error {
		address := addresses[t.Shard] + "/kv?key=" + url.QueryEscape(string(t.Key))
		req, err := http.NewRequestWithContext(ctx, http.MethodPut, address, strings.NewReader(value))
		if err != nil {
			return err
		}
		client.SetVersion(req.Header, &t)
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			return err
		}
		defer resp.Body.Close()
		if err := client.Refusal(resp.StatusCode, resp.Header); err != nil {
			return err
		}
		if resp.StatusCode >= 300 {
			return errors.New(resp.Status)
		}
		return nil
	})
	return err
}

func likes(ctx context.Context, r *client.Router, shards map[string]*sql.DB, key string) (int64, error) {
	answer, err := client.Gather(ctx, r, nil, []byte(key), client.Sum[int64](), func(ctx context.Context, t client.Target) (client.Part[int64], error) {
		var p client.Part[int64]
		row := shards[t.Shard].QueryRowContext(ctx, "SELECT n FROM likes WHERE key = $1", t.Key)
		err := row.Scan(&p.Value)
		if errors.Is(err, sql.ErrNoRows) {
			return client.Part[int64]{Absent: true}, nil
		}
		return p, err
	})
	return answer.Value, err
}

func home(ctx context.Context, pages *client.Cache[string], read func(ctx context.Context, key string) (string, error)) (string, error) {
	return pages.Load(ctx, nil, []byte("home"), func(ctx context.Context) (string, error) { return read(ctx, "home") })
}

func serveShard(ctx context.Context, source client.Source, kv http.Handler) (*client.Guard, http.Handler, error) {
	cfg := client.Default()
	cfg.Fleet = "orders"
	guard, err := client.OpenGuard(ctx, source, "orders-7", cfg)
	if err != nil {
		return nil, nil, err
	}
	return guard, guard.Handler(kv, func(r *http.Request) (tenant, key []byte, ok bool) {
		query := r.URL.Query()
		return []byte(query.Get("tenant")), []byte(query.Get("key")), true
	}), nil
}

func decide(r *client.Router, tenant, key []byte) (addresses []string, err error) {
	d := r.Decide(client.Read, tenant, key)
	if d.Err != nil {
		return nil, d.Err
	}
	for _, p := range d.AppendPieces(nil) {
		addresses = append(addresses, fmt.Sprintf("%s/%s", d.ShardOf(p), d.AppendKey(nil, p)))
	}
	// ... ask them ...
	stale, err := r.Check(&d)
	if stale {
		fmt.Println("a later document may have been in force")
	}
	return addresses, err
}

func limited(ctx context.Context, r *client.Router, w http.ResponseWriter, tenant string) bool {
	err := r.Admit(ctx, []byte(tenant))
	if over, ok := errors.AsType[*client.OverQuota](err); ok {
		w.Header().Set("Retry-After", fmt.Sprint(int(over.RetryAfter/time.Second)+1))
		http.Error(w, "over quota", http.StatusTooManyRequests)
	}
	return err == nil
}

func serveRouting(source client.Source, token string) http.Handler {
	return httpsource.NewHandler(source, token)
}

func onKafka(brokers []string) (source client.Source, closeAll func(), err error) {
	log, err := kafka.Open([]kgo.Opt{kgo.SeedBrokers(brokers...)}, "firebreak")
	if err != nil {
		return nil, nil, err
	}
	return log.Source("orders"), log.Close, nil
}

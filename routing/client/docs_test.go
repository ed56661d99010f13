package client_test

import (
	"context"
	"database/sql"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"firebreak/routing"
	"firebreak/routing/client"
	"firebreak/routing/control"
	"firebreak/routing/kafka"
)

// TestDocs: every block of Go in docs/client.md is, to the byte, one of the functions that are compiled here.
func TestDocs(t *testing.T) {
	text, err := os.ReadFile("../../docs/client.md")
	if err != nil {
		t.Fatal(err)
	}
	code, err := os.ReadFile("example_test.go")
	if err != nil {
		t.Fatal(err)
	}
	blocks := strings.Split(string(text), "```go\n")[1:]
	if len(blocks) < 6 {
		t.Errorf("%d blocks", len(blocks))
	}
	for _, b := range blocks {
		b, _, _ = strings.Cut(b, "```")
		if !strings.Contains(string(code), "\n"+b) {
			t.Errorf("not compiled:\n%s", b)
		}
	}
}

// TestDocsRun: the functions shown do what the text says, on a real connection where they need one.
func TestDocsRun(t *testing.T) {
	d, err := routing.Adopt("orders", routing.Placement{Bytes: "key", Function: routing.XXH64, Map: routing.ModN}, []routing.Shard{{Name: "orders-7", Role: routing.Serving}})
	if err != nil {
		t.Fatal(err)
	}
	d.Quotas = []routing.Quota{{Tenant: "t", Rate: 0.5}}
	d.Cached = []routing.CachedKey{{Key: "home", Staleness: time.Minute}}
	source := still{d}
	values := map[string]string{}
	guard, handler, err := serveShard(t.Context(), source, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		values[r.FormValue("key")] = string(b)
	}))
	if err != nil {
		t.Fatal(err)
	}
	defer guard.Close()
	if err := guard.Settled(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	shard := httptest.NewServer(handler)
	defer shard.Close()
	defer http.DefaultClient.CloseIdleConnections()
	cfg := client.Default()
	cfg.Fleet = "orders"
	cfg.Spaces = []client.Space{{Prefix: "likes:", Kind: client.KindCounter}}
	r, err := client.Open(t.Context(), source, cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if err := put(t.Context(), r, map[string]string{"orders-7": shard.URL}, "a", "k", "v"); err != nil || values["k"] != "v" {
		t.Errorf("%v, %v", err, values)
	}
	if addresses, err := decide(r, nil, []byte("k")); err != nil || len(addresses) != 1 || addresses[0] != "orders-7/k" {
		t.Errorf("%v, %v", addresses, err)
	}
	loads := 0
	pages := client.NewCache[string](r)
	for range 3 {
		page, err := home(t.Context(), pages, func(_ context.Context, key string) (string, error) { loads++; return key, nil })
		if page != "home" || err != nil || loads != 1 {
			t.Errorf("%q, %v after %d loads", page, err, loads)
		}
	}
	w := httptest.NewRecorder()
	if !limited(t.Context(), r, w, "t") || limited(t.Context(), r, w, "t") || w.Code != http.StatusTooManyRequests || w.Header().Get("Retry-After") == "" {
		t.Errorf("answered %d", w.Code)
	}
	answer := httptest.NewRecorder()
	serveRouting(source, "a-long-token").ServeHTTP(answer, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/head", nil))
	if answer.Code != http.StatusUnauthorized {
		t.Errorf("%d without a token", answer.Code)
	}
	short, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	if _, err := openRouter(short, ""); err == nil {
		t.Error("no error from a host that does not exist")
	}
	if _, err := likes(t.Context(), r, map[string]*sql.DB{}, "other"); err == nil {
		t.Error("an undeclared key is gathered")
	}
}

// TestDocsOnKafka: the source shown reads what a store of the same group wrote.
func TestDocsOnKafka(t *testing.T) {
	c, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(1, kafka.StateTopic("firebreak"), kafka.ClientsTopic("firebreak")))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	l, err := kafka.Open([]kgo.Opt{kgo.SeedBrokers(c.ListenAddrs()...)}, "firebreak")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	d, err := routing.Adopt("orders", routing.Placement{Bytes: "key", Function: routing.XXH64, Map: routing.ModN}, routing.NumberedShards(4))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := l.Store("orders").Write(t.Context(), control.At{}, control.First(d)); err != nil {
		t.Fatal(err)
	}
	source, closeAll, err := onKafka(c.ListenAddrs())
	if err != nil {
		t.Fatal(err)
	}
	defer closeAll()
	cfg := client.Default()
	cfg.Fleet = "orders"
	r, err := client.Open(t.Context(), source, cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if r.Table().Shards() != 4 {
		t.Errorf("%d shards", r.Table().Shards())
	}
}

// still is a source of one document.
type still struct{ d *routing.Document }

func (s still) Head(context.Context) (control.Head, error) {
	return control.Head{Epoch: s.d.Epoch, Version: s.d.Version, Clients: 1}, nil
}

func (s still) Document(context.Context, control.Head) (*routing.Document, error) { return s.d, nil }
func (still) Confirm(context.Context, control.Confirmation) error                 { return nil }

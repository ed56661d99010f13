package main

import (
	"net/http"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"firebreak/routing/client"
	"firebreak/routing/httpsource"
)

// TestRouteServed: an application that has neither Kafka nor DynamoDB routes by what a person sets, is counted among the clients, and goes
// on when every instance is gone.
func TestRouteServed(t *testing.T) {
	if testing.Short() {
		t.Skip("takes half a minute of real time")
	}
	t.Parallel()
	const token = "a-token-of-sixteen-bytes"
	r, config := newRouter(t)
	address := free(t)
	config += "state: {serve: {listen: \"" + address + "\", tokens: [{name: carts, token: " + token + "}]}}\n"
	if err := os.WriteFile(r.path, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	live := startRun(t, config)
	eventually(t, 40*time.Second, "there is a routing", func() bool { _, err := r.try("show"); return err == nil })
	for path, want := range map[string]int{"fleets/orders/head": http.StatusUnauthorized, "fleets/nope/head": http.StatusUnauthorized, "": http.StatusNotFound} {
		resp, err := http.Get("http://" + address + "/routing/" + path) //nolint:noctx // of this process
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		if resp.StatusCode != want {
			t.Errorf("%q without a token: %d, want %d", path, resp.StatusCode, want)
		}
	}
	source, err := httpsource.New("http://"+address+"/routing/fleets/orders", token, nil)
	if err != nil {
		t.Fatal(err)
	}
	cfg := client.Default()
	cfg.Fleet, cfg.Name, cfg.Poll = "orders", "carts-1", time.Second
	app, err := client.Open(t.Context(), source, cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer app.Close()
	key := []byte("cart:17")
	was := app.Decide(client.Write, nil, key)
	vshard := regexp.MustCompile(`virtual shard (\d+)`).FindStringSubmatch(r.ok("virtual shard", "get", "--key", string(key)))[1]
	to := "shard-7"
	if was.Piece.Shard == 7 {
		to = "shard-6"
	}
	r.ok("done", "set", "vshard/"+vshard+"="+to, "--if-version", r.version(), "--reason", "it is hot", "--by", "ann", "--yes")
	moved := func() bool {
		d := app.Decide(client.Write, nil, key)
		return app.Table().Document().Shards[d.Piece.Shard].Name == to
	}
	eventually(t, 15*time.Second, "the application routes by it", moved)
	eventually(t, 30*time.Second, "it is seen to hold it", func() bool {
		out, err := r.try("show")
		return err == nil && strings.Contains(out, "1 confirmed of late, 1 of them this version")
	})
	live.end(t)
	time.Sleep(2 * time.Second)
	if !moved() {
		t.Error("it does not go on without an instance")
	}
}

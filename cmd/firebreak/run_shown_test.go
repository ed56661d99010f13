package main

import (
	"context"
	"io"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	fake "firebreak/internal/fakes/dynamo"
)

// TestStoreThrottles is S07 as people see it: while the table throttles, the instance stays ready and the decider; its readiness, metrics, page
// and the command say since when the store is paused; afterwards they say that it serves, and what was asked for meanwhile is done, once.
func TestStoreThrottles(t *testing.T) {
	if testing.Short() {
		t.Skip("takes half a minute of real time")
	}
	table, endpoint := tableRig(t)
	r, config := newRouter(t)
	config += "state: {dynamodb: {table: firebreak, region: eu-west-1, endpoint: \"" + endpoint + "\"}}\n"
	if err := os.WriteFile(r.path, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, said := createdTable(t, "--table", "firebreak", "--endpoint", endpoint); code != exitOK {
		t.Fatal(said)
	}
	live := startRun(t, config)
	defer live.end(t)
	says := func(listener, path, want string) {
		t.Helper()
		eventually(t, 40*time.Second, path+" says "+want, func() bool { return strings.Contains(live.ask(listener, path), want) })
	}
	says("admin", "/-/ready?verbose", "ready      routing of orders\n")
	says("console", "/status", ", version ")
	says("admin", "/metrics", `firebreak_decider 1`)
	r.ok("store          serves", "show")
	version := r.version()

	table.Break(fake.Fault{Say: fake.Throttled, Times: -1})
	says("admin", "/-/ready?verbose", "aside      routing of orders: paused: throttled, since 20")
	says("admin", "/metrics", `firebreak_routing_store_trouble{fleet="orders",reason="throttled"} 1`)
	says("console", "/status", "paused: throttled, since ")
	if ready := live.page("/-/ready"); !regexp.MustCompile(`^200 OK\nready\n$`).MatchString(ready) {
		t.Errorf("the instance is not ready without its store: %q", ready)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
	defer cancel()
	if err := run(ctx, []string{"route", "show", "--config", r.path}, nil, io.Discard, io.Discard); err == nil || !strings.Contains(err.Error(), "the store is paused: throttled, since ") {
		t.Errorf("route show: %v", err)
	}
	asked := make(chan string, 1)
	go func() {
		out, err := r.try("set", "quota/acme=500", "--reason", "it is hot", "--by", "ann", "--if-version", version, "--yes")
		if err != nil {
			out += err.Error()
		}
		asked <- out
	}()
	time.Sleep(3 * time.Second)
	says("admin", "/metrics", `firebreak_decider 1`)

	table.Quiet()
	says("admin", "/-/ready?verbose", "ready      routing of orders\n")
	says("admin", "/metrics", `firebreak_routing_store_trouble{fleet="orders",reason="throttled"} 0`)
	if out := <-asked; !strings.Contains(out, "done: the routing of orders stands at version") {
		t.Errorf("what was asked for meanwhile: %s", out)
	}
	if got := r.ok("quota/acme", "show"); !strings.Contains(got, "epoch ") || r.version() == version {
		t.Errorf("it stands where it stood:\n%s", got)
	}
}

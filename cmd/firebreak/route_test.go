package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"firebreak/pipeline/kafka"
	routingkafka "firebreak/routing/kafka"
)

// TestOurTopicsHaveOneName: who makes the topics of routing, and who reads them, call them the same.
func TestOurTopicsHaveOneName(t *testing.T) {
	if kafka.StateTopic("g") != routingkafka.StateTopic("g") || kafka.ClientsTopic("g") != routingkafka.ClientsTopic("g") {
		t.Error("the topics of routing have two names")
	}
}

// router runs `firebreak route` on a broker inside the process.
type router struct {
	t    *testing.T
	path string // of the configuration
}

func newRouter(t *testing.T) (*router, string) {
	t.Helper()
	c, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(4, "requests"),
		kfake.BrokerConfigs(map[string]string{"group.min.session.timeout.ms": "1000", "group.initial.rebalance.delay.ms": "0"}))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	config := fmt.Sprintf(runConfig, strings.Join(c.ListenAddrs(), ","), "http://127.0.0.1:1/")
	path := filepath.Join(t.TempDir(), "firebreak.yml")
	if err := os.WriteFile(path, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	return &router{t, path}, config
}

func (r *router) try(args ...string) (string, error) {
	r.t.Helper()
	var out bytes.Buffer
	err := run(r.t.Context(), append(append([]string{"route"}, args...), "--config", r.path), nil, &out, &out)
	return out.String(), err
}

// ok wants a command to succeed and to say something.
func (r *router) ok(want string, args ...string) string {
	r.t.Helper()
	out, err := r.try(args...)
	if err != nil || !strings.Contains(out, want) {
		r.t.Fatalf("route %s: %v, want %q in:\n%s", strings.Join(args, " "), err, want, out)
	}
	return out
}

// no wants a command to be refused with a reason.
func (r *router) no(want string, args ...string) {
	r.t.Helper()
	out, err := r.try(args...)
	if err == nil || !strings.Contains(err.Error(), want) {
		r.t.Errorf("route %s: %v, want %q; it said:\n%s", strings.Join(args, " "), err, want, out)
	}
}

// version is where the routing stands.
func (r *router) version() string {
	r.t.Helper()
	found := regexp.MustCompile(`epoch \d+, version (\d+)`).FindStringSubmatch(r.ok("stands at", "show"))
	if found == nil {
		r.t.Fatal("no version is said")
	}
	return found[1]
}

// TestRoute: a person changes the routing through the instance that decides, and without one; everybody reads the same, and the history
// says who did what and why.
func TestRoute(t *testing.T) {
	if testing.Short() {
		t.Skip("takes half a minute of real time")
	}
	t.Parallel()
	r, config := newRouter(t)
	r.no("there is no routing yet", "show")
	live := startRun(t, config)
	eventually(t, 40*time.Second, "an instance looks after the routing", func() bool {
		out, err := r.try("show")
		return err == nil && strings.Contains(out, "stands at")
	})
	why := []string{"--reason", "shard-0 is full", "--by", "ann"}
	at := func(version string, args ...string) []string {
		return append(append(args, "--if-version", version), why...)
	}
	v := r.version()
	r.ok("nothing was changed", at(v, "set", "vshard/17=shard-3", "quota/acme=500")...)
	if r.version() != v {
		t.Error("a dry run changed the version")
	}
	r.ok("vshard/17   (none)  ->  shard-3", at(v, "set", "vshard/17=shard-3", "quota/acme=500", "--yes")...)
	r.no("made for version "+v, at(v, "set", "quota/acme=9", "--yes")...)
	backup := filepath.Join(t.TempDir(), "orders.json")
	if err := os.WriteFile(backup, []byte(r.ok(`"quotas"`, "export")), 0o600); err != nil {
		t.Fatal(err)
	}
	r.ok("done", at(r.version(), "set", "quota/acme=9", "--yes")...)
	r.ok("quota/acme  9  ->  500", "diff", backup)
	r.ok("done", at(r.version(), "import", backup, "--yes")...)
	r.ok("nothing differs", "diff", backup)
	r.ok("quota/acme", "show")
	r.ok("quota of \"acme\"", "get", "--tenant", "acme", "--key", "k1")
	r.no("--key: want which one", "get", "--tenant", "acme")
	live.end(t)

	r.no("nobody answered", at(r.version(), "set", "quota/acme=8", "--yes")...)
	r.ok("done", at(r.version(), "set", "quota/acme=8", "--yes", "--direct")...)
	r.ok("quota/acme     8", "show")
	history := r.ok("ann", "history")
	if strings.Contains(history, "500 -> 8") {
		t.Error("the journal has what no instance has told it")
	}
	live = startRun(t, config)
	eventually(t, 40*time.Second, "the next instance tells the journal", func() bool {
		out, err := r.try("history")
		return err == nil && strings.Contains(out, "quota/acme: 500 -> 8")
	})
	for _, want := range []string{"set by ann: version", "vshard/17: (none) -> shard-3", "import by ann", "(shard-0 is full)"} {
		if !strings.Contains(history, want) {
			t.Errorf("the history lacks %q:\n%s", want, history)
		}
	}
	live.end(t)

	r.lose(config)
	live = startRun(t, config)
	eventually(t, 40*time.Second, "it does not begin anew", func() bool { return strings.Contains(live.log.String(), "the journal knows version") })
	r.no("there is no routing yet", "show")
	r.ok("begins at version", append([]string{"import", backup, "--if-version", "0", "--direct", "--yes"}, why...)...)
	eventually(t, 40*time.Second, "it goes on with the backup", func() bool {
		out, err := r.try("show")
		return err == nil && strings.Contains(out, "quota/acme     500")
	})
	live.end(t)
}

// lose deletes the topic of states and makes an empty one.
func (r *router) lose(config string) {
	r.t.Helper()
	client, err := kgo.NewClient(kgo.SeedBrokers(regexp.MustCompile(`127\.0\.0\.1:\d+`).FindString(config)))
	if err != nil {
		r.t.Fatal(err)
	}
	defer client.Close()
	if _, err := kadm.NewClient(client).DeleteTopics(r.t.Context(), kafka.StateTopic("watch")); err != nil {
		r.t.Fatal(err)
	}
	if err := (&kafka.Ensure{Client: client}).EnsureTopics(r.t.Context(), kafka.Topics("watch", time.Minute)); err != nil {
		r.t.Fatal(err)
	}
}

// TestRouteOnDynamoDB: the same where the routing is in a table.
func TestRouteOnDynamoDB(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a quarter of a minute of real time")
	}
	_, endpoint := tableRig(t)
	r, config := newRouter(t)
	config += "state: {dynamodb: {table: firebreak, region: eu-west-1, endpoint: \"" + endpoint + "\"}}\n"
	if err := os.WriteFile(r.path, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, said := createdTable(t, "--table", "firebreak", "--endpoint", endpoint); code != exitOK {
		t.Fatal(said)
	}
	doctor := func(want string) {
		t.Helper()
		var out bytes.Buffer
		if err := run(t.Context(), []string{"doctor", "--config", r.path}, nil, &out, &out); !strings.Contains(out.String(), want) {
			t.Errorf("doctor: %v, want %q:\n%s", err, want, out.String())
		}
	}
	doctor("table firebreak: fleet orders: has no routing of it yet")
	live := startRun(t, config)
	eventually(t, 40*time.Second, "an instance looks after the routing", func() bool { _, err := r.try("show"); return err == nil })
	doctor("table firebreak: fleet orders: its routing can be read")
	why := []string{"--reason", "it is hot", "--by", "ann", "--if-version", r.version()}
	r.ok("done", append([]string{"set", "quota/acme=500", "--yes"}, why...)...)
	r.ok("quota/acme     500", "show")
	r.ok("quota/acme: (none) -> 500", "history")
	live.end(t)
}

// TestRouteRefuses what cannot be meant, before anything is asked for.
func TestRouteRefuses(t *testing.T) {
	r, _ := newRouter(t)
	for want, args := range map[string][]string{
		"--reason":           {"set", "quota/a=1", "--if-version", "1", "--by", "ann"},
		"--if-version":       {"set", "quota/a=1", "--reason", "x", "--by", "ann"},
		"ENTRY=VALUE":        {"set", "quota/a", "--reason", "x", "--by", "ann", "--if-version", "1"},
		"king/a":             {"set", "king/a=1", "--reason", "x", "--by", "ann", "--if-version", "1"},
		"no fleet is called": {"show", "--fleet", "nope"},
		"no such file":       {"import", "/does/not/exist.json", "--reason", "x", "--by", "ann", "--if-version", "1"},
		"--key":              {"get"},
	} {
		r.no(want, args...)
	}
}

// TestRouteBegins: a fleet whose store was lost begins with its backup, and only with one that lies by its base map.
func TestRouteBegins(t *testing.T) {
	if testing.Short() {
		t.Skip("takes half a minute of real time")
	}
	t.Parallel()
	r, config := newRouter(t)
	live := startRun(t, config)
	eventually(t, 40*time.Second, "there is a routing", func() bool { _, err := r.try("show"); return err == nil })
	backup := filepath.Join(t.TempDir(), "orders.json")
	if err := os.WriteFile(backup, []byte(r.ok(`"schema"`, "export")), 0o600); err != nil {
		t.Fatal(err)
	}
	live.end(t)
	lost, _ := newRouter(t) // another broker, which has none of our topics
	args := []string{"import", backup, "--if-version", "0", "--reason", "the topic was lost", "--by", "ann"}
	lost.no("--direct", args...)
	lost.ok("nothing was changed", append(args, "--direct")...)
	lost.ok("begins at version", append(args, "--direct", "--yes")...)
	lost.ok("nothing differs", "diff", backup)
	lost.no("the fleet has a routing", append(args, "--direct", "--yes")...)
}

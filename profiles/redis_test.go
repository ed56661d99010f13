package profiles

import (
	"context"
	"fmt"
	"net"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"firebreak/internal/line"
	"firebreak/policy"
	"firebreak/routing"
)

// TestRedisCluster: what redis-cluster.yml says is possible is done by its commands, run as they are against real masters: a new master
// joins, slots go to another master with their keys, and so does the slot of one key; every key is there afterwards.
func TestRedisCluster(t *testing.T) {
	for _, program := range []string{"redis-server", "redis-cli"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("%s is not installed: the commands are not run against a real cluster", program)
		}
	}
	c := newRedis(t, 4)
	c.cli("--cluster", "create", c.at(0), c.at(1), c.at(2), "--cluster-yes")
	eventually(t, func() bool { return strings.Contains(c.cli("-p", c.ports[2], "CLUSTER", "INFO"), "cluster_state:ok") })
	const keys = 100
	for i := range keys {
		c.cli("-c", "-p", c.ports[0], "SET", fmt.Sprintf("key %d", i), strconv.Itoa(i))
	}
	table := c.table()
	store, err := Open(c.choice(), "")
	if err != nil {
		t.Fatal(err)
	}
	c.run(store, &line.Step{Kind: policy.StepAddShards.String(), Shards: []line.Name{"shard-3"}}, table)
	for _, port := range c.ports { // or a move would be refused by those that have not heard of it
		eventually(t, func() bool {
			return strings.Contains(c.cli("-p", port, "CLUSTER", "NODES"), c.id(3)) && strings.Contains(c.cli("-p", port, "CLUSTER", "INFO"), "cluster_state:ok")
		})
	}

	split := &line.Step{Kind: policy.StepMove.String()}
	for slot := range 8 {
		split.Moves = append(split.Moves, line.Move{VShard: slot, To: "shard-1"}, line.Move{VShard: 100 + slot, To: "shard-3"})
	}
	c.run(store, split, table)
	key := "key 7"
	c.run(store, &line.Step{Kind: policy.StepPlaceKey.String(), Key: line.Name(key), Shards: []line.Name{"shard-3"}}, table)

	slot := int(table.VShard(nil, []byte(key)))
	for _, n := range c.ports[:3] {
		eventually(t, func() bool {
			return c.owner(n, slot) == c.id(3) && c.owner(n, 3) == c.id(1) && c.owner(n, 103) == c.id(3)
		})
	}
	for i := range keys {
		if got := c.cli("-c", "-p", c.ports[0], "GET", fmt.Sprintf("key %d", i)); got != strconv.Itoa(i) {
			t.Fatalf("key %d is %q", i, got)
		}
	}
	if out := c.cli("--cluster", "check", c.at(1)); !strings.Contains(out, "All 16384 slots covered") || strings.Contains(out, "open slots:") {
		t.Error(out)
	}
}

// redis is some real masters on this machine.
type redis struct {
	t     *testing.T
	ports []string
}

func newRedis(t *testing.T, n int) *redis {
	t.Helper()
	c := &redis{t: t}
	for range n {
		port := freePort(t)
		dir := t.TempDir()
		ctx, stop := context.WithCancel(context.Background())
		cmd := exec.CommandContext(ctx, "redis-server", "--port", port, "--bind", "127.0.0.1", "--cluster-enabled", "yes", "--dir", dir,
			"--save", "", "--appendonly", "no", "--logfile", filepath.Join(dir, "log"), "--cluster-node-timeout", "5000")
		if err := cmd.Start(); err != nil {
			stop()
			t.Fatal(err)
		}
		t.Cleanup(func() { stop(); _ = cmd.Wait() })
		c.ports = append(c.ports, port)
	}
	for _, port := range c.ports {
		eventually(t, func() bool {
			out, err := exec.CommandContext(t.Context(), "redis-cli", "-p", port, "PING").Output()
			return err == nil && strings.HasPrefix(string(out), "PONG")
		})
	}
	return c
}

// freePort is a port whose cluster bus, 10,000 above, is a port too.
func freePort(t *testing.T) string {
	t.Helper()
	for {
		l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		port := l.Addr().(*net.TCPAddr).Port
		_ = l.Close()
		if port < 55_000 {
			return strconv.Itoa(port)
		}
	}
}

func (c *redis) at(i int) string { return "127.0.0.1:" + c.ports[i] }

func (c *redis) cli(args ...string) string {
	c.t.Helper()
	out, err := exec.CommandContext(c.t.Context(), "redis-cli", args...).CombinedOutput()
	if err != nil {
		c.t.Fatalf("redis-cli %q: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func (c *redis) id(i int) string { return c.cli("-p", c.ports[i], "CLUSTER", "MYID") }

// owner is the node id that a master takes for the one of a slot.
func (c *redis) owner(port string, slot int) string {
	for l := range strings.SplitSeq(c.cli("-p", port, "CLUSTER", "NODES"), "\n") {
		fields := strings.Fields(l)
		for _, run := range fields[min(8, len(fields)):] {
			first, last, ranged := strings.Cut(run, "-")
			if !ranged {
				last = first
			}
			a, errA := strconv.Atoi(first)
			b, errB := strconv.Atoi(last)
			if errA == nil && errB == nil && slot >= a && slot <= b {
				return fields[0]
			}
		}
	}
	return ""
}

func (c *redis) choice() Choice {
	out := Choice{Name: "redis-cluster", Set: map[string]string{"entry": c.at(0)}, Shards: map[string]map[string]string{}}
	for i, port := range c.ports {
		out.Shards[fmt.Sprintf("shard-%d", i)] = map[string]string{"id": c.id(i), "host": "127.0.0.1", "port": port}
	}
	return out
}

// table is the routing of the cluster as firebreak adopts it, with the slots as their masters have them.
func (c *redis) table() *routing.Table {
	c.t.Helper()
	doc, err := routing.Adopt("f", routing.Placement{Bytes: "key", Function: routing.RedisSlot, Map: routing.List}, routing.NumberedShards(3))
	if err != nil {
		c.t.Fatal(err)
	}
	table, err := routing.NewTable(doc)
	if err != nil {
		c.t.Fatal(err)
	}
	for _, slot := range []int{0, 8191, 16383} {
		if got, want := owner(table, slot), c.owner(c.ports[0], slot); c.choice().Shards[got]["id"] != want {
			c.t.Fatalf("slot %d: firebreak says %s, the cluster %s", slot, got, want)
		}
	}
	return table
}

// run makes a step of a plan by the commands of the profile.
func (c *redis) run(s *Store, step *line.Step, table *routing.Table) {
	c.t.Helper()
	commands, err := s.Commands(step, Where{Table: table})
	if err != nil {
		c.t.Fatal(err)
	}
	for _, command := range commands {
		argv := make([]string, len(command.Argv))
		for i, a := range command.Argv {
			argv[i] = string(a)
		}
		cmd := exec.CommandContext(c.t.Context(), argv[0], argv[1:]...)
		cmd.Stdin = strings.NewReader(command.Stdin)
		if out, err := cmd.CombinedOutput(); err != nil {
			c.t.Fatalf("%q: %v\n%s", argv, err, out)
		}
	}
}

func eventually(t *testing.T, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); !ok(); {
		if time.Now().After(end) {
			t.Fatal("not within 30 s")
		}
		time.Sleep(50 * time.Millisecond)
	}
}

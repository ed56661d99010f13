package main

import (
	"bufio"
	"bytes"
	"context"
	"net"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	if os.Getenv("KV_RUN") != "" { // this binary is a part of the store
		main()
		return
	}
	goleak.VerifyTestMain(m)
}

// TestDemo: virtual shards move to another shard and back under traffic, and no acknowledged write is lost.
func TestDemo(t *testing.T) { demoLosesNothing(t, &options{}) }

func demoLosesNothing(t *testing.T, o *options) {
	t.Helper()
	var out bytes.Buffer
	err := demo(t.Context(), &out, o, 3*time.Second)
	http.DefaultClient.CloseIdleConnections()
	t.Log(out.String())
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(out.String(), "virtual shard"); n < 2 {
		t.Errorf("%d moves", n)
	}
	found := regexp.MustCompile(`(\d+) writes acknowledged, .*; lost: 0`).FindStringSubmatch(out.String())
	if found == nil {
		t.Fatal("no last line")
	}
	if n, err := strconv.Atoi(found[1]); err != nil || n < 10*demoKeys {
		t.Errorf("%d writes", n)
	}
}

// part starts a part of the store as a process of its own, and gives its address.
func part(t *testing.T, args ...string) string {
	t.Helper()
	cmd := command(t.Context(), args...)
	cmd.Stdout = nil
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	line, err := bufio.NewReader(stdout).ReadString('\n')
	_, address, ok := strings.Cut(strings.TrimSpace(line), " listens on ")
	if err != nil || !ok {
		t.Fatalf("%q, %v", line, err)
	}
	return address
}

func command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, os.Args[0], args...)
	cmd.Env = append(os.Environ(), "KV_RUN=1")
	cmd.Stderr = os.Stderr
	return cmd
}

// TestProcesses: control and shards as processes of their own; a value is where its virtual shard goes, whoever asks.
func TestProcesses(t *testing.T) { processes(t).tell() }

// fleet is a store whose parts are processes of their own.
type fleet struct {
	t       *testing.T
	routing []string // flags that say where the routing is
	control string
}

// processes starts control and two shards.
func processes(t *testing.T, routing ...string) *fleet {
	t.Helper()
	// Shards want control's address and control wants theirs: control starts first, with addresses that are taken then.
	addresses := []string{free(t), free(t)}
	f := &fleet{t: t, routing: routing}
	f.control = part(t, slices.Concat([]string{"control", "--shards", "shard-0=http://" + addresses[0] + ",shard-1=http://" + addresses[1]}, routing)...)
	for i, a := range addresses {
		part(t, slices.Concat([]string{"shard", "--listen", a, "--control", f.control, "--name", "shard-" + strconv.Itoa(i)}, routing)...)
	}
	t.Cleanup(http.DefaultClient.CloseIdleConnections)
	return f
}

// kv runs a command and wants it to say something.
func (f *fleet) kv(want string, args ...string) {
	f.t.Helper()
	args = slices.Concat(args[:1], []string{"--control", f.control}, f.routing, args[1:])
	out, err := command(f.t.Context(), args...).Output()
	if err != nil || !strings.Contains(string(out), want) {
		f.t.Errorf("%v: %q, %v, want %q", args, out, err, want)
	}
}

// tell puts a value and moves it from shard to shard.
func (f *fleet) tell() {
	f.t.Helper()
	f.kv("", "put", "color", "red")
	f.kv("red", "get", "color")
	for _, to := range []string{"shard-0", "shard-1", "shard-0"} {
		if to == owner(f.t, f.control, "color") {
			continue
		}
		f.kv(to+" has it", "move", "color", to)
		f.kv("red", "get", "color")
	}
	f.kv("", "put", "color", "blue")
	f.kv("blue", "get", "color")
	if _, err := command(f.t.Context(), slices.Concat([]string{"get", "--control", f.control}, f.routing, []string{"nothing"})...).Output(); err == nil {
		f.t.Error("a key that is not there is found")
	}
}

func TestWrongArguments(t *testing.T) {
	for _, args := range [][]string{{"put"}, {"shard"}, {"control"}, {"get", "--nothing"}, {"what"}} {
		if err := run(t.Context(), args, &bytes.Buffer{}); err == nil {
			t.Errorf("%v is taken", args)
		}
	}
}

// free is an address that nobody listens on.
func free(t *testing.T) string {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// owner is the shard that has a key now.
func owner(t *testing.T, control, key string) string {
	t.Helper()
	s, err := openStore(t.Context(), &options{control: control, poll: time.Second})
	if err != nil {
		t.Fatal(err)
	}
	defer s.close()
	d := s.router.Decide(0, nil, []byte(key))
	return d.Shard()
}

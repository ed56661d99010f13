package main

import (
	"bytes"
	"strings"
	"testing"
	"time"
)

// command runs a command of firebreak on the configuration of the router.
func (r *router) command(want string, args ...string) {
	r.t.Helper()
	var out bytes.Buffer
	if err := run(r.t.Context(), append(args, "--config", r.path), nil, &out, &out); err != nil || !strings.Contains(out.String(), want) {
		r.t.Fatalf("firebreak %s: %v, want %q in:\n%s", strings.Join(args, " "), err, want, out.String())
	}
}

// TestStop: a person stops acting through the instance that decides, and takes it back without one; the command, the metrics, the page and the
// history say by whom and why.
func TestStop(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a quarter of a minute of real time")
	}
	t.Parallel()
	r, config := newRouter(t)
	live := startRun(t, config)
	eventually(t, 40*time.Second, "an instance looks after the routing", func() bool { _, err := r.try("show"); return err == nil })
	fleet := func(do, reason string, more ...string) []string {
		return append([]string{do, "--fleet", "orders", "--reason", reason, "--by", "ann"}, more...)
	}
	r.ok("stopped        no", "show")
	r.command("acting on orders is not stopped", fleet("resume", "just so")...)
	r.command("done: acting on orders is stopped, at version ", fleet("stop", "the store is upgraded")...)
	r.ok("stopped        yes, by ann at 20", "show")
	r.ok(": the store is upgraded", "show")
	version := r.version()
	r.command("is stopped already, by ann at 20", fleet("stop", "once more")...)
	if r.version() != version {
		t.Error("what is stopped was stopped again")
	}
	for path, want := range map[string]string{"/status": ": the store is upgraded", "/api/v1/status": `"stopped":true,"stopped_by":"ann","stopped_reason":"the store is upgraded"`} {
		eventually(t, 20*time.Second, "the page says it", func() bool { return strings.Contains(live.ask("console", path), want) })
	}
	eventually(t, 20*time.Second, "the metrics say it", func() bool {
		return strings.Contains(live.page("/metrics"), `firebreak_acting_stopped{fleet="orders"} 1`)
	})
	r.ok("stop by ann: version "+version+" (the store is upgraded)", "history")
	live.end(t)
	r.command("done: acting on orders goes on, at version ", fleet("resume", "it is over", "--direct")...)
	r.ok("stopped        no", "show")
}

// TestStopRefuses what cannot be meant, before anything is asked for.
func TestStopRefuses(t *testing.T) {
	r, _ := newRouter(t)
	for want, args := range map[string][]string{
		"--reason":           {"stop", "--by", "ann"},
		"no fleet is called": {"stop", "--by", "ann", "--reason", "x", "--fleet", "nope"},
		"reason: 501 bytes":  {"resume", "--by", "ann", "--reason", strings.Repeat("x", 501)},
	} {
		var out bytes.Buffer
		if err := run(t.Context(), append(args, "--config", r.path), nil, &out, &out); err == nil || !strings.Contains(err.Error(), want) || exitCode(err) != exitUsage {
			t.Errorf("%v: %v, want %q", args, err, want)
		}
	}
}

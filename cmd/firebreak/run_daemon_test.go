package main

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
	"go.uber.org/goleak"
	"go.uber.org/zap"

	"firebreak/internal/config"
)

// daemonConfig is a configuration of one fleet, for a broker and an admin listener.
const daemonConfig = `
group: watch
kafka: {brokers: [%q]}
admin: {listen: %q}
fleets:
  - {name: orders, topics: [requests], shards: 8, placement: {bytes: key}, record: {preset: canonical, format: json}}
`

func daemonConfigOf(t *testing.T, broker, listen string) *config.Config {
	t.Helper()
	path := filepath.Join(t.TempDir(), "firebreak.yml")
	if err := os.WriteFile(path, fmt.Appendf(nil, daemonConfig, broker, listen), 0o600); err != nil {
		t.Fatal(err)
	}
	cfg, err := (&runFlags{config: path}).read()
	if err != nil {
		t.Fatal(err)
	}
	return cfg
}

// TestDaemonThatCannotBegin leaves nothing open, however far it came, and says why.
func TestDaemonThatCannotBegin(t *testing.T) {
	taken, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	// A log of deltas in two parts has no order.
	broker, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(4, "requests"), kfake.SeedTopics(2, "watch.panes"))
	if err != nil {
		t.Fatal(err)
	}
	defer broker.Close()
	for _, tt := range []struct {
		name, listen, want string
		standalone         bool
		change             func(*config.Config)
	}{
		{"no member", "", "session", false, func(c *config.Config) { c.Kafka.Session = 0 }},
		{"topics of ours are others'", "", "watch.panes", false, nil},
		{"no listener", taken.Addr().String(), "address already in use", true, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			cfg := daemonConfigOf(t, broker.ListenAddrs()[0], tt.listen)
			if tt.change != nil {
				tt.change(cfg)
			}
			before := goleak.IgnoreCurrent()
			d, err := newDaemon(cfg, "", tt.standalone, zap.NewNop())
			if err == nil {
				err = d.run(t.Context())
			}
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%v, want something about %q", err, tt.want)
			}
			goleak.VerifyNone(t, before)
		})
	}
}

// TestDaemonToldToEndAtOnce: who ends it before it reached a broker gets no error, and nothing is left open.
func TestDaemonToldToEndAtOnce(t *testing.T) {
	cfg := daemonConfigOf(t, free(t), "")
	before := goleak.IgnoreCurrent()
	d, err := newDaemon(cfg, "", false, zap.NewNop())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if err := d.run(ctx); err != nil {
		t.Error(err)
	}
	goleak.VerifyNone(t, before)
}

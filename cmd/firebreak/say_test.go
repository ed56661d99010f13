package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"firebreak/actuator"
	"firebreak/internal/config"
	"firebreak/internal/history"
	"firebreak/internal/line"
	"firebreak/pipeline/kafka"
)

// logsRig is a broker with the topics of a group, and a configuration that names it.
type logsRig struct {
	t    *testing.T
	logs *ourLogs
	path string // of the configuration
}

const rigConfig = `
group: fb
kafka: {brokers: %q}
fleets:
  - {name: orders, topics: [requests], shards: 4, placement: {bytes: key}, policy: {capacity: {total: 1000}}}
  - {name: carts, topics: [carts], shards: 2, placement: {bytes: key}}
%s`

// newLogsRig makes one; more is the rest of the configuration.
func newLogsRig(t *testing.T, more string) *logsRig {
	t.Helper()
	c, err := kfake.NewCluster(kfake.NumBrokers(1))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	client, err := kgo.NewClient(kgo.SeedBrokers(c.ListenAddrs()...), kgo.MetadataMinAge(100*time.Millisecond))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	if err := (&kafka.Ensure{Client: client, Replicas: 1}).EnsureTopics(t.Context(), kafka.Topics("fb", time.Hour)); err != nil {
		t.Fatal(err)
	}
	r := &logsRig{t: t, path: filepath.Join(t.TempDir(), "firebreak.yml")}
	text := fmt.Sprintf(rigConfig, c.ListenAddrs()[0], more)
	if err := os.WriteFile(r.path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	cfg, err := config.Parse(r.path, []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if r.logs, err = openLogs(cfg); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.logs.Close)
	return r
}

// verdict writes that a hotspot fired or resolved.
func (r *logsRig) verdict(id, fleet, shard string, phase actuator.Phase, load float64, at time.Time) {
	r.t.Helper()
	v := line.Verdict{
		Head: line.NewHead("verdict", fleet, line.Stamp(at)), Hotspot: line.Name(id), Shard: line.Name(shard), Cause: "hot_key", Key: "k", Severity: "warning",
		Phase: "firing", Fix: "salt", Load: line.Number(load), Line: 700, Target: 650, Capacity: 1000, Onset: line.Stamp(at.Add(-time.Minute)), Dimension: "total", LogPoint: "client",
		Share: line.Share{Value: 0.5, Low: 0.4, High: 0.6}, Window: line.Window{From: line.Stamp(at.Add(-time.Minute)), To: line.Stamp(at)}, Coverage: 1, Samples: 5000,
	}
	b, err := line.Encode(&v)
	if err != nil {
		r.t.Fatal(err)
	}
	r.entry(actuator.Entry{
		ID: actuator.NewID(id, phase.String(), at.String()), Fleet: fleet, At: at, Epoch: 1, Instance: "i", Kind: actuator.KindVerdict, Phase: phase, Hotspot: id,
		Line: bytes.TrimSpace(b),
	})
}

func (r *logsRig) entry(e actuator.Entry) {
	r.t.Helper()
	b, err := actuator.Encode(&e)
	if err == nil {
		_, err = r.logs.journal.Append(r.t.Context(), b)
	}
	if err != nil {
		r.t.Fatal(err)
	}
}

// minutes writes minutes to the history.
func (r *logsRig) minutes(all ...*history.Minute) {
	r.t.Helper()
	w := history.NewWriter()
	for _, m := range all {
		if err := w.AddMinute(m); err != nil {
			r.t.Fatal(err)
		}
	}
	if err := w.Flush(r.t.Context(), r.logs.history); err != nil {
		r.t.Fatal(err)
	}
}

// said are the entries of people in the journal.
func (r *logsRig) said() (out []actuator.Entry) {
	r.t.Helper()
	reader := actuator.NewReader()
	err := readLog(r.t.Context(), r.logs.journal, time.Now().Add(-time.Hour), func(e *kafka.Entry) {
		if entry, ok := reader.Read(e.Value); ok && entry.Kind.Spoken() {
			out = append(out, entry)
		}
	})
	if err != nil {
		r.t.Fatal(err)
	}
	return out
}

// firebreak runs a command, and gives what it printed and its error.
func (r *logsRig) firebreak(args ...string) (string, error) {
	r.t.Helper()
	var out, errs bytes.Buffer
	ctx, cancel := context.WithTimeout(r.t.Context(), 30*time.Second)
	defer cancel()
	err := run(ctx, append(args, "--config", r.path), strings.NewReader(""), &out, &errs)
	return out.String() + errs.String(), err
}

const (
	hotA = "4be1a7c0aaaaaaaaaaaaaaaaaaaaaaaa"
	hotB = "4be1a7c0bbbbbbbbbbbbbbbbbbbbbbbb"
	hotC = "99d0a7c0cccccccccccccccccccccccc"
)

// TestAccept: what a person says stands in the journal with the load of now, whoever decides, and mistakes are told with what
// may be meant.
func TestAccept(t *testing.T) {
	r := newLogsRig(t, "")
	now := time.Now().UTC().Truncate(time.Millisecond)
	r.verdict(hotA, "orders", "shard-1", actuator.PhaseFired, 900, now.Add(-2*time.Hour))
	r.verdict(hotB, "orders", "shard-2", actuator.PhaseFired, 800, now.Add(-time.Hour))
	r.verdict(hotC, "carts", "shard-0", actuator.PhaseFired, 800, now.Add(-time.Hour))
	r.verdict(hotC, "carts", "shard-0", actuator.PhaseResolved, 100, now.Add(-time.Minute))
	r.minutes(&history.Minute{Fleet: "orders", Start: now.Add(-time.Minute).Truncate(time.Minute), Covered: time.Minute, Shards: []history.Shard{
		{Name: "shard-0", Load: 5}, {Name: "shard-1", Load: 1200},
	}})
	t.Setenv("USER", "ann")
	out, err := r.firebreak("accept", hotA[:12], "--until", "3d", "--reason", "the nightly import")
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{hotA, `shard "shard-1" of "orders"`, "hot key", "accepted until", "until its load is 1,500/s"} {
		if !strings.Contains(out, part) {
			t.Errorf("%s\nwant %q", out, part)
		}
	}
	if out, err = r.firebreak("dismiss", hotC, "--by", "bob\x1b[2J", "--reason", "load test"); err != nil || !strings.Contains(out, "dismissed as a false alarm") {
		t.Errorf("%s, %v", out, err)
	}
	said := r.said()
	if len(said) != 2 {
		t.Fatalf("%d entries of people", len(said))
	}
	a, err := actuator.Read[actuator.Accepted](&said[0])
	if err != nil || a.By != "ann" || a.Load != 1200 || a.Reason != "the nightly import" || said[0].Hotspot != hotA || said[0].Epoch != 0 || said[0].Fleet != "orders" {
		t.Errorf("%+v %+v, %v", said[0], a, err)
	}
	if d := time.Time(a.Until).Sub(now); d < 71*time.Hour || d > 73*time.Hour {
		t.Errorf("until %v from now", d)
	}
	if d, err := actuator.Read[actuator.Dismissed](&said[1]); err != nil || d.By != "bob\x1b[2J" || said[1].Hotspot != hotC {
		t.Errorf("%+v, %v", d, err)
	}
}

// TestSayWrong: nothing is written, and the error says what may be meant.
func TestSayWrong(t *testing.T) {
	r := newLogsRig(t, "")
	if _, err := r.firebreak("dismiss", hotA, "--by", "ann", "--reason", "r"); err == nil || !strings.Contains(err.Error(), "the journal has no hotspot") {
		t.Errorf("of an empty journal: %v", err)
	}
	now := time.Now()
	r.verdict(hotA, "orders", "shard-1", actuator.PhaseFired, 900, now.Add(-2*time.Hour))
	r.verdict(hotB, "orders", "shard-2", actuator.PhaseFired, 800, now.Add(-time.Hour))
	r.verdict(hotC, "carts", "shard\x1b0", actuator.PhaseFired, 800, now.Add(-time.Hour))
	r.verdict(hotC, "carts", "shard\x1b0", actuator.PhaseResolved, 100, now.Add(-time.Minute))
	t.Setenv("USER", "")
	ok := []string{"--until", "8h", "--by", "ann", "--reason", "r"}
	for _, tt := range []struct {
		args []string
		want []string
	}{
		{append([]string{"accept", "4be1a7"}, ok...), []string{"2 begin so", hotA, hotB}},
		{append([]string{"accept", hotA[:31] + "b"}, ok...), []string{"did you mean " + hotA}},
		{append([]string{"accept", "nonsense-that-is-far"}, ok...), []string{"the newest are " + hotB, `shard "shard\x1b0" of "carts"`, "over since"}},
		{append([]string{"accept", hotC}, ok...), []string{"nothing to accept", "over since"}},
		{[]string{"accept", hotA, "--by", "ann", "--reason", "r"}, []string{"--until"}},
		{[]string{"accept", hotA, "--until", "31d", "--by", "ann", "--reason", "r"}, []string{"at most 30 days"}},
		{[]string{"accept", hotA, "--until", "-8h", "--by", "ann", "--reason", "r"}, []string{"a time to come"}},
		{[]string{"accept", hotA, "--until", "soon", "--by", "ann", "--reason", "r"}, []string{"RFC 3339"}},
		{[]string{"accept", hotA, "--until", "8h", "--by", "ann", "--reason", " "}, []string{"--reason"}},
		{[]string{"dismiss", hotA, "--by", "ann"}, []string{"--reason"}},
		{[]string{"dismiss", hotA, "--reason", "r"}, []string{"--by"}},
	} {
		_, err := r.firebreak(tt.args...)
		if exitCode(err) != exitUsage {
			t.Errorf("%q: %v, want wrong usage", tt.args, err)
			continue
		}
		for _, part := range tt.want {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("%q: %v, want %q", tt.args, err, part)
			}
		}
		if strings.ContainsAny(err.Error(), "\x1b\n") {
			t.Errorf("%q: %q does not print", tt.args, err)
		}
	}
	if n := len(r.said()); n != 0 {
		t.Errorf("%d entries were written", n)
	}
}

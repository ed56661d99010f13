package main

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/zap"
	zapobserver "go.uber.org/zap/zaptest/observer"

	"firebreak/internal/config"
	"firebreak/internal/telemetry"
	"firebreak/pipeline"
	"firebreak/pipeline/record"
)

// observing is an observer of one fleet whose metrics a test looks at.
func observing(t *testing.T, log *zap.Logger) (*observer, *prometheus.Registry) {
	t.Helper()
	reg := prometheus.NewRegistry()
	m, err := telemetry.New(reg, telemetry.Config{Fleets: []telemetry.FleetConfig{{Name: "orders"}}})
	if err != nil {
		t.Fatal(err)
	}
	fleets := []pipeline.LiveFleet{{Config: pipeline.Config{Fleet: "orders"}, Topics: []string{"main/requests"}}}
	return newObserver(m, fleets, false, log), reg
}

// counted are the counters of a metric that are not 0, by the values of their labels.
func counted(t *testing.T, reg *prometheus.Registry, metric string) map[string]float64 {
	t.Helper()
	families, err := reg.Gather()
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]float64{}
	for _, f := range families {
		if f.GetName() != metric {
			continue
		}
		for _, m := range f.GetMetric() {
			var labels []string
			for _, l := range m.GetLabel() {
				labels = append(labels, l.GetValue())
			}
			if v := m.GetCounter().GetValue(); v != 0 {
				found[strings.Join(labels, ",")] = v
			}
		}
	}
	return found
}

// TestObserverRefused: of each reason one record in sayEvery is logged, however many there are, and of it a short beginning that
// cannot do anything to a terminal.
func TestObserverRefused(t *testing.T) {
	for _, format := range []config.LogFormat{config.FormatJSON, config.FormatText} {
		synctest.Test(t, func(t *testing.T) {
			var out bytes.Buffer
			log, err := newLogger(&config.Config{Live: config.Live{Log: config.Log{Format: format}}}, &out)
			if err != nil {
				t.Fatal(err)
			}
			o, _ := observing(t, log)
			value := []byte("\x1b[2J\xff" + strings.Repeat("x", 10_000))
			for range 5 * 60 * 10 {
				for _, why := range []record.Reason{record.ReasonSyntax, record.ReasonTime} {
					o.Refused("orders", why, &record.Message{Value: value})
				}
				time.Sleep(100 * time.Millisecond)
			}
			got := map[string]int{}
			for line := range strings.Lines(out.String()) {
				for _, why := range []string{"syntax", "time"} {
					if strings.Contains(strings.ReplaceAll(line, ": ", ":"), `"reason":"`+why+`"`) {
						got[why]++
					}
				}
				if len(line) > 1000 || strings.Contains(line, "\x1b") || !utf8.ValidString(line) || !strings.Contains(line, "10005") {
					t.Errorf("logged as %q", line)
				}
			}
			if diff := cmp.Diff(map[string]int{"syntax": 5, "time": 5}, got); diff != "" {
				t.Errorf("samples logged in 5 minutes (-want +got):\n%s", diff)
			}
		})
	}
}

// TestObserverCounted: what a consumer has counted so far is passed on as what is new, each cluster's for itself.
func TestObserverCounted(t *testing.T) {
	o, reg := observing(t, zap.NewNop())
	refused := make([]uint64, len(record.Reasons())+1)
	for n := range uint64(3) {
		refused[record.ReasonSyntax] = 5 * n
		o.Counted("one", "orders", &pipeline.Stats{Counted: 10 * n, Thinned: 30 * n, Late: n}, refused)
		o.Counted("two", "orders", &pipeline.Stats{Thinned: n}, make([]uint64, len(refused)))
	}
	for metric, want := range map[string]map[string]float64{
		"firebreak_records_counted_total": {"orders": 20},
		"firebreak_records_thinned_total": {"orders": 62},
		"firebreak_records_refused_total": {"orders,late": 2, "orders,syntax": 10},
	} {
		if diff := cmp.Diff(want, counted(t, reg, metric)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", metric, diff)
		}
	}
}

// TestObserverEntry: what the ledger makes of entries is counted by what they are; of what cannot be read too.
func TestObserverEntry(t *testing.T) {
	o, reg := observing(t, zap.NewNop())
	r := newHistoryRig(t, "off")
	r.goOn(2, 12)
	ledger, err := pipeline.NewLedger([]pipeline.LiveFleet{r.fleet()})
	if err != nil {
		t.Fatal(err)
	}
	delta := r.log[1].bytes
	entries := [][]byte{
		delta,                                 // before there is a seed
		r.log[0].bytes, delta, r.log[2].bytes, // as the group wrote them
		delta,                                        // counted already
		pipeline.Hello(pipeline.Instance{9}),         // no delta, and none that is lacking
		[]byte("not ours"), delta[:len(delta)/2], {}, // not to be read
	}
	size := 0
	for i, entry := range entries {
		out, err := ledger.Apply(int64(i), r.at, entry)
		if err != nil {
			t.Fatal(err)
		}
		o.Entry(&out, len(entry))
		size += len(entry)
	}
	for metric, want := range map[string]map[string]float64{
		"firebreak_deltas_accepted_total":      {"": 2},
		"firebreak_deltas_rejected_total":      {"seed": 1, "position": 1, "malformed": 3},
		"firebreak_delta_followed_bytes_total": {"": float64(size)},
	} {
		if diff := cmp.Diff(want, counted(t, reg, metric)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", metric, diff)
		}
	}
}

// TestObserverIncomplete: what of an accepted delta is not counted here is counted by what it is: fleets of another configuration,
// and panes without room. Nothing is, of those that are not accepted.
func TestObserverIncomplete(t *testing.T) {
	o, reg := observing(t, zap.NewNop())
	r := newHistoryRig(t, "off")
	r.goOn(2, 12)
	ours := r.fleet()
	ours.Rate = 0.5
	ledger, err := pipeline.NewLedger([]pipeline.LiveFleet{ours})
	if err != nil {
		t.Fatal(err)
	}
	for i, e := range r.log[:2] {
		out, err := ledger.Apply(int64(i), r.at, e.bytes)
		if err != nil {
			t.Fatal(err)
		}
		o.Entry(&out, len(e.bytes))
	}
	o.Entry(&pipeline.Outcome{Delta: true, Accepted: true, Crowded: 3}, 1)
	o.Entry(&pipeline.Outcome{Delta: true, Rejected: pipeline.RejectedSeed, Foreign: 7, Crowded: 7}, 1)
	for metric, want := range map[string]float64{
		"firebreak_deltas_accepted_total": 2, "firebreak_delta_fleets_foreign_total": 1, "firebreak_delta_panes_crowded_total": 3,
	} {
		if diff := cmp.Diff(map[string]float64{"": want}, counted(t, reg, metric)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", metric, diff)
		}
	}
}

// TestObserverSkipped: offsets that nobody read count for every fleet of their topic, by why.
func TestObserverSkipped(t *testing.T) {
	o, reg := observing(t, zap.NewNop())
	o.Skipped("main/requests", pipeline.SkipRetention, 5)
	o.Skipped("main/requests", pipeline.SkipLost, 3)
	o.Skipped("main/others", pipeline.SkipLost, 100)
	want := map[string]float64{"orders,retention": 5, "orders,data_loss": 3}
	if diff := cmp.Diff(want, counted(t, reg, "firebreak_offsets_skipped_total")); diff != "" {
		t.Errorf("skipped (-want +got):\n%s", diff)
	}
}

// TestObserverRefusedHidden: with names hidden nothing of a refused record is logged that it says itself: its length, its time in
// the topic and why it was refused.
func TestObserverRefusedHidden(t *testing.T) {
	for hide, want := range map[bool]bool{true: false, false: true} {
		core, seen := zapobserver.New(zap.WarnLevel)
		o, _ := observing(t, zap.New(core))
		o.hide = hide
		at := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
		o.Refused("orders", record.ReasonSyntax, &record.Message{Key: []byte("acme"), Value: []byte(`{"tenant":"acme"`), Time: at.UnixNano()})
		lines := seen.All()
		if len(lines) != 1 {
			t.Fatalf("%d lines", len(lines))
		}
		fields := lines[0].ContextMap()
		if got := strings.Contains(fmt.Sprint(fields), "acme"); got != want {
			t.Errorf("hide %v: %v", hide, fields)
		}
		if fields["bytes"] != int64(16) || fields["reason"] != "syntax" || fields["at"] != at {
			t.Errorf("hide %v: %v", hide, fields)
		}
	}
}

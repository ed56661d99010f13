package client

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"

	"firebreak/routing"
)

func counter(t testing.TB, c *prometheus.CounterVec, outcome string) float64 {
	t.Helper()
	var m dto.Metric
	if err := c.WithLabelValues(outcome).Write(&m); err != nil {
		t.Fatal(err)
	}
	return m.GetCounter().GetValue()
}

// TestMetrics: every series is there from the start, labels are those of closed sets, and a client that was closed leaves none.
func TestMetrics(t *testing.T) {
	reg := prometheus.NewPedanticRegistry()
	cfg := testConfig()
	cfg.Registerer = reg
	s := newStore(next(fleet(t, 2), func(d *routing.Document) {
		d.Quotas = []routing.Quota{{Tenant: "secret-tenant", Rate: 1}}
		d.Cached = []routing.CachedKey{{Key: "secret-key", Staleness: time.Second}}
	}))
	s.head.Clients = 1
	r, err := Open(t.Context(), s, cfg)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Open(t.Context(), s, cfg); err == nil {
		t.Error("two clients of a fleet share their series")
	}
	until(t, time.Second, "joined", func() bool { return !r.Stale() })
	_ = r.Admit(t.Context(), []byte("secret-tenant"))
	_, _ = NewCache[int](r).Load(t.Context(), nil, []byte("secret-key"), func(context.Context) (int, error) { return 1, nil })
	got := map[string]string{}
	families, err := reg.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			name := f.GetName()
			for _, l := range m.GetLabel() {
				name += " " + l.GetName() + "=" + l.GetValue()
			}
			got[name] = fmt.Sprint(m.GetCounter().GetValue() + m.GetGauge().GetValue())
		}
	}
	delete(got, "firebreak_client_staleness_seconds fleet=f")
	got["firebreak_client_refreshes_total fleet=f outcome=unchanged"] = "0" // looks go on
	if diff := cmp.Diff(seriesAtStart(), got); diff != "" {
		t.Error(diff)
	}
	r.Close()
	if families, err := reg.Gather(); err != nil || len(families) != 0 {
		t.Errorf("%d families are left, %v", len(families), err)
	}
}

func seriesAtStart() map[string]string {
	series := map[string]string{
		"firebreak_client_version fleet=f": "2", "firebreak_client_stale fleet=f": "0", "firebreak_client_keep_failures_total fleet=f": "0",
		"firebreak_client_quota_wait_seconds fleet=f": "0",
	}
	for name, outcomes := range map[string]string{
		"refreshes":       "failed newer=1 older refused throttled unchanged",
		"confirmations":   "failed taken=1",
		"fenced_requests": "refused waited",
		"misroutes":       "followed given_up waited",
		"refusals":        "changed stale",
		"cache_loads":     "hit joined miss=1 passed",
		"quota_requests":  "admitted=1 queued refused",
		"fan_outs":        "partial whole",
		"guard_requests":  "fenced moved not_ready served",
		"second_writes":   "failed gap written",
	} {
		for outcome := range strings.FieldsSeq(outcomes) {
			outcome, n, counted := strings.Cut(outcome, "=")
			if !counted {
				n = "0"
			}
			series["firebreak_client_"+name+"_total fleet=f outcome="+outcome] = n
		}
	}
	return series
}

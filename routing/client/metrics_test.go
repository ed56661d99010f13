package client

import (
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
)

func counter(t testing.TB, c *prometheus.CounterVec, outcome string) float64 {
	t.Helper()
	var m dto.Metric
	if err := c.WithLabelValues(outcome).Write(&m); err != nil {
		t.Fatal(err)
	}
	return m.GetCounter().GetValue()
}

package telemetry

import (
	"errors"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

const (
	namespace = "firebreak"

	// nativeFactor is the most by which one bucket of a native histogram is wider than the next narrower: 10 % of error
	// at worst, 5 % typically.
	nativeFactor = 1.1
	// nativeBuckets bounds the memory of a native histogram; beyond it resolution halves.
	nativeBuckets = 160
	// nativeReset is the shortest time after which a histogram that reached its bound starts anew instead.
	nativeReset = time.Hour
)

// definer makes metrics and keeps them for one registration. The zero value has none.
type definer struct {
	all []prometheus.Collector
}

func (d *definer) counter(name, help string, labels ...string) *prometheus.CounterVec {
	v := prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: namespace, Name: name, Help: help}, labels)
	d.all = append(d.all, v)
	return v
}

func (d *definer) gauge(name, help string, labels ...string) *prometheus.GaugeVec {
	v := prometheus.NewGaugeVec(prometheus.GaugeOpts{Namespace: namespace, Name: name, Help: help}, labels)
	d.all = append(d.all, v)
	return v
}

// histogram is both: classic with the buckets given, and native where the scraper asks for it by protobuf.
func (d *definer) histogram(name, help string, buckets []float64, labels ...string) *prometheus.HistogramVec {
	v := prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Namespace: namespace, Name: name, Help: help, Buckets: buckets,
		NativeHistogramBucketFactor: nativeFactor, NativeHistogramMaxBucketNumber: nativeBuckets,
		NativeHistogramMinResetDuration: nativeReset,
	}, labels)
	d.all = append(d.all, v)
	return v
}

// register hands all over, or none: what was registered before an error is taken back.
func (d *definer) register(reg prometheus.Registerer) error {
	for i, c := range d.all {
		if err := reg.Register(c); err != nil {
			for _, done := range d.all[:i] {
				if !reg.Unregister(done) {
					err = errors.Join(err, errors.New("a metric that was registered before is still there"))
				}
			}
			return err
		}
	}
	return nil
}

package alertmanager

import (
	"context"
	"slices"
	"time"

	"go.uber.org/zap"
)

const (
	// repeatEvery is the longest time between two times that an alert is said: that of Prometheus,
	// https://prometheus.io/docs/prometheus/latest/command-line/prometheus/, rules.alert.resend-delay.
	repeatEvery = time.Minute
	// repeatShare of the time to keep is between two times, so that an alert outlives some that do not get through.
	repeatShare = 5
	// atOnce is how many alerts are in one request: about 1 MB.
	atOnce = 200
)

// Repeat says what stands to every instance, now and again and again until ctx ends: Alertmanager keeps no alert over a restart, and
// one that missed something learns of it so. It is for who tells, and for no other, and returns soon after ctx ends.
func (s *Sender) Repeat(ctx context.Context, log *zap.Logger) {
	tick := time.NewTicker(min(repeatEvery, s.cfg.Keep/repeatShare))
	defer tick.Stop()
	for {
		if err := s.again(ctx); err != nil && ctx.Err() == nil {
			log.Warn("alerts that stand were not taken", zap.Error(err))
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// again posts what stands once. An instance that does not take a request is left alone until the next time; the error is the last.
func (s *Sender) again(ctx context.Context) error {
	s.posting.Lock()
	defer s.posting.Unlock()
	var failed error
	alerts := s.stand()
	for _, base := range s.cfg.URLs {
		for batch := range slices.Chunk(alerts, atOnce) {
			if err := s.post(ctx, base, batch); err != nil {
				failed = err
				break
			}
		}
	}
	return failed
}

// stand are the alerts of what stands, with the labels that they were told with.
func (s *Sender) stand() (alerts []alert) {
	s.mu.Lock()
	notices := s.standing.Notices()
	s.mu.Unlock()
	for i := range notices {
		n := &notices[i]
		now, _ := newAlerts(s.guide.Message(n), moment{at: n.At(), now: s.now(), keep: s.cfg.Keep, again: true}, n.Receipt)
		alerts = append(alerts, now...)
	}
	return alerts
}

package main

import (
	"firebreak/actuator/notify"
	"firebreak/internal/config"
	"firebreak/internal/telemetry"
)

// receiversOf makes the receivers of a configuration: what each wants, and what sends to it.
func receiversOf(cfg *config.Config) ([]notify.Rule, map[string]notify.Sender) {
	var rules []notify.Rule
	senders := map[string]notify.Sender{}
	for i := range cfg.Notify.Receivers {
		r := &cfg.Notify.Receivers[i]
		rules = append(rules, r.Rule())
		senders[r.Name] = notify.NewWebhook(*r.Webhook, cfg.Notify.ExternalURL, nil)
	}
	return rules, senders
}

// deliveriesOf are the receivers as metrics see them.
func deliveriesOf(rules []notify.Rule, runner *notify.Runner) []telemetry.Receiver {
	var all []telemetry.Receiver
	for _, r := range rules {
		all = append(all, telemetry.Receiver{Name: r.Name, Stats: func() telemetry.Deliveries {
			s := runner.Stats(r.Name)
			return telemetry.Deliveries{Delivered: s.Delivered, Retried: s.Retried, GaveUp: s.GaveUp, Folded: s.Folded, Queued: s.Queued}
		}})
	}
	return all
}

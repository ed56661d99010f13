package main

import (
	"firebreak/actuator/notify"
	"firebreak/internal/config"
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

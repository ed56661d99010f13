package main

import (
	"firebreak/actuator/notify"
	"firebreak/internal/config"
)

// receiversOf makes the receivers of a configuration: what each wants, and what sends to it.
func receiversOf(cfg *config.Config) ([]notify.Rule, map[string]notify.Sender, error) {
	var rules []notify.Rule
	senders := map[string]notify.Sender{}
	for i := range cfg.Webhooks {
		w := &cfg.Webhooks[i]
		r := notify.Receiver{Name: w.Name, Fleets: w.Fleets, Webhook: &notify.Webhook{
			URL: notify.Secret(w.URL), URLFile: w.URLFile, Secret: notify.Secret(w.Secret), SecretFile: w.SecretFile,
		}}
		if w.Severity != "" {
			if err := r.Severity.UnmarshalText([]byte(w.Severity)); err != nil {
				return nil, nil, err
			}
		}
		rules = append(rules, r.Rule())
		senders[r.Name] = notify.NewWebhook(*r.Webhook, "", nil)
	}
	return rules, senders, nil
}

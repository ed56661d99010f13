package notify

import (
	"fmt"

	"firebreak/internal/secret"
)

// Readable says what is wrong with the secrets of a valid receiver as they are now, in their files too. It sends nothing, and its
// error holds none of them.
func (r *Receiver) Readable() error {
	switch {
	case r.Slack != nil && r.Slack.Hook():
		return readable("webhook_url", r.Slack.WebhookURL, r.Slack.WebhookURLFile)
	case r.Slack != nil:
		if err := readable("token", r.Slack.Token, r.Slack.TokenFile); err != nil || !r.Slack.Listens() {
			return err
		}
		return readable("app_token", r.Slack.AppToken, r.Slack.AppTokenFile)
	case r.PagerDuty != nil:
		return readable("routing_key", r.PagerDuty.RoutingKey, r.PagerDuty.RoutingKeyFile)
	case r.Alertmanager != nil:
		return readable("token", r.Alertmanager.Token, r.Alertmanager.TokenFile)
	}
	_, _, err := r.Webhook.Open()
	return err
}

func readable(name string, value secret.Value, file string) error {
	if _, err := value.Read(file); err != nil {
		return fmt.Errorf("%s_file: %w", name, err)
	}
	return nil
}

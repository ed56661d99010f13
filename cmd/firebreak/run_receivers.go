package main

import (
	"fmt"
	"slices"
	"time"

	"firebreak/actuator"
	"firebreak/actuator/notify"
	"firebreak/actuator/notify/alertmanager"
	"firebreak/actuator/notify/pagerduty"
	"firebreak/actuator/notify/slack"
	"firebreak/internal/config"
	"firebreak/internal/telemetry"
	"firebreak/pipeline"
)

// receiversOf makes the receivers of a configuration: what each wants, and what sends to it.
func receiversOf(cfg *config.Config, guide *notify.Guide) ([]notify.Rule, map[string]notify.Sender) {
	var rules []notify.Rule
	senders := map[string]notify.Sender{}
	for i := range cfg.Notify.Receivers {
		r := &cfg.Notify.Receivers[i]
		rule := r.Rule(guide)
		if slices.Contains(cfg.Report.Receivers, r.Name) {
			if len(rule.Kinds) == 0 {
				rule.Kinds = notify.DefaultKinds()
			}
			rule.Kinds = append(slices.Clone(rule.Kinds), actuator.KindReport)
		}
		rules = append(rules, rule)
		senders[r.Name] = senderOf(r, guide)
	}
	return rules, senders
}

// guideOf is what messages say beside the journal: links, owners, what loads are counted in, and how fast a fleet is seen to be cool.
func guideOf(cfg *config.Config) *notify.Guide {
	g := &notify.Guide{External: cfg.Notify.ExternalURL, Owners: cfg.Owners, Redact: cfg.Redact(), Costs: map[string]string{}, Times: map[string]notify.Times{}}
	for i := range cfg.Fleets {
		f := &cfg.Fleets[i]
		if f.Cost != pipeline.CostRequests {
			g.Costs[f.Name] = f.Cost.String()
		}
		judge := f.Judge()
		g.Times[f.Name] = notify.Times{Window: time.Duration(judge.FastPanes) * f.Pane, Calm: judge.Resolve}
	}
	return g
}

// senderOf makes what sends to a receiver of a valid configuration.
func senderOf(r *notify.Receiver, guide *notify.Guide) notify.Sender {
	switch {
	case r.Slack != nil:
		return slack.New(*r.Slack, guide, nil)
	case r.PagerDuty != nil:
		return pagerduty.New(*r.PagerDuty, guide, nil)
	case r.Alertmanager != nil:
		return alertmanager.New(r.Name, *r.Alertmanager, guide, nil)
	}
	return notify.NewWebhook(*r.Webhook, guide, nil)
}

// destination says where a receiver sends to, without a secret.
func destination(r *notify.Receiver) string {
	switch {
	case r.Slack != nil && r.Slack.Hook():
		return "an incoming webhook of Slack"
	case r.Slack != nil:
		return fmt.Sprintf("the channel %s of Slack", shownName(r.Slack.Channel))
	case r.PagerDuty != nil:
		return "PagerDuty"
	case r.Alertmanager != nil:
		return "Alertmanager"
	}
	return "a webhook"
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

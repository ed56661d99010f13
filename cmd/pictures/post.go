package main

import (
	"context"
	"io"
	"net/http"
	"time"

	"firebreak/actuator"
	"firebreak/actuator/notify"
	"firebreak/actuator/notify/pagerduty"
	"firebreak/actuator/notify/slack"
	fakepager "firebreak/internal/fakes/pagerduty"
	fakeslack "firebreak/internal/fakes/slack"
	"firebreak/internal/secret"
	"firebreak/internal/words"
)

// channel is where Slack is told.
const channel = "C1"

// external is what links in messages begin with.
const external = "https://firebreak.example"

// post is the queue of notices with a workspace of Slack and a service of PagerDuty at its other end. What it sends is sent in the time
// of the story, at once.
type post struct {
	guide     *notify.Guide
	now       func() time.Time
	slack     *fakeslack.Server
	pager     *fakepager.Server
	transport *http.Transport
	queue     *notify.Queue
	senders   map[string]notify.Sender
	order     []string
}

// receivers are those of the cases, as a configuration has them.
func receivers(slackAPI, pagerURL string) []notify.Receiver {
	return []notify.Receiver{
		{Name: "slack", Slack: &notify.Slack{Token: fakeslack.Token, Channel: channel, APIURL: slackAPI}},
		{Name: "pager", PagerDuty: &notify.PagerDuty{RoutingKey: secret.Value(fakepager.Key), URL: pagerURL}},
	}
}

// owners are who answers for what.
func owners() notify.Owners {
	return notify.Owners{
		{Tenants: []string{"shop-7"}, Team: "shop", Runbook: "https://wiki.example/shop/hot-keys"},
		{Tenants: []string{"acme"}, Team: "key accounts", Runbook: "https://wiki.example/accounts/quotas"},
		{Team: "storage", Runbook: "https://wiki.example/storage/hot-shards"},
	}
}

// ownerIn is who answers for what in a fleet, as page and report want it.
func ownerIn(fleet string) func(tenant, key string) words.Owner {
	return func(tenant, key string) words.Owner {
		o := owners().Of(fleet, tenant, key, nil)
		return words.Owner{Team: o.Team, Channel: o.Channel, Runbook: o.Runbook}
	}
}

func newPost(now func() time.Time) *post {
	p := &post{now: now, slack: fakeslack.New(now, channel+" storage-alerts"), pager: fakepager.New(now), transport: &http.Transport{}, senders: map[string]notify.Sender{}}
	guide := &notify.Guide{External: external, Owners: owners(), Times: map[string]notify.Times{}}
	p.guide = guide
	var rules []notify.Rule
	for _, r := range receivers(p.slack.API(), p.pager.URL+fakepager.Path) {
		rules = append(rules, r.Rule(guide))
		p.order = append(p.order, r.Name)
		if r.Slack != nil {
			p.senders[r.Name] = slack.New(*r.Slack, guide, p.transport)
		} else {
			p.senders[r.Name] = pagerduty.New(*r.PagerDuty, guide, p.transport)
		}
	}
	p.queue = notify.NewQueue(rules, func() float64 { return 0 })
	return p
}

func (p *post) close() {
	p.transport.CloseIdleConnections()
	p.slack.Close()
	p.pager.Close()
}

// apart is how long after a tick a message may still come: the next tick is 10 s later.
const apart = 8 * time.Second

// send tells the news of a tick, as notify.Runner does, and what it records goes back into the queue.
func (p *post) send(ctx context.Context, entries []actuator.Entry) error {
	for i := range entries {
		p.queue.Apply(&entries[i], p.now())
	}
	for _, name := range p.order {
		for now := p.now(); now.Before(p.now().Add(apart)); now = now.Add(time.Second) {
			n, ok := p.queue.Due(name, now)
			if !ok {
				continue
			}
			receipt, err := p.senders[name].Send(ctx, &n)
			if err != nil {
				return err
			}
			delivered, err := p.queue.Sent(name, now, receipt)
			if err != nil {
				return err
			}
			for i := range delivered {
				p.queue.Apply(&delivered[i], now)
			}
		}
	}
	return nil
}

// draw writes all messages.
func (p *post) draw(w io.Writer) error {
	if err := p.slack.Draw(w, channel); err != nil {
		return err
	}
	return p.pager.Draw(w)
}

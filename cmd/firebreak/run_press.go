package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"go.uber.org/zap"

	"firebreak/actuator/notify"
	"firebreak/actuator/notify/slack"
	"firebreak/actuator/steward"
	"firebreak/internal/config"
	"firebreak/routing/control"
)

// pressedOf makes what hears the buttons under messages, of every receiver that has an app-level token: any instance may put what people
// ask for, and who decides answers.
func pressedOf(cfg *config.Config, routing *stewardship, log *zap.Logger) []*slack.Listener {
	var out []*slack.Listener
	people := slack.People(cfg.Notify.Receivers)
	for i := range cfg.Notify.Receivers {
		r := &cfg.Notify.Receivers[i]
		if !heardOf(r) {
			continue
		}
		if routing == nil {
			log.Warn("buttons of Slack are not heard: a process that stands alone looks after no routing", zap.String("receiver", printable(r.Name)))
			continue
		}
		out = append(out, slack.NewListener(*r.Slack, people, routing.word, nil, log.With(zap.String("receiver", printable(r.Name)))))
	}
	return out
}

// heardOf says whether the buttons of a receiver are heard.
func heardOf(r *notify.Receiver) bool { return r.Slack != nil && r.Slack.Listens() }

// word puts what a person said into the store of its fleet, as a command does, and waits for the answer. The same word is one request,
// however often it is put.
func (s *stewardship) word(ctx context.Context, w *slack.Word) (refused string, err error) {
	i := slices.IndexFunc(s.of, func(of *steward.Steward) bool { return of.Fleet() == w.Fleet })
	if i < 0 {
		return "firebreak does not look after the routing of this fleet", nil
	}
	q := &control.Request{ID: w.ID, By: w.By, At: time.Now(), Reason: w.Reason, Hotspot: w.Hotspot}
	if err := q.Do.UnmarshalText([]byte(w.Do)); err != nil {
		return "", err
	}
	if q.Do != control.DoHold { // of the hotspot, whatever its plan
		q.Plan = w.Plan
	}
	if err := q.Validate(); err != nil {
		return err.Error(), nil //nolint:nilerr // what cannot be asked for is refused
	}
	answer, err := steward.Ask(ctx, s.of[i].Store(), q)
	if err != nil {
		return "", fmt.Errorf("fleet %s: %w", printable(w.Fleet), oneLine(err))
	}
	return answer.Refused, nil
}

// pressed checks the app-level tokens: each asks Slack for an address to connect to, and does not connect.
func (d *diagnosis) pressed(ctx context.Context, c *config.Config) {
	for i := range c.Notify.Receivers {
		if r := &c.Notify.Receivers[i]; heardOf(r) {
			err := slack.NewListener(*r.Slack, nil, nil, nil, zap.NewNop()).Check(ctx)
			d.add("buttons of receiver "+r.Name, err, "Slack takes the app-level token", "docs/slack.md has what the app needs: Socket Mode, and a token with connections:write")
		}
	}
}

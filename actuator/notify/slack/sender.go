package slack

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"

	"github.com/slack-go/slack"

	"firebreak/actuator/notify"
)

// sender is the Sender of a channel. Used by one goroutine.
type sender struct {
	cfg    notify.Slack
	guide  *notify.Guide
	client *http.Client
	heard  *ear
}

// New makes the Sender of a channel of Slack. transport carries the requests, see notify.NewClient.
func New(cfg notify.Slack, guide *notify.Guide, transport http.RoundTripper) notify.Sender {
	if cfg.Timeout == 0 {
		cfg.Timeout = notify.DefaultTimeout
	}
	if cfg.APIURL == "" {
		cfg.APIURL = notify.DefaultSlackAPI
	}
	cfg.APIURL = strings.TrimSuffix(cfg.APIURL, "/") + "/"
	client := notify.NewClient(transport)
	heard := &ear{through: client.Transport}
	client.Transport = heard
	return &sender{cfg: cfg, guide: guide, client: client, heard: heard}
}

// Send posts one notice, or updates the message of its subject and replies in its thread. The receipt names the message.
func (s *sender) Send(ctx context.Context, n *notify.Notice) (string, error) {
	m := s.guide.Message(n)
	if s.cfg.Hook() {
		if m.Step == notify.StepOther { // each would be a message of its own
			return "", nil
		}
		return "", s.hook(ctx, compose(m))
	}
	token, err := s.cfg.Token.Read(s.cfg.TokenFile)
	if err != nil {
		return "", &notify.Failure{Why: "token: " + err.Error()}
	}
	b := &bot{sender: s, api: slack.New(token, slack.OptionAPIURL(s.cfg.APIURL), slack.OptionHTTPClient(s.client))}
	return b.send(ctx, n, m)
}

// hook posts to an incoming webhook.
func (s *sender) hook(ctx context.Context, c *message) error {
	target, err := s.cfg.WebhookURL.Read(s.cfg.WebhookURLFile)
	if err != nil {
		return &notify.Failure{Why: "webhook_url_file: " + err.Error()}
	}
	u, err := url.Parse(target)
	if err != nil || u.Host == "" {
		return &notify.Failure{Why: "webhook_url: want an absolute http or https URL"}
	}
	ctx, cancel := context.WithTimeout(ctx, s.cfg.Timeout)
	defer cancel()
	no := false
	err = slack.PostWebhookCustomHTTPContext(ctx, target, s.client, &slack.WebhookMessage{
		Text: c.text, Blocks: &slack.Blocks{BlockSet: c.header}, Attachments: []slack.Attachment{c.body}, UnfurlLinks: &no, UnfurlMedia: &no, Parse: "none",
	})
	return s.judge(err, u.Hostname())
}

// host is that of the API, for errors.
func (s *sender) host() string {
	u, err := url.Parse(s.cfg.APIURL)
	if err != nil {
		return "slack"
	}
	return u.Hostname()
}

// judge turns an error of the library into what becomes of the notice: nothing of the request is in it.
func (s *sender) judge(err error, host string) error {
	if err == nil {
		return nil
	}
	if said, ok := errors.AsType[slack.SlackErrorResponse](err); ok {
		return &notify.Failure{Final: final(said.Err), Person: mendable(said.Err), Why: host + ": " + reason(said.Err)}
	}
	if last := s.heard.last; last != nil {
		if refusal := notify.Judge(last, host); refusal != nil {
			return refusal
		}
	}
	return &notify.Failure{Why: host + ": " + notify.Cause(err)}
}

// ear hears the status and the headers of the newest answer, of which the library tells only a part. Used by one goroutine.
type ear struct {
	through http.RoundTripper
	last    *http.Response // its body is closed; nil = there was none
}

// RoundTrip implements http.RoundTripper.
func (e *ear) RoundTrip(r *http.Request) (*http.Response, error) {
	e.last = nil
	resp, err := e.through.RoundTrip(r)
	e.last = resp
	return resp, err
}

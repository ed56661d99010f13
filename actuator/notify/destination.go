package notify

import (
	"fmt"
	"net/url"
	"time"

	"firebreak/internal/secret"
)

// leastSecret is the shortest secret of a webhook, in bytes: 128 bits.
const leastSecret = 16

// DefaultTimeout bounds one attempt.
const DefaultTimeout = 10 * time.Second

// Webhook is a generic signed webhook.
type Webhook struct {
	URL        secret.Value  `yaml:"url" secret:"true"` // https, or http; it may hold a token and is treated as a secret
	URLFile    string        `yaml:"url_file"`
	Secret     secret.Value  `yaml:"secret" secret:"true"` // signs; at least 16 bytes
	SecretFile string        `yaml:"secret_file"`
	Timeout    time.Duration `yaml:"timeout"` // of one attempt; 0 = DefaultTimeout
}

// Slack is a channel of Slack: by a bot token, which keeps one message for each hotspot and its timeline in a thread, or by an
// incoming webhook, which posts a message for each notice.
type Slack struct {
	Token     secret.Value `yaml:"token" secret:"true"` // xoxb-..., with the scope chat:write
	TokenFile string       `yaml:"token_file"`
	Channel   string       `yaml:"channel"` // id or name, for a token
	// AppToken, xapp-... with the scope connections:write, lets people press buttons under messages; without it there are none. People are the
	// names of approvers by the ids of users of Slack.
	AppToken       secret.Value      `yaml:"app_token" secret:"true"`
	AppTokenFile   string            `yaml:"app_token_file"`
	People         map[string]string `yaml:"people"`
	WebhookURL     secret.Value      `yaml:"webhook_url" secret:"true"`
	WebhookURLFile string            `yaml:"webhook_url_file"`
	APIURL         string            `yaml:"api_url"` // empty = DefaultSlackAPI
	Timeout        time.Duration     `yaml:"timeout"` // of one attempt; 0 = DefaultTimeout
}

// DefaultSlackAPI is where Slack takes calls: https://api.slack.com/web.
const DefaultSlackAPI = "https://slack.com/api/"

// Listens says whether people may press buttons under messages.
func (s *Slack) Listens() bool { return s.AppToken != "" || s.AppTokenFile != "" }

// Hook says whether the channel is reached by an incoming webhook.
func (s *Slack) Hook() bool { return s.WebhookURL != "" || s.WebhookURLFile != "" }

// PagerDuty is a service of PagerDuty with an integration of the Events API v2.
type PagerDuty struct {
	RoutingKey     secret.Value  `yaml:"routing_key" secret:"true"` // the integration key, 32 characters
	RoutingKeyFile string        `yaml:"routing_key_file"`
	URL            string        `yaml:"url"`     // empty = DefaultPagerDuty; EU: https://events.eu.pagerduty.com/v2/enqueue
	Timeout        time.Duration `yaml:"timeout"` // of one attempt; 0 = DefaultTimeout
}

// DefaultPagerDuty is where PagerDuty takes events: https://developer.pagerduty.com/docs/events-api-v2/overview/.
const DefaultPagerDuty = "https://events.pagerduty.com/v2/enqueue"

// routingKey is the length of an integration key, in bytes.
const routingKey = 32

// Alertmanager is one Prometheus Alertmanager, or the instances of one cluster.
type Alertmanager struct {
	URLs      []string      `yaml:"urls"`                // without /api/v2/alerts; every instance is told
	Token     secret.Value  `yaml:"token" secret:"true"` // bearer token; none is sent without it
	TokenFile string        `yaml:"token_file"`
	Keep      time.Duration `yaml:"keep"`    // how long an alert stands after it was said last; 0 = DefaultKeep
	Timeout   time.Duration `yaml:"timeout"` // of one attempt; 0 = DefaultTimeout
}

// DefaultKeep outlives a failover and some requests that do not get through: an alert is said again every minute. Soon after it the
// alert is over of which nobody says anything.
const DefaultKeep = 5 * time.Minute

// maxPerson bounds a name of an approver, in bytes: as a request does.
const maxPerson = 255

// maxTimeout bounds what may be configured for one attempt.
const maxTimeout = time.Minute

func (p *problems) timeout(d time.Duration) {
	p.want(d >= 0 && d <= maxTimeout, "timeout", "want at most 1m")
}

func (w *Webhook) validate() (p problems) {
	p.either(w.URL, w.URLFile, "url")
	p.either(w.Secret, w.SecretFile, "secret")
	p.timeout(w.Timeout)
	return p
}

func (s *Slack) validate() (p problems) {
	if s.Hook() {
		p.either(s.WebhookURL, s.WebhookURLFile, "webhook_url")
		p.want(s.Token == "" && s.TokenFile == "", "token_file", "a token beside a webhook: one of both")
		p.want(s.Channel == "", "channel", "an incoming webhook has its own channel")
		p.want(s.APIURL == "", "api_url", "is for a token")
		p.want(!s.Listens(), "app_token_file", "is for a token: nobody can press a button under a message of a webhook")
	} else {
		p.either(s.Token, s.TokenFile, "token")
		p.want(s.Channel != "" && len(s.Channel) <= maxChannel, "channel", "want the id or the name of a channel, 1 to %d bytes", maxChannel)
		p.want(s.APIURL == "" || absolute(s.APIURL), "api_url", "want an absolute http or https URL")
	}
	if s.AppToken != "" && s.AppTokenFile != "" {
		p.either(s.AppToken, s.AppTokenFile, "app_token")
	}
	p.want(len(s.People) == 0 || s.Listens(), "people", "want an app_token too: without it nobody presses anything")
	for user, name := range s.People {
		p.want(user != "" && name != "" && len(name) <= maxPerson, "people", "want names of approvers by ids of users of Slack, as {U024BE7LH: ann}, 1 to %d bytes", maxPerson)
	}
	p.timeout(s.Timeout)
	return p
}

func (d *PagerDuty) validate() (p problems) {
	p.either(d.RoutingKey, d.RoutingKeyFile, "routing_key")
	p.want(d.URL == "" || absolute(d.URL), "url", "want an absolute http or https URL")
	p.timeout(d.Timeout)
	return p
}

func (a *Alertmanager) validate() (p problems) {
	p.want(len(a.URLs) > 0, "urls", "missing: want the address of each instance")
	for i, text := range a.URLs {
		u, err := url.Parse(text)
		p.want(err == nil && absolute(text) && u.User == nil && u.RawQuery == "", fmt.Sprintf("urls[%d]", i), "want an absolute http or https URL, without a user or a query")
	}
	p.want(a.Token == "" || a.TokenFile == "", "token_file", "stands beside token: one of both")
	p.want(a.Keep == 0 || a.Keep >= time.Minute, "keep", "want at least 1m")
	p.timeout(a.Timeout)
	return p
}

// Files are the paths of a receiver's secrets, which may be changed in place; some are empty.
func (r *Receiver) Files() []*string {
	var out []*string
	if w := r.Webhook; w != nil {
		out = append(out, &w.URLFile, &w.SecretFile)
	}
	if s := r.Slack; s != nil {
		out = append(out, &s.TokenFile, &s.WebhookURLFile, &s.AppTokenFile)
	}
	if d := r.PagerDuty; d != nil {
		out = append(out, &d.RoutingKeyFile)
	}
	if a := r.Alertmanager; a != nil {
		out = append(out, &a.TokenFile)
	}
	return out
}

// secrets is what is wrong with the secrets of a receiver, without showing them.
func (r *Receiver) secrets() []string {
	var out []string
	want := func(ok bool, problem string) {
		if !ok {
			out = append(out, problem)
		}
	}
	if w := r.Webhook; w != nil {
		want(w.URL == "" || absolute(string(w.URL)), "its url: want an absolute http or https URL")
		want(w.Secret == "" || len(w.Secret) >= leastSecret, fmt.Sprintf("its secret: want at least %d bytes", leastSecret))
	}
	if s := r.Slack; s != nil {
		want(s.WebhookURL == "" || absolute(string(s.WebhookURL)), "its webhook_url: want an absolute http or https URL")
	}
	if d := r.PagerDuty; d != nil {
		want(d.RoutingKey == "" || len(d.RoutingKey) == routingKey, fmt.Sprintf("its routing_key: want the %d characters of an integration of the Events API v2", routingKey))
	}
	return out
}

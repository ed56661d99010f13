package notify

import (
	"errors"
	"fmt"
	"net/url"
	"time"

	"firebreak/actuator"
	"firebreak/internal/secret"
)

const (
	// leastSecret is the shortest secret of a webhook, in bytes: 128 bits.
	leastSecret = 16
	// maxReceiverName bounds a receiver's name, in bytes.
	maxReceiverName = 64
)

// Config is who is told what.
type Config struct {
	ExternalURL string     `yaml:"external_url"` // of the live page, for links; empty = no links
	Receivers   []Receiver `yaml:"receivers"`
}

// Receiver is one place that is told. Zero fields mean what DefaultRule says.
type Receiver struct {
	Name     string          `yaml:"name"` // 1 to 64 bytes, unique; it is a metric label
	Kinds    []actuator.Kind `yaml:"kinds"`
	Severity Severity        `yaml:"severity"` // at least
	Fleets   []string        `yaml:"fleets"`
	Pace     time.Duration   `yaml:"pace"`    // between two notices
	Queue    int             `yaml:"queue"`   // notices that wait at most
	GiveUp   time.Duration   `yaml:"give_up"` // when a notice becomes a dead letter
	Webhook  *Webhook        `yaml:"webhook"`
}

// Webhook is a generic signed webhook.
type Webhook struct {
	URL        secret.Value  `yaml:"url" secret:"true"` // https, or http; it may hold a token and is treated as a secret
	URLFile    string        `yaml:"url_file"`
	Secret     secret.Value  `yaml:"secret" secret:"true"` // signs; at least 16 bytes
	SecretFile string        `yaml:"secret_file"`
	Timeout    time.Duration `yaml:"timeout"` // of one attempt; 0 = DefaultTimeout
}

// DefaultTimeout bounds one attempt of a webhook.
const DefaultTimeout = 10 * time.Second

// ConfigError is a problem with one field of the configuration. It never holds the value of a secret.
type ConfigError struct {
	path, problem string
	beside        []string
}

// Error says where and what.
func (e *ConfigError) Error() string {
	if e.path == "" {
		return e.problem
	}
	return e.path + ": " + e.problem
}

// Field returns the path of the field, from the Config on, and what is wrong with it.
func (e *ConfigError) Field() (path, problem string) { return e.path, e.problem }

// Compared returns the paths of the fields with which the value is in conflict.
func (e *ConfigError) Compared() []string { return e.beside }

type problems []error

func (p *problems) want(ok bool, path, format string, args ...any) {
	if !ok {
		*p = append(*p, &ConfigError{path: path, problem: fmt.Sprintf(format, args...)})
	}
}

// either wants one of a value and its file.
func (p *problems) either(value secret.Value, file, path string) {
	p.want(value != "" || file != "", path+"_file", "missing: give it, or %s", path)
	if value != "" && file != "" {
		*p = append(*p, &ConfigError{path: path + "_file", problem: "stands beside " + path + ": one of both", beside: []string{path}})
	}
}

// Validate finds everything that is wrong, all at once; it fills nothing.
func (c *Config) Validate() error {
	var p problems
	if c.ExternalURL != "" {
		p.want(absolute(c.ExternalURL), "external_url", "want an absolute http or https URL")
	}
	names := map[string]int{}
	for i := range c.Receivers {
		r, path := &c.Receivers[i], fmt.Sprintf("receivers[%d].", i)
		p.want(r.Name != "" && len(r.Name) <= maxReceiverName, path+"name", "want 1 to %d bytes", maxReceiverName)
		if at, twice := names[r.Name]; twice {
			p.want(false, path+"name", "%q is the name of receivers[%d] too", r.Name, at)
		}
		names[r.Name] = i
		for n, k := range r.Kinds {
			p.want(k != actuator.KindDelivered, fmt.Sprintf("%skinds[%d]", path, n), "delivered is how firebreak remembers what it sent: it is sent nowhere")
		}
		p.want(r.Pace >= 0, path+"pace", "want a time, at least 0s")
		p.want(r.Queue >= 0, path+"queue", "want a number, at least 0")
		p.want(r.GiveUp == 0 || r.GiveUp >= time.Minute, path+"give_up", "want at least 1m")
		if r.Webhook == nil {
			p.want(false, path+"webhook", "missing: say where to send")
			continue
		}
		// What is wrong with a secret is told at the name: where a secret stands nothing is shown.
		w := r.Webhook
		p.want(w.URL == "" || absolute(string(w.URL)), path+"name", "its url: want an absolute http or https URL")
		p.want(w.Secret == "" || len(w.Secret) >= leastSecret, path+"name", "its secret: want at least %d bytes", leastSecret)
		for _, err := range r.Webhook.validate() {
			if e, ok := errors.AsType[*ConfigError](err); ok {
				p = append(p, &ConfigError{path: path + "webhook." + e.path, problem: e.problem, beside: prefixed(path+"webhook.", e.beside)})
			}
		}
	}
	return errors.Join(p...)
}

func prefixed(prefix string, paths []string) []string {
	var out []string
	for _, p := range paths {
		out = append(out, prefix+p)
	}
	return out
}

func (w *Webhook) validate() (p problems) {
	p.either(w.URL, w.URLFile, "url")
	p.either(w.Secret, w.SecretFile, "secret")
	p.want(w.Timeout >= 0 && w.Timeout <= time.Minute, "timeout", "want at most 1m")
	return p
}

func absolute(text string) bool {
	u, err := url.Parse(text)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != ""
}

// Rule is what the queue needs of a receiver.
func (r *Receiver) Rule() Rule {
	return Rule{Name: r.Name, Kinds: r.Kinds, Severity: r.Severity, Fleets: r.Fleets, Pace: r.Pace, Queue: r.Queue, GiveUp: r.GiveUp}
}

package notify

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"time"

	"firebreak/actuator"
	"firebreak/internal/secret"
)

// maxReceiverName bounds a receiver's name, in bytes.
const maxReceiverName = 64

// Config is who is told what.
type Config struct {
	ExternalURL string     `yaml:"external_url"` // of the live page, for links; empty = no links
	Receivers   []Receiver `yaml:"receivers"`
}

// Receiver is one place that is told: of Slack, PagerDuty, Alertmanager and Webhook it has exactly one. Zero fields mean what
// Rule fills in.
type Receiver struct {
	Name         string          `yaml:"name"` // 1 to 64 bytes, unique; it is a metric label
	Kinds        []actuator.Kind `yaml:"kinds"`
	Severity     *Severity       `yaml:"severity"` // at least; nil = what the kind of receiver takes
	Fleets       []string        `yaml:"fleets"`
	Pace         time.Duration   `yaml:"pace"`    // between two notices
	Queue        int             `yaml:"queue"`   // notices that wait at most
	GiveUp       time.Duration   `yaml:"give_up"` // when a notice becomes a dead letter
	Slack        *Slack          `yaml:"slack"`
	PagerDuty    *PagerDuty      `yaml:"pagerduty"`
	Alertmanager *Alertmanager   `yaml:"alertmanager"`
	Webhook      *Webhook        `yaml:"webhook"`
}

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

// Wrong is a problem with a field.
func Wrong(path, format string, args ...any) *ConfigError {
	return &ConfigError{path: path, problem: fmt.Sprintf(format, args...)}
}

// Validate finds everything that is wrong with a webhook; path stands before the names of its fields.
func (w *Webhook) Validate(path string) error {
	var p problems
	for _, err := range w.validate() {
		if e, ok := errors.AsType[*ConfigError](err); ok {
			p = append(p, &ConfigError{path: path + e.path, problem: e.problem, beside: prefixed(path, e.beside)})
		}
	}
	return errors.Join(p...)
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
			at := fmt.Sprintf("%skinds[%d]", path, n)
			p.want(k != actuator.KindDelivered, at, "delivered is how firebreak remembers what it sent: it is sent nowhere")
			p.want(r.PagerDuty == nil && r.Alertmanager == nil || k == actuator.KindDelivered || slices.Contains(DefaultKinds(), k), at, "%s is no alert that begins and ends: want verdict, advice, blind, sighted or acted", k)
		}
		p.want(r.Pace >= 0, path+"pace", "want a time, at least 0s")
		p.want(r.Queue >= 0, path+"queue", "want a number, at least 0")
		p.want(r.GiveUp == 0 || r.GiveUp >= time.Minute, path+"give_up", "want at least 1m")
		p.destination(r, path)
	}
	return errors.Join(p...)
}

// destination wants exactly one.
func (p *problems) destination(r *Receiver, path string) {
	var given []string
	take := func(name string, found problems) {
		given = append(given, path+name)
		for _, err := range found {
			if e, ok := errors.AsType[*ConfigError](err); ok {
				*p = append(*p, &ConfigError{path: path + name + "." + e.path, problem: e.problem, beside: prefixed(path+name+".", e.beside)})
			}
		}
	}
	if r.Slack != nil {
		take("slack", r.Slack.validate())
	}
	if r.PagerDuty != nil {
		take("pagerduty", r.PagerDuty.validate())
	}
	if r.Alertmanager != nil {
		take("alertmanager", r.Alertmanager.validate())
	}
	if r.Webhook != nil {
		take("webhook", r.Webhook.validate())
	}
	// What is wrong with a secret is told at the name: where a secret stands nothing is shown.
	for _, problem := range r.secrets() {
		p.want(false, path+"name", "%s", problem)
	}
	p.want(len(given) > 0, path+"name", "missing: say where to send: slack, pagerduty, alertmanager or webhook")
	if len(given) > 1 {
		*p = append(*p, &ConfigError{path: given[1], problem: "stands beside another one: a receiver sends to one place", beside: given[:1]})
	}
}

func prefixed(prefix string, paths []string) []string {
	var out []string
	for _, p := range paths {
		out = append(out, prefix+p)
	}
	return out
}

func absolute(text string) bool {
	u, err := url.Parse(text)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != ""
}

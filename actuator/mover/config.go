package mover

import (
	"errors"
	"fmt"
	"net/http"
	"time"

	"firebreak/actuator/notify"
)

// DefaultTimeout is how long one run of a command, or one attempt of a webhook, may take: what takes longer says that it is under way.
const DefaultTimeout = 10 * time.Minute

// Versioned is the word of Way.Writes.
const Versioned = "versioned"

// Config is who does what operations ask for outside the document. The zero value is nobody: then nothing is moved either.
type Config struct {
	Moves      Way `yaml:"moves"`      // of virtual shards and tenants
	Folds      Way `yaml:"folds"`      // of the pieces of a key that is salted no more
	Provisions Way `yaml:"provisions"` // of shards
}

// Way is a command or a webhook. In YAML the plain word none says that there is nothing to do. The zero value is that nobody said.
type Way struct {
	None    bool            `yaml:"-"`
	Command []string        `yaml:"command"` // program and arguments; no shell
	Webhook *notify.Webhook `yaml:"webhook"`
	Timeout time.Duration   `yaml:"timeout"` // of one run; 0 = DefaultTimeout
	// Writes is versioned where rows of the store have versions, of which the highest stands in whatever order writes come: then clients
	// write twice while data moves, and nobody is fenced. Of moves only; empty = they do not.
	Writes string `yaml:"writes"`
}

// UnmarshalYAML reads none or a mapping.
func (w *Way) UnmarshalYAML(unmarshal func(any) error) error {
	var word string
	if unmarshal(&word) == nil {
		if w.None = word == "none"; !w.None {
			return fmt.Errorf("%q: want none, or a command or webhook", word)
		}
		return nil
	}
	type plain Way
	return unmarshal((*plain)(w))
}

// given says that a way is a command or a webhook.
func (w *Way) given() bool { return len(w.Command) > 0 || w.Webhook != nil }

// Validate finds everything that is wrong, all at once; it fills nothing. Errors are *notify.ConfigError, with the path of the field.
func (c *Config) Validate() error {
	return errors.Join(c.Moves.validate("moves"), c.Folds.validate("folds"), c.Provisions.validate("provisions"))
}

func (w *Way) validate(path string) error {
	var errs []error
	wrong := func(field, format string, args ...any) {
		errs = append(errs, notify.Wrong(path+field, format, args...))
	}
	if w.None && path != "moves" {
		wrong("", "none: leave it out")
	}
	if len(w.Command) > 0 && w.Command[0] == "" {
		wrong(".command", "want a program")
	}
	if len(w.Command) > 0 && w.Webhook != nil {
		wrong(".webhook", "stands beside command: one of both")
	}
	switch {
	case w.Writes != "" && w.Writes != Versioned:
		wrong(".writes", "%q: want versioned, or leave it out", w.Writes)
	case w.Writes != "" && path != "moves":
		wrong(".writes", "is of moves")
	case w.Writes != "" && !w.given():
		wrong(".writes", "of what? want command or webhook")
	}
	if w.Timeout < 0 || w.Timeout > 0 && w.Timeout < time.Second {
		wrong(".timeout", "%v: want at least 1s", w.Timeout)
	}
	if !w.None && !w.given() && w.Timeout != 0 {
		wrong(".timeout", "of what? want command or webhook")
	}
	if w.Webhook != nil {
		if w.Webhook.Timeout != 0 {
			wrong(".webhook.timeout", "stands beside webhook here")
		}
		errs = append(errs, w.Webhook.Validate(path+".webhook."))
	}
	return errors.Join(errs...)
}

// Files are the paths of the files that the configuration names.
func (c *Config) Files() []*string {
	var out []*string
	for _, w := range []*Way{&c.Moves, &c.Folds, &c.Provisions} {
		if w.Webhook != nil {
			out = append(out, &w.Webhook.URLFile, &w.Webhook.SecretFile)
		}
	}
	return out
}

// Open makes the movers. transport carries the requests of webhooks; nil = one of its own each.
func (c *Config) Open(transport http.RoundTripper) *Movers {
	return &Movers{None: c.Moves.None, Versioned: c.Moves.Writes == Versioned, Moves: c.Moves.open(transport), Folds: c.Folds.open(transport), Provisions: c.Provisions.open(transport)}
}

// open is nil where nobody does it.
func (w *Way) open(transport http.RoundTripper) Mover {
	timeout := w.Timeout
	if timeout == 0 {
		timeout = DefaultTimeout
	}
	switch {
	case len(w.Command) > 0:
		return NewCommand(w.Command, timeout)
	case w.Webhook != nil:
		return NewWebhook(w.Webhook, timeout, transport)
	}
	return nil
}

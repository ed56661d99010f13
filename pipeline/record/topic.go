package record

import (
	"errors"
	"fmt"
)

// ForFiles reports, as joined *ConfigError values, each field and each condition that no file of lines can have: all its
// paths lead to the key, a header or the time of a message. Decode finds nothing there. What Validate says is not said
// again.
func (c Config) ForFiles() error {
	cfg, _ := c.resolve()
	if ofMessages(cfg.Format) {
		return configError("format", "%s is for the messages of a topic: a file has lines", cfg.Format)
	}
	var problems []error
	check := func(at string, paths ...string) {
		for _, path := range paths {
			if _, ok, _ := partOf(path); !ok {
				return
			}
		}
		problems = append(problems, configError(at, "%s is a part of a Kafka message, which a file does not have: name what the file has under or, or leave it out", paths[0]))
	}
	for i, f := range cfg.Fields.all() {
		if !f.isZero() {
			check("fields."+fieldName(i), append([]string{f.Path}, f.Or...)...)
		}
	}
	for i, m := range cfg.Match {
		check(fmt.Sprintf("match[%d].field", i), m.Field)
	}
	return errors.Join(problems...)
}

// ForMessages reports, as a *ConfigError, what keeps a valid configuration from reading the messages of a topic: columns
// that only a header line would name.
func (c Config) ForMessages() error {
	cfg, _ := c.resolve()
	if hasHeaders(cfg.Format) && !cfg.NoHeader && cfg.Header == "" {
		return configError("header", "a Kafka message has no header line: name the columns of %s here, or say no_header and their numbers, or another format", cfg.Format)
	}
	return nil
}

// checkTopic checks what only messages need.
func checkTopic(cfg Config) (problems []error) {
	switch {
	case cfg.Header == "":
	case !hasHeaders(cfg.Format):
		problems = append(problems, conflict("header", []string{"format", "preset"}, "only csv and tsv have headers, not %s", cfg.Format))
	case cfg.NoHeader:
		problems = append(problems, conflict("header", []string{"no_header"}, "names the columns of a log that has no header line; with no_header they have numbers"))
	}
	if cfg.Lines && ofMessages(cfg.Format) {
		problems = append(problems, conflict("lines", []string{"format"}, "a value of format %s has no lines", cfg.Format))
	}
	return problems
}

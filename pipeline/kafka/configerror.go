package kafka

import (
	"errors"
	"fmt"
)

// ConfigError is a problem with one field of the configuration.
type ConfigError struct {
	path, problem string
	beside        []string // paths of the fields with which the value is in conflict
}

// Error says where and what.
func (e *ConfigError) Error() string { return e.path + ": " + e.problem }

// Field returns the path of the field, from the Cluster on, and what is wrong with it.
func (e *ConfigError) Field() (path, problem string) { return e.path, e.problem }

// Compared returns the paths of the fields with which the value is in conflict.
func (e *ConfigError) Compared() []string { return e.beside }

// problems collects what is wrong with a configuration.
type problems []error

// want notes that the value at a path is not what it must be.
func (p *problems) want(ok bool, path, format string, args ...any) {
	if !ok {
		*p = append(*p, &ConfigError{path: path, problem: fmt.Sprintf(format, args...)})
	}
}

// agree notes that the value at a path cannot stand beside those of other fields.
func (p *problems) agree(ok bool, path string, others []string, problem string) {
	if !ok {
		*p = append(*p, &ConfigError{path: path, problem: problem, beside: others})
	}
}

func (p *problems) err() error { return errors.Join(*p...) }

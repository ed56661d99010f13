package record

import (
	"fmt"
	"strings"
)

// ConfigError is a problem with one entry of the configuration.
type ConfigError struct {
	Path    string   // of the entry, from Config on: "fields.key.regex"
	Problem string   // what is wrong with it, without the path
	Given   string   // where the value is none of a closed set: the value
	Known   []string // and the set
	Beside  []string // paths of the entries with which the value is in conflict
}

// Error says where and what.
func (e *ConfigError) Error() string { return e.Path + ": " + e.Problem }

// Field returns the path of the entry and what is wrong with it.
func (e *ConfigError) Field() (path, problem string) { return e.Path, e.Problem }

// Choices returns a value that is none of a closed set, and the set; both are empty for any other problem.
func (e *ConfigError) Choices() (given string, known []string) { return e.Given, e.Known }

// Compared returns the paths of the entries with which the value is in conflict.
func (e *ConfigError) Compared() []string { return e.Beside }

// configError makes a ConfigError.
func configError(path, format string, args ...any) error {
	return &ConfigError{Path: path, Problem: fmt.Sprintf(format, args...)}
}

// conflict makes a ConfigError of an entry that cannot stand beside others.
func conflict(path string, others []string, format string, args ...any) error {
	return &ConfigError{Path: path, Problem: fmt.Sprintf(format, args...), Beside: others}
}

// oneOf makes a ConfigError of a word that is none of those known.
func oneOf(path, given string, known []string) error {
	last := len(known) - 1
	return &ConfigError{
		Path: path, Problem: fmt.Sprintf("%q: want %s or %s", given, strings.Join(known[:last], ", "), known[last]), Given: given, Known: known,
	}
}

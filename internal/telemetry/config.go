package telemetry

import (
	"errors"
	"fmt"
)

// Config names what labels are made of. It is fixed for the life of the process. The zero value watches no fleet.
type Config struct {
	Fleets    []FleetConfig
	Receivers []Receiver
	History   func() History // so far; asked at every scrape, from any goroutine; nil = none is written
	Reports   func() Reports // so far; the same; nil = none is written
	Health    []HealthSource // of all fleets
	Build     Build
}

// FleetConfig is a fleet and the topics that its log is read from.
type FleetConfig struct {
	Name   string // 1 to 255 bytes, unique
	Topics []TopicName
}

// TopicName is a topic of a cluster. Where Cluster is empty the label is too, which is to Prometheus as if it were not there.
type TopicName struct {
	Cluster, Topic string
}

// Receiver is what notices are sent to.
type Receiver struct {
	Name  string
	Stats func() Deliveries // so far; asked at every scrape, from any goroutine; nil = none
}

// Build says what runs. Empty fields show as "unknown".
type Build struct {
	Version, Revision string
}

// Validate reports names that are missing or stand twice: two series cannot have the same labels.
func (c *Config) Validate() error {
	var errs []error
	unique := func(what string) func(string) {
		seen := map[string]bool{}
		return func(name string) {
			switch {
			case name == "":
				errs = append(errs, fmt.Errorf("%s has no name", what))
			case seen[name]:
				errs = append(errs, fmt.Errorf("%s %q stands twice", what, name))
			}
			seen[name] = true
		}
	}
	fleet, receiver := unique("a fleet"), unique("a receiver")
	for _, f := range c.Fleets {
		fleet(f.Name)
		topics := map[TopicName]bool{}
		for _, t := range f.Topics {
			switch {
			case t.Topic == "":
				errs = append(errs, fmt.Errorf("a topic of fleet %q has no name", f.Name))
			case topics[t]:
				errs = append(errs, fmt.Errorf("topic %q of cluster %q stands twice in fleet %q", t.Topic, t.Cluster, f.Name))
			}
			topics[t] = true
		}
	}
	for _, r := range c.Receivers {
		receiver(r.Name)
	}
	sources := map[[2]string]bool{}
	for _, s := range c.Health {
		id := [2]string{s.Fleet, s.Name}
		if sources[id] {
			errs = append(errs, fmt.Errorf("source %q stands twice in fleet %q", s.Name, s.Fleet))
		}
		sources[id] = true
	}
	return errors.Join(errs...)
}

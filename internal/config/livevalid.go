package config

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"firebreak/actuator"
	"firebreak/actuator/notify"
	"firebreak/internal/strictyaml"
)

// Bounds of the group.
const (
	maxGroup   = 200             // bytes, so that the names of our topics fit Kafka's 249
	minSession = 1 * time.Second // below it any pause of a process is a death
	maxSession = 5 * time.Minute
	maxReplica = 100
)

// UnmarshalYAML reads the part and judges it.
func (k *Kafka) UnmarshalYAML(unmarshal func(any) error) error {
	type plain Kafka
	err := unmarshal((*plain)(k))
	return errors.Join(err, k.validate())
}

// UnmarshalYAML reads the part and judges it.
func (d *DynamoDB) UnmarshalYAML(unmarshal func(any) error) error {
	type plain DynamoDB
	err := unmarshal((*plain)(d))
	return errors.Join(err, d.validate())
}

// validate judges the table as far as it can be without AWS.
func (d *DynamoDB) validate() error {
	var errs []error
	if d.Table == "" {
		errs = append(errs, strictyaml.Wrong("table", "want the name of the table, as firebreak table create made it"))
	}
	if u, err := url.Parse(d.Endpoint); d.Endpoint != "" && (err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "") {
		errs = append(errs, strictyaml.Wrong("endpoint", "%q: want an absolute http or https URL", d.Endpoint))
	}
	return errors.Join(errs...)
}

// validate judges the clusters, each by its owner and beside each other, and the group.
func (k *Kafka) validate() error {
	var errs []error
	if len(k.Clusters) > 0 {
		if k.Name != "" || len(k.Brokers) > 0 || k.ClientID != "" || k.TLS.On() || k.SASL.Mechanism != 0 || k.Registry.On() {
			errs = append(errs, strictyaml.Conflict("clusters", []string{"name", "brokers", "client_id", "tls", "sasl", "registry"}, "excludes brokers, tls, sasl and registry beside it: they stand in its entries"))
		}
	} else {
		errs = append(errs, strictyaml.In("", k.Validate()))
	}
	first := map[string]int{}
	for i := range k.Clusters {
		c := &k.Clusters[i]
		at := fmt.Sprintf("clusters[%d]", i)
		errs = append(errs, strictyaml.In(at, c.Validate()))
		if len(k.Clusters) > 1 && c.Name == "" {
			errs = append(errs, strictyaml.Wrong(at+".name", "want a name, by which fleets call the cluster"))
			continue
		}
		if other, twice := first[c.Name]; twice {
			errs = append(errs, strictyaml.Wrong(at+".name", "%q is the name of clusters[%d] too", c.Name, other))
		}
		first[c.Name] = i
	}
	if k.Session < minSession || k.Session > maxSession {
		errs = append(errs, strictyaml.Wrong("session", "%v: want %v to %v", k.Session, minSession, maxSession))
	}
	if k.Replicas < 0 || k.Replicas > maxReplica {
		errs = append(errs, strictyaml.Wrong("replicas", "%d: want 1 to %d", k.Replicas, maxReplica))
	}
	return errors.Join(errs...)
}

// UnmarshalYAML reads the part and judges it.
func (a *Admin) UnmarshalYAML(unmarshal func(any) error) error {
	type plain Admin
	err := unmarshal((*plain)(a))
	if a.Listen != "" && !hostPort(a.Listen) {
		err = errors.Join(err, strictyaml.Wrong("listen", "%q: want host:port, or nothing for no listener", a.Listen))
	}
	return err
}

// UnmarshalYAML reads the part and judges it.
func (c *Console) UnmarshalYAML(unmarshal func(any) error) error {
	type plain Console
	err := unmarshal((*plain)(c))
	return errors.Join(err, strictyaml.In("", c.Validate()))
}

// validateLive judges the live part beside the fleets: group, names of topics, clusters, receivers.
func (c *Config) validateLive() error {
	var errs []error
	if !topicName(c.Group, maxGroup) {
		errs = append(errs, strictyaml.Wrong("group", "%q: want 1 to %d of a-z A-Z 0-9 . _ -, because topics are named after it", c.Group, maxGroup))
	}
	known := map[string]bool{"": true}
	for _, cluster := range c.Kafka.All() {
		known[cluster.Name] = true
	}
	for i := range c.Fleets {
		errs = append(errs, strictyaml.In(fmt.Sprintf("fleets[%d]", i), c.Fleets[i].validTopics(known, len(known) > 1)))
	}
	names := map[string]bool{}
	for i := range c.Fleets {
		names[c.Fleets[i].Name] = true
	}
	errs = append(errs, strictyaml.In("notify", c.Notify.Validate()), c.validOwners(names), c.validReport())
	for i := range c.Notify.Receivers {
		for j, fleet := range c.Notify.Receivers[i].Fleets {
			if !names[fleet] {
				errs = append(errs, strictyaml.Wrong(fmt.Sprintf("notify.receivers[%d].fleets[%d]", i, j), "there is no fleet %q", fleet))
			}
		}
	}
	if _, err := actuator.ParseRedact(c.redact()); err != nil {
		errs = append(errs, strictyaml.Wrong("journal.redact", "%q: want off or hash", c.Journal.Redact))
	}
	return errors.Join(errs...)
}

// validOwners judges who answers for what; names are those of the fleets.
func (c *Config) validOwners(names map[string]bool) error {
	var errs []error
	for _, err := range c.Owners.Validate(c.redact() == "hash") {
		if e, ok := errors.AsType[*notify.ConfigError](err); ok {
			path, problem := e.Field()
			errs = append(errs, strictyaml.Wrong("owners"+path, "%s", problem))
		}
	}
	for i := range c.Owners {
		for j, fleet := range c.Owners[i].Fleets {
			if !strings.ContainsAny(fleet, `*\`) && !names[fleet] {
				errs = append(errs, strictyaml.Wrong(fmt.Sprintf("owners[%d].fleets[%d]", i, j), "there is no fleet %q", fleet))
			}
		}
	}
	return errors.Join(errs...)
}

func (c *Config) redact() string {
	if c.Journal.Redact == "" {
		return "off"
	}
	return c.Journal.Redact
}

// Redact is how names are written to the journal; nil = as they are.
func (c *Config) Redact() actuator.Redact {
	r, err := actuator.ParseRedact(c.redact())
	if err != nil { // was refused when the file was read
		return nil
	}
	return r
}

// maxTopic is the longest name that Kafka takes.
const maxTopic = 249

// validTopics judges the topics of a fleet; clusters are known where there are any.
func (f *Fleet) validTopics(known map[string]bool, clusters bool) error {
	var errs []error
	seen := map[Topic]int{}
	for i, t := range f.Topics {
		at := fmt.Sprintf("topics[%d]", i)
		if !topicName(t.Name, maxTopic) {
			errs = append(errs, strictyaml.Wrong(at, "%q: want the name of a topic, 1 to %d of a-z A-Z 0-9 . _ -", t.Name, maxTopic))
		}
		if clusters && !known[t.Cluster] {
			errs = append(errs, strictyaml.Wrong(at+".cluster", "there is no cluster %q in kafka.clusters", t.Cluster))
		}
		if other, twice := seen[t]; twice {
			errs = append(errs, strictyaml.Wrong(at, "%q stands in topics[%d] too: its records would count twice", t.Name, other))
		}
		seen[t] = i
	}
	return errors.Join(errs...)
}

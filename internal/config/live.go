package config

import (
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"firebreak/actuator/notify"
	"firebreak/internal/access"
	"firebreak/pipeline/kafka"
)

// Live is what `run` needs beside the fleets. replay reads it as strictly, and uses nothing of it.
type Live struct {
	Group   string        `yaml:"group"` // consumer group; begins the names of our topics
	Kafka   Kafka         `yaml:"kafka"`
	Admin   Admin         `yaml:"admin"`
	Console Console       `yaml:"console"` // the live page and the API
	Notify  notify.Config `yaml:"notify"`  // who is told
	Owners  notify.Owners `yaml:"owners"`  // who answers for which tenants and keys; the first that fits counts
	Journal Journal       `yaml:"journal"`
	History History       `yaml:"history"`
	State   State         `yaml:"state"`  // the fleets' routing
	Report  Report        `yaml:"report"` // of every week
	Log     Log           `yaml:"log"`
}

// Kafka is where request logs and our own topics are. The zero value is none.
type Kafka struct {
	kafka.Cluster `yaml:",inline"` // the only one, where Clusters is empty

	Clusters []kafka.Cluster `yaml:"clusters"` // the first holds our topics
	Start    Start           `yaml:"start"`
	Session  time.Duration   `yaml:"session"`  // without a heartbeat, after which a member is taken for dead; of the classic protocol
	Protocol Protocol        `yaml:"protocol"` // of the group
	Replicas int             `yaml:"replicas"` // of topics that we create; 0 = 3, or the number of brokers
}

// Admin is the listener of metrics, health and profiles.
type Admin struct {
	Listen string `yaml:"listen"` // host:port; empty = none
}

// Console is a listener, of the live page and the API or of the routing, and who may come.
type Console struct {
	access.Config `yaml:",inline"`
}

// Journal is the record for people.
type Journal struct {
	Redact string `yaml:"redact"` // names of keys, tenants and callers: off, or hash; empty = off
}

// State is where the fleets' routing is kept. The zero value is on Kafka, in a topic of ours.
type State struct {
	DynamoDB DynamoDB `yaml:"dynamodb"`
	Serve    Console  `yaml:"serve"` // to applications, over HTTP
}

// DynamoDB is a table of the fleets' routing. The zero value is none.
type DynamoDB struct {
	Table    string `yaml:"table"`
	Region   string `yaml:"region"`   // empty = as AWS is configured
	Endpoint string `yaml:"endpoint"` // URL; empty = that of the region
}

// History is the record of load by the minute, and of what verdicts rest on. Journal.Redact hides names in it too.
type History struct {
	KeepEvidence bool `yaml:"keep_evidence"` // although names are hidden: what verdicts rest on holds them as they are
}

// Log is what the process logs.
type Log struct {
	Level  LogLevel  `yaml:"level"`
	Format LogFormat `yaml:"format"`
}

// Topic is a topic of a request log. In YAML a plain word is its name, on the first cluster.
type Topic struct {
	Cluster string `yaml:"cluster"` // empty = the first, whose name is filled in; it stays empty where there is none
	Name    string `yaml:"topic"`
}

// UnmarshalYAML reads a name or a mapping.
func (t *Topic) UnmarshalYAML(unmarshal func(any) error) error {
	if unmarshal(&t.Name) == nil {
		return nil
	}
	type plain Topic
	return unmarshal((*plain)(t))
}

// DefaultLive returns the defaults of the design.
func DefaultLive() Live {
	return Live{Group: "firebreak", Kafka: Kafka{Session: 10 * time.Second}, Admin: Admin{Listen: "127.0.0.1:9464"}, Console: Console{access.Default()}}
}

// All are the clusters, each with a name.
func (k *Kafka) All() []kafka.Cluster {
	all := slices.Clone(k.Clusters)
	if len(all) == 0 && len(k.Brokers) > 0 {
		all = []kafka.Cluster{k.Cluster}
	}
	for i := range all {
		all[i].Name = all[i].Called()
	}
	return all
}

// nameClusters gives each topic whose cluster is not named the first one.
func (c *Config) nameClusters() {
	clusters := c.Kafka.All()
	if len(clusters) == 0 {
		return
	}
	for i := range c.Fleets {
		for j := range c.Fleets[i].Topics {
			if t := &c.Fleets[i].Topics[j]; t.Cluster == "" {
				t.Cluster = clusters[0].Name
			}
		}
	}
}

// Sources are the topics of all fleets by the name of their cluster, each once, in the order of the file.
func (c *Config) Sources() map[string][]string {
	all := map[string][]string{}
	for i := range c.Fleets {
		for _, t := range c.Fleets[i].Topics {
			if !slices.Contains(all[t.Cluster], t.Name) {
				all[t.Cluster] = append(all[t.Cluster], t.Name)
			}
		}
	}
	return all
}

// LongestWindow is that of the fleet with the longest window.
func (c *Config) LongestWindow() time.Duration {
	var longest time.Duration
	for i := range c.Fleets {
		longest = max(longest, c.Fleets[i].Window)
	}
	return longest
}

// Runnable reports what `run` and `doctor` need and a file for replay may lack: clusters, topics of every fleet, and a registry
// for those whose records carry the id of their schema.
func (c *Config) Runnable() error {
	errs := c.registries()
	if len(c.Kafka.All()) == 0 {
		errs = append(errs, errors.New("kafka.brokers: want one host:port or more, where the request log is"))
	}
	for i := range c.Fleets {
		if len(c.Fleets[i].Topics) == 0 {
			errs = append(errs, fmt.Errorf("fleets[%d].topics: fleet %q has no topic of its request log", i, c.Fleets[i].Name))
		}
	}
	return errors.Join(errs...)
}

// registries reports the fleets of format confluent that read a cluster without a registry.
func (c *Config) registries() (errs []error) {
	clusters := c.Kafka.All()
	for i := range c.Fleets {
		for j, t := range c.Fleets[i].Topics {
			at := slices.IndexFunc(clusters, func(k kafka.Cluster) bool { return k.Name == t.Cluster })
			if c.Fleets[i].Record.Format == "confluent" && at >= 0 && !clusters[at].Registry.On() {
				errs = append(errs, fmt.Errorf("fleets[%d].topics[%d]: format confluent needs registry.url of cluster %s", i, j, clusters[at].Name))
			}
		}
	}
	return errs
}

// Beside makes the relative paths of the live part's files paths below a directory, that of the configuration file.
func (c *Config) Beside(dir string) {
	below := func(path *string) {
		if *path != "" && !filepath.IsAbs(*path) {
			*path = filepath.Join(dir, *path)
		}
	}
	cluster := func(k *kafka.Cluster) {
		for _, path := range []*string{
			&k.TLS.CAFile, &k.TLS.CertFile, &k.TLS.KeyFile, &k.SASL.PasswordFile, &k.SASL.TokenFile, &k.SASL.ClientSecretFile,
			&k.Registry.PasswordFile, &k.Registry.TokenFile, &k.Registry.CAFile, &k.Registry.CertFile, &k.Registry.KeyFile,
		} {
			below(path)
		}
	}
	cluster(&c.Kafka.Cluster)
	for i := range c.Kafka.Clusters {
		cluster(&c.Kafka.Clusters[i])
	}
	below(&c.Report.Dir)
	for _, path := range append(c.Console.Files(), c.State.Serve.Files()...) {
		below(path)
	}
	for i := range c.Fleets {
		for _, path := range c.Fleets[i].Mover.Files() {
			below(path)
		}
	}
	for i := range c.Notify.Receivers {
		for _, path := range c.Notify.Receivers[i].Files() {
			below(path)
		}
	}
	for i := range c.Fleets {
		for _, path := range c.Fleets[i].Health.Files() {
			below(path)
		}
	}
}

// hostPort says whether a text is host:port to listen on; the host may be empty, and port 0 is any that is free.
func hostPort(address string) bool {
	_, port, err := net.SplitHostPort(address)
	_, numErr := strconv.ParseUint(port, 10, 16)
	return err == nil && numErr == nil
}

// topicName says whether Kafka takes a name for a topic or the beginning of one.
func topicName(name string, most int) bool {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-"
	return name != "" && len(name) <= most && strings.Trim(name, letters) == "" && name != "." && name != ".."
}

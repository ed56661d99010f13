package config

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"firebreak/pipeline/kafka"
)

// TestRegistry: each cluster has its own registry, whose files stand beside the configuration.
func TestRegistry(t *testing.T) {
	c, err := Parse("f.yml", []byte(`
kafka:
  clusters:
    - {name: eu, brokers: a:1, registry: {url: "https://r1:8081, https://r2/api", user: u, password_file: p, ca_file: ca, cert_file: c, key_file: k, server_name: n, timeout: 2s, wait: 1m}}
    - {name: us, brokers: b:1, registry: {url: ["http://r"], token: hunter2}}
    - {name: no, brokers: c:1}
fleets: [{name: a, topics: [x, {cluster: us, topic: x}], record: {preset: canonical, format: confluent}}, {name: b, topics: [{cluster: no, topic: x}]}]
`))
	if err != nil {
		t.Fatal(err)
	}
	c.Beside("/etc/fb")
	want := []kafka.Registry{{
		URLs: kafka.URLs{"https://r1:8081", "https://r2/api"}, User: "u", PasswordFile: "/etc/fb/p", CAFile: "/etc/fb/ca", CertFile: "/etc/fb/c", KeyFile: "/etc/fb/k",
		ServerName: "n", Timeout: 2 * time.Second, Wait: time.Minute,
	}, {URLs: kafka.URLs{"http://r"}, Token: "hunter2"}, {}}
	for i, k := range c.Kafka.All() {
		if diff := cmp.Diff(want[i], k.Registry); diff != "" {
			t.Errorf("%s (-want +got):\n%s", k.Name, diff)
		}
	}
	if err := c.Runnable(); err != nil {
		t.Error(err)
	}
	if text := fmt.Sprintf("%v %+v %#v", c.Live, c.Live, c.Live); strings.Contains(text, "hunter2") {
		t.Errorf("a secret is shown: %s", text)
	}
}

// TestRegistryMissing: format confluent on a cluster without a registry can be read, and not run.
func TestRegistryMissing(t *testing.T) {
	for yaml, want := range map[string]string{
		"kafka: {brokers: a:1}": "fleets[0].topics[0]: format confluent needs registry.url of cluster main",
		"kafka: {clusters: [{name: eu, brokers: a:1, registry: {url: 'http://r'}}, {name: us, brokers: b:1}]}": "fleets[0].topics[1]: format confluent needs registry.url of cluster us",
	} {
		topics := "[x]"
		if strings.Contains(yaml, "us") {
			topics = "[x, {cluster: us, topic: x}]"
		}
		c, err := Parse("f.yml", []byte(yaml+"\nfleets: [{name: a, topics: "+topics+", record: {preset: canonical, format: confluent}}]"))
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Runnable(); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", yaml, err, want)
		}
	}
}

// TestRegistryMistakes: each is refused where it stands; no address is shown, because it may hold a password.
func TestRegistryMistakes(t *testing.T) {
	for registry, want := range map[string]string{
		"url: 'r:8081'":                      "kafka.registry.url[0]: want https://host:port, or http",
		"url: ['http://a', 'ftp://hunter2']": "kafka.registry.url[1]: want https://host:port",
		"url: 'http://a?x=hunter2'":          "kafka.registry.url[0]: want https://host:port",
		"url: 'https://u:hunter2@h'":         "kafka.registry.url[0]: holds a user: user and password have fields of their own",
		"token: t":                           "kafka.registry.url: missing: say where the registry is",
		"url: 'http://a', user: u":           "kafka.registry.user: user and password, or password_file, go together",
		"url: 'http://a', password: hunter2": "kafka.registry.user: user and password, or password_file, go together",
		"url: 'http://a', user: u, password: hunter2, password_file: f": "kafka.registry.password_file: excludes password",
		"url: 'http://a', token: hunter2, token_file: f":                "kafka.registry.token_file: excludes token",
		"url: 'http://a', user: u, password: p, token: hunter2":         "kafka.registry.user: excludes a token",
		"url: 'https://a', cert_file: f":                                "kafka.registry.cert_file: cert_file and key_file go together",
		"url: 'http://a', ca_file: f":                                   "kafka.registry.url: is not https, so nothing is encrypted",
		"url: 'http://a', timeout: 2m":                                  "kafka.registry.timeout: 2m0s: want at most 1m0s",
		"url: 'http://a', wait: 2h":                                     "kafka.registry.wait: 2h0m0s: want at most 1h0m0s",
		"url: 'http://a', tokn: x":                                      `kafka.registry: unknown field "tokn"; did you mean "token"?`,
	} {
		_, err := Parse("f.yml", []byte("fleets: [{name: a}]\nkafka: {brokers: a:1, registry: {"+registry+"}}"))
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s got %v\nwant %s", registry, err, want)
		}
	}
	_, err := Parse("f.yml", []byte("fleets: [{name: a}]\nkafka: {clusters: [{brokers: a:1}], registry: {url: 'http://a'}}"))
	if err == nil || !strings.Contains(err.Error(), "kafka.clusters: excludes brokers, tls, sasl and registry beside it") {
		t.Errorf("beside clusters: %v", err)
	}
}

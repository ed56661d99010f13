package config

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"firebreak/actuator"
	"firebreak/actuator/notify"
	"firebreak/internal/access"
	"firebreak/pipeline/kafka"
)

func TestLive(t *testing.T) {
	c, err := Parse("f.yml", []byte(`
group: fb
kafka:
  clusters:
    - {name: eu, brokers: "a:9092, b:9092", tls: {ca_file: ca.pem}, sasl: {mechanism: SCRAM-SHA-512, user: u, password_file: /run/p}}
    - {name: us, brokers: [c:9092]}
  start: -10m
  session: 6s
  protocol: consumer
  replicas: 2
admin: {listen: ""}
console: {listen: ":9465", tls: {cert_file: c.pem, key_file: /run/k.pem}, tokens: [{name: ops, role: operator, token_file: ops}], proxy: {header: X-User, trusted: [10.0.0.0/8]}}
log: {level: debug, format: text}
notify: {receivers: [{name: oncall, webhook: {url: "https://h/x", secret_file: s}, kinds: [verdict], fleets: [a], severity: critical},
  {name: chat, slack: {token_file: token, channel: C1}}, {name: pager, pagerduty: {routing_key_file: key}},
  {name: am, alertmanager: {urls: ["http://am:9093"], token_file: bearer, keep: 1h}}]}
owners: [{tenants: [shop-7], team: carts, channel: C2, runbook: "https://wiki/carts"}]
journal: {redact: hash}
history: {keep_evidence: true}
fleets:
  - {name: a, topics: [requests, {cluster: us, topic: requests}], window: 10m}
  - {name: b, topics: [requests, other]}
`))
	if err != nil {
		t.Fatal(err)
	}
	c.Beside("/etc/fb")
	critical := notify.Critical
	want := Live{
		Group: "fb",
		Kafka: Kafka{
			Clusters: []kafka.Cluster{
				{
					Name: "eu", Brokers: kafka.Brokers{"a:9092", "b:9092"}, TLS: kafka.TLS{CAFile: "/etc/fb/ca.pem"},
					SASL: kafka.SASL{Mechanism: kafka.ScramSHA512, User: "u", PasswordFile: "/run/p"},
				},
				{Name: "us", Brokers: kafka.Brokers{"c:9092"}},
			},
			Start: Start{Back: 10 * time.Minute}, Session: 6 * time.Second, Protocol: Consumer, Replicas: 2,
		},
		Console: Console{access.Config{
			Listen: ":9465", TLS: access.TLS{CertFile: "/etc/fb/c.pem", KeyFile: "/run/k.pem"},
			Tokens: []access.Token{{Name: "ops", Role: access.RoleOperator, File: "/etc/fb/ops"}}, Proxy: access.Proxy{Header: "X-User", Trusted: []string{"10.0.0.0/8"}},
		}},
		Log: Log{Level: LevelDebug, Format: FormatText},
		Notify: notify.Config{Receivers: []notify.Receiver{
			{
				Name: "oncall", Kinds: []actuator.Kind{actuator.KindVerdict}, Fleets: []string{"a"}, Severity: &critical,
				Webhook: &notify.Webhook{URL: "https://h/x", SecretFile: "/etc/fb/s"},
			},
			{Name: "chat", Slack: &notify.Slack{TokenFile: "/etc/fb/token", Channel: "C1"}},
			{Name: "pager", PagerDuty: &notify.PagerDuty{RoutingKeyFile: "/etc/fb/key"}},
			{Name: "am", Alertmanager: &notify.Alertmanager{URLs: []string{"http://am:9093"}, TokenFile: "/etc/fb/bearer", Keep: time.Hour}},
		}},
		Owners:  notify.Owners{{Tenants: []string{"shop-7"}, Team: "carts", Channel: "C2", Runbook: "https://wiki/carts"}},
		Journal: Journal{Redact: "hash"}, History: History{KeepEvidence: true},
	}
	if diff := cmp.Diff(want, c.Live, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("live (-want +got):\n%s", diff)
	}
	topics := [][]Topic{c.Fleets[0].Topics, c.Fleets[1].Topics}
	if diff := cmp.Diff([][]Topic{{{"eu", "requests"}, {"us", "requests"}}, {{"eu", "requests"}, {"eu", "other"}}}, topics); diff != "" {
		t.Errorf("topics (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[string][]string{"eu": {"requests", "other"}, "us": {"requests"}}, c.Sources()); diff != "" {
		t.Errorf("sources (-want +got):\n%s", diff)
	}
	if c.LongestWindow() != 10*time.Minute || c.Runnable() != nil {
		t.Errorf("longest window %v, runnable: %v", c.LongestWindow(), c.Runnable())
	}
}

func TestLiveDefaults(t *testing.T) {
	c, err := Parse("f.yml", []byte("kafka: {brokers: a:9092}\nfleets: [{name: a, topics: [x]}]"))
	if err != nil {
		t.Fatal(err)
	}
	if all := c.Kafka.All(); len(all) != 1 || all[0].Name != "main" || c.Sources()["main"][0] != "x" {
		t.Errorf("clusters %+v, sources %v", all, c.Sources())
	}
	if c.Group != "firebreak" || c.Kafka.Session != 10*time.Second || c.Kafka.Start.Back != 0 || c.Kafka.Protocol != Classic || c.Admin.Listen != "127.0.0.1:9464" {
		t.Errorf("defaults %+v", c.Live)
	}
	c, err = Parse("f.yml", []byte("fleets: [{name: a}]"))
	if err != nil {
		t.Fatalf("a file for replay: %v", err)
	}
	if err := c.Runnable(); err == nil || !strings.Contains(err.Error(), "kafka.brokers") || !strings.Contains(err.Error(), "fleets[0].topics") {
		t.Errorf("runnable without a cluster: %v", err)
	}
}

// TestLiveMistakes: each is refused where it stands, and nothing else is said.
func TestLiveMistakes(t *testing.T) {
	for _, tt := range []struct{ yaml, want string }{
		{"group: 'a b'\n", `2:8: group: "a b": want 1 to 200 of`},
		{"grup: a\n", `2:1: unknown field "grup"; did you mean "group"?`},
		{"kafka: {brokers: a}\n", `2:18: kafka.brokers[0]: "a": want host:port`},
		{"kafka: {brokers: [a:1, 'b:x']}\n", `2:24: kafka.brokers[1]: "b:x": want host:port`},
		{"kafka: {brokers: a:1, session: 10}\n", `kafka.session: "10" has no unit`},
		{"kafka: {brokers: a:1, session: 10ms}\n", `2:32: kafka.session: 10ms: want 1s to 5m0s`},
		{"kafka: {brokers: a:1, start: 10m}\n", `2:30: kafka.start: "10m": want newest, or how far back: -10m`},
		{"kafka: {brokers: a:1, start: oldest}\n", `2:30: kafka.start: "oldest": want newest, or how far back`},
		{"kafka: {brokers: a:1, protocol: classik}\n", `2:33: kafka.protocol: protocol "classik": want classic or consumer; did you mean "classic"?`},
		{"kafka: {brokers: a:1, replicas: -1}\n", `2:33: kafka.replicas: -1: want`},
		{"kafka: {session: 10s}\n", `kafka.brokers: want one host:port or more`},
		{"kafka: {brokers: a:1, clusters: [{brokers: b:1}]}\n", `kafka.clusters: excludes brokers, tls, sasl and registry`},
		{"kafka: {clusters: [{name: a, brokers: a:1}, {brokers: b:1}]}\n", `kafka.clusters[1].name: want a name`},
		{"kafka: {clusters: [{name: a, brokers: a:1}, {name: a, brokers: b:1}]}\n", `kafka.clusters[1].name: "a" is the name of clusters[0] too`},
		{"kafka: {brokers: a:1, sasl: {mechanism: scram}}\n", `kafka.sasl.mechanism: mechanism "scram": want none, plain`},
		{"kafka: {brokers: a:1, sasl: {mechanism: plain, password: hunter2}}\n", `kafka.sasl.user: plain needs it`},
		{"kafka: {brokers: a:1, sasl: {mechanism: plain, user: u, password: [hunter2]}}\n", `kafka.sasl.password: want text`},
		{"kafka: {brokers: a:1, sasl: {mechanism: plain, user: u, password: hunter2, password_file: f}}\n", `kafka.sasl.password_file: excludes password`},
		{"kafka: {brokers: a:1, sasl: {mechanism: plain, user: u}}\n", `kafka.sasl.mechanism: plain needs password, or password_file`},
		{"kafka: {brokers: a:1, sasl: {mechanism: oauthbearer}}\n", `kafka.sasl.mechanism: oauthbearer wants one of token, token_file and token_url`},
		{"kafka: {brokers: [a:1, {b: c}]}\n", `kafka.brokers[1]`},
		{"kafka: {brokers: a:1, tls: {cert_file: a}}\n", `kafka.tls.cert_file: needs key_file beside it`},
		{"kafka: {brokers: a:1, tls: {ca: a}}\n", `kafka.tls: unknown field "ca"; did you mean "ca_file"?`},
		{"admin: {listen: nine}\n", `2:17: admin.listen: "nine": want host:port`},
		{"console: {listen: nine}\n", `console.listen: "nine": want host:port`},
		{"console: {listen: \"0.0.0.0:9465\"}\n", `2:19: console.listen: "0.0.0.0:9465" is not on the loopback interface: want tokens, proxy or open_to`},
		{"console: {listen: \":9465\", tokens: [{name: a, token: hunter2hunter2hunter2}]}\n", `console.tokens: would travel unencrypted`},
		{"console: {tokens: [{name: a, token: hunter2}]}\n", `console.tokens[0].token: want 16 bytes or more`},
		{"console: {tokens: [{name: a, role: admin, token_file: f}]}\n", `want viewer, operator or approver`},
		{"log: {level: loud}\n", `2:14: log.level: level "loud": want info, debug, warn or error`},
		{"log: {format: jsn}\n", `log.format: format "jsn": want json or text; did you mean "json"?`},
		{"notify: {receivers: [{webhook: {url_file: f, secret_file: g}}]}\n", `notify.receivers[0].name: want 1 to 64 bytes`},
		{"notify: {receivers: [{name: a}]}\n", `notify.receivers[0].name: missing: say where to send`},
		{"notify: {receivers: [{name: a, webhook: {url_file: f, secret_file: g}, pagerduty: {routing_key_file: h}}]}\n", `stands beside another one`},
		{"notify: {receivers: [{name: a, slack: {token: hunter2, webhook_url_file: f}}]}\n", `notify.receivers[0].slack.token_file: a token beside a webhook`},
		{"notify: {receivers: [{name: a, slack: {webhook_url_file: f, app_token_file: g}}]}\n", `notify.receivers[0].slack.app_token_file: is for a token`},
		{"notify: {receivers: [{name: a, slack: {token_file: f, channel: C1, people: {U1: ann}}}]}\n", `notify.receivers[0].slack.people: want an app_token too`},
		{"notify: {receivers: [{name: a, slack: {token_file: f, channel: C1, app_token_file: g, people: {U1: \"\"}}}]}\n", `notify.receivers[0].slack.people: want names of approvers`},
		{"notify: {receivers: [{name: a, slack: {token_file: f}}]}\n", `notify.receivers[0].slack.channel: want the id or the name`},
		{"notify: {receivers: [{name: a, pagerduty: {routing_key: hunter2}}]}\n", `notify.receivers[0].name: its routing_key: want the 32 characters`},
		{"notify: {receivers: [{name: a, pagerduty: {routing_key_file: f}, kinds: [hold]}]}\n", `notify.receivers[0].kinds[0]: hold is no alert`},
		{"notify: {receivers: [{name: a, alertmanager: {urls: [am]}}]}\n", `notify.receivers[0].alertmanager.urls[0]: want an absolute http or https URL`},
		{"owners: [{fleets: [b], team: t}]\n", `owners[0].fleets[0]: there is no fleet "b"`},
		{"owners: [{keys: ['a*']}]\n", `owners[0].team: missing`},
		{"journal: {redact: hash}\nowners: [{keys: ['a*'], team: t}]\n", `owners[0].keys[0]: names are hashed in the journal`},
		{"notify: {receivers: [{name: a, webhook: {secret_file: g}}]}\n", `notify.receivers[0].webhook.url_file: missing: give it, or url`},
		{"notify: {receivers: [{name: a, webhook: {url: 'ftp://h/hunter2', secret_file: g}}]}\n", `notify.receivers[0].name: its url: want an absolute http or https URL`},
		{"notify: {receivers: [{name: a, webhook: {url_file: f, secret: hunter2}}]}\n", `notify.receivers[0].name: its secret: want at least 16 bytes`},
		{"notify: {receivers: [{name: a, severity: loud, webhook: {url_file: f, secret_file: g}}]}\n", `notify.receivers[0].severity: want warning or critical`},
		{"notify: {receivers: [{name: a, fleets: [b], webhook: {url_file: f, secret_file: g}}]}\n", `notify.receivers[0].fleets[0]: there is no fleet "b"`},
		{"notify: {external_url: nine}\n", `notify.external_url: want an absolute`},
		{"journal: {redact: some}\n", `journal.redact: "some": want off or hash`},
	} {
		_, err := Parse("f.yml", []byte("fleets: [{name: a}]\n"+tt.yaml))
		if err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "\n") || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s got %v\nwant %s", tt.yaml, err, tt.want)
		}
	}
	for yaml, want := range map[string]string{
		"topics: ['a b']":                        `f.yml:1:40: fleets[0].topics[0]: "a b": want the name of a topic`,
		"topics: [a, a]":                         `f.yml:1:43: fleets[0].topics[1]: "a" stands in topics[0] too`,
		"topics: [a, {cluster: main, topic: a}]": `fleets[0].topics[1]: "a" stands in topics[0] too`,
		"topics: [{cluster: z, topic: a}]":       `fleets[0].topics[0].cluster: there is no cluster "z"`,
		"topics: [{topik: a}]":                   `fleets[0].topics[0]: unknown field "topik"; did you mean "topic"?`,
	} {
		_, err := Parse("f.yml", []byte("fleets: [{name: a, shards: 3, "+yaml+"}]\nkafka: {brokers: h:1}"))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s got %v\nwant %s", yaml, err, want)
		}
	}
}

// TestSecretsAreHidden: a configuration that is printed in any way shows none of its secrets.
func TestSecretsAreHidden(t *testing.T) {
	c, err := Parse("f.yml", []byte(`
fleets: [{name: a}]
kafka: {clusters: [{name: x, brokers: a:1, sasl: {mechanism: plain, user: u, password: hunter2}},
  {name: y, brokers: a:1, sasl: {mechanism: oauthbearer, token: hunter2}},
  {name: z, brokers: a:1, sasl: {mechanism: oauthbearer, token_url: "https://h", client_id: i, client_secret: hunter2}}]}
notify: {receivers: [{name: a, webhook: {url: "https://h/hunter2", secret: hunter2-hunter2-hunter2}}, {name: b, slack: {token: hunter2, channel: c}},
  {name: c, slack: {webhook_url: "https://h/hunter2"}}, {name: d, pagerduty: {routing_key: hunter2-hunter2-hunter2-hunter2-}}, {name: e, alertmanager: {urls: ["http://am"], token: hunter2}}]}
`))
	if err != nil {
		t.Fatal(err)
	}
	for _, form := range []string{"%v", "%+v", "%#v"} {
		if text := fmt.Sprintf(form, c.Live); strings.Contains(text, "hunter2") {
			t.Errorf("%s shows a secret: %s", form, text)
		}
	}
}

func TestWordsRoundTrip(t *testing.T) {
	for _, text := range []string{"newest", "-10m0s", "-1h30m0s"} {
		var s Start
		if err := s.UnmarshalText([]byte(text)); err != nil || s.String() != text {
			t.Errorf("start %s: %v, %v", text, s, err)
		}
	}
	for p := range Consumer + 1 {
		var back Protocol
		if text, err := p.MarshalText(); err != nil || back.UnmarshalText(text) != nil || back != p {
			t.Errorf("protocol %v: %v, %v", p, back, err)
		}
	}
	if _, err := (FormatText + 1).MarshalText(); err == nil || (LevelError+1).String() != "level(4)" {
		t.Errorf("numbers of no word: %v, %v", err, LevelError+1)
	}
}

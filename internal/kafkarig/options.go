package kafkarig

import (
	"fmt"
	"maps"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Options say what the clients' listener wants. The zero value is plain text without signing in.
type Options struct {
	TLS        bool              // encrypted, with certificates of an authority of its own, see Broker.Files
	ClientAuth bool              // clients show a certificate (mTLS); with TLS
	Users      map[string]string // password by name; not empty = clients sign in by PLAIN, SCRAM-SHA-256 or SCRAM-SHA-512
	ACLs       bool              // nobody may do what is not granted, but on the admin listener
	Properties map[string]string // further lines of server.properties, or others than those of the rig
}

// security is the protocol of the clients' listener.
func (o *Options) security() string {
	switch {
	case o.TLS && len(o.Users) > 0:
		return "SASL_SSL"
	case o.TLS:
		return "SSL"
	case len(o.Users) > 0:
		return "SASL_PLAINTEXT"
	}
	return "PLAINTEXT"
}

// ports are those of a node, kept over restarts.
type ports struct{ client, admin, controller string }

// freePorts finds ports that nobody listens on.
func freePorts(t testing.TB) ports {
	t.Helper()
	var found [3]string
	for i := range found {
		l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatalf("kafkarig: %v", err)
		}
		defer l.Close() //nolint:errcheck // only its number was wanted
		found[i] = l.Addr().String()
	}
	return ports{found[0], found[1], found[2]}
}

// properties are the lines of server.properties.
func (o *Options) properties(dir string, p ports, files Files) map[string]string {
	all := map[string]string{
		"process.roles": "broker,controller", "node.id": "1",
		"controller.quorum.voters":   "1@" + p.controller,
		"listeners":                  "CLIENT://" + p.client + ",ADMIN://" + p.admin + ",CONTROLLER://" + p.controller,
		"advertised.listeners":       "CLIENT://" + p.client + ",ADMIN://" + p.admin,
		"inter.broker.listener.name": "ADMIN", "controller.listener.names": "CONTROLLER",
		"listener.security.protocol.map":   "CONTROLLER:PLAINTEXT,ADMIN:PLAINTEXT,CLIENT:" + o.security(),
		"log.dirs":                         filepath.Join(dir, "data"),
		"offsets.topic.replication.factor": "1", "offsets.topic.num.partitions": "4",
		"transaction.state.log.replication.factor": "1", "transaction.state.log.min.isr": "1", "transaction.state.log.num.partitions": "4",
		"share.coordinator.state.topic.replication.factor": "1", "share.coordinator.state.topic.min.isr": "1",
		"group.initial.rebalance.delay.ms": "0", "group.min.session.timeout.ms": "1000", "auto.create.topics.enable": "false",
		"broker.session.timeout.ms": "2000", "broker.heartbeat.interval.ms": "500", // back within seconds of a kill
	}
	if o.TLS {
		all["ssl.keystore.type"], all["ssl.keystore.location"] = "PEM", files.server
		all["ssl.truststore.type"], all["ssl.truststore.location"] = "PEM", files.CA
		all["ssl.client.auth"] = "none"
		if o.ClientAuth {
			all["ssl.client.auth"] = "required"
		}
	}
	if len(o.Users) > 0 {
		var plain strings.Builder
		for _, user := range slices.Sorted(maps.Keys(o.Users)) {
			fmt.Fprintf(&plain, ` user_%s="%s"`, user, o.Users[user])
		}
		all["sasl.enabled.mechanisms"] = "PLAIN,SCRAM-SHA-256,SCRAM-SHA-512"
		all["listener.name.client.plain.sasl.jaas.config"] = "org.apache.kafka.common.security.plain.PlainLoginModule required" + plain.String() + ";"
		scram := "org.apache.kafka.common.security.scram.ScramLoginModule required;"
		all["listener.name.client.scram-sha-256.sasl.jaas.config"] = scram
		all["listener.name.client.scram-sha-512.sasl.jaas.config"] = scram
	}
	if o.ACLs {
		all["authorizer.class.name"] = "org.apache.kafka.metadata.authorizer.StandardAuthorizer"
		all["super.users"] = "User:ANONYMOUS" // the admin listener, and a clients' listener without signing in
	}
	maps.Copy(all, o.Properties)
	return all
}

// write writes the properties into a file.
func write(t testing.TB, path string, properties map[string]string) {
	t.Helper()
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		b.WriteString(name + "=" + properties[name] + "\n")
	}
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatalf("kafkarig: %v", err)
	}
}

// users are the words with which the storage tool makes those who sign in by SCRAM.
func (o *Options) users() []string {
	var words []string
	for _, user := range slices.Sorted(maps.Keys(o.Users)) {
		for _, mechanism := range []string{"SCRAM-SHA-256", "SCRAM-SHA-512"} {
			words = append(words, "-S", mechanism+"=[name="+user+",password="+o.Users[user]+"]")
		}
	}
	return words
}

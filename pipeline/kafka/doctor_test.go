package kafka

import (
	"context"
	"crypto/tls"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"firebreak/internal/kafkarig"
)

// brokers starts a fake cluster on the machine's own network.
func brokers(t *testing.T, opts ...kfake.Opt) []string {
	t.Helper()
	c, err := kfake.NewCluster(append([]kfake.Opt{kfake.NumBrokers(1)}, opts...)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c.ListenAddrs()
}

// client makes a client of a cluster that ends with the test.
func client(t *testing.T, c Cluster) *kgo.Client {
	t.Helper()
	opts, err := Options(c)
	if err != nil {
		t.Fatal(err)
	}
	cl, err := kgo.NewClient(opts...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cl.Close)
	return cl
}

// lines puts findings into lines, with the address as ADDR.
func lines(findings []Finding, address string) []string {
	var all []string
	for _, f := range findings {
		mark := "ok   "
		if !f.OK {
			mark = "WRONG"
		}
		all = append(all, strings.ReplaceAll(mark+" "+f.Name+": "+f.Detail, address, "ADDR"))
	}
	return all
}

func bounded(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	return ctx
}

func TestCheckFindsNothingWrong(t *testing.T) {
	addrs := brokers(t, kfake.SeedTopics(12, "requests"))
	checkup := &Checkup{
		Clusters: []Cluster{{Brokers: addrs}}, Group: "fb", Window: 5 * time.Minute,
		Sources: map[string][]string{"main": {"requests"}},
	}
	missing := lines(checkup.Check(bounded(t)), addrs[0])
	want := []string{
		"ok    main: settings: plain text",
		"ok    main: broker ADDR: answers, plain text",
		"ok    main: brokers: 1 in the cluster",
		"ok    main: topic requests: 12 partitions, may be read; CreateTime",
		"ok    main: group fb: may be joined",
		"ok    main: topic fb.panes: is missing; firebreak run creates it",
		"ok    main: topic fb.history: is missing; firebreak run creates it",
		"ok    main: topic fb.journal: is missing; firebreak run creates it",
		"ok    main: topic fb.state: is missing; firebreak run creates it",
		"ok    main: topic fb.clients: is missing; firebreak run creates it",
		"ok    main: group fb.decider: may be joined",
		"ok    main: idempotent appends: are allowed",
	}
	if diff := cmp.Diff(want, missing); diff != "" {
		t.Errorf("before (-want +got):\n%s", diff)
	}
	cl := client(t, Cluster{Brokers: addrs})
	e := &Ensure{Client: cl, Brokers: addrs}
	for range 2 { // the second time they are there
		if err := e.EnsureTopics(bounded(t), Topics("fb", 5*time.Minute)); err != nil {
			t.Fatal(err)
		}
	}
	got := lines(checkup.Check(bounded(t)), addrs[0])
	for i, name := range []string{"panes", "history", "journal", "state", "clients"} {
		want[5+i] = "ok    main: topic fb." + name + ": is as it must be, may be read and appended to"
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("after (-want +got):\n%s", diff)
	}
	ends, err := kadm.NewClient(cl).ListEndOffsets(bounded(t), "fb.panes", "requests")
	if err != nil {
		t.Fatal(err)
	}
	ends.Each(func(o kadm.ListedOffset) {
		if o.Offset != 0 {
			t.Errorf("the check wrote to %s", o.Topic)
		}
	})
}

// TestVerifyNamesEachSetting: every setting that is wrong is named with the command that mends it, and nothing is altered.
func TestVerifyNamesEachSetting(t *testing.T) {
	addrs := brokers(t, kfake.SeedTopics(3, "fb.journal"))
	cl := client(t, Cluster{Brokers: addrs})
	adm := kadm.NewClient(cl)
	settings := map[string]*string{}
	for name, value := range map[string]string{
		"cleanup.policy": "compact", "retention.ms": "60000", "retention.bytes": "1000000", "message.timestamp.type": "CreateTime", "max.message.bytes": "10000",
	} {
		settings[name] = &value
	}
	if _, err := adm.CreateTopic(t.Context(), 1, 1, settings, "fb.panes"); err != nil {
		t.Fatal(err)
	}
	e := &Ensure{Client: cl, Brokers: Brokers{"b:9092"}}
	err := e.EnsureTopics(bounded(t), Topics("fb", time.Hour))
	var got []string
	for _, w := range joined(err) {
		got = append(got, w.Error())
	}
	alter := "mend: kafka-configs.sh --bootstrap-server b:9092 --alter --entity-type topics --entity-name fb.panes --add-config "
	want := []string{
		"topic fb.panes: cleanup.policy is compact: want delete; " + alter + "cleanup.policy=delete",
		"topic fb.panes: retention.ms is 60000: want 10800000; " + alter + "retention.ms=10800000",
		"topic fb.panes: retention.bytes is 1000000: want -1; " + alter + "retention.bytes=-1",
		"topic fb.panes: message.timestamp.type is CreateTime: want LogAppendTime; " + alter + "message.timestamp.type=LogAppendTime",
		"topic fb.panes: max.message.bytes is 10000: want 1048576; " + alter + "max.message.bytes=1048576",
		"topic fb.journal: has 3 partitions: want 1, and partitions cannot be taken away; it has to be made anew; mend: kafka-topics.sh --bootstrap-server b:9092 --delete --topic fb.journal",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
	if again := e.VerifyTopics(bounded(t), Topics("fb", time.Hour)); again == nil || again.Error() != err.Error() {
		t.Errorf("after it: %v", again)
	}
}

// TestEnsureReplicas: new topics have three replicas, or as many as there are brokers, or what is asked for; what cannot be
// made is shown as a command.
func TestEnsureReplicas(t *testing.T) {
	addrs := brokers(t, kfake.NumBrokers(5))
	cl := client(t, Cluster{Brokers: addrs})
	for group, e := range map[string]*Ensure{"a": {Client: cl}, "b": {Client: cl, Replicas: 2}} {
		if err := e.EnsureTopics(bounded(t), Topics(group, time.Minute)); err != nil {
			t.Fatal(err)
		}
		details, err := kadm.NewClient(cl).ListTopics(bounded(t), group+".panes")
		if err != nil {
			t.Fatal(err)
		}
		if got, want := len(details[group+".panes"].Partitions[0].Replicas), e.replicas(5); got != want {
			t.Errorf("group %s: %d replicas, want %d", group, got, want)
		}
	}
	if got := (&Ensure{}).replicas(2); got != 2 {
		t.Errorf("2 brokers: %d replicas", got)
	}
	command := Topics("g", time.Minute)[0].createCommand(Brokers{"a:1", "b:2"}, 3)
	want := "kafka-topics.sh --bootstrap-server a:1,b:2 --create --topic g.panes --partitions 1 --replication-factor 3 --config cleanup.policy=delete" +
		" --config max.message.bytes=1048576 --config message.timestamp.type=LogAppendTime --config min.insync.replicas=2 --config retention.bytes=-1" +
		" --config retention.ms=3600000 --config segment.bytes=67108864 --config segment.ms=600000"
	if command != want {
		t.Errorf("command\n%s\nwant\n%s", command, want)
	}
}

// TestCheckRights: each right that is missing is named with the command that grants it.
func TestCheckRights(t *testing.T) {
	allow := func(resource kmsg.ACLResourceType, name string, op kmsg.ACLOperation) kfake.ACL {
		return kfake.ACL{Resource: resource, Name: name, Pattern: kmsg.ACLResourcePatternTypeLiteral, Operation: op, Allow: true}
	}
	const topic, group = kmsg.ACLResourceTypeTopic, kmsg.ACLResourceTypeGroup
	addrs := brokers(t, kfake.EnableSASL(), kfake.EnableACLs(), kfake.Superuser("PLAIN", "admin", "admin"),
		kfake.SeedTopics(1, "hidden", "seen", "open", "fb.panes"),
		kfake.User("PLAIN", "fb", "secret",
			allow(topic, "seen", kmsg.ACLOperationDescribe), allow(topic, "open", kmsg.ACLOperationRead),
			allow(topic, "fb.panes", kmsg.ACLOperationRead), allow(topic, "fb.history", kmsg.ACLOperationDescribe),
			allow(group, "fb.decider", kmsg.ACLOperationRead)))
	c := Cluster{Brokers: addrs, SASL: SASL{Mechanism: Plain, User: "fb", Password: "secret"}}
	checkup := &Checkup{Clusters: []Cluster{c}, Group: "fb", Sources: map[string][]string{"main": {"hidden", "seen", "open", "none"}}}
	findings := checkup.Check(bounded(t))
	got := map[string]Finding{}
	for _, f := range findings {
		got[strings.TrimPrefix(f.Name, "main: ")] = f
	}
	grant := "kafka-acls.sh --bootstrap-server " + addrs[0] + " --add --allow-principal 'User:fb'"
	for name, want := range map[string]Finding{
		"topic hidden":       {Detail: "Describe is not allowed", Mend: grant + " --operation Describe --operation Read --topic 'hidden'"},
		"topic seen":         {Detail: "Read is not allowed", Mend: grant + " --operation Describe --operation Read --topic 'seen'"},
		"topic open":         {OK: true, Detail: "1 partitions, may be read; whose time its records carry is not to be seen"},
		"topic none":         {Detail: "Describe is not allowed", Mend: grant},
		"group fb":           {Detail: "Read is not allowed", Mend: grant + " --operation Describe --operation Read --group 'fb'"},
		"group fb.decider":   {OK: true, Detail: "may be joined"},
		"topic fb.history":   {Detail: "Create is not allowed", Mend: " --operation Create --operation Describe --operation DescribeConfigs --operation Read --operation Write --topic 'fb.history'"},
		"topic fb.journal":   {Detail: "Describe is not allowed", Mend: grant},
		"topic fb.panes":     {Detail: "Write is not allowed", Mend: grant},
		"idempotent appends": {Detail: "needs Write on a topic of ours", Mend: grant + " --operation IdempotentWrite --cluster"},
	} {
		if f := got[name]; f.OK != want.OK || !strings.Contains(f.Detail, want.Detail) || !strings.Contains(f.Mend, want.Mend) {
			t.Errorf("%s: %+v, want %+v", name, f, want)
		}
	}
}

// TestCheckTellsWhyNot: an address that does not serve us says which part of the way fails.
func TestCheckTellsWhyNot(t *testing.T) {
	files := kafkarig.Certificates(t)
	pair, err := tls.LoadX509KeyPair(files.ServerPair(), files.ServerPair())
	if err != nil {
		t.Fatal(err)
	}
	open := brokers(t)
	secure := brokers(t, kfake.TLS(&tls.Config{Certificates: []tls.Certificate{pair}}))
	signed := brokers(t, kfake.EnableSASL(), kfake.Superuser("PLAIN", "fb", "right"))
	ca := TLS{CAFile: files.CA}
	for name, tt := range map[string]struct {
		cluster Cluster
		want    string // empty = it serves us
		mend    string
	}{
		"plain text":         {Cluster{Brokers: open}, "", ""},
		"TLS":                {Cluster{Brokers: secure, TLS: ca}, "", ""},
		"nothing there":      {Cluster{Brokers: Brokers{"127.0.0.1:1"}}, "nothing listens there", "port"},
		"TLS for plain text": {Cluster{Brokers: open, TLS: ca}, "does not speak TLS on this port", "leave out the tls part"},
		"plain text for TLS": {Cluster{Brokers: secure}, "speaks TLS on this port", "add the tls part"},
		"another authority":  {Cluster{Brokers: secure, TLS: TLS{CAFile: files.OtherCA}}, "certificate signed by unknown authority", "set tls.ca_file"},
		"another name":       {Cluster{Brokers: secure, TLS: TLS{CAFile: files.CA, ServerName: "kafka.example"}}, "not kafka.example", "set tls.server_name"},
		"no file":            {Cluster{Brokers: secure, TLS: TLS{CAFile: "/nowhere.pem"}}, "no such file", "configuration"},
		"signed in":          {Cluster{Brokers: signed, SASL: SASL{Mechanism: Plain, User: "fb", Password: "right"}}, "", ""},
		"wrong password":     {Cluster{Brokers: signed, SASL: SASL{Mechanism: Plain, User: "fb", Password: "hunter2"}}, `user "fb" or its password`, "sasl"},
		"no password":        {Cluster{Brokers: signed}, "wants us to sign in", "add the tls part or the sasl part"},
	} {
		t.Run(name, func(t *testing.T) {
			if name == "TLS for plain text" && testing.Short() {
				t.Skip("waits 5 s: the fake broker reads a TLS greeting as the length of a request; a real one hangs up")
			}
			findings := (&Checkup{Clusters: []Cluster{tt.cluster}, Group: "fb", Standalone: true}).Check(bounded(t))
			var wrong []Finding
			for _, f := range findings {
				if !f.OK {
					wrong = append(wrong, f)
				}
				if strings.Contains(f.Detail+f.Mend, "hunter2") || strings.Contains(f.Detail+f.Mend, "right") {
					t.Errorf("a finding shows the secret: %+v", f)
				}
			}
			switch {
			case tt.want == "" && len(wrong) > 0:
				t.Errorf("wrong: %+v", wrong)
			case tt.want != "" && (len(wrong) != 1 || !strings.Contains(wrong[0].Detail, tt.want) || !strings.Contains(wrong[0].Mend, tt.mend)):
				t.Errorf("got %+v\nwant %q, mended by %q", wrong, tt.want, tt.mend)
			}
		})
	}
}

func TestRightsOfACheckup(t *testing.T) {
	c := &Checkup{Clusters: []Cluster{{Name: "a"}, {Name: "b"}}, Group: "fb", Sources: map[string][]string{"a": {"x"}, "b": {"y"}}}
	count := func(rights [][]Right) (n []int) {
		for _, r := range rights {
			n = append(n, len(r))
		}
		return n
	}
	if diff := cmp.Diff([]int{8, 2}, count(c.Rights())); diff != "" {
		t.Errorf("rights a cluster (-want +got):\n%s", diff)
	}
	c.Standalone = true
	if diff := cmp.Diff([]int{1, 1}, count(c.Rights())); diff != "" {
		t.Errorf("standalone (-want +got):\n%s", diff)
	}
}

// TestSecretFilesAreReadAnew: a password that is changed in its file serves the next connection.
func TestSecretFilesAreReadAnew(t *testing.T) {
	addrs := brokers(t, kfake.EnableSASL(), kfake.Superuser("SCRAM-SHA-512", "fb", "new"))
	file := t.TempDir() + "/password"
	write := func(text string) {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("old\n")
	cl := client(t, Cluster{Brokers: addrs, SASL: SASL{Mechanism: ScramSHA512, User: "fb", PasswordFile: file}})
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	if err := cl.Ping(ctx); err == nil {
		t.Error("the old password was taken")
	}
	write("new\r\n")
	if err := cl.Ping(bounded(t)); err != nil {
		t.Errorf("the new password: %v", err)
	}
	write(" \n")
	if _, err := Options(Cluster{Brokers: addrs, SASL: SASL{Mechanism: Plain, User: "fb", PasswordFile: file}}); err == nil || !strings.Contains(err.Error(), "is empty") {
		t.Errorf("an empty file: %v", err)
	}
}

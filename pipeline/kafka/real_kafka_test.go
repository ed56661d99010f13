//go:build kafka

package kafka

import (
	"context"
	"errors"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/twmb/franz-go/pkg/kadm"

	"firebreak/internal/kafkarig"
)

// realBound bounds what a real broker may take.
const realBound = 2 * time.Minute

func within(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), realBound)
	t.Cleanup(cancel)
	return ctx
}

// TestRealLog: what was appended is there after kill -9 and a restart, once and in order; a follower goes through it.
func TestRealLog(t *testing.T) {
	b := kafkarig.Start(t, kafkarig.Options{})
	c := Cluster{Brokers: Brokers{b.Addr()}}
	e := &Ensure{Client: client(t, c), Brokers: c.Brokers}
	topics := Topics("fb", 5*time.Minute)
	for range 2 {
		if err := e.EnsureTopics(within(t), topics); err != nil {
			t.Fatal(err)
		}
	}
	opts, err := Options(c)
	if err != nil {
		t.Fatal(err)
	}
	l, err := OpenLog(opts, PanesTopic("fb"), time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	const n = 300
	ctx, cancel := context.WithTimeout(t.Context(), 3*realBound)
	defer cancel()
	var got []int
	done := make(chan error, 1)
	f := l.Follower(Oldest())
	go func() {
		done <- f.Run(ctx, func(e Entry) error {
			i, err := strconv.Atoi(string(e.Value))
			if err != nil || time.Since(e.Time).Abs() > realBound {
				t.Errorf("entry %+v", e)
			}
			if got = append(got, i); len(got) == n {
				return errDone
			}
			return nil
		})
	}()
	appended(t, l, 0, 100)
	b.Kill()
	go b.Restart() // while an append waits for it
	appended(t, l, 100, 200)
	b.Pause()
	time.AfterFunc(5*time.Second, b.Resume)
	appended(t, l, 200, n)
	if err := <-done; !errors.Is(err, errDone) {
		t.Fatalf("follow: %v after %d entries", err, len(got))
	}
	for i, v := range got {
		if i != v {
			t.Fatalf("entry %d is %d: %v", i, v, got)
		}
	}
	if end, err := l.End(within(t)); end != n || err != nil {
		t.Errorf("end %d, %v; want %d", end, err, n)
	}
}

// TestRealFollowEnds: truncation and a topic made anew end a follower of a real broker.
func TestRealFollowEnds(t *testing.T) {
	b := kafkarig.Start(t, kafkarig.Options{})
	c := Cluster{Brokers: Brokers{b.Addr()}}
	opts, err := Options(c)
	if err != nil {
		t.Fatal(err)
	}
	adm := kadm.NewClient(client(t, c))
	if _, err := adm.CreateTopic(within(t), 1, 1, nil, "log"); err != nil {
		t.Fatal(err)
	}
	l := open(t, opts, "log")
	appended(t, l, 0, 10)
	id, err := l.ID(within(t))
	if err != nil {
		t.Fatal(err)
	}
	offsets := kadm.Offsets{}
	offsets.AddOffset("log", 0, 5, -1)
	if _, err := adm.DeleteRecords(within(t), offsets); err != nil {
		t.Fatal(err)
	}
	none := func(Entry) error { return nil }
	if err := l.Follow(within(t), At(3).Of(id), none); !errors.Is(err, ErrTruncated) {
		t.Errorf("after DeleteRecords: %v", err)
	}
	if err := l.Follow(within(t), At(11), none); !errors.Is(err, ErrRecreated) {
		t.Errorf("beyond the end: %v", err)
	}
	n := 0
	err = l.Follow(within(t), At(5).Of(id), func(Entry) error {
		if n++; n == 5 {
			if _, err := adm.DeleteTopic(within(t), "log"); err != nil {
				t.Error(err)
			}
			if _, err := adm.CreateTopic(within(t), 1, 1, nil, "log"); err != nil {
				t.Error(err)
			}
		}
		return nil
	})
	if !errors.Is(err, ErrRecreated) {
		t.Errorf("after re-creation: %v", err)
	}
}

// TestRealVerify: settings that are wrong are named as the real broker spells them.
func TestRealVerify(t *testing.T) {
	b := kafkarig.Start(t, kafkarig.Options{})
	cl := client(t, Cluster{Brokers: Brokers{b.Addr()}})
	adm := kadm.NewClient(cl)
	settings := map[string]*string{}
	for name, value := range map[string]string{"cleanup.policy": "compact", "retention.ms": "60000", "message.timestamp.type": "CreateTime"} {
		settings[name] = &value
	}
	if _, err := adm.CreateTopic(within(t), 1, 1, settings, "fb.journal"); err != nil {
		t.Fatal(err)
	}
	e := &Ensure{Client: cl, Brokers: Brokers{"b"}}
	var got []string
	for _, w := range joined(e.EnsureTopics(within(t), Topics("fb", time.Minute))) {
		got = append(got, strings.Split(w.Error(), ";")[0])
	}
	want := []string{
		"topic fb.journal: cleanup.policy is compact: want delete",
		"topic fb.journal: retention.ms is 60000: want 34560000000",
		"topic fb.journal: message.timestamp.type is CreateTime: want LogAppendTime",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
	e = &Ensure{Client: cl, Brokers: Brokers{"b"}, Replicas: 3}
	err := e.EnsureTopics(within(t), Topics("other", time.Minute)[:1])
	if err == nil || !strings.Contains(err.Error(), "could not be created: INVALID_REPLICATION_FACTOR") {
		t.Errorf("3 replicas on one broker: %v", err)
	}
}

// ping says how a check of one cluster's addresses ends: the details of what is wrong.
func ping(t *testing.T, c Cluster) (wrong []string) {
	t.Helper()
	for _, f := range (&Checkup{Clusters: []Cluster{c}, Group: "fb", Standalone: true}).Check(within(t)) {
		if !f.OK {
			wrong = append(wrong, f.Detail)
		}
		if strings.Contains(f.Detail+f.Mend, "hunter2") {
			t.Errorf("a finding shows the secret: %+v", f)
		}
	}
	return wrong
}

// TestRealSASL: each mechanism with the right password and a wrong one, over TLS.
func TestRealSASL(t *testing.T) {
	b := kafkarig.Start(t, kafkarig.Options{TLS: true, Users: map[string]string{"fb": "hunter2"}})
	at, ca := Brokers{b.Addr()}, TLS{CAFile: b.Files.CA}
	for _, m := range []Mechanism{Plain, ScramSHA256, ScramSHA512} {
		if wrong := ping(t, Cluster{Brokers: at, TLS: ca, SASL: SASL{Mechanism: m, User: "fb", Password: "hunter2"}}); wrong != nil {
			t.Errorf("%v: %v", m, wrong)
		}
		for _, bad := range []SASL{{Mechanism: m, User: "fb", Password: "other"}, {Mechanism: m, User: "nobody", Password: "hunter2"}} {
			wrong := ping(t, Cluster{Brokers: at, TLS: ca, SASL: bad})
			if len(wrong) != 1 || !strings.Contains(wrong[0], "signing in failed: the broker refuses the user") {
				t.Errorf("%v, %s: %v", m, bad.User, wrong)
			}
		}
	}
	for name, tt := range map[string]struct {
		cluster Cluster
		want    string
	}{
		"token":       {Cluster{Brokers: at, TLS: ca, SASL: SASL{Mechanism: OAuthBearer, Token: "hunter2"}}, "does not take oauthbearer"},
		"no sasl":     {Cluster{Brokers: at, TLS: ca}, "wants us to sign in"},
		"no tls":      {Cluster{Brokers: at, SASL: SASL{Mechanism: Plain, User: "fb", Password: "hunter2"}}, "TLS on this port"},
		"not wanted":  {Cluster{Brokers: Brokers{b.AdminAddr()}, SASL: SASL{Mechanism: Plain, User: "fb", Password: "hunter2"}}, "wants none on this port"},
		"tls for raw": {Cluster{Brokers: Brokers{b.AdminAddr()}, TLS: ca}, "does not speak TLS"},
		"authority":   {Cluster{Brokers: at, TLS: TLS{CAFile: b.Files.OtherCA}}, "unknown authority"},
		"nobody":      {Cluster{Brokers: Brokers{"127.0.0.1:1"}, TLS: ca}, "nothing listens there"},
	} {
		if wrong := ping(t, tt.cluster); len(wrong) != 1 || !strings.Contains(wrong[0], tt.want) {
			t.Errorf("%s: %v, want %q", name, wrong, tt.want)
		}
	}
}

// TestRealMutualTLS: a broker that wants certificates takes ours, and none of another authority.
func TestRealMutualTLS(t *testing.T) {
	b := kafkarig.Start(t, kafkarig.Options{TLS: true, ClientAuth: true})
	f, at := b.Files, Brokers{b.Addr()}
	if wrong := ping(t, Cluster{Brokers: at, TLS: TLS{CAFile: f.CA, CertFile: f.Cert, KeyFile: f.Key}}); wrong != nil {
		t.Errorf("our certificate: %v", wrong)
	}
	for name, c := range map[string]TLS{
		"no certificate":    {CAFile: f.CA},
		"another authority": {CAFile: f.CA, CertFile: f.OtherCert, KeyFile: f.OtherKey},
	} {
		if wrong := ping(t, Cluster{Brokers: at, TLS: c}); len(wrong) != 1 || !strings.Contains(wrong[0], "TLS failed: the broker refuses us") {
			t.Errorf("%s: %v", name, wrong)
		}
	}
}

// TestRealRights: without any right the check names every one; the very commands it shows, run as they are, mend all of it.
func TestRealRights(t *testing.T) {
	b := kafkarig.Start(t, kafkarig.Options{Users: map[string]string{"fb": "hunter2"}, ACLs: true})
	admin := client(t, Cluster{Brokers: Brokers{b.AdminAddr()}})
	if _, err := kadm.NewClient(admin).CreateTopics(within(t), 4, 1, nil, "requests"); err != nil {
		t.Fatal(err)
	}
	c := Cluster{Brokers: Brokers{b.Addr()}, SASL: SASL{Mechanism: ScramSHA512, User: "fb", Password: "hunter2"}}
	checkup := &Checkup{Clusters: []Cluster{c}, Group: "fb", Window: 5 * time.Minute, Sources: map[string][]string{"main": {"requests"}}}
	var wrong []string
	for _, f := range checkup.Check(within(t)) {
		if !f.OK {
			wrong = append(wrong, strings.TrimPrefix(f.Name, "main: "))
			if !strings.HasPrefix(f.Mend, "kafka-acls.sh ") {
				t.Errorf("%s is mended by %s", f.Name, f.Mend)
			}
		}
	}
	want := []string{"topic requests", "group fb", "topic fb.panes", "topic fb.history", "topic fb.journal", "topic fb.state", "topic fb.clients", "group fb.decider", "idempotent appends"}
	if diff := cmp.Diff(want, wrong); diff != "" {
		t.Errorf("without rights (-want +got):\n%s", diff)
	}
	for _, right := range checkup.Rights()[0] {
		run(t, right.Command(Brokers{b.AdminAddr()}, c.Principal()))
	}
	e := &Ensure{Client: client(t, c), Brokers: c.Brokers}
	if err := e.EnsureTopics(within(t), Topics("fb", 5*time.Minute)); err != nil {
		t.Errorf("with all rights: %v", err)
	}
	for _, line := range lines(checkup.Check(within(t)), b.Addr()) {
		if !strings.HasPrefix(line, "ok") {
			t.Errorf("with all rights: %s", line)
		}
	}
	log, err := Options(c)
	if err != nil {
		t.Fatal(err)
	}
	appended(t, open(t, log, JournalTopic("fb")), 0, 1)
}

// run runs a command of kafka-acls.sh with the jars of the rig.
func run(t *testing.T, command string) {
	t.Helper()
	words := strings.Fields(strings.ReplaceAll(command, "'", ""))
	if words[0] != "kafka-acls.sh" {
		t.Fatalf("command %s", command)
	}
	args := append([]string{"-Xmx256m", "-XX:TieredStopAtLevel=1", "-cp", kafkarig.Classpath(t), "org.apache.kafka.tools.AclCommand"}, words[1:]...)
	if out, err := exec.CommandContext(within(t), "java", args...).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", command, err, out)
	}
}

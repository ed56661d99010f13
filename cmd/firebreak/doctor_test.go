package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
)

// doctored runs doctor on a configuration and returns what it wrote. Where the configuration names no admin address it gets a
// free one.
func doctored(t *testing.T, yaml string, flags ...string) (string, error) {
	t.Helper()
	if !strings.Contains(yaml, "admin:") {
		yaml += "admin: {listen: \"127.0.0.1:0\"}\n"
	}
	file := filepath.Join(t.TempDir(), "firebreak.yml")
	if err := os.WriteFile(file, []byte(yaml), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var out, errOut bytes.Buffer
	err := run(ctx, append([]string{"doctor", "--config", file}, flags...), strings.NewReader(""), &out, &errOut)
	if errOut.Len() > 0 {
		t.Errorf("doctor wrote to stderr: %s", errOut.String())
	}
	return out.String(), err
}

func fakeBroker(t *testing.T, opts ...kfake.Opt) string {
	t.Helper()
	c, err := kfake.NewCluster(append(opts, kfake.NumBrokers(1))...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c.ListenAddrs()[0]
}

func TestDoctorSaysWhatIsRight(t *testing.T) {
	yaml := "kafka: {brokers: \"" + fakeBroker(t, kfake.SeedTopics(4, "requests")) + "\"}\nfleets: [{name: orders, topics: [requests], record: {preset: nginx-json}}]\n"
	out, err := doctored(t, yaml)
	if err != nil {
		t.Fatalf("%v:\n%s", err, out)
	}
	for _, want := range []string{
		"ok     configuration: ", "ok     admin address 127.0.0.1:0: can be listened on", "ok     main: topic requests: 4 partitions, may be read", "ok     main: topic firebreak.panes: is missing; firebreak run creates it",
		"cluster main must grant User:firebreak", "  topic     requests ", "--operation Describe --operation Read --group 'firebreak.decider'",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	out, err = doctored(t, yaml, "--standalone")
	if err != nil || strings.Contains(out, "firebreak.panes") {
		t.Errorf("standalone: %v\n%s", err, out)
	}
	out, err = doctored(t, yaml, "--output", "json")
	var d diagnosis
	if err != nil || json.Unmarshal([]byte(out), &d) != nil || len(d.Findings) < 8 || len(d.Grants) != 1 || len(d.Grants[0].Commands) != len(d.Grants[0].Rights) {
		t.Errorf("json: %v\n%s", err, out)
	}
}

func TestDoctorSaysWhatIsWrong(t *testing.T) {
	signed := fakeBroker(t, kfake.EnableSASL(), kfake.Superuser("PLAIN", "fb", "right"))
	for name, tt := range map[string]struct {
		yaml string
		want []string
	}{
		"configuration": {"fleets: [{name: a}]\ngrup: x\n", []string{"WRONG  configuration: ", `:2:1: unknown field "grup"`, "did you mean"}},
		"no cluster":    {"fleets: [{name: a}]\n", []string{"WRONG  configuration: ", "kafka.brokers: want one host:port", "fleet \"a\" has no topic"}},
		"no broker":     {"kafka: {brokers: \"127.0.0.1:1\"}\nfleets: [{name: a, topics: [x], record: {preset: nginx-json}}]\n", []string{"ok     configuration", "WRONG  main: broker 127.0.0.1:1: cannot be reached", "mend: "}},
		"no topic":      {"kafka: {brokers: \"" + fakeBroker(t) + "\"}\nfleets: [{name: a, topics: [x]}]\n", []string{"WRONG  main: topic x: there is no such topic"}},
		"password": {
			"kafka: {brokers: \"" + signed + "\", sasl: {mechanism: plain, user: fb, password: hunter2}}\nfleets: [{name: a, topics: [x]}]\n",
			[]string{`user "fb" or its password`, "must grant User:fb"},
		},
		"no file": {
			"kafka: {brokers: \"" + signed + "\", sasl: {mechanism: plain, user: fb, password_file: none}}\nfleets: [{name: a, topics: [x]}]\n",
			[]string{"WRONG  main: settings: sasl: password_file: open ", "no such file"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			out, err := doctored(t, tt.yaml)
			if exitCode(err) != exitError || !strings.Contains(err.Error(), "failed") {
				t.Errorf("error %v, exit %d", err, exitCode(err))
			}
			for _, want := range tt.want {
				if !strings.Contains(out, want) {
					t.Errorf("no %q in\n%s", want, out)
				}
			}
			if strings.Contains(out+err.Error(), "hunter2") {
				t.Errorf("a secret is shown:\n%s", out)
			}
		})
	}
}

func TestDoctorUsage(t *testing.T) {
	for _, line := range []string{"doctor", "doctor --config x --output yaml", "doctor x"} {
		if _, err := call(t, line); exitCode(err) != exitUsage {
			t.Errorf("%s: %v", line, err)
		}
	}
}

// TestDoctorRefusesWhatRunRefuses: a configuration that ends a run at its start is not valid, and the brokers are tried all the
// same.
func TestDoctorRefusesWhatRunRefuses(t *testing.T) {
	taken, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	head := "kafka: {brokers: \"" + fakeBroker(t, kfake.SeedTopics(4, "requests")) + "\"}\nfleets:\n- name: orders\n  topics: [requests]\n"
	for name, tt := range map[string]struct {
		yaml string
		exit int // of run
		want string
	}{
		"no form":       {"", exitUsage, "WRONG  configuration: fleet orders: record: want a preset"},
		"no header":     {"  record: {preset: canonical}\n", exitUsage, "WRONG  configuration: fleet orders: record."},
		"no document":   {"  record: {preset: nginx-json}\n  document: none.json\n", exitUsage, "WRONG  configuration: fleet orders: open "},
		"address taken": {"  record: {preset: nginx-json}\nadmin: {listen: \"" + taken.Addr().String() + "\"}\n", exitError, "WRONG  admin address " + taken.Addr().String() + ": listen tcp"},
	} {
		t.Run(name, func(t *testing.T) {
			out, err := doctored(t, head+tt.yaml)
			if exitCode(err) != exitError || !strings.Contains(out, tt.want) || !strings.Contains(out, "may be read") {
				t.Errorf("%v: no %q in\n%s", err, tt.want, out)
			}
			file := filepath.Join(t.TempDir(), "firebreak.yml")
			if err := os.WriteFile(file, []byte(head+tt.yaml), 0o600); err != nil {
				t.Fatal(err)
			}
			var ran, log bytes.Buffer
			if err := run(t.Context(), []string{"run", "--config", file}, strings.NewReader(""), &ran, &log); exitCode(err) != tt.exit {
				t.Errorf("run: %v, want exit %d", err, tt.exit)
			}
		})
	}
}

// TestDoctorReadsReceivers: what a receiver's files hold is read before the first notice has to be signed with it.
func TestDoctorReadsReceivers(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"url": "https://hook.example/token-hunter2\n", "secret": "hunter2-hunter2-hunter2\n", "short": "hunter2\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	head := "kafka: {brokers: \"" + fakeBroker(t, kfake.SeedTopics(1, "requests")) + "\"}\nfleets: [{name: orders, topics: [requests], record: {preset: nginx-json}}]\n"
	for name, tt := range map[string]struct {
		url, secret string
		wrong       bool
		want        string
	}{
		"right":        {"url", "secret", false, "ok     receiver ops: its secrets can be read; nothing is sent"},
		"no secret":    {"url", "none", true, "WRONG  receiver ops: secret: open "},
		"short secret": {"url", "short", true, "WRONG  receiver ops: secret: want at least 16 bytes"},
		"no url":       {"none", "secret", true, "WRONG  receiver ops: url_file: open "},
		"no such url":  {"secret", "secret", true, "WRONG  receiver ops: url: want an absolute http or https URL"},
	} {
		t.Run(name, func(t *testing.T) {
			hook := fmt.Sprintf("notify: {receivers: [{name: ops, webhook: {url_file: %q, secret_file: %q}}]}\n", filepath.Join(dir, tt.url), filepath.Join(dir, tt.secret))
			out, err := doctored(t, head+hook, "--standalone")
			if (err != nil) != tt.wrong || !strings.Contains(out, tt.want) {
				t.Errorf("%v: no %q in\n%s", err, tt.want, out)
			}
			if strings.Contains(out, "hunter2") {
				t.Errorf("a secret is shown:\n%s", out)
			}
		})
	}
}

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
)

// doctored runs doctor on a configuration and returns what it wrote.
func doctored(t *testing.T, yaml string, flags ...string) (string, error) {
	t.Helper()
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
	yaml := "kafka: {brokers: \"" + fakeBroker(t, kfake.SeedTopics(4, "requests")) + "\"}\nfleets: [{name: orders, topics: [requests]}]\n"
	out, err := doctored(t, yaml)
	if err != nil {
		t.Fatalf("%v:\n%s", err, out)
	}
	for _, want := range []string{
		"ok     configuration: ", "ok     main: topic requests: 4 partitions, may be read", "ok     main: topic firebreak.panes: is missing; firebreak run creates it",
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
		"no broker":     {"kafka: {brokers: \"127.0.0.1:1\"}\nfleets: [{name: a, topics: [x]}]\n", []string{"ok     configuration", "WRONG  main: broker 127.0.0.1:1: cannot be reached", "mend: "}},
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

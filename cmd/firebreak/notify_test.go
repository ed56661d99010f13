package main

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"firebreak/actuator"
	"firebreak/actuator/notify"
	"firebreak/internal/config"
	"firebreak/internal/fakes/news"
	fakepager "firebreak/internal/fakes/pagerduty"
	fakeslack "firebreak/internal/fakes/slack"
)

// told runs firebreak notify test with a configuration whose receivers are at servers.
func told(t *testing.T, receivers, name string) (out string, code int, err error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "f.yml")
	if err := os.WriteFile(path, []byte("fleets: [{name: orders}]\nnotify:\n  receivers:\n"+receivers), 0o600); err != nil {
		t.Fatal(err)
	}
	var stdout strings.Builder
	err = run(t.Context(), []string{"notify", "test", name, "--config", path}, strings.NewReader(""), &stdout, io.Discard)
	return stdout.String(), exitCode(err), err
}

// TestNotifyTest: a test goes through the real sender of each kind and is taken back; what the receiver answered is said, with no
// secret, and the exit code tells.
func TestNotifyTest(t *testing.T) {
	slack, pager := fakeslack.New(time.Now, "C1 alerts"), fakepager.New(time.Now)
	defer slack.Close()
	defer pager.Close()
	var bodies []map[string]any
	hook := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		var body map[string]any
		if err := json.NewDecoder(r.Body).Decode(&body); err == nil {
			bodies = append(bodies, body)
		}
	}))
	defer hook.Close()
	receivers := `
  - {name: chat, slack: {token: ` + fakeslack.Token + `, channel: C1, api_url: "` + slack.API() + `"}}
  - {name: nowhere, slack: {token: ` + fakeslack.Token + `, channel: C9, api_url: "` + slack.API() + `"}}
  - {name: chathook, slack: {webhook_url: "` + slack.HookURL() + `"}}
  - {name: oncall, pagerduty: {routing_key: ` + fakepager.Key + `, url: "` + pager.URL + fakepager.Path + `"}}
  - {name: wrong, pagerduty: {routing_key: ` + strings.Repeat("s", 32) + `, url: "` + pager.URL + fakepager.Path + `"}}
  - {name: hook, webhook: {url: "` + hook.URL + `/sentinel", secret: sentinel-of-some-length}}
`
	for _, tt := range []struct {
		name, want string
		code       int
	}{
		{"chat", `receiver "chat", the channel "C1" of Slack: taken, as C1/`, exitOK},
		{"nowhere", `receiver "nowhere", the channel "C9" of Slack: not taken: 127.0.0.1: channel_not_found (run would try again every 5 minutes: mend it)`, exitError},
		{"chathook", `receiver "chathook", an incoming webhook of Slack: taken`, exitOK},
		{"oncall", `receiver "oncall", PagerDuty: taken; taken back`, exitOK},
		{"wrong", `receiver "wrong", PagerDuty: not taken: 127.0.0.1: status 400, the routing key (run would try again every 5 minutes: mend it)`, exitError},
		{"hook", `receiver "hook", a webhook: taken`, exitOK},
		{"onkall", `did you mean "oncall"?`, exitUsage},
	} {
		out, code, err := told(t, receivers, tt.name)
		if err != nil {
			out = err.Error()
		}
		if code != tt.code || !strings.Contains(out, tt.want) || strings.Contains(out, "sentinel") {
			t.Errorf("%s: exit %d, %s", tt.name, code, out)
		}
	}
	if in := slack.In("C1"); len(in) != 2 || in[0].Edits != 1 || in[0].Shown[0] != "TEST: over" || len(in[0].Replies) != 1 || !strings.Contains(in[1].Shown[0], "TEST") {
		t.Errorf("%d messages in Slack", len(in))
	}
	if in := pager.Incidents(); len(in) != 1 || in[0].State != "resolved" || in[0].Pages != 1 || !strings.HasPrefix(in[0].Summary, "TEST") {
		t.Errorf("incidents %+v", in)
	}
	if len(bodies) != 1 || bodies[0]["kind"] != "test" {
		t.Errorf("bodies %v", bodies)
	}
}

// TestNotifyUsage: what is missing is wrong usage.
func TestNotifyUsage(t *testing.T) {
	for _, args := range [][]string{{"notify"}, {"notify", "test"}, {"notify", "test", "a"}, {"notify", "test", "a", "--config", "/no/such"}} {
		if err := run(t.Context(), args, strings.NewReader(""), io.Discard, io.Discard); exitCode(err) != exitUsage {
			t.Errorf("%v: %v", args, err)
		}
	}
}

// TestCommandOfMessage: the command that a message carries is one of ours, with flags that exist.
func TestCommandOfMessage(t *testing.T) {
	n := &notify.Notice{Key: "k", Entry: news.Hotspot(news.Verdict("orders", "h", "s", "", "k"), actuator.PhaseFired, 0)}
	words := strings.Fields((&notify.Guide{}).Message(n).Command)
	if len(words) < 3 || words[0] != "firebreak" {
		t.Fatalf("%q", words)
	}
	var found *cobra.Command
	for _, c := range newRootCommand().Commands() {
		if c.Name() == words[1] {
			found = c
		}
	}
	if found == nil {
		t.Fatalf("there is no command %s", words[1])
	}
	if err := found.ParseFlags(words[2:]); err != nil {
		t.Errorf("%q: %v", words, err)
	}
}

// TestGuideOf: what messages say beside the journal comes from the configuration.
func TestGuideOf(t *testing.T) {
	cfg, err := config.Parse("f.yml", []byte("fleets: [{name: a, cost: bytes}, {name: b}]\nnotify: {external_url: \"https://fb.example\"}\nowners: [{team: t}]\n"))
	if err != nil {
		t.Fatal(err)
	}
	g := guideOf(cfg)
	if g.External != "https://fb.example" || len(g.Owners) != 1 || len(g.Costs) != 1 || g.Costs["a"] != "bytes" {
		t.Errorf("%+v", g)
	}
}

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

	"firebreak/actuator"
	"firebreak/actuator/notify"
	"firebreak/internal/config"
	"firebreak/internal/fakes/news"
	fakepager "firebreak/internal/fakes/pagerduty"
	fakeslack "firebreak/internal/fakes/slack"
	"firebreak/internal/line"
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
		{"oncall", `receiver "oncall", PagerDuty: taken, as test-`, exitOK},
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

// TestCommandOfMessage: without a page each message has a command of ours, with flags that exist and a time that report takes and that
// has the news in it.
func TestCommandOfMessage(t *testing.T) {
	cfg, err := config.Parse("f.yml", []byte("fleets: [{name: orders}]"))
	if err != nil {
		t.Fatal(err)
	}
	v := news.Verdict("orders", "h", "s", "", "k")
	for name, tt := range map[string]struct {
		n    *notify.Notice
		want string
	}{
		"fired":    {&notify.Notice{Key: "k", Entry: news.Hotspot(v, actuator.PhaseFired, 0)}, "report"},
		"resolved": {&notify.Notice{Key: "k", Entry: news.Hotspot(v, actuator.PhaseResolved, time.Hour)}, "report"},
		"more":     {&notify.Notice{Key: "k", More: &notify.More{N: 3, From: line.Stamp(news.Start()), To: line.Stamp(news.Start())}}, "report"},
		"sighted":  {&notify.Notice{Key: "k", Entry: news.Blind("orders", true, time.Hour)}, "report"},
		"blind":    {&notify.Notice{Key: "k", Entry: news.Blind("orders", false, time.Hour)}, "doctor"},
	} {
		if linked := (&notify.Guide{External: "https://fb.example"}).Message(tt.n); linked.Command != "" || len(linked.Links) != 1 {
			t.Errorf("%s: %q beside %v", name, linked.Command, linked.Links)
		}
		said := strings.Fields((&notify.Guide{}).Message(tt.n).Command)
		if len(said) < 4 || said[0] != "firebreak" || said[1] != tt.want {
			t.Fatalf("%s: %q", name, said)
		}
		found, rest, err := newRootCommand().Find(said[1:])
		if err == nil {
			err = found.ParseFlags(rest)
		}
		if err != nil || found.Name() != tt.want {
			t.Errorf("%s: %q: %v", name, said, err)
			continue
		}
		if tt.want != "report" {
			continue
		}
		flags := reportFlags{from: found.Flag("from").Value.String(), to: found.Flag("to").Value.String()}
		from, to, err := flags.period(&cfg.Report, time.Now())
		if err == nil {
			_, err = newGathering(cfg, []*config.Fleet{&cfg.Fleets[0]}, from, to)
		}
		if at := tt.n.At(); err != nil || !from.Before(at) || !at.Before(to) {
			t.Errorf("%s: %q: from %s to %s, %v", name, said, from, to, err)
		}
	}
}

// TestAcceptOfMessage: what a message says about how to hear no more is a command of ours.
func TestAcceptOfMessage(t *testing.T) {
	v := news.Verdict("orders", "4be1a7c0d2", "s", "", "k")
	for phase, want := range map[actuator.Phase]string{actuator.PhaseFired: "accept", actuator.PhaseResolved: "dismiss"} {
		m := (&notify.Guide{}).Message(&notify.Notice{Key: "k", Entry: news.Hotspot(v, phase, time.Minute), Story: &notify.Story{Verdict: v}})
		last := m.Facts[len(m.Facts)-1]
		_, text, found := strings.Cut(last.Text.String(), ": firebreak ")
		said := strings.Fields(strings.ReplaceAll(text, "\u00a0", " "))
		if last.Label != "Hotspot" || !found || len(said) < 4 || said[0] != want || said[1] != "4be1a7c0d2" {
			t.Fatalf("%s: %s: %q", phase, last.Label, said)
		}
		cmd, rest, err := newRootCommand().Find(said)
		if err == nil {
			err = cmd.ParseFlags(rest)
		}
		if err != nil || cmd.Name() != want {
			t.Errorf("%q: %v", said, err)
		}
	}
}

// TestGuideOf: what messages say beside the journal comes from the configuration.
func TestGuideOf(t *testing.T) {
	cfg, err := config.Parse("f.yml", []byte("fleets: [{name: a, cost: bytes}, {name: b, pane: 5s, policy: {resolve: 3m}}]\nnotify: {external_url: \"https://fb.example\"}\nowners: [{team: t}]\n"))
	if err != nil {
		t.Fatal(err)
	}
	g := guideOf(cfg)
	if g.External != "https://fb.example" || len(g.Owners) != 1 || len(g.Costs) != 1 || g.Costs["a"] != "bytes" || g.Times["a"] != (notify.Times{Window: time.Minute, Calm: 2 * time.Minute}) ||
		g.Times["b"] != (notify.Times{Window: 30 * time.Second, Calm: 3 * time.Minute}) {
		t.Errorf("%+v", g)
	}
}

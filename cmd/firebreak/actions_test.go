package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"firebreak/routing"
	"firebreak/routing/client"
	routingkafka "firebreak/routing/kafka"
)

// actions runs firebreak actions on the configuration of the router.
func (r *router) actions(args ...string) (string, error) {
	var out bytes.Buffer
	err := run(r.t.Context(), append(append([]string{"actions"}, args...), "--config", r.path), nil, &out, &out)
	return out.String(), err
}

// says waits until firebreak actions succeeds and says something that matches.
func (r *router) says(want string, args ...string) []string {
	r.t.Helper()
	var out string
	var found []string
	if !eventually(r.t, 90*time.Second, "firebreak actions says "+want, func() bool {
		out, _ = r.actions(args...)
		found = regexp.MustCompile(want).FindStringSubmatch(out)
		return found != nil
	}) {
		r.t.Fatalf("it said:\n%s", out)
	}
	return found
}

// TestActions: a whale is found, its plan is approved by who may, the quota and then the placement are carried out, an application follows,
// and the placement is taken back.
func TestActions(t *testing.T) {
	t.Parallel()
	var brokers []string
	ready := make(chan struct{})
	config, receiver := liveLogOf(t, func(ctx context.Context, broker []string) {
		brokers = broker
		close(ready)
		writeLog(t, ctx, broker, func(rng *rand.Rand) (key, tenant string) {
			if tenant = fmt.Sprintf("t%d", rng.IntN(2000)); rng.Float64() < 0.5 {
				tenant = "whale"
			}
			return fmt.Sprintf("key-%d", rng.IntN(5000)), tenant
		})
	})
	config = strings.Replace(config, "placement: {bytes: key}", "placement: {bytes: tenant}", 1)
	config = strings.Replace(config, "policy: {", "policy: {mode: approve, approvers: [ann], moved_at_most: 0.1, ", 1)
	config = strings.Replace(config, "    pane: 1s\n", "    pane: 1s\n    mover: {moves: none}\n", 1)
	config = strings.Replace(config, `console: {listen: "127.0.0.1:0"}`, `console:
  listen: "127.0.0.1:0"
  tokens: [{name: ann, role: approver, token: "ann-0123456789abcdef"}, {name: bob, role: approver, token: "bob-0123456789abcdef"}]`, 1)
	j := newJudging(t, config, receiver)
	<-ready
	log, err := routingkafka.Open([]kgo.Opt{kgo.SeedBrokers(brokers...)}, "watch")
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	cfg := client.Default()
	cfg.Fleet, cfg.Name, cfg.Poll = "orders", "carts-1", time.Second
	app, err := client.Open(t.Context(), log.Source("orders"), cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer app.Close()
	home := j.document().Shards[app.Decide(client.Read, []byte("whale"), []byte("k")).Piece.Shard].Name
	j.change("set", "shard/own=spare,capacity=2000")
	j.waits(1, home, "firing")

	id := j.says(`(?m)^([0-9a-f]{8,})  isolate .*approval missing`, "list")[1]
	if out, err := j.actions("approve", id, "--by", "bob", "--reason", "why not"); err == nil || !strings.Contains(err.Error(), "bob is none of the fleet's approvers") {
		t.Errorf("bob: %v, %s", err, out)
	}
	j.says(`tenant/whale: not there -> "own"`, "show", id)
	j.onPage(id)
	eventually(t, 60*time.Second, "the application goes to the shard of its own", func() bool {
		d := app.Decide(client.Read, []byte("whale"), []byte("k"))
		return d.Shard() == "own"
	})
	last := j.says(`(?m)^(\d+) +isolate +\S+ +settle`, "list")
	doc := j.document()
	if got := doc.Value(routing.TenantEntry("whale")); got != "own" {
		t.Errorf("tenant/whale is %q", got)
	}
	j.says(`a roll-back would do now:\n +operation \d+, restore`, "show", last[1])
	for _, o := range []string{"2", "1"} { // what was done last is taken back first
		if o == "2" {
			if status, text := j.live.post(t, "/fleets/orders/actions", "ann", "application/x-www-form-urlencoded", "do=rollback&reason=it+was+a+test&operation=2"); status != http.StatusOK || !strings.Contains(text, "it was a test") {
				t.Fatalf("the form: %d %s", status, text)
			}
		} else if out, err := j.actions("rollback", o, "--by", "ann", "--reason", "it was a test"); err != nil {
			t.Fatal(err, out)
		}
		j.says(`(?m)^`+o+` .* undone .*undone`, "list")
	}
	if changes := routing.Diff(j.document(), doc); len(changes) == 0 || j.document().Value(routing.TenantEntry("whale")) != "" || j.document().Value(routing.QuotaEntry("whale")) != "" {
		t.Errorf("after the roll-back: %v", changes)
	}
	eventually(t, 30*time.Second, "the application is back", func() bool {
		d := app.Decide(client.Read, []byte("whale"), []byte("k"))
		return d.Shard() == home
	})
	j.ok("undone", "history")
	eventually(t, 20*time.Second, "the page has the history", func() bool {
		_, text := j.live.post(t, "/api/v1/fleets/orders/routing", "ann", "", "")
		return strings.Contains(text, `"do":"rollback","by":"ann","reason":"it was a test"`) && strings.Contains(text, `{"entry":"tenant/whale","was":"own","is":""}`) && strings.Contains(text, `"client":"carts-1"`)
	})
	j.live.end(t)
}

// onPage has a plan approved by the API of the live page: not by who is not listed, and by who is. Both the API and the page have it, with
// what it would write.
func (j *judging) onPage(id string) {
	j.t.Helper()
	const path = "/api/v1/fleets/orders/actions"
	if _, text := j.live.post(j.t, path, "ann", "", ""); !strings.Contains(text, `"plan":"`+id+`"`) || !strings.Contains(text, `{"entry":"tenant/whale","was":"","is":"own"}`) || !strings.Contains(text, "approval missing") {
		j.t.Errorf("the API has no such plan: %s", text)
	}
	if _, text := j.live.post(j.t, "/fleets/orders/actions", "ann", "", ""); !strings.Contains(text, "tenant/whale") || !strings.Contains(text, `value="approve"`) {
		j.t.Errorf("the page: %s", text)
	}
	approve := fmt.Sprintf(`{"do":"approve","plan":%q,"reason":"seen"}`, id)
	if status, text := j.live.post(j.t, path, "bob", "application/json", approve); status != http.StatusConflict || !strings.Contains(text, "bob is none of the fleet") {
		j.t.Errorf("bob: %d %s", status, text)
	}
	if status, text := j.live.post(j.t, path, "ann", "application/json", approve); status != http.StatusOK {
		j.t.Fatalf("ann: %d %s", status, text)
	}
}

// post asks the console for something in the name of somebody, and follows where it leads; without a kind it only reads.
func (r *running) post(t *testing.T, path, who, kind, body string) (status int, text string) {
	t.Helper()
	found := regexp.MustCompile(`console\s+listener\s+\{"address": "([^"]+)"\}`).FindStringSubmatch(r.log.String())
	if found == nil {
		t.Fatal("no console")
	}
	method := http.MethodGet
	if kind != "" {
		method = http.MethodPost
	}
	q, err := http.NewRequestWithContext(t.Context(), method, "http://"+found[1]+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	q.Header.Set("Authorization", "Bearer "+who+"-0123456789abcdef")
	q.Header.Set("Content-Type", kind)
	resp, err := http.DefaultClient.Do(q)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(b)
}

package main

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"go.uber.org/zap"

	"firebreak/actuator"
	"firebreak/actuator/notify"
	"firebreak/actuator/operation"
	"firebreak/actuator/steward"
	"firebreak/internal/config"
	fake "firebreak/internal/fakes/slack"
	"firebreak/internal/secret"
	"firebreak/policy"
	"firebreak/routing"
	"firebreak/routing/control"
	routingkafka "firebreak/routing/kafka"
	"firebreak/routing/store"
)

// pressRig is a steward that decides, a workspace of Slack, and what hears its buttons.
type pressRig struct {
	steward *steward.Steward
	store   store.Store
	slack   *fake.Server

	mu    sync.Mutex
	wrote []actuator.Entry // into the journal
}

// entries are those that the steward wrote.
func (r *pressRig) entries() []actuator.Entry {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.wrote)
}

func newPressRig(t *testing.T) *pressRig {
	t.Helper()
	c, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(1, routingkafka.StateTopic("g"), routingkafka.ClientsTopic("g")))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	log, err := routingkafka.Open([]kgo.Opt{kgo.SeedBrokers(c.ListenAddrs()...)}, "g")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(log.Close)
	d, err := routing.Adopt("orders", routing.Placement{Bytes: "key", Function: routing.XXH64, Map: routing.ModN}, routing.NumberedShards(4))
	if err != nil {
		t.Fatal(err)
	}
	r := &pressRig{store: log.Store("orders"), slack: fake.New(time.Now, "C1 alerts")}
	t.Cleanup(r.slack.Close)
	r.steward = steward.New(&steward.Config{
		Fleet: "orders", First: control.First(d), Store: r.store, Epoch: func() int64 { return 7 }, Known: func() uint64 { return 0 }, Log: zap.NewNop(),
		Judge: func(context.Context, *routing.Document) error { return nil }, Policy: policy.Config{Approvers: []string{"ann"}},
		Append: func(_ context.Context, entries []actuator.Entry) error {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.wrote = append(r.wrote, entries...)
			return nil
		},
	})
	cfg := &config.Config{}
	cfg.Notify.Receivers = []notify.Receiver{{Name: "chat", Slack: &notify.Slack{
		Token: fake.Token, AppToken: fake.AppToken, Channel: "C1", APIURL: r.slack.API(), People: map[string]string{"U1": "ann", "U2": "bob"},
	}}}
	all := pressedOf(cfg, &stewardship{of: []*steward.Steward{r.steward}}, zap.NewNop())
	if len(all) != 1 {
		t.Fatalf("%d listeners", len(all))
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan struct{}, 2)
	go func() { all[0].Run(ctx); ended <- struct{}{} }()
	go func() { r.steward.Run(ctx); ended <- struct{}{} }()
	t.Cleanup(func() {
		stop()
		<-ended
		<-ended
	})
	r.until(t, "a connection", func() bool { return r.slack.Connections() == 1 })
	return r
}

func (r *pressRig) until(t *testing.T, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); !is(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("no %s: %+v", what, r.slack.Whispers())
		}
	}
}

// says presses a button of a plan, fills in the form, and gives what the person is told.
func (r *pressRig) says(t *testing.T, user, do, plan string) string {
	t.Helper()
	value, err := json.Marshal(map[string]string{"f": "orders", "h": "h1", "p": plan, "d": do})
	if err != nil {
		t.Fatal(err)
	}
	told, forms := len(r.slack.Whispers()), len(r.slack.Forms())
	if err := r.slack.PressOld(user, "C1", "1.1", fake.Button{Block: "firebreak", Action: do, Value: string(value)}); err != nil {
		t.Fatal(err)
	}
	r.until(t, "form", func() bool { return len(r.slack.Forms()) > forms })
	if err := r.slack.Submit(user, "seen with the team", 2); err != nil {
		t.Fatal(err)
	}
	r.until(t, "answer", func() bool { return len(r.slack.Whispers()) > told })
	return r.slack.Whispers()[told].Text
}

// TestPressIsDecided: what an approver presses is put into the store, is answered by who decides, and stands in the state and in the
// journal under the approver's name; who is no approver, and who presses under an old message, learns why it is refused.
func TestPressIsDecided(t *testing.T) {
	t.Parallel()
	r := newPressRig(t)
	if got := r.says(t, "U1", "approve", "p1"); !strings.HasPrefix(got, "Done: approve") {
		t.Fatalf("ann is told %q", got)
	}
	if got := r.says(t, "U2", "approve", "p1"); !strings.Contains(got, "bob is none of the fleet's approvers") {
		t.Errorf("bob is told %q", got)
	}
	if got := r.says(t, "U2", "hold", "p1"); !strings.HasPrefix(got, "Done: hold") {
		t.Errorf("bob, who may hold, is told %q", got)
	}
	r.steward.Judged(&operation.Numbers{Decision: &policy.Decision{Plans: []policy.Plan{{ID: "p2"}}}, Config: &policy.Config{}, Snapshot: &policy.Snapshot{}})
	if got := r.says(t, "U1", "approve", "p1"); !strings.Contains(got, "there is no such plan now") {
		t.Errorf("under an old message ann is told %q", got)
	}
	s, err := r.store.Load(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Approvals) != 1 || s.Approvals[0].By != "ann" || s.Approvals[0].Reason != "seen with the team" || len(s.Holds) != 1 || s.Holds[0].By != "bob" {
		t.Errorf("the state has %+v and %+v", s.Approvals, s.Holds)
	}
}

// TestPressesAreInTheJournal: each word is one entry, those that were refused too.
func TestPressesAreInTheJournal(t *testing.T) {
	r := newPressRig(t)
	r.says(t, "U1", "reject", "p1")
	r.says(t, "U2", "reject", "p1")
	entries := r.entries()
	var got []string
	for i := range entries {
		a, err := actuator.Read[actuator.Acted](&entries[i])
		if err != nil || entries[i].Kind != actuator.KindActed {
			continue
		}
		got = append(got, string(a.By)+" "+a.Do+" "+a.Plan+" "+string(a.Refused))
	}
	want := []string{"ann reject p1 ", "bob reject p1 bob is none of the fleet's approvers"}
	if !slices.Equal(got, want) {
		t.Errorf("journal %q, want %q", got, want)
	}
}

// TestDoctorTriesTheAppToken: doctor says whether Slack takes it.
func TestDoctorTriesTheAppToken(t *testing.T) {
	s := fake.New(time.Now, "C1 alerts")
	defer s.Close()
	for token, ok := range map[string]bool{fake.AppToken: true, "xapp-wrong": false} {
		cfg := &config.Config{}
		r := notify.Receiver{Name: "chat", Slack: &notify.Slack{Token: fake.Token, AppToken: secret.Value(token), Channel: "C1", APIURL: s.API()}}
		cfg.Notify.Receivers = []notify.Receiver{r}
		var d diagnosis
		d.pressed(t.Context(), cfg)
		if len(d.Findings) != 1 || d.Findings[0].OK != ok || !strings.HasPrefix(d.Findings[0].Name, "buttons of receiver chat") {
			t.Errorf("%s: %+v", token, d.Findings)
		}
	}
}

//go:build kafka && unix

package kafka

import (
	"errors"
	"testing"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/sasl/plain"

	"firebreak/internal/kafkarig"
	"firebreak/routing/control"
)

// TestRealRights: an application with the rights that docs/client.md lists follows and confirms, and writes no state.
func TestRealRights(t *testing.T) {
	b := kafkarig.Start(t, kafkarig.Options{Users: map[string]string{"app": "hunter2"}, ACLs: true})
	ours, err := Open([]kgo.Opt{kgo.SeedBrokers(b.AdminAddr())}, group)
	if err != nil {
		t.Fatal(err)
	}
	defer ours.Close()
	if created, err := ours.adm.CreateTopics(soon(t), 1, 1, nil, ours.state, ours.clients); err != nil || created.Error() != nil {
		t.Fatal(err, created.Error())
	}
	for topic, op := range map[string]kadm.ACLOperation{ours.state: kadm.OpRead, ours.clients: kadm.OpWrite} {
		rights := kadm.NewACLs().Topics(topic).ResourcePatternType(kadm.ACLPatternLiteral).Allow("User:app").AllowHosts().Operations(kadm.OpDescribe, op)
		granted, err := ours.adm.CreateACLs(soon(t), rights)
		if err != nil {
			t.Fatal(err)
		}
		for _, g := range granted {
			if g.Err != nil {
				t.Fatal(g.Err)
			}
		}
	}
	store, was := begun(t, ours, "orders")
	app, err := Open([]kgo.Opt{kgo.SeedBrokers(b.Addr()), kgo.SASL(plain.Auth{User: "app", Pass: "hunter2"}.AsMechanism())}, group)
	if err != nil {
		t.Fatal(err)
	}
	defer app.Close()
	source := app.Source("orders")
	if h, err := source.Head(soon(t)); err != nil || h.Version != was.At().Version {
		t.Errorf("head %+v, %v", h, err)
	}
	if d, err := source.Document(soon(t), control.Head{}); err != nil || d.Version != was.At().Version {
		t.Errorf("document: %v", err)
	}
	if err := source.Confirm(soon(t), control.Confirmation{Client: "app", Epoch: 1, Version: was.At().Version, Beat: 1}); err != nil {
		t.Errorf("confirm: %v", err)
	}
	if held, err := store.Confirmations(soon(t)); err != nil || len(held) != 1 {
		t.Errorf("%v, %v", held, err)
	}
	if err := app.Store("orders").Put(soon(t), request("a", 2)); !errors.Is(err, kerr.TopicAuthorizationFailed) {
		t.Errorf("a request: %v", err)
	}
}

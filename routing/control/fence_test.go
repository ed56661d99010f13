package control

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"firebreak/routing"
)

// moving is a fleet with an operation that moves a virtual shard, in a fence.
func moving(t testing.TB) *State {
	t.Helper()
	s := claimed(t)
	e := routing.VShardEntry(17)
	s.Operated = 1
	s.Operations = []Operation{{Number: 1, Machine: "carry", Phase: "fence", Do: []Edit{{e, "spare"}}, Was: []Edit{{e, ""}}, Since: noon(), Version: 2}}
	s.Document.Fence(e)
	twice := routing.VShardEntry(18)
	s.Operations[0].Do = append(s.Operations[0].Do, Edit{twice, "spare"})
	s.Operations[0].Was = append(s.Operations[0].Was, Edit{twice, ""})
	s.Document.Double(routing.Double{Entry: twice, Value: "spare", Since: 1, Both: true})
	return s
}

// TestNothingIsFencedWithoutAnOperation: a fence, or a place that is written twice, which no operation would end is refused, wherever it
// comes from.
func TestNothingIsFencedWithoutAnOperation(t *testing.T) {
	s := moving(t)
	if err := s.Validate(); err != nil {
		t.Fatal(err)
	}
	b, err := s.Encode()
	if err != nil {
		t.Fatal(err)
	}
	back, err := ParseState(b)
	if diff := cmp.Diff(s, back); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	backup := s.Document.Clone()
	if first := First(backup); len(first.Document.Fenced)+len(first.Document.Doubled) > 0 || len(backup.Fenced) == 0 {
		t.Errorf("a fleet begins with %v fenced, of a backup with %v", first.Document.Fenced, backup.Fenced)
	}
	s.Operations[0].Outcome = "undone"
	if err := s.Validate(); err == nil || !strings.Contains(err.Error(), "fenced") {
		t.Errorf("a fence of an operation that is over: %v", err)
	}
	fenced := s.Document.Fenced
	s.Document.Fenced = nil
	if err := s.Validate(); err == nil || !strings.Contains(err.Error(), "doubled") {
		t.Errorf("written twice for an operation that is over: %v", err)
	}
	s.Document.Fenced = fenced
	s.Operations[0].Busy = true
	if err := s.Validate(); err != nil {
		t.Error(err)
	}
	calm := claimed(t)
	n := calm.Answer(&Request{ID: "i", By: "ann", Reason: "restore", Do: DoImport, IfVersion: calm.At().Version, Document: backup}, noon())
	if a, _ := n.Answered("i"); a.Refused != "" || len(n.Document.Fenced)+len(n.Document.Doubled) > 0 {
		t.Errorf("an import: refused %q, fenced %v, written twice %v", a.Refused, n.Document.Fenced, n.Document.Doubled)
	}
}

// TestEntriesOfABusyOperationAreNotSet by people.
func TestEntriesOfABusyOperationAreNotSet(t *testing.T) {
	s := moving(t)
	for _, c := range []struct {
		outcome string
		busy    bool
		refused string
	}{{"", false, "operation 1 works on it"}, {"effective", true, "operation 1 works on it"}, {"effective", false, ""}} {
		s.Document.Fenced, s.Document.Doubled = nil, nil
		s.Operations[0].Outcome, s.Operations[0].Busy = c.outcome, c.busy
		n := s.Answer(set(t, "1", s.At().Version, "vshard/17=shard-3"), noon())
		if a, _ := n.Answered("1"); !strings.Contains(a.Refused, c.refused) || (c.refused == "") != (a.Refused == "") {
			t.Errorf("outcome %q, busy %v: refused %q, want %q", c.outcome, c.busy, a.Refused, c.refused)
		}
	}
}

// TestGuardsSayWhatTheyGuard, and nobody else does.
func TestGuardsSayWhatTheyGuard(t *testing.T) {
	c := &Confirmation{Client: "g", Version: 3, Guard: true, Shard: "shard\xff"}
	b, err := c.Encode()
	if err != nil {
		t.Fatal(err)
	}
	back, err := ParseConfirmation(b)
	if diff := cmp.Diff(c, back); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	c.Guard = false
	if _, err := c.Encode(); err == nil {
		t.Error("a client that guards nothing names a shard")
	}
}

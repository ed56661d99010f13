package control

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"firebreak/routing"
)

// acting is a fleet with one operation, changed by change.
func acting(t *testing.T, change func(o *Operation)) *State {
	t.Helper()
	s := claimed(t)
	e := routing.QuotaEntry("acme")
	o := Operation{Number: 1, Machine: "set", Phase: "apply", Plan: "p", Do: []Edit{{e, "5"}}, Was: []Edit{{e, ""}}, Began: noon(), Since: noon(), Version: 2}
	change(&o)
	s.Operated, s.Operations = 1, []Operation{o}
	if err := s.Validate(); err != nil {
		t.Fatal(err)
	}
	return s
}

// TestWordsOnOperations: what is said of an operation is kept, or refused with the reason.
func TestWordsOnOperations(t *testing.T) {
	open, held := func(*Operation) {}, func(o *Operation) { o.Held = "ann: wait" }
	planned := func(o *Operation) { o.Phase, o.Began, o.Held = "planned", time.Time{}, "ann: wait" }
	back := func(o *Operation) { o.Back = true }
	undone := func(o *Operation) { o.Back, o.Phase, o.Outcome, o.Settled = true, "undone", "undone", noon() }
	never := func(o *Operation) {
		o.Phase, o.Began, o.Outcome, o.Settled = "undone", time.Time{}, "not_needed", noon()
	}
	for _, c := range []struct {
		name   string
		change func(o *Operation)
		do     Do
		want   string // a part of the refusal, or what the operation is then
	}{
		{"hold", open, DoHold, "held by bob: why"},
		{"hold again", held, DoHold, "held by bob: why"},
		{"go on", held, DoApprove, "free since 12:00"},
		{"go on, not begun", planned, DoApprove, "free since 12:30"},
		{"go on, not held", open, DoApprove, "is not held"},
		{"back", held, DoRollback, "back because bob: why"},
		{"back again", back, DoRollback, "is on its way back"},
		{"hold what goes back", back, DoHold, "is on its way back, which is not held"},
		{"back, taken back", undone, DoRollback, "was taken back"},
		{"back, never begun", never, DoRollback, "never began: it is not_needed"},
		{"hold, never begun", never, DoHold, "never began: it is not_needed"},
	} {
		s := acting(t, c.change)
		n := s.Answer(&Request{ID: "1", By: "bob", Reason: "why", Do: c.do, Operation: 1}, noon().Add(30*time.Minute))
		o := n.Operations[0]
		got := n.Outbox[0].Refused
		switch {
		case got != "":
		case o.Back:
			got = "back because " + o.Why
		case o.Held != "":
			got = "held by " + o.Held
		default:
			got = "free since " + o.Since.Format("15:04")
		}
		if !strings.Contains(got, c.want) {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
	if n := acting(t, open).Answer(&Request{ID: "1", By: "bob", Reason: "why", Do: DoHold, Operation: 2}, noon()); !strings.Contains(n.Outbox[0].Refused, "no operation 2") {
		t.Errorf("another one: %s", n.Outbox[0].Refused)
	}
}

// TestKeepBoundsWords: what firebreak holds by itself pushes out the oldest word, never what a store takes.
func TestKeepBoundsWords(t *testing.T) {
	s := claimed(t)
	for i := range maxWords {
		s.Approvals = append(s.Approvals, Approval{Plan: fmt.Sprint(i), By: "ann", At: noon()})
	}
	s.Keep(Held{Hotspot: "h", By: "operation 1", Reason: strings.Repeat("x", 5000)})
	s.Keep(Held{Hotspot: "h", By: "operation 2"})
	s.Keep(Held{Hotspot: "i", By: "operation 3"})
	if err := s.Validate(); err != nil {
		t.Fatal(err)
	}
	if len(s.Holds) != 1 || s.Holds[0].Hotspot != "i" || s.Approvals[0].Plan != "1" {
		t.Errorf("holds %+v, the first approval of %s", s.Holds, s.Approvals[0].Plan)
	}
}

// TestOperationsAreChecked: entries before and after are the same, and numbers rise.
func TestOperationsAreChecked(t *testing.T) {
	for name, change := range map[string]func(s *State){
		"other entries": func(s *State) { s.Operations[0].Was[0].Entry = routing.QuotaEntry("b") },
		"one too few":   func(s *State) { s.Operations[0].Was = nil },
		"too high":      func(s *State) { s.Operated = 0 },
		"twice":         func(s *State) { s.Operations = append(s.Operations, s.Operations[0]) },
		"no machine":    func(s *State) { s.Operations[0].Machine = "" },
	} {
		s := acting(t, func(*Operation) {})
		if change(s); s.Validate() == nil {
			t.Errorf("%s: valid", name)
		}
	}
}

// TestImportKeepsSalts: a salt of the document in force, with its tombstones, is not replaced, one of the backup alone is taken; and acting
// stays stopped.
func TestImportKeepsSalts(t *testing.T) {
	s := claimed(t)
	s.Document.Stop = true
	s.Document.PutSalt(routing.Salt{Key: "cart", Suffixes: []uint32{0}, Tombstones: []uint32{1, 2}, Read: 1, Write: 1})
	d := s.Document.Clone()
	d.Stop = false
	d.Salts = nil
	d.PutSalt(routing.Salt{Key: "cart", Suffixes: []uint32{0, 1}, Read: 2, Write: 2})
	d.PutSalt(routing.Salt{Key: "feed", Suffixes: []uint32{0, 7}, Read: 2, Write: 2})
	n := s.Answer(&Request{ID: "1", By: "ann", Reason: "restore", Do: DoImport, IfVersion: 2, Document: d}, noon())
	if n.Outbox[0].Refused != "" {
		t.Fatal(n.Outbox[0].Refused)
	}
	if got := n.Document.Value(routing.SaltEntry("", "cart")); got != "write=1,read=1,suffixes=0,tombstones=1+2" {
		t.Errorf("cart is %s", got)
	}
	if got := n.Document.Value(routing.SaltEntry("", "feed")); got != "write=2,read=2,suffixes=0+7" || !n.Document.Stop {
		t.Errorf("feed is %s, stop %v", got, n.Document.Stop)
	}
}

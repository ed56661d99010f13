package control

import (
	"fmt"
	"testing"
	"time"

	"firebreak/routing"
)

// TestStopped: a state says who stopped acting and why, from the request that did to the one that resumes, whatever else changes meanwhile.
func TestStopped(t *testing.T) {
	s := claimed(t)
	at := time.Date(2026, 11, 30, 3, 0, 0, 1_500_000, time.UTC)
	n := 0
	ask := func(r Request) {
		t.Helper()
		n++
		r.ID, r.IfVersion = fmt.Sprint(n), s.Document.Version
		next := s.Answer(&r, at)
		if a, _ := next.Answered(r.ID); a.Refused != "" {
			t.Fatal(a.Refused)
		}
		b, err := next.Encode()
		if err != nil {
			t.Fatal(err)
		}
		if s, err = ParseState(b); err != nil {
			t.Fatal(err)
		}
	}
	want := func(by, reason string) {
		t.Helper()
		got := s.Stopped
		if by == "" {
			if got != nil || s.Document.Stop {
				t.Errorf("stopped: %+v", got)
			}
			return
		}
		if got == nil || *got != (Stop{by, reason, at.Truncate(time.Millisecond)}) || !s.Document.Stop {
			t.Errorf("stopped: %+v, want by %s: %s", got, by, reason)
		}
	}
	quota := []Edit{{Entry: routing.QuotaEntry("acme"), Value: "5"}}
	ask(Request{By: "ann\xff", Reason: "fire", Do: DoStop})
	want("ann\xff", "fire")
	backup := s.Document.Clone()
	ask(Request{By: "bob", Reason: "hot", Do: DoSet, Edits: quota})
	want("ann\xff", "fire")
	ask(Request{By: "cid", Reason: "still", Do: DoStop})
	want("cid", "still")
	ask(Request{By: "dan", Reason: "it is out", Do: DoResume})
	want("", "")
	ask(Request{By: "eve", Reason: "back to then", Do: DoImport, Document: backup})
	want("eve", "back to then")
	refused := s.Answer(&Request{ID: "x", By: "fay", Reason: "no", Do: DoSet, IfVersion: 1, Edits: quota}, at)
	if refused.Stopped != s.Stopped || !refused.Document.Stop {
		t.Errorf("a refused change left %+v", refused.Stopped)
	}
	claimed, err := s.Claim(0, "another")
	if err != nil || claimed.Stopped != s.Stopped {
		t.Errorf("a claim left %+v, %v", claimed.Stopped, err)
	}
}
